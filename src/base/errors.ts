/** One error of the catalogue: HTTP status (or exit code of the command), what happened, what to do. */
export type ErrorEntry = { status: number; happened: string; todo: string }

/** Every error that clients and users can see. Codes are stable. docs/errors.md is generated from this table. */
export const catalogue = {
  ACCEPT_KEY_MISSING: {
    status: 401,
    happened: 'No project key was given.',
    todo: 'Send the DSN’s public key in X-Sentry-Auth, in ?sentry_key= or in the envelope’s dsn header.',
  },
  ACCEPT_KEY_MALFORMED: {
    status: 400,
    happened: 'The project key or the auth header is malformed.',
    todo: 'Copy the DSN again from the project’s settings; the key is 32 hex characters.',
  },
  ACCEPT_KEY_UNKNOWN: {
    status: 403,
    happened: 'No project has this key.',
    todo: 'Copy the DSN again from the project’s settings.',
  },
  ACCEPT_KEY_DISABLED: {
    status: 403,
    happened: 'This project key is disabled.',
    todo: 'Enable it in the project’s settings or use another key.',
  },
  ACCEPT_AUTH_TWICE: {
    status: 401,
    happened: 'The request names two different project keys.',
    todo: 'Send one key. The header and the query string may both carry it.',
  },
  ACCEPT_AUTH_VERSION: {
    status: 400,
    happened: 'The protocol version is newer than 7.',
    todo: 'Use an SDK that speaks protocol version 7.',
  },
  ACCEPT_PROJECT_MISMATCH: {
    status: 400,
    happened: 'The DSN in the envelope, the key and the project in the path do not belong together.',
    todo: 'Use one DSN for all three.',
  },
  ACCEPT_ORIGIN_REFUSED: {
    status: 403,
    happened: 'The project does not accept events from this origin.',
    todo: 'Add the origin to the project’s allowed origins.',
  },
  ACCEPT_ENCODING_UNKNOWN: {
    status: 415,
    happened: 'The content encoding or type is not known.',
    todo: 'Use identity, gzip, deflate, br or zstd, and a content type that the route accepts.',
  },
  ACCEPT_ENCODING_BROKEN: {
    status: 400,
    happened: 'The compressed body is broken or ends early.',
    todo: 'Check the proxy between the SDK and Mishap.',
  },
  ACCEPT_TOO_LARGE: {
    status: 413,
    happened: 'The body or one of its items is over its limit.',
    todo: 'See docs/limits.md for every limit.',
  },
  ACCEPT_BOMB: {
    status: 413,
    happened: 'The decompressed body is over every limit.',
    todo: 'See docs/limits.md for every limit.',
  },
  ACCEPT_ENVELOPE_MALFORMED: {
    status: 400,
    happened: 'The envelope is malformed.',
    todo: 'The position says where; check the SDK’s version.',
  },
  ACCEPT_BODY_MALFORMED: {
    status: 400,
    happened: 'The body is empty or is not a JSON object.',
    todo: 'Send one event as a JSON object.',
  },
  ACCEPT_MINIDUMP: {
    status: 400,
    happened: 'The body holds no minidump.',
    todo: 'Send it as upload_file_minidump in a multipart form, or as the body itself: plain, gzip, zstd, xz or bzip2.',
  },
  ACCEPT_METHOD: {
    status: 405,
    happened: 'This route does not answer this method.',
    todo: 'Use the methods of the Allow header.',
  },
  ACCEPT_RATE_LIMITED: {
    status: 429,
    happened: 'The rate limit is reached.',
    todo: 'Wait for the time in Retry-After, or raise the limit in the project’s settings.',
  },
  ACCEPT_OVERLOADED: {
    status: 503,
    happened: 'More arrives than Mishap can process, and the journal is full.',
    todo: 'SDKs retry automatically. See the status page.',
  },
  ACCEPT_DISK_FULL: {
    status: 503,
    happened: 'The disk is full.',
    todo: 'Free space on the volume that holds the data folder.',
  },
  ACCEPT_TIMEOUT: { status: 408, happened: 'The body did not arrive in time.', todo: 'Check the connection.' },
  QUERY_SYNTAX: {
    status: 400,
    happened: 'Invalid query.',
    todo: 'The cause names the position and says what was expected.',
  },
  QUERY_FIELD_UNKNOWN: {
    status: 400,
    happened: 'Invalid query: the field is unknown.',
    todo: 'See docs/search.md for the fields.',
  },
  QUERY_TYPE: {
    status: 400,
    happened: 'Invalid query: the value has the wrong type.',
    todo: 'See docs/search.md for the fields and their types.',
  },
  QUERY_TOO_LONG: {
    status: 400,
    happened: 'Invalid query: it is too long.',
    todo: 'Use at most 4,096 characters and 100 terms.',
  },
  QUERY_TIMEOUT: { status: 504, happened: 'The query took longer than 20 s.', todo: 'Narrow the time range.' },
  SQL_REFUSED: {
    status: 400,
    happened: 'This SQL statement cannot run here.',
    todo: 'Write one SELECT over the views in docs/explore-screen.md. The detail names the position.',
  },
  AUTH_REQUIRED: {
    status: 401,
    happened: 'Authentication credentials were not provided.',
    todo: 'Sign in, or send Authorization: Bearer with a token.',
  },
  AUTH_FAILED: { status: 401, happened: 'Invalid token', todo: 'Sign in again, or create a new token.' },
  AUTH_LOCKED: {
    status: 429,
    happened: 'Too many wrong passwords or links for this account from your address.',
    todo: 'Wait for the time in Retry-After: a minute at most for passwords, an hour for links.',
  },
  AUTH_BUSY: {
    status: 503,
    happened: 'Mishap is checking too many passwords right now.',
    todo: 'Try again in a few seconds.',
  },
  AUTH_FORBIDDEN: {
    status: 403,
    happened: 'You do not have permission to perform this action.',
    todo: 'Ask an owner or admin of the organization.',
  },
  AUTH_TOKEN_SCOPE: {
    status: 403,
    happened: 'You do not have permission to perform this action: the token lacks the scope.',
    todo: 'Create a token with the scope that the detail names.',
  },
  AUTH_ORIGIN: {
    status: 403,
    happened: 'The request comes from another origin.',
    todo: 'Open Mishap at the address in MISHAP_URL.',
  },
  REQUEST_TOO_MANY: {
    status: 429,
    happened: 'Too many requests from your address are in progress.',
    todo: 'Wait for the time in Retry-After. Behind a proxy, add it to MISHAP_TRUSTED_PROXIES, so that Mishap can tell people apart.',
  },
  REQUEST_OVERLOADED: {
    status: 503,
    happened: 'Too many requests are in progress.',
    todo: 'Try again after the time in Retry-After.',
  },
  REQUEST_TOO_MANY_STREAMS: {
    status: 429,
    happened: 'Too many live streams are open.',
    todo: 'Close some. The limit is 10 for each person and 200 for each address.',
  },
  HOOK_LIMITED: {
    status: 429,
    happened: 'Too many calls of this webhook from your address had no valid signature.',
    todo: 'Correct the secret at the sender, then wait for the time in Retry-After: a minute at most.',
  },
  NOT_FOUND: {
    status: 404,
    happened: 'The requested resource does not exist',
    todo: 'Check the address. You may also lack access to it.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    happened: 'This route does not answer this method.',
    todo: 'See the OpenAPI file.',
  },
  CONFLICT: { status: 409, happened: 'Somebody else changed this in the meantime.', todo: 'Load it again.' },
  VALIDATION: { status: 400, happened: 'A value is not valid.', todo: 'Each field says what is allowed.' },
  TEAMS_NOT_BUILT: {
    status: 501,
    happened: 'Teams cannot be created, changed or deleted yet.',
    todo: 'Use the one team of the organization. It has the slug of the organization and contains every person and project.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    happened: 'The events store is down. Ingest continues.',
    todo: 'It restarts automatically. The status page shows its state.',
  },
  DATABASE_UNWRITABLE: {
    status: 503,
    happened: 'The database cannot be written: its disk is full or failing.',
    todo: 'Free space on the disk of the data folder. Mishap then continues automatically. Ingest continues meanwhile.',
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    happened: 'The database does not answer. Ingest continues.',
    todo: 'Check the PostgreSQL server in MISHAP_META. Mishap continues automatically when it answers.',
  },
  DATABASE_UNKNOWN: {
    status: 503,
    happened: 'The connection to the database was lost while a change was saved.',
    todo: 'The change may be saved or not. Load the page again before you repeat it.',
  },
  BLOBS_UNAVAILABLE: {
    status: 503,
    happened: 'The blob store is away. Ingest continues.',
    todo: 'Mishap retries automatically. The status page shows its state. docs/external.md explains each failure.',
  },
  BLOB_DAMAGED: {
    status: 500,
    happened: 'A stored file does not match its checksum.',
    todo: 'Restore it from a backup, or upload it again. The log names its key.',
  },
  BACKUP_RUNNING: {
    status: 409,
    happened: 'Another backup is running.',
    todo: 'Wait until it ends. Each backup copies everything that is stored.',
  },
  OUTGOING_REFUSED: {
    status: 400,
    happened: 'Mishap does not call this address.',
    todo: 'Use a public http or https address, or let an operator allow its network in MISHAP_OUTGOING_NETWORKS.',
  },
  OUTGOING_FAILED: {
    status: 502,
    happened: 'The address could not be reached.',
    todo: 'Check the address and try again.',
  },
  OUTGOING_TIMEOUT: {
    status: 504,
    happened: 'The address did not answer in time.',
    todo: 'Check the address and try again.',
  },
  OUTGOING_TOO_LARGE: {
    status: 502,
    happened: 'The answer is too large.',
    todo: 'Use an address that answers with less.',
  },
  INTERNAL: { status: 500, happened: 'Internal error.', todo: 'The log has the request id.' },
  START_LOCKED: {
    status: 1,
    happened: 'Another process owns the data folder.',
    todo: 'Stop it, or use another --data folder.',
  },
  START_NEWER_DATA: {
    status: 1,
    happened: 'The data folder was written by a newer version.',
    todo: 'Use that version or a newer version.',
  },
  START_NO_SCREENS: {
    status: 1,
    happened: 'The screens are not built for this address.',
    todo: 'Start with npm start, which builds them. The npm package has screens for addresses without a path: use a host name of its own.',
  },
  START_NO_ENGINE: {
    status: 78,
    happened: 'The embedded events store is not installed.',
    todo: 'Install again without --omit=optional, or set MISHAP_EVENTS to a ClickHouse server.',
  },
  START_HALF_RESTORED: {
    status: 1,
    happened: 'A restore into this data folder was cut off.',
    todo: 'Run mishap restore again.',
  },
  START_JOURNAL_BEHIND: {
    status: 1,
    happened: 'The journal starts below what is already stored: its folder was emptied, or is an older copy.',
    todo: 'Restore the folder "journal" that belongs to this data folder. If it is gone, its events are lost. docs/operating.md says how to start a new one.',
  },
  START_DATABASE: {
    status: 78,
    happened: 'The database cannot be used.',
    todo: 'Correct MISHAP_META or the PostgreSQL server, as the message says. See docs/external.md.',
  },
  START_BLOBS_UNREACHABLE: {
    status: 78,
    happened: 'The blob store cannot be reached.',
    todo: 'Check the endpoint in MISHAP_BLOBS, and that the server runs.',
  },
  START_BLOBS_TLS: {
    status: 78,
    happened: 'The certificate of the blob store does not verify.',
    todo: 'Use the host name of the certificate. For an authority of your own, set NODE_EXTRA_CA_CERTS to its file.',
  },
  START_BLOBS_CREDENTIALS: {
    status: 78,
    happened: 'The blob store refuses the keys.',
    todo: 'Check accessKeyId and secretAccessKey in MISHAP_BLOBS (or the AWS_* variables), and what they may do. docs/external.md lists it.',
  },
  START_BLOBS_BUCKET: {
    status: 78,
    happened: 'The bucket does not exist.',
    todo: 'Create it, or correct its name in MISHAP_BLOBS.',
  },
  START_BLOBS_UNSUITABLE: {
    status: 78,
    happened: 'The blob store does not do what Mishap needs.',
    todo: 'Check region and endpoint. The server must support conditional writes and metadata. docs/external.md lists the needs.',
  },
  START_BLOBS_ELSEWHERE: {
    status: 78,
    happened: 'The blobs of this data folder are in another store.',
    todo: 'Correct MISHAP_BLOBS. To change the store, use mishap move.',
  },
  START_EVENTS_CREDENTIALS: {
    status: 78,
    happened: 'The ClickHouse server refuses the user or the password.',
    todo: 'Check user and password in MISHAP_EVENTS. Special characters need percent escapes.',
  },
  START_EVENTS_VERSION: {
    status: 78,
    happened: 'The ClickHouse server is too old.',
    todo: 'Upgrade the server. docs/external.md names the oldest version.',
  },
  START_EVENTS_GRANTS: {
    status: 78,
    happened: 'The user of the ClickHouse server lacks grants.',
    todo: 'Run the statements of mishap events grants on the server, as an administrator.',
  },
  START_EVENTS_DATABASE: {
    status: 78,
    happened: 'The database does not exist on the ClickHouse server, and the user may not create it.',
    todo: 'Create it as an administrator. mishap events grants prints the statement.',
  },
  START_EVENTS_DISK: {
    status: 78,
    happened: 'The disk of the ClickHouse server is full.',
    todo: 'Free space on it, or move the server to a larger disk.',
  },
  START_EVENTS_TLS: {
    status: 78,
    happened: 'The certificate of the ClickHouse server cannot be verified.',
    todo: 'Use a certificate for this host name. For a private authority, set NODE_EXTRA_CA_CERTS to its file.',
  },
  START_EVENTS_STRANGER: {
    status: 78,
    happened: 'What answers at the address in MISHAP_EVENTS is not the HTTP interface of a ClickHouse server.',
    todo: 'Use the HTTP port (8123, or 8443 with https), not the native port.',
  },
  START_EVENTS_TAKEN: {
    status: 78,
    happened: 'The database on the ClickHouse server belongs to another installation of Mishap.',
    todo: 'Use a database for each installation, or the data folder that belongs to this database.',
  },
  START_STORES_MOVED: {
    status: 78,
    happened: 'The settings name other stores than those that the data folder was moved to.',
    todo: 'Set the variables that the message names. See docs/external.md.',
  },
  BACKUP_NO_TARGET: {
    status: 400,
    happened: 'The events of this backup lie on a target of a ClickHouse server that is not configured here.',
    todo: 'Set MISHAP_EVENTS and MISHAP_EVENTS_BACKUP as they were when the backup was taken.',
  },
  START_PORT_TAKEN: { status: 1, happened: 'The port is taken.', todo: 'Use another --port.' },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof catalogue

export const isErrorCode = (text: unknown): text is ErrorCode =>
  typeof text === 'string' && Object.hasOwn(catalogue, text)

/** Returns whether an error says that the events store is away. Whoever waits for it asks again later. */
export const isOutage = (error: unknown): boolean => error instanceof MishapError && error.code === 'STORE_UNAVAILABLE'

/** Returns whether an error says that the blob store is away. */
export const isBlobsAway = (error: unknown): boolean =>
  error instanceof MishapError && error.code === 'BLOBS_UNAVAILABLE'

/** One mistake in a search text. */
export type QueryMistake = {
  /** A stable name of the mistake. */
  reason: string
  code: 'QUERY_SYNTAX' | 'QUERY_TYPE'
  /** The wrong part, in UTF-16 units from 0. Empty where something is missing. */
  from: number
  to: number
  /** Position in characters, from 1. */
  position: number
  expected: string
  /** A text that could replace the wrong part. */
  suggestion: string | undefined
}

/** An expected error with a code of the catalogue. The caller sees `detail`; it never contains event data. */
export class MishapError extends Error {
  readonly code: ErrorCode
  /** Details: field errors, positions, found values. */
  readonly causes: string[]
  /** Seconds for Retry-After, if a retry makes sense. */
  readonly retryAfterS: number | undefined
  /** Field errors of a form: `{field: [sentence]}`, sent as the body itself. */
  readonly fields: Record<string, string[]> | undefined
  /** The current state that a change conflicts with, for programs; part of the body. */
  readonly current: Record<string, unknown> | undefined
  /** All mistakes of a search text, by position; empty for other errors. */
  readonly mistakes: readonly QueryMistake[]

  constructor(
    code: ErrorCode,
    options: {
      detail?: string
      causes?: string[]
      retryAfterS?: number
      fields?: Record<string, string[]>
      current?: Record<string, unknown>
      mistakes?: readonly QueryMistake[]
    } = {},
  ) {
    super(options.detail ?? catalogue[code].happened)
    this.name = 'MishapError'
    this.code = code
    this.causes = options.causes ?? []
    this.retryAfterS = options.retryAfterS
    this.fields = options.fields
    this.current = options.current
    this.mistakes = options.mistakes ?? []
  }

  /** Returns the HTTP status (the exit code for START_*). */
  get status(): number {
    return catalogue[this.code].status
  }
}

/** A mistake as programs read it. */
type SentMistake = Pick<QueryMistake, 'reason' | 'code' | 'position' | 'expected'> & { suggestion: string | null }

/**
 * Returns the body of an error response: `{detail, code, causes}`, with `current` after a conflict and `mistakes` after
 * an invalid query.
 */
export function errorBody(error: MishapError): {
  detail: string
  code: ErrorCode
  causes: string[]
  current?: Record<string, unknown>
  mistakes?: SentMistake[]
} {
  return {
    detail: error.message,
    code: error.code,
    causes: error.causes.length ? error.causes : [catalogue[error.code].todo],
    ...(error.current ? { current: error.current } : {}),
    ...(error.mistakes.length
      ? {
          mistakes: error.mistakes.map(({ reason, code, position, expected, suggestion }) => ({
            reason,
            code,
            position,
            expected,
            suggestion: suggestion ?? null,
          })),
        }
      : {}),
  }
}

/** Returns the calls of a stack without the preceding message, which can contain anything, even line breaks. */
export function callsOf(error: Error): string {
  const { stack = '', message } = error
  const at = message === '' ? -1 : stack.indexOf(message)
  const calls = at < 0 ? stack : stack.slice(at + message.length)
  return calls
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .slice(0, 20)
    .join('\n')
}

/**
 * Returns whether an error only means that the client disconnected early. Node, web streams and Next each report it in
 * their own way. It is not our fault, and clients can cause it at will.
 */
export function senderLeft(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  if (code === 'ECONNRESET') return error.message === 'aborted'
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || error.name === 'AbortError' || error.name === 'ResponseAborted'
}
