import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Observe } from '../../base/observe.ts'
import type { Connection, InsertFence } from './connection.ts'
import { createGate, type Gate } from './gate.ts'
import { recountLogsBetween } from './logs/recount.ts'
import { recount, recountProjects } from './removal/recount.ts'
import { createFences } from './server/control.ts'
import type { Places } from './table.ts'
import { anyTable, type TableName } from './tables.ts'
import { recountSpansBetween } from './traces/recount-spans.ts'

export type Settling = Gate & {
  /** Returns the check that goes with an insert into a remote store (control.ts). */
  fenceOf(table: TableName, token: string): Promise<InsertFence | undefined>
  /** Ends the inserts of this token, and of tokens that start with `token:`. */
  ended(token: string): Promise<void>
  /** See `TableStore.settle`. */
  settle(table: TableName, token: string, from: number, to: number): Promise<Places>
}

const waitMs = 20
const triesMax = 1000
const workSeconds = 120
/** Matches the insert of a batch and its partial repeats: `token`, and tokens that start with `token:`. */
const ofBatch = `(Settings['log_comment'] = {token:String} OR startsWith(Settings['log_comment'], concat({token:String}, ':')))`

/**
 * Recounts the rollups of these records' hours. An engine killed between a block and its views leaves the rollups
 * incomplete for good: the token marks the block as inserted, so a retry does not run the views.
 */
async function recountBetween(connection: Connection, database: string, from: number, to: number): Promise<void> {
  const found = await connection.rows<{ project: string; hour: number }>(
    `SELECT DISTINCT project_id AS project, toUnixTimestamp(toStartOfHour(timestamp)) AS hour FROM ${database}.events
     WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64}`,
    { from, to },
    { seconds: workSeconds },
  )
  const projectIds = [...new Set(found.map(({ project }) => Number(project)))]
  const hours = found.map(({ hour }) => hour)
  await recount(connection, database, {
    where: 'project_id IN {projects:Array(UInt64)}',
    bound: { projects: projectIds },
    hours,
    seconds: workSeconds,
  })
  await recountProjects(connection, database, { projectIds, hours, seconds: workSeconds })
}

type Recount = (connection: Connection, database: string, from: number, to: number) => Promise<void>

/** How the rollups of each table are counted again. */
const recounts: Readonly<Partial<Record<TableName, Recount>>> = {
  events: recountBetween,
  spans: recountSpansBetween,
  logs: recountLogsBetween,
}

/** Creates the checks for inserts with an unknown result, and the repair of their rollups. */
export function createSettle(connection: Connection, database: string, clock: Clock, observe: Observe): Settling {
  const { inserting, counting, counted } = createGate(clock)
  const fences = createFences(connection, database)

  /** Waits for the end of an insert: a read during it does not see the rows that then appear. */
  async function waitUntilGone(token: string): Promise<void> {
    await fences.raise(token)
    const bound = { token: connection.commentOf(token) }
    await connection.command(`KILL QUERY WHERE ${ofBatch} ASYNC`, bound)
    for (let tries = 0; tries < triesMax; tries++) {
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
    fenceOf: fences.of,
    ended: waitUntilGone,
    async settle(name, token, from, to) {
      await waitUntilGone(token)
      const { place } = anyTable(name)
      const recountRows = recounts[name]
      const rows = await connection.rows<{ jpos: string; places: number[] }>(
        `SELECT jpos, groupUniqArray(toUInt32(${place})) AS places FROM ${database}.${name}
         WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64} GROUP BY jpos`,
        { from, to },
        { seconds: workSeconds },
      )
      if (rows.length > 0 && recountRows) {
        await counting(() => recountRows(connection, database, from, to))
        observe.info(
          { from, to, rows: rows.length },
          'rows of an unconfirmed insert were found; their rollups are recounted',
        )
      }
      return new Map(rows.map(({ jpos, places }) => [Number(jpos), new Set(places)]))
    },
  }
}
