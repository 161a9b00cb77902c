import type { Connection } from '../connection.ts'
import type { SessionStore } from '../session-store.ts'
import { gatherTable, rollupColumns } from './schema.ts'
import { countedDurations, countedSessions, countedUsers, namesOf, settledSessions } from './sql.ts'

const workSeconds = 3600
/** A day is rolled up hour by hour: an hour of a large site's sessions fits into the engine's memory. */
const hoursOfDay = 24
/** Small blocks: with the default size, rows with user states took 600 MB (see migrate.ts). */
const smallBlocks = 'SETTINGS max_threads = 1, min_insert_block_size_rows = 20000, insert_deduplicate = 0'

const keys = ['project_id', 'minute', 'release', 'environment']

/** See `SessionStore.closeSessionDay`. */
export function createSessionClosing(connection: Connection, database: string): Pick<SessionStore, 'closeSessionDay'> {
  const [from, to] = [`${database}.sessions`, `${database}.${gatherTable}`]
  const run = (sql: string) => connection.command(sql, {}, { seconds: workSeconds })

  return {
    async closeSessionDay(dayMs) {
      const day = new Date(dayMs).toISOString().slice(0, 10)
      const within = `toDate(minute) = toDate('${day}')`
      const [found] = await connection.rows<{ n: string }>(
        `SELECT count() AS n FROM ${from} WHERE is_rollup = 0 AND ${within}`,
        {},
        { seconds: workSeconds },
      )
      if (Number(found?.n ?? 0) === 0) return 0
      // Discards the rows of an interrupted run. They are not in use.
      await run(`TRUNCATE TABLE ${to}`)
      // Existing rollups of the day stay. Late updates only add further rollups.
      await run(`INSERT INTO ${to} SELECT * FROM ${from} WHERE is_rollup = 1 AND ${within} ${smallBlocks}`)
      const sums = [...countedSessions, ...countedUsers, ...countedDurations]
      const names = [...keys, 'received', 'jpos', 'place', 'entries', 'is_rollup', ...rollupColumns]
      for (let hour = 0; hour < hoursOfDay; hour++) {
        const part = `${within} AND toHour(minute) = ${hour}`
        // The rollup's number is derived from its keys and its newest record. A retry gets the same number, and a
        // rollup of late updates gets a different number.
        await run(
          `INSERT INTO ${to} (${names.join(', ')})
           SELECT ${keys.join(', ')}, max(last_received) AS received, max(last_jpos) AS jpos,
             cityHash64(${keys.join(', ')}, jpos) AS place, sum(s.entries) AS entries, 1 AS is_rollup, ${sums.join(', ')}
           FROM (${settledSessions(from, part)}) AS s INNER JOIN (${namesOf(from, part)}) AS n USING names GROUP BY ${keys.join(', ')} ${smallBlocks}`,
        )
      }
      await run(`ALTER TABLE ${from} REPLACE PARTITION '${day}' FROM ${to}`)
      await run(`TRUNCATE TABLE ${to}`)
      return Number(found?.n)
    },
  }
}
