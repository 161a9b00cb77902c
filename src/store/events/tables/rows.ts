import type { EventRef, EventRow, SeenEvent } from '../events.ts'

/** Columns of a complete row for `readRow`. Times are numbers since 1970, ids hex. */
export const rowSelect = `project_id, group_hash, toUnixTimestamp64Micro(timestamp) AS timestamp_us, toUnixTimestamp64Milli(received) AS received_ms,
  lower(hex(event_id)) AS event_hex, jpos, gen, hashes, user_hash, level, environment, release, transaction, type, platform,
  message, tags, lower(hex(trace_id)) AS trace_hex, digest, frames, payload`

/** Columns of a reference for `readRef`. */
export const refSelect = `project_id, group_hash, toUnixTimestamp64Micro(timestamp) AS timestamp_us, toUnixTimestamp64Milli(received) AS received_ms,
  lower(hex(event_id)) AS event_hex`

const plainSelect = `${refSelect}, jpos, hashes, tags, lower(hex(trace_id)) AS trace_hex`
/** Columns of an event for `readSeen`. */
export const seenSelect = `${plainSelect}, payload`

/** Like `seenSelect`, with only the normalized JSON as payload. The JSON as received is larger and stays unread. */
export const normalSelect = `${plainSelect}, substringIndex(payload, '\\n', 1) AS payload`

/** A reference in JSONEachRow form: 64-bit numbers are strings. */
export type StoredRef = {
  project_id: string
  group_hash: string
  timestamp_us: string
  received_ms: string
  event_hex: string
}

export type StoredSeen = StoredRef & {
  jpos: string
  hashes: string[]
  tags: Record<string, string>
  trace_hex: string
  payload: string
}

export type StoredRow = StoredSeen & {
  gen: number
  user_hash: string
  level: string
  environment: string
  release: string
  transaction: string
  type: string
  platform: string
  message: string
  digest: string
  frames: string[]
}

/** Converts a decimal 64-bit number to 16 hex characters. */
export function hashText(decimal: string): string {
  return BigInt(decimal).toString(16).padStart(16, '0')
}

const idText = (hex: string): string => (/^0*$/.test(hex) ? '' : hex)

/** Converts a stored reference. */
export function readRef(row: StoredRef): EventRef {
  return {
    projectId: Number(row.project_id),
    eventId: row.event_hex,
    groupHash: hashText(row.group_hash),
    timestampUs: Number(row.timestamp_us),
    receivedMs: Number(row.received_ms),
  }
}

/** Converts the displayed part of a stored event. */
export function readSeen(row: StoredSeen): SeenEvent {
  return {
    ...readRef(row),
    jpos: Number(row.jpos),
    hashes: row.hashes.map(hashText),
    tags: row.tags,
    traceId: idText(row.trace_hex),
    payload: row.payload,
  }
}

/** Converts a stored row. */
export function readRow(row: StoredRow): EventRow {
  return {
    ...readSeen(row),
    gen: row.gen,
    userHash: row.user_hash === '0' ? '' : hashText(row.user_hash),
    level: row.level,
    environment: row.environment,
    release: row.release,
    transaction: row.transaction,
    type: row.type,
    platform: row.platform,
    message: row.message,
    digest: row.digest,
    frames: row.frames,
  }
}

/** Normalizes an id in any spelling to 32 lower-case hex characters; undefined if invalid. */
export function idHex(text: string): string | undefined {
  const hex = text.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(hex) ? hex : undefined
}

/** Like `idHex`, but an id of zeros is invalid too. */
export function traceHex(text: string): string | undefined {
  const hex = idHex(text)
  return hex === undefined || /^0+$/.test(hex) ? undefined : hex
}
