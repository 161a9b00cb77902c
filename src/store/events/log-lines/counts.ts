import type { Connection } from '../connection.ts'
import { createValues } from '../filter.ts'
import type { LogFacetRow, LogSearchStore } from '../log-search.ts'
import { scopeCondition, timeOf } from './scope.ts'

type Counts = Pick<LogSearchStore, 'logSeries' | 'logFacets' | 'logPatterns' | 'patternSeries' | 'patternStarts'>

function createFacets(connection: Connection, table: string): Pick<Counts, 'logSeries' | 'logFacets'> {
  return {
    async logSeries({ scope, where, bucketMs, signal }) {
      if (scope.projectIds.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ bucket: string; level: string; n: number; samples: string }>(
        `SELECT intDiv(toUnixTimestamp64Milli(time), ${values.add('Int64', bucketMs)}) AS bucket, level,
           sum(weight) AS n, count() AS samples
         FROM ${table} WHERE ${scopeCondition(values, scope, where)} GROUP BY bucket, level ORDER BY bucket, level`,
        values.bound,
        { signal },
      )
      return rows.map(({ bucket, level, n, samples }) => ({
        startMs: Number(bucket) * bucketMs,
        level,
        count: n,
        samples: Number(samples),
      }))
    },
    async logFacets({ scope, where, fields, max, signal }): Promise<LogFacetRow[]> {
      if (scope.projectIds.length === 0 || fields.length === 0) return []
      const values = createValues()
      const names = fields.map(({ of }, at) => `toString(${of(values)}) AS k${at}`)
      const pick = (shown: (at: number) => string, last: string) =>
        `${fields.map((_, at) => `if(grouping(k${at}) = 1, ${shown(at)}, `).join('')}${last}${')'.repeat(fields.length)}`
      // One pass over the lines for all fields: a pass each would read the filter's columns again.
      const rows = await connection.rows<{ field: string; value: string; n: number; total: string }>(
        `SELECT field, value, n, count() OVER (PARTITION BY field) AS total FROM (
           SELECT ${pick((at) => String(at), String(fields.length))} AS field, ${pick((at) => `k${at}`, "''")} AS value, sum(weight) AS n
           FROM (SELECT ${names.join(', ')}, weight FROM ${table} WHERE ${scopeCondition(values, scope, where)})
           GROUP BY GROUPING SETS (${fields.map((_, at) => `(k${at})`).join(', ')}))
         WHERE value != '' ORDER BY field, n DESC, value LIMIT ${values.add('UInt32', max)} BY field
         SETTINGS force_grouping_standard_compatibility = 0`,
        values.bound,
        { signal },
      )
      return rows.map(({ field, value, n, total }) => ({
        key: fields[Number(field)]?.key ?? '',
        value,
        count: n,
        values: Number(total),
      }))
    },
  }
}

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

/** Counts of lines: over time, by the values of fields, and by shape. */
export function createLogCounts(connection: Connection, table: string): Counts {
  return {
    ...createFacets(connection, table),
    async logPatterns({ scope, where, max, signal }) {
      if (scope.projectIds.length === 0) return { patterns: [], total: 0, lines: 0 }
      const values = createValues()
      const rows = await connection.rows<PatternCells>(
        `SELECT toString(pattern) AS patternText, n, toString(toUnixTimestamp64Micro(last.1)) AS lastUs, toString(last.2) AS project,
           toString(last.3) AS jpos, last.4 AS place, level, count() OVER () AS total, sum(n) OVER () AS lines
         FROM (SELECT pattern, sum(weight) AS n, max((time, project_id, jpos, place)) AS last, argMax(level, time) AS level
           FROM ${table} WHERE ${scopeCondition(values, scope, where)} AND pattern != 0 GROUP BY pattern)
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
    async patternSeries({ scope, where, patterns, bucketMs, signal }) {
      if (scope.projectIds.length === 0 || patterns.length === 0) return []
      const values = createValues()
      const rows = await connection.rows<{ patternText: string; bucket: string; n: number }>(
        `SELECT toString(pattern) AS patternText, intDiv(toUnixTimestamp64Milli(time), ${values.add('Int64', bucketMs)}) AS bucket,
           sum(weight) AS n
         FROM ${table} WHERE ${scopeCondition(values, scope, where)} AND pattern IN ${values.add('Array(UInt64)', patterns)}
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
        `SELECT toString(pattern) AS patternText, toString(toUnixTimestamp64Micro(min(time))) AS firstUs FROM ${table}
         WHERE project_id IN ${values.add('Array(UInt64)', projectIds)} AND time >= ${timeOf(values, fromMs)}
           AND time < ${timeOf(values, toMs)} AND pattern IN ${values.add('Array(UInt64)', patterns)}
         GROUP BY pattern`,
        values.bound,
      )
      return new Map(rows.map(({ patternText, firstUs }) => [patternText, Number(firstUs)]))
    },
  }
}
