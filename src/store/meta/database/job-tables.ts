import type { ColumnType, Generated } from 'kysely'
import type { DeliveryTables } from './delivery-tables.ts'
import type { ExploreTables } from './explore-tables.ts'
import type { IncidentTables } from './incident-tables.ts'

type Counted = ColumnType<number, number | undefined, number>

/** Tables of background work: deliveries, exports with saved queries, and the downsampling of traces. */
export type JobTables = DeliveryTables &
  IncidentTables &
  ExploreTables & {
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
