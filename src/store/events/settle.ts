import type { Clock } from '../../clock.ts'
import { MishapError } from '../../errors.ts'
import type { Observe } from '../../observe.ts'
import type { Connection } from './connection.ts'
import type { EventRow } from './events.ts'
import { createGate, type Gate } from './gate.ts'
import { readRow, rowSelect, type StoredRow } from './rows.ts'
import { rollupKeys, rollupNames, rollupSelect } from './schema/rollups.ts'
import { thinnedOfHours } from './thin.ts'

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
 * rollups behind for good, as the token then says that the block is there. What was thinned goes on counting.
 */
async function recount(connection: Connection, database: string, rows: EventRow[]): Promise<void> {
  const hours = rows.map((row) => Math.floor(row.timestampUs / hourUs) * 3600)
  const bound = {
    projects: [...new Set(rows.map((row) => row.projectId))],
    hours: [...new Set(hours)],
    from: Math.min(...hours),
    to: Math.max(...hours) + 3600,
  }
  for (const name of rollupNames) {
    await connection.command(
      `DELETE FROM ${database}.${name} WHERE project_id IN {projects:Array(UInt64)} AND has({hours:Array(UInt32)}, toUnixTimestamp(hour))`,
      bound,
      { seconds: workSeconds },
    )
    // Without insert_deduplicate = 0 the second recount of the same rows would be taken for a repetition.
    await connection.command(
      `INSERT INTO ${database}.${name} (${rollupKeys}, n, first_at, last_at, users)
       SELECT ${rollupKeys}, n, first_at, last_at, users FROM (${rollupSelect} FROM ${database}.events
         WHERE project_id IN {projects:Array(UInt64)}
           AND timestamp >= toDateTime({from:UInt32}, 'UTC') AND timestamp < toDateTime({to:UInt32}, 'UTC')
           AND has({hours:Array(UInt32)}, toUnixTimestamp(toStartOfHour(timestamp)))
         GROUP BY ${rollupKeys} UNION ALL ${thinnedOfHours(database)})
       SETTINGS insert_deduplicate = 0`,
      bound,
      { seconds: workSeconds },
    )
  }
}

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
        await counting(() => recount(connection, database, rows))
        observe.info(
          { from, to, rows: rows.length },
          'rows of an unclear insert were found, their rollups counted anew',
        )
      }
      return rows
    },
  }
}
