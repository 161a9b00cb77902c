import type { DataCategory } from '../base/outcome.ts'
import type { RecordHead } from './journal.ts'

/**
 * How one item of a record was counted as dead; a record that died as a whole counts as one of its kind. `spans`: how many
 * were counted beside it (of a transaction its children, of a list all but the first entry), and `of`: in which category.
 * Letters that an earlier version wrote have no `of`: what they brought beside were spans.
 */
export type DeadCount = { category: DataCategory; itemType: string; spans?: number; of?: DataCategory }

/** What a dead item keeps: the record's head, its body (inflated), and how it was counted. */
export type Dead = { head: RecordHead; body: Buffer; count: DeadCount }

const kinds: ReadonlySet<string> = new Set(['envelope', 'store', 'security', 'attachments', 'minidump'])

/** A record as a dead item's bytes: the head as a line of JSON, then the body. Where the body lay before is left out. */
export function packDead(head: RecordHead, body: Buffer, count?: DeadCount): Buffer {
  const { spool: _spool, again: _again, ...rest } = head
  return Buffer.concat([Buffer.from(`${JSON.stringify(count ? { ...rest, count } : rest)}\n`), body])
}

/** Undefined for bytes that hold no record: a row that the store refused, kept by an earlier version. */
export function unpackDead(bytes: Buffer): Dead | undefined {
  const end = bytes.indexOf(0x0a)
  try {
    const { count, ...head } = JSON.parse(bytes.toString('utf8', 0, end)) as RecordHead & { count?: DeadCount }
    if (!kinds.has(head.kind)) return undefined
    return { head, body: bytes.subarray(end + 1), count: count ?? { category: 'default', itemType: head.kind } }
  } catch {
    return undefined
  }
}
