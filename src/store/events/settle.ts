import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Observe } from '../../base/observe.ts'
import type { Connection } from './connection.ts'
import { createGate, type Gate } from './gate.ts'
import { recount } from './recount.ts'
import type { Places } from './table.ts'
import { anyTable, type TableName } from './tables.ts'

export type Settling = Gate & {
  /** Ends inserts of this token, and of `token:` with more behind it. */
  ended(token: string): Promise<void>
  /** See `TableStore.settle`. */
  settle(table: TableName, token: string, from: number, to: number): Promise<Places>
}

const waitMs = 20
const waitsMax = 1000
const workSeconds = 120
/** The insert of a batch, and what was inserted of it once more: `token`, and `token:` with more behind it. */
const ofBatch = `(Settings['log_comment'] = {token:String} OR startsWith(Settings['log_comment'], concat({token:String}, ':')))`

/**
 * Counts the rollups of these records' hours anew: an engine that is killed between a block and its views leaves the
 * rollups behind for good, as the token then says that the block is there.
 */
async function recountBetween(connection: Connection, database: string, from: number, to: number): Promise<void> {
  const found = await connection.rows<{ project: string; hour: number }>(
    `SELECT DISTINCT project_id AS project, toUnixTimestamp(toStartOfHour(timestamp)) AS hour FROM ${database}.events
     WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64}`,
    { from, to },
    { seconds: workSeconds },
  )
  await recount(connection, database, {
    where: 'project_id IN {projects:Array(UInt64)}',
    bound: { projects: [...new Set(found.map(({ project }) => Number(project)))] },
    hours: found.map(({ hour }) => hour),
    seconds: workSeconds,
  })
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
    async settle(name, token, from, to) {
      await waitUntilGone(token)
      const { place, hasRollups } = anyTable(name)
      const rows = await connection.rows<{ jpos: string; places: number[] }>(
        `SELECT jpos, groupUniqArray(toUInt32(${place})) AS places FROM ${database}.${name}
         WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64} GROUP BY jpos`,
        { from, to },
        { seconds: workSeconds },
      )
      if (rows.length > 0 && hasRollups) {
        await counting(() => recountBetween(connection, database, from, to))
        observe.info(
          { from, to, rows: rows.length },
          'rows of an unclear insert were found, their rollups counted anew',
        )
      }
      return new Map(rows.map(({ jpos, places }) => [Number(jpos), new Set(places)]))
    },
  }
}
