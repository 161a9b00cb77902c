import type { Connection } from '../connection.ts'
import { aheadMs, createValues } from '../reading/filter.ts'
import type { SpanSearchStore } from '../span-search.ts'
import { traceHex } from '../tables/rows.ts'

/** Other spans of a trace can lie before or after the found ones. */
const aroundMs = 3_600_000
const projectsMax = 20

/** See `SpanSearchStore.traceSummaries`. */
export function createTraceSummaries(connection: Connection, database: string): SpanSearchStore['traceSummaries'] {
  return async ({ projectIds, fromMs, toMs }, traceIds, signal) => {
    const hexes = traceIds.map(traceHex).filter((hex) => hex !== undefined)
    if (projectIds.length === 0 || hexes.length === 0) return []
    const values = createValues()
    const projects = values.add('Array(UInt64)', projectIds)
    const traces = `trace_id IN (${hexes.map((hex) => `toFixedString(unhex(${values.add('String', hex)}), 16)`).join(', ')})`
    const time = (ms: number) => `fromUnixTimestamp64Milli(${values.add('Int64', Math.max(0, Math.floor(ms)))}, 'UTC')`
    const [from, to, received] = [time(fromMs - aroundMs), time(toMs + aroundMs), time(fromMs - aroundMs - aheadMs)]
    type Found = {
      trace: string
      spans: string
      failures: string
      start_us: string
      end_us: string
      projects: string[]
      root: [label: string, op: string, projectId: string]
    }
    const [found, errors] = await Promise.all([
      connection.rows<Found>(
        `SELECT lower(hex(trace_id)) AS trace, count() AS spans, sum(failed) AS failures,
           toUnixTimestamp64Micro(min(start)) AS start_us, max(toUnixTimestamp64Micro(start) + duration) AS end_us,
           groupUniqArray(${projectsMax})(project_id) AS projects,
           argMin(tuple(if(description != '', description, if(name != '', name, transaction)), op, project_id),
             tuple(is_segment = 0, parent_id != 0, start)) AS root
         FROM ${database}.spans
         PREWHERE project_id IN ${projects} AND start >= ${from} AND start < ${to} AND received >= ${received} AND ${traces}
         GROUP BY trace_id`,
        values.bound,
        { signal },
      ),
      connection.rows<{ trace: string; n: string }>(
        `SELECT lower(hex(trace_id)) AS trace, uniqExact(event_id) AS n FROM ${database}.events
         WHERE project_id IN ${projects} AND timestamp >= ${from} AND timestamp < ${to} AND received >= ${received} AND ${traces}
         GROUP BY trace_id`,
        values.bound,
        { signal },
      ),
    ])
    const errorsOf = new Map(errors.map(({ trace, n }) => [trace, Number(n)]))
    return found.map((row) => ({
      traceId: row.trace,
      root: { label: row.root[0], op: row.root[1], projectId: Number(row.root[2]) },
      startMs: Number(row.start_us) / 1000,
      durationMs: (Number(row.end_us) - Number(row.start_us)) / 1000,
      spans: Number(row.spans),
      failed: Number(row.failures),
      errors: errorsOf.get(row.trace) ?? 0,
      projectIds: row.projects.map(Number),
    }))
  }
}
