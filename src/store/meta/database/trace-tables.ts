import type { ColumnType, Generated } from 'kysely'

type Counted = ColumnType<number, number | undefined, number>

/** The table of the downsampling of traces. */
export type TraceTables = {
  trace_step: {
    id: Generated<number>
    run_id: number
    day: string
    level: number
    before_jpos: number
    stage: string
    rows_before: Counted
    rows_removed: Counted
    made_ms: number
  }
}
