import type { EventRow } from './events.ts'

/** Columns of a line of `encodeEventRow`, in its order. */
export const eventColumns = [
  'project_id',
  'group_hash',
  'timestamp',
  'received',
  'event_id',
  'jpos',
  'gen',
  'hashes',
  'user_hash',
  'level',
  'environment',
  'release',
  'transaction',
  'type',
  'platform',
  'message',
  'tags',
  'trace_id',
  'digest',
  'payload',
] as const

const special = /[\\\t\n\r\b\f\0]/
const specials = /[\\\t\n\r\b\f\0]/g
const escapes: Record<string, string> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\0': '\\0',
}
const escaped = (found: string) => escapes[found] ?? found

/** A text as one tab-separated field. Testing first is 4 times as fast as replacing for the texts that need nothing. */
function field(text: string): string {
  return special.test(text) ? text.replace(specials, escaped) : text
}

/** A text within quotes, as maps have them. */
function quoted(text: string): string {
  const safe = field(text)
  return safe.includes("'") ? `'${safe.replaceAll("'", "\\'")}'` : `'${safe}'`
}

const noId = '\\0'.repeat(16)
const hexId = /^[0-9a-f]{32}$/

/** 32 hex characters as 16 escaped bytes; the table keeps ids as FixedString(16), half of their text. */
function binaryId(hex: string): string {
  if (!hexId.test(hex)) return noId
  let out = ''
  for (let at = 0; at < 32; at += 2) out += `\\x${hex[at]}${hex[at + 1]}`
  return out
}

const hexHash = /^[0-9a-f]{16}$/
const hash = (hex: string): string => (hexHash.test(hex) ? BigInt(`0x${hex}`).toString() : '0')

/** ClickHouse's DateTime64 ends in 2299; nothing that a client claims may leave 1970 to 2199. */
const timeMsMax = Date.UTC(2199, 11, 31)

function time(ms: number): string {
  const kept = Number.isFinite(ms) ? Math.min(Math.max(Math.floor(ms), 0), timeMsMax) : 0
  return new Date(kept).toISOString().slice(0, 23).replace('T', ' ')
}

function micros(us: number): string {
  const rest = Number.isFinite(us) && us > 0 ? Math.floor(us) % 1000 : 0
  return time(us / 1000) + String(rest).padStart(3, '0')
}

/** One row as a line of tab-separated values (UTF-8 once encoded), newline included; columns as in `eventColumns`. */
export function encodeEventRow(row: EventRow): string {
  let tags = ''
  for (const key in row.tags) tags += `${tags ? ',' : ''}${quoted(key)}:${quoted(row.tags[key] ?? '')}`
  return (
    `${row.projectId}\t${hash(row.groupHash)}\t${micros(row.timestampUs)}\t${time(row.receivedMs)}\t${binaryId(row.eventId)}\t` +
    `${row.jpos}\t${row.gen}\t[${row.hashes.map(hash).join(',')}]\t${hash(row.userHash)}\t` +
    `${field(row.level)}\t${field(row.environment)}\t${field(row.release)}\t${field(row.transaction)}\t${field(row.type)}\t` +
    `${field(row.platform)}\t${field(row.message)}\t{${tags}}\t${binaryId(row.traceId)}\t${field(row.digest)}\t${field(row.payload)}\n`
  )
}
