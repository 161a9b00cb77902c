import type { DataCategory } from '../../base/outcome.ts'
import type { EventsKind } from './kind.ts'

/** Settings of the retention, in days. */
export type RetentionDays = { retentionErrorsDays: number; retentionSpansDays: number; retentionLogsDays: number }

/**
 * One stored table of the events store. Code that treats all tables alike loops over the entries of `tables.ts`:
 * creation, storing a batch, recovery, retention, disk budget, removal, backup, verify and usage.
 * A row belongs to the record at `jpos`. `(jpos, place)` identifies it, so a partly stored batch can be completed.
 */
export type StoredTable<Row> = {
  name: string
  /** Statements that create the table and its derived tables. Safe to repeat. */
  ddl(database: string, kind: EventsKind): string[]
  /** Columns of an encoded line, in order. */
  columns: readonly string[]
  /** Encodes a row as a line of tab-separated values, with its line break. */
  encode(row: Row): string
  /** SQL of a row's number at its `jpos`; '0' if each position has one row. */
  place: string
  /** Prefix of insert tokens. No prefix can start with another: ending the inserts of one would end the other's. */
  token: string
  /** Byte limit of one insert. Larger batches are inserted in pieces. */
  insertBytesMax: number
  /** The rows feed rollups. These are recounted after an unclear insert, and inserts wait meanwhile. */
  hasRollups: boolean
  /** Tables derived from its rows, with the same partitions. They are dropped together. */
  derived: readonly string[]
  /** SQL of the first day of a derived row's partition. */
  derivedDay: string
  /** SQL of the first day of a row's partition, and the days of a partition. */
  partition: { day: string; days: number }
  /** Retention of the rows in days. */
  retentionDays(config: RetentionDays): number
  /** The disk budget drops whole partitions, lowest rank first; undefined: never. The last two days always stay. */
  dropFirst: number | undefined
  /** Rows belong to an issue: they are removed with it, and the disk budget downsamples them. */
  hasIssues: boolean
  /** Categories of the ledger that count these rows as stored. No other table has them. */
  categories: readonly DataCategory[]
  /**
   * Values that verify compares with the ledger: SQL of a row's category, and of the ledger's count for a group of
   * rows. Undefined for events, which have their own check by issue and with rollups.
   */
  tally: { sentence: string; category: string; quantity: string } | undefined
  /** Meta stores under this name that age or disk budget removed rows: the ledger then counts more than is stored. */
  evictedName: string
}

/** Places of the stored rows, by the position of their record. */
export type Places = ReadonlyMap<number, ReadonlySet<number>>

/** Counts of a project for `mishap verify`: rows by category, duplicate rows and the last position. */
export type TableTally = {
  projectId: number
  counts: Partial<Record<DataCategory, number>>
  twice: number
  lastJpos: number
}
