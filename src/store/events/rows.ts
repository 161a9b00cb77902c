import type { EventRef, EventRow, SeenEvent } from './events.ts'

/** Columns of a whole row as `readRow` takes them. Times are numbers since 1970, ids hex. */
export const rowSelect = `project_id, group_hash, toUnixTimestamp64Micro(timestamp) AS timestamp_us, toUnixTimestamp64Milli(received) AS received_ms,
  lower(hex(event_id)) AS event_hex, jpos, gen, hashes, user_hash, level, environment, release, transaction, type, platform,
  message, tags, lower(hex(trace_id)) AS trace_hex, digest, frames, payload`

/** Columns of a reference as `readRef` takes them. */
export const refSelect = `project_id, group_hash, toUnixTimestamp64Micro(timestamp) AS timestamp_us, toUnixTimestamp64Milli(received) AS received_ms,
  lower(hex(event_id)) AS event_hex`

const plainSelect = `${refSelect}, jpos, hashes, tags, lower(hex(trace_id)) AS trace_hex`
/** Columns of an event as `readSeen` takes them. */
export const seenSelect = `${plainSelect}, payload`

/** The same with the normal form alone as payload: what was received is the greater half, and stays where it is. */
export const normalSelect = `${plainSelect}, substringIndex(payload, '\\n', 1) AS payload`

/** A reference as JSONEachRow gives it: 64-bit numbers are strings. */
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

/** A 64-bit number in decimals as 16 hex characters. */
export function hashText(decimal: string): string {
  return BigInt(decimal).toString(16).padStart(16, '0')
}

const idText = (hex: string): string => (/^0*$/.test(hex) ? '' : hex)

/** A stored reference as the product uses it. */
export function readRef(row: StoredRef): EventRef {
  return {
    projectId: Number(row.project_id),
    eventId: row.event_hex,
    groupHash: hashText(row.group_hash),
    timestampUs: Number(row.timestamp_us),
    receivedMs: Number(row.received_ms),
  }
}

/** What is shown of a stored event as the product uses it. */
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

/** A stored row as the product uses it. */
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

/** 32 lower-case hex of an id in any spelling; undefined when it is none. */
export function idHex(text: string): string | undefined {
  const hex = text.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(hex) ? hex : undefined
}

/** As `idHex`; zeros alone are no trace. */
export function traceHex(text: string): string | undefined {
  const hex = idHex(text)
  return hex === undefined || /^0+$/.test(hex) ? undefined : hex
}
