import { isHex } from './ids.ts'

/** The credentials and version that a client sends. `key` is as sent without flags, not yet looked up. */
export type ClientAuth = {
  key: string
  /** Protocol version; 7 if absent. */
  version: number
  /** `name/version`, or ''. */
  client: string
  /** This source has several different keys. */
  conflict: boolean
}

/**
 * Normalizes a project key from a DSN to 32 lower-case hex characters. Flags after a dot (`<key>.no-cache`) are
 * dropped. Undefined if it is not exactly 32 hex characters.
 */
export function readKey(text: string): string | undefined {
  const dot = text.indexOf('.')
  const key = dot === -1 ? text : text.slice(0, dot)
  return key.length === 32 && isHex(key) ? key.toLowerCase() : undefined
}

function readVersion(text: string): number {
  const version = Number(text)
  return text.trim() !== '' && Number.isFinite(version) ? version : 7
}

/**
 * Parses `Sentry sentry_version=7, sentry_key=…, sentry_client=…` (separated by commas or blanks; the leading word is
 * optional). Undefined without a sentry_key.
 */
export function parseAuthHeader(text: string): ClientAuth | undefined {
  const start = text.slice(0, 7).toLowerCase() === 'sentry ' ? 7 : 0
  let auth: ClientAuth | undefined
  let version = 7
  let client = ''
  for (const pair of text.slice(start).split(/[,\s]+/)) {
    const equals = pair.indexOf('=')
    if (equals === -1) continue
    const name = pair.slice(0, equals).toLowerCase()
    const value = unquote(pair.slice(equals + 1))
    if (name === 'sentry_key') {
      const conflict = auth !== undefined && (auth.conflict || auth.key !== value)
      auth = { key: value, version: 7, client: '', conflict }
    } else if (name === 'sentry_version') version = readVersion(value)
    else if (name === 'sentry_client') client = value
  }
  if (auth === undefined) return undefined
  auth.version = version
  auth.client = client
  return auth
}

function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

/** Parses `sentry_key`, `sentry_version` and `sentry_client` of a query string. Undefined without a sentry_key. */
export function parseAuthQuery(query: URLSearchParams): ClientAuth | undefined {
  const keys = query.getAll('sentry_key')
  const [key] = keys
  if (key === undefined) return undefined
  const version = readVersion(query.get('sentry_version') ?? '7')
  return { key, version, client: query.get('sentry_client') ?? '', conflict: keys.some((other) => other !== key) }
}

/** Parses `Basic base64(key:secret)`. The secret is legacy and ignored. Undefined without a key. */
export function parseBasic(text: string): ClientAuth | undefined {
  const decoded = Buffer.from(text.slice('basic '.length).trim(), 'base64').toString('latin1')
  const colon = decoded.indexOf(':')
  const key = colon === -1 ? decoded : decoded.slice(0, colon)
  return key === '' ? undefined : { key, version: 7, client: '', conflict: false }
}

/** The parts of a DSN: `{scheme}://{key}[:{secret}]@{host}[:port]/[path/]{project id}`. */
type Dsn = { key: string; projectId: number; host: string }

/** Parses a DSN. Undefined if it is not a URL, or has no key of 32 hex characters or no numeric project id. */
export function parseDsn(text: string): Dsn | undefined {
  if (text.length > 1024 || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const key = readKey(url.username)
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname
  const project = path.slice(path.lastIndexOf('/') + 1)
  if (key === undefined || !/^\d{1,15}$/.test(project)) return undefined
  return { key, projectId: Number(project), host: url.host }
}
