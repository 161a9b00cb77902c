import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Observe } from '../../base/observe.ts'
import type { Connection } from './connection.ts'
import type { EventRow } from './events.ts'
import { createGate, type Gate } from './gate.ts'
import { recount } from './recount.ts'
import { readRow, rowSelect, type StoredRow } from './rows.ts'

export type Settling = Gate & {
  /** Ends inserts of this token, and of `token:` with more behind it. */
  ended(token: string): Promise<void>
  settle(token: string, from: number, to: number): Promise<EventRow[]>
}

const waitMs = 20
const waitsMax = 1000
const workSeconds = 120
const hourUs = 3_600_000_000
/** The insert of a batch, and what was inserted of it once more: `token`, and `token:` with more behind it. */
const ofBatch = `(Settings['log_comment'] = {token:String} OR startsWith(Settings['log_comment'], concat({token:String}, ':')))`

/**
 * Counts the rollups of these rows' hours anew: an engine that is killed between a block and its views leaves the
 * rollups behind for good, as the token then says that the block is there.
 */
const recountRows = (connection: Connection, database: string, rows: EventRow[]): Promise<void> =>
  recount(connection, database, {
    where: 'project_id IN {projects:Array(UInt64)}',
    bound: { projects: [...new Set(rows.map((row) => row.projectId))] },
    hours: rows.map((row) => Math.floor(row.timestampUs / hourUs) * 3600),
    seconds: workSeconds,
  })

/** What must be known of an insert that nobody saw end, and what it may have left half done. */
export function createSettle(connection: Connection, database: string, clock: Clock, observe: Observe): Settling {
  const { inserting, counting, counted } = createGate(clock)

  /** A read during a running insert sees nothing of rows that then appear, so its end is waited for. */
  async function waitUntilGone(token: string): Promise<void> {
    const bound = { token }
    await connection.command(`KILL QUERY WHERE ${ofBatch} ASYNC`, bound)
    for (let waits = 0; waits < waitsMax; waits++) {
      const running = await connection.rows(`SELECT 1 FROM system.processes WHERE ${ofBatch} LIMIT 1`, bound)
      if (running.length === 0) return
      await clock.sleep(waitMs)
    }
    throw new MishapError('STORE_UNAVAILABLE', { causes: ['an insert does not end'] })
  }

  return {
    inserting,
    counting,
    counted,
    ended: waitUntilGone,
    async settle(token, from, to) {
      await waitUntilGone(token)
      const found = await connection.rows<StoredRow>(
        `SELECT ${rowSelect} FROM ${database}.events WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64} ORDER BY jpos`,
        { from, to },
        { seconds: workSeconds },
      )
      const rows = found.map(readRow)
      if (rows.length > 0) {
        await counting(() => recountRows(connection, database, rows))
        observe.info(
          { from, to, rows: rows.length },
          'rows of an unclear insert were found, their rollups counted anew',
        )
      }
      return rows
    },
  }
}
