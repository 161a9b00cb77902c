import type { Connection } from '../connection.ts'
import type { LogSearchStore } from '../log-search.ts'
import { createValues, hashList } from '../reading/filter.ts'
import { compileScope } from '../searching/filter.ts'
import { logSource, timeOf } from './scope.ts'

type Counts = Pick<LogSearchStore, 'logPatterns' | 'patternSeries' | 'patternStarts'>

type PatternCells = {
  patternText: string
  n: number
  lastUs: string
  project: string
  jpos: string
  place: number
  level: string
  total: string
  lines: number
}

/** Counts of lines by shape. */
export function createLogCounts(connection: Connection, table: string): Counts {
  return {
    async logPatterns({ scope, filter, max, signal }) {
      if (scope.projectIds.length === 0) return { patterns: [], total: 0, lines: 0 }
      const values = createValues()
      const rows = await connection.rows<PatternCells>(
        `SELECT lower(leftPad(hex(pattern), 16, '0')) AS patternText, n, toString(toUnixTimestamp64Micro(last.1)) AS lastUs, toString(last.2) AS project,
           toString(last.3) AS jpos, last.4 AS place, level, count() OVER () AS total, sum(n) OVER () AS lines
         FROM (SELECT pattern, sum(weight) AS n, max((time, project_id, jpos, place)) AS last, argMax(level, time) AS level
           FROM ${table} WHERE ${compileScope(logSource, values, scope, filter)} AND pattern != 0 GROUP BY pattern)
         ORDER BY n DESC, pattern LIMIT ${values.add('UInt32', max)}`,
        values.bound,
        { signal },
      )
      return {
        patterns: rows.map((row) => ({
          pattern: row.patternText,
          count: row.n,
          lastUs: Number(row.lastUs),
          newest: {
            projectId: Number(row.project),
            timeUs: Number(row.lastUs),
            jpos: Number(row.jpos),
            place: row.place,
          },
          level: row.level,
        })),
        total: Number(rows[0]?.total ?? 0),
        lines: rows[0]?.lines ?? 0,
      }
    },
    async patternSeries({ scope, filter, patterns, bucketMs, signal }) {
      if (scope.projectIds.length === 0 || patterns.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ patternText: string; bucket: string; n: number }>(
        `SELECT lower(leftPad(hex(pattern), 16, '0')) AS patternText, intDiv(toUnixTimestamp64Milli(time), ${values.add('Int64', bucketMs)}) AS bucket,
           sum(weight) AS n
         FROM ${table} WHERE ${compileScope(logSource, values, scope, filter)} AND pattern IN ${hashList(values, patterns)}
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
    async patternStarts({ projectIds, fromMs, toMs }, patterns) {
      if (projectIds.length === 0 || patterns.length === 0) return new Map()
      const values = createValues()
      const rows = await connection.rows<{ patternText: string; firstUs: string }>(
        `SELECT lower(leftPad(hex(pattern), 16, '0')) AS patternText, toString(toUnixTimestamp64Micro(min(time))) AS firstUs FROM ${table}
         WHERE project_id IN ${values.add('Array(UInt64)', projectIds)} AND time >= ${timeOf(values, fromMs)}
           AND time < ${timeOf(values, toMs)} AND pattern IN ${hashList(values, patterns)}
         GROUP BY pattern`,
        values.bound,
      )
      return new Map(rows.map(({ patternText, firstUs }) => [patternText, Number(firstUs)]))
    },
  }
}
