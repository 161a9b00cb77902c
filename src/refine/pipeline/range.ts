import type { Lane } from '../../base/lane.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { RecordHead, ReplayedDeadLetter } from '../../journal/journal.ts'
import type { RecordOutcomes } from '../../journal/request-log.ts'
import { byteLengthOf, dropRows, linesOf, type Rows } from '../../store/events/row-file.ts'
import type { TableName } from '../../store/events/tables.ts'
import type { AttachmentRow, DeadLetter } from '../../store/meta/meta.ts'
import { type GroupDetails, type KindEffects, noEffects, type StoredPlaces } from '../kinds/kind.ts'
import type { RangeTotals } from '../kinds/metric/streams.ts'

/** A range of the journal to refine. `to` is known in a recovery or a retry, otherwise the worker finds it. */
export type RangeJob = {
  job: number
  from: number
  durable: number
  recordsMax: number
  bytesMax: number
  lane: Lane
  /** Set if the records crashed a worker: they are not refined and become dead letters with this reason. */
  quarantineReason?: string
  /** In a recovery: the places of rows that are already stored. */
  stored?: StoredPlaces | undefined
}

/** Rows of a batch that are stored or refused together. `from` and `to`: their bytes in the lines of their table. */
export type RangeGroup = GroupDetails & { table: TableName; from: number; to: number }

/** The last time that ingest saw a project key. */
export type KeyUse = { keyId: number; atMs: number; refusedCode: string | null }

/** A record that failed to process but has stored rows, at the positions from `from` up to, but not including, `to`. */
type StoredRecord = {
  from: number
  to: number
  projectId: number
  keyId: number
  kind: RecordHead['kind']
  bytes: number
}

/** The result of refining a range. */
export type RefinedRange = {
  job: number
  from: number
  to: number
  groups: RangeGroup[]
  /** The encoded lines of all rows, by table, in the order of `groups`. */
  lines: Map<TableName, Rows>
  effects: KindEffects & { attachments: AttachmentRow[] }
  storedRecords: StoredRecord[]
  outcomes: OutcomeCount[]
  uses: KeyUse[]
  dead: DeadLetter[]
  /** Dead letters that were replayed as records of this range. */
  again: ReplayedDeadLetter[]
  /** The outcomes of the newest records of each key, for the request log. */
  ends: RecordOutcomes[]
  /** Keys of bodies that are stored outside the journal. They are deleted after the commit. */
  spools: string[]
  /** Last totals of cumulative streams. The pool makes them known. */
  totals?: RangeTotals | undefined
  records: number
}

/** A range without records. */
export const emptyRange = (job: { job: number; from: number }, to: number): RefinedRange => ({
  job: job.job,
  from: job.from,
  to,
  groups: [],
  lines: new Map(),
  effects: { ...noEffects(), attachments: [] },
  storedRecords: [],
  outcomes: [],
  uses: [],
  dead: [],
  again: [],
  ends: [],
  spools: [],
  records: 0,
})

/** Appends each list of `from` to the list of the same name in `into`. */
export function addEffects<Effects extends { [Name in keyof Effects]: unknown[] }>(into: Effects, from: Effects): void {
  for (const name of Object.keys(from) as (keyof Effects)[]) {
    const list: unknown[] = into[name]
    for (const effect of from[name]) list.push(effect)
  }
}

/** Joins consecutive ranges, with their rows in memory. */
export function joined(ranges: readonly RefinedRange[], from: number): RefinedRange {
  const out = emptyRange({ job: 0, from }, ranges.at(-1)?.to ?? from)
  const parts = new Map<TableName, Uint8Array[]>()
  const sizes = new Map<TableName, number>()
  for (const range of ranges) {
    for (const group of range.groups) {
      const bytes = sizes.get(group.table) ?? 0
      out.groups.push({ ...group, from: group.from + bytes, to: group.to + bytes })
    }
    for (const [table, lines] of range.lines) {
      parts.set(table, [...(parts.get(table) ?? []), linesOf(lines)])
      sizes.set(table, (sizes.get(table) ?? 0) + byteLengthOf(lines))
    }
    dropRows(range.lines.values())
    addEffects(out.effects, range.effects)
    for (const outcome of range.outcomes) out.outcomes.push(outcome)
    out.storedRecords.push(...range.storedRecords)
    out.uses.push(...range.uses)
    out.dead.push(...range.dead)
    out.again.push(...range.again)
    out.ends.push(...range.ends)
    out.spools.push(...range.spools)
    out.records += range.records
  }
  for (const [table, all] of parts) out.lines.set(table, concat(all))
  return out
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
