import type { Clock } from '../../../base/clock.ts'
import type { Connection } from '../connection.ts'
import type { EventStore } from '../event-store.ts'
import { isLong, type Scope } from '../events.ts'
import { compileRollup, dayMs, hourMs } from '../traces/spans.ts'
import { compilePairs, compilePlace } from './counts.ts'
import { compileFilter, compileScope, createValues } from './filter.ts'

/**
 * From this many groups on, all rows of the scope are read and those of other groups dropped. To find each group by
 * its key takes longer (see counts.ts).
 */
const manyPairs = 100

/** Creates the query of the volume chart. */
export function createVolume(connection: Connection, database: string, clock: Clock): Pick<EventStore, 'volumeOf'> {
  return {
    async volumeOf(view, bucketMs, sets, filter) {
      const pairs = sets.flat()
      // Only projects of the groups: for one project, the place of a row depends on its hash alone.
      const named = new Set(pairs.map((pair) => pair.projectId))
      const scope: Scope = { ...view, projectIds: view.projectIds.filter((id) => named.has(id)) }
      if (scope.projectIds.length === 0) return sets.map(() => [])
      const values = createValues()
      const place = compilePlace(values, sets)
      const bucket = values.add('Int64', bucketMs)
      const startOf = (ms: string) => `intDiv(${ms}, ${bucket}) * ${bucket} AS start_ms`
      const isKnown = pairs.length <= manyPairs
      const where = isKnown ? compilePairs(values, pairs) : '1'
      const rollup = !filter && bucketMs % hourMs === 0 && isLong(scope)
      const from = rollup
        ? compileRollup(values, database, scope, {
            columns: `${place} AS place, ${startOf('toInt64(toUnixTimestamp(hour)) * 1000')}, toUInt64(n) AS times`,
            where,
            known: isKnown,
            nowMs: clock.now(),
            longest: bucketMs % dayMs === 0 ? 'day' : 'hour',
          })
        : `(SELECT ${place} AS place, ${startOf('toUnixTimestamp64Milli(timestamp)')}, toUInt64(1) AS times
           FROM ${database}.events
           WHERE ${compileScope(values, scope)} AND ${filter ? compileFilter(values, filter) : '1'} AND ${where})`
      const rows = await connection.rows<{ place: number; start_ms: string; events: string }>(
        `SELECT place, start_ms, sum(times) AS events FROM ${from} WHERE place > 0
         GROUP BY place, start_ms ORDER BY start_ms`,
        values.bound,
      )
      const series = sets.map((): { startMs: number; events: number }[] => [])
      for (const row of rows) series[row.place - 1]?.push({ startMs: Number(row.start_ms), events: Number(row.events) })
      return series
    },
  }
}
