import type { DataCategory } from '../../base/outcome.ts'

/** The settings that say how long rows are kept; days. */
export type RetentionDays = { retentionErrorsDays: number; retentionSpansDays: number }

/**
 * One stored table of the events store. Everything that treats tables alike loops over the entries of `tables.ts`:
 * making them, storing a batch, recovery, retention, the disk budget, removals, backup, verify and usage.
 *
 * A row belongs to the record at `jpos`. `(jpos, place)` identifies it, so a batch of unclear fate can be completed.
 */
export type StoredTable<Row> = {
  name: string
  /** Statements that make the table and the tables that its rows feed; safe to repeat. */
  ddl(database: string): string[]
  /** Columns of an encoded line, in its order. */
  columns: readonly string[]
  /** A row as a line of tab-separated values, with its line break. */
  encode(row: Row): string
  /** SQL of a row's number among those at its `jpos`; '0' where each position has one row. */
  place: string
  /** The start of an insert's token. No name may begin with another one: ending the inserts of one would end the other's. */
  token: string
  /** Bytes of one insert at most; a batch with more is inserted in pieces. */
  insertBytesMax: number
  /** Whether rollups are made from its rows. They are counted anew after an unclear insert, and inserts wait meanwhile. */
  hasRollups: boolean
  /** Other tables that are made from its rows and have the same partitions: they leave with them. */
  derived: readonly string[]
  /** SQL of the first day of a row's partition, and how many days a partition has. */
  partition: { day: string; days: number }
  /** How long rows are kept, in days. */
  retentionDays(config: RetentionDays): number
  /** The disk budget drops whole partitions, lowest rank first; undefined: never. Two days from now back always stay. */
  dropFirst: number | undefined
  /** Whether rows belong to an issue: those leave with the issue, too, and the disk budget downsamples them. */
  hasIssues: boolean
  /** Categories of the ledger that count these rows as stored; no other table has them. */
  categories: readonly DataCategory[]
  /**
   * What verify compares with the ledger: SQL of a row's category and of what the ledger counted for a group of rows.
   * Undefined for events, which have a check of their own, by issue and with their rollups.
   */
  tally: { sentence: string; category: string; quantity: string } | undefined
  /** Under this name meta keeps whether rows left by age or for the disk budget: the ledger counts more than is stored then. */
  goneName: string
}

/** Numbers of the rows that are stored, by the position of their record. */
export type Places = ReadonlyMap<number, ReadonlySet<number>>

/** Rows of a project for `mishap verify`: how many of each category, how many are stored twice, the last position. */
export type TableTally = {
  projectId: number
  counts: Partial<Record<DataCategory, number>>
  twice: number
  lastJpos: number
}
