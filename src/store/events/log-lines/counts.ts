import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import type { LogSearchStore } from '../log-search.ts'
import { createValues, hashList, type Values } from '../reading/filter.ts'
import { patternField, slotMs } from '../schema/log-rollup.ts'
import { compileScope } from '../searching/filter.ts'
import { outsideSlots, rollupOf, type Slots, slotsCondition, slotsOf } from '../searching/rolled.ts'
import { logSource } from './scope.ts'

type Counts = Pick<LogSearchStore, 'logPatterns' | 'patternCount' | 'patternSeries' | 'patternStarts'>

type PatternCells = { patternText: string; n: number; lastUs: string; total: string; lines: number }
type NewestCells = { patternText: string; project: string; jpos: string; place: number; level: string }

type Asked = Parameters<Counts['logPatterns']>[0]
const hexOf = (pattern: string) => `lower(leftPad(hex(${pattern}), 16, '0'))`
/** The whole slots of a range whose lines are counted in the rollup. A filter needs the lines themselves. */
const slotsFor = ({ scope, filter }: Pick<Asked, 'scope' | 'filter'>): Slots | undefined =>
  filter === undefined ? slotsOf(scope) : undefined

/** Condition for the lines of a scope that are counted themselves. */
function linesWhere(
  values: Values,
  { scope, filter }: Pick<Asked, 'scope' | 'filter'>,
  slots: Slots | undefined,
): string {
  const all = compileScope(logSource, values, scope, filter)
  return slots ? `${all} AND ${outsideSlots(values, slots)}` : all
}

/** SQL of the rows of patterns in the rollup, for a UNION ALL behind the lines that are counted themselves. */
const rolledPatterns = (
  database: string,
  values: Values,
  columns: string,
  scope: Scope,
  slots: Slots,
  and = '',
): string =>
  ` UNION ALL SELECT ${columns} FROM ${rollupOf(database)}
    WHERE field = '${patternField}' AND ${slotsCondition(values, scope, slots)}${and}`

/** The newest lines of patterns at their last times. */
async function newestOf(
  connection: Connection,
  database: string,
  { scope, filter, signal }: Asked,
  rows: readonly PatternCells[],
): Promise<Map<string, NewestCells>> {
  const values = createValues()
  const times = rows.map(({ lastUs }) => Number(lastUs))
  const range = {
    ...scope,
    fromMs: Math.floor(times.reduce((a, b) => Math.min(a, b)) / 1000),
    toMs: Math.floor(times.reduce((a, b) => Math.max(a, b)) / 1000) + 1,
  }
  const found = await connection.rows<NewestCells>(
    `SELECT ${hexOf('pattern')} AS patternText, toString(newest.2) AS project, toString(newest.3) AS jpos, newest.4 AS place, newest.5 AS level
     FROM (SELECT pattern, max((time, project_id, jpos, place, toString(level))) AS newest FROM ${database}.logs
       WHERE ${compileScope(logSource, values, range, filter)}
         AND time IN (SELECT fromUnixTimestamp64Micro(arrayJoin(${values.add('Array(Int64)', times)}), 'UTC'))
         AND pattern IN ${hashList(
           values,
           rows.map(({ patternText }) => patternText),
         )} GROUP BY pattern)`,
    values.bound,
    { signal },
  )
  return new Map(found.map((row) => [row.patternText, row]))
}

/** See `LogSearchStore.logPatterns`. Patterns are counted without their newest lines: those of the most frequent are read then. */
const createLogPatterns =
  (connection: Connection, database: string): Counts['logPatterns'] =>
  async (asked) => {
    const { scope, max, signal } = asked
    if (scope.projectIds.length === 0) return { patterns: [], total: 0, lines: 0 }
    const values = createValues()
    const slots = slotsFor(asked)
    const columns = 'pattern, weight AS its_weight, last AS its_time'
    const rows = await connection.rows<PatternCells>(
      `SELECT ${hexOf('pattern')} AS patternText, n, toString(toUnixTimestamp64Micro(last_time)) AS lastUs,
         count() OVER () AS total, sum(n) OVER () AS lines
       FROM (SELECT pattern, sum(its_weight) AS n, max(its_time) AS last_time FROM (
         SELECT pattern, toFloat64(weight) AS its_weight, time AS its_time FROM ${database}.logs
         WHERE ${linesWhere(values, asked, slots)} AND pattern != 0
         ${slots ? rolledPatterns(database, values, columns, scope, slots) : ''}) GROUP BY pattern)
       ORDER BY n DESC, pattern LIMIT ${values.add('UInt32', max)}`,
      values.bound,
      { signal },
    )
    if (rows.length === 0) return { patterns: [], total: 0, lines: 0 }
    const newest = await newestOf(connection, database, asked, rows)
    return {
      patterns: rows.flatMap(({ patternText, n, lastUs }) => {
        const line = newest.get(patternText)
        // Its lines were removed in between.
        if (!line) return []
        const key = {
          projectId: Number(line.project),
          timeUs: Number(lastUs),
          jpos: Number(line.jpos),
          place: line.place,
        }
        return [{ pattern: patternText, count: n, lastUs: key.timeUs, newest: key, level: line.level }]
      }),
      total: Number(rows[0]?.total ?? 0),
      lines: rows[0]?.lines ?? 0,
    }
  }

/** Creates the counts of lines by shape. */
export function createLogCounts(connection: Connection, database: string): Counts {
  return {
    logPatterns: createLogPatterns(connection, database),
    async patternCount({ scope, filter, signal }) {
      if (scope.projectIds.length === 0) return 0
      const values = createValues()
      const slots = slotsFor({ scope, filter })
      const [row] = await connection.rows<{ n: string }>(
        `SELECT uniqCombined64(17)(pattern) AS n FROM (
           SELECT pattern FROM ${database}.logs WHERE ${linesWhere(values, { scope, filter }, slots)} AND pattern != 0
           ${slots ? rolledPatterns(database, values, 'pattern', scope, slots) : ''})`,
        values.bound,
        { signal },
      )
      return Number(row?.n ?? 0)
    },
    async patternSeries({ scope, filter, patterns, bucketMs, signal }) {
      if (scope.projectIds.length === 0 || patterns.length === 0) return []
      const values = createValues()
      const slots = bucketMs % slotMs === 0 ? slotsFor({ scope, filter }) : undefined
      const length = values.add('Int64', bucketMs)
      const isOne = ` AND pattern IN ${hashList(values, patterns)}`
      const columns = `pattern, intDiv(toInt64(toUnixTimestamp(slot)) * 1000, ${length}) AS bucket, weight AS its_weight`
      const rows = await connection.rows<{ patternText: string; bucket: string; n: number }>(
        `SELECT ${hexOf('pattern')} AS patternText, bucket, sum(its_weight) AS n FROM (
           SELECT pattern, intDiv(toUnixTimestamp64Milli(time), ${length}) AS bucket, toFloat64(weight) AS its_weight
           FROM ${database}.logs WHERE ${linesWhere(values, { scope, filter }, slots)}${isOne}
           ${slots ? rolledPatterns(database, values, columns, scope, slots, isOne) : ''})
         GROUP BY pattern, bucket`,
        values.bound,
        { signal },
      )
      return rows.map(({ patternText, bucket, n }) => ({
        pattern: patternText,
        startMs: Number(bucket) * bucketMs,
        count: n,
      }))
    },
    async patternStarts(stored, patterns) {
      const scope = { ...stored, environments: [] }
      if (scope.projectIds.length === 0 || patterns.length === 0) return new Map()
      const values = createValues()
      const slots = slotsOf(scope)
      const isOne = ` AND pattern IN ${hashList(values, patterns)}`
      const rows = await connection.rows<{ patternText: string; firstUs: string }>(
        `SELECT ${hexOf('pattern')} AS patternText, toString(toUnixTimestamp64Micro(min(its_time))) AS firstUs FROM (
           SELECT pattern, time AS its_time FROM ${database}.logs
           WHERE ${linesWhere(values, { scope, filter: undefined }, slots)}${isOne}
           ${slots ? rolledPatterns(database, values, 'pattern, first AS its_time', scope, slots, isOne) : ''})
         GROUP BY pattern`,
        values.bound,
      )
      return new Map(rows.map(({ patternText, firstUs }) => [patternText, Number(firstUs)]))
    },
  }
}
