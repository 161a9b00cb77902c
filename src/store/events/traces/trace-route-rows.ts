import type { Connection } from '../connection.ts'
import { spanRollupName } from '../schema/span-rollup.ts'
import { hashText, traceHex } from '../tables/rows.ts'
import type { TraceStore } from '../trace-store.ts'

/** As for the spans of a trace in `span-rows.ts`: filters of the id before the read, without the key (decision 20). */
export const byFilter = 'SETTINGS use_skip_indexes_on_data_read = 0, use_primary_key = 0'
export const ofTrace = 'project_id IN {projects:Array(UInt64)} AND trace_id = toFixedString(unhex({trace:String}), 16)'

type StoredStatement = { hash: string; samples: string; count: number; p: [number, number, number, number] }

function createMainSegment(connection: Connection, table: string): TraceStore['mainSegment'] {
  return async (projectIds, traceId) => {
    const trace = traceHex(traceId)
    if (trace === undefined || projectIds.length === 0) return undefined
    const [row] = await connection.rows<{
      project_id: string
      span_id: string
      op: string
      route: string
      start_us: string
    }>(
      `SELECT project_id, span_id, op, route, toUnixTimestamp64Micro(start) AS start_us FROM ${table} PREWHERE ${ofTrace}
       WHERE is_segment = 1 ORDER BY duration DESC, span_id LIMIT 1 ${byFilter}`,
      { projects: projectIds, trace },
    )
    if (!row) return undefined
    const { op, route } = row
    return {
      key: { projectId: Number(row.project_id), op, route },
      spanId: hashText(row.span_id),
      startUs: Number(row.start_us),
    }
  }
}

/** Creates the queries that put a trace beside others: its route, and how long its statements take elsewhere. */
export function createTraceRoutes(
  connection: Connection,
  database: string,
): Pick<TraceStore, 'spanCounts' | 'mainSegment' | 'segmentBefore' | 'statementDurations'> {
  const table = `${database}.spans`
  return {
    async spanCounts(projectIds, traceId) {
      const trace = traceHex(traceId)
      if (trace === undefined || projectIds.length === 0) return new Map()
      const rows = await connection.rows<{ op: string; spans: string }>(
        `SELECT op, uniqExact(project_id, span_id) AS spans FROM ${table} PREWHERE ${ofTrace}
         GROUP BY op ORDER BY spans DESC, op ${byFilter}`,
        { projects: projectIds, trace },
      )
      return new Map(rows.map((row) => [row.op, Number(row.spans)]))
    },

    mainSegment: createMainSegment(connection, table),

    async segmentBefore({ projectId, op, route }, startUs, traceId) {
      const [row] = await connection.rows<{ trace_hex: string; span_id: string; start_ms: string; duration: string }>(
        `SELECT lower(hex(trace_id)) AS trace_hex, span_id, toUnixTimestamp64Milli(start) AS start_ms, duration
         FROM ${table} WHERE project_id = {project:UInt64} AND is_segment = 1 AND op = {op:String} AND route = {route:String}
           AND start < fromUnixTimestamp64Micro({start:Int64}, 'UTC')
           AND start >= fromUnixTimestamp64Micro({start:Int64}, 'UTC') - toIntervalDay(7)
           AND trace_id != toFixedString(unhex({trace:String}), 16)
         ORDER BY start DESC LIMIT 1`,
        { project: projectId, op, route, start: startUs, trace: traceHex(traceId) ?? '' },
      )
      return row
        ? {
            traceId: row.trace_hex,
            spanId: hashText(row.span_id),
            startMs: Number(row.start_ms),
            durationMs: Number(row.duration) / 1000,
          }
        : undefined
    },

    async statementDurations(projectId, statement, sinceMs) {
      const [row] = await connection.rows<StoredStatement>(
        `SELECT cityHash64({statement:String}) AS hash, sum(n) AS samples, sum(weight) AS count,
           arrayMap(bucket -> exp2((bucket + 0.5) / 8) / 1000, quantilesExactWeighted(0.05, 0.5, 0.95, 0.99)(bucket, toUInt64(ceil(weight)))) AS p
         FROM ${database}.${spanRollupName}
         WHERE project_id = {project:UInt64} AND metric = 'statement' AND length = 0 AND statement = {statement:String}
           AND hour >= toStartOfHour(toDateTime({since:UInt32}, 'UTC'))`,
        { project: projectId, statement, since: Math.max(0, Math.floor(sinceMs / 1000)) },
      )
      const samples = Number(row?.samples ?? 0)
      const [p5Ms, p50Ms, p95Ms, p99Ms] = row?.p ?? [0, 0, 0, 0]
      return row && samples > 0
        ? { hash: hashText(row.hash), samples, count: row.count, p5Ms, p50Ms, p95Ms, p99Ms }
        : undefined
    },
  }
}
