import type { DataCategory } from '../base/outcome.ts'
import type { RecordHead } from './journal.ts'

/**
 * How an item of a record was counted as a dead letter. A record that failed as a whole counts as one item of its kind.
 * `spans`: additional entries (child spans of a transaction, or all but the first entry of a list), counted in category
 * `of`. Dead letters of an earlier version have no `of`: their additional entries are spans.
 */
export type DeadLetterCount = { category: DataCategory; itemType: string; spans?: number; of?: DataCategory }

/** The content of a dead letter: the record's head, its decompressed body, and how it was counted. */
type UnpackedDeadLetter = { head: RecordHead; body: Buffer; count: DeadLetterCount }

const kinds: ReadonlySet<string> = new Set([
  'envelope',
  'store',
  'security',
  'attachments',
  'minidump',
  'otlp',
  'otlp_logs',
  'vercel_logs',
  'heroku_logs',
  'otlp_metrics',
  'detection',
])

/**
 * Packs a record as the bytes of a dead letter: the head as a JSON line, then the body. Omits the spool location, and the
 * lane: what a person sends again does not wait for bulk data, except metrics of OpenTelemetry (`replay.ts`).
 */
export function packDeadLetter(head: RecordHead, body: Buffer, count?: DeadLetterCount): Buffer {
  const { spool: _spool, again: _again, lane: _lane, ...rest } = head
  return Buffer.concat([Buffer.from(`${JSON.stringify(count ? { ...rest, count } : rest)}\n`), body])
}

/** Unpacks a dead letter; undefined for bytes without a record, which earlier versions stored for refused rows. */
export function unpackDeadLetter(bytes: Buffer): UnpackedDeadLetter | undefined {
  const end = bytes.indexOf(0x0a)
  try {
    const { count, ...head } = JSON.parse(bytes.toString('utf8', 0, end)) as RecordHead & { count?: DeadLetterCount }
    if (!kinds.has(head.kind)) return undefined
    return { head, body: bytes.subarray(end + 1), count: count ?? { category: 'default', itemType: head.kind } }
  } catch {
    return undefined
  }
}
