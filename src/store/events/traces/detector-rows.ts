import { type DetectorRow, detectorAttributes, detectorMeasurement } from '../../../domain/detectors/detector-rows.ts'
import type { Connection } from '../connection.ts'
import type { CandidateLimits, DetectorStore } from '../detector-store.ts'
import { hashNumber } from '../reading/filter.ts'
import { hashText, traceHex } from '../tables/rows.ts'
import { readSpan, type StoredSpan } from './span-rows.ts'

/** Reads only rows of the trace, without the index of the key: that is faster for few rows (decision 20). */
const byFilter = 'SETTINGS use_skip_indexes_on_data_read = 0, use_primary_key = 0'
/** A segment of streamed spans that took longer than this sent some of them before it ended. */
const longSegmentUs = 10_000_000
/** SDKs send spans of one trace at different times. */
const spreadMs = 600_000

/** Spans that are alike in one trace, and the first and last position of its rows. */
const groupsOf = (
  table: string,
  { statementUs, requestUs }: CandidateLimits,
): string => `SELECT project_id, trace_id, category,
    count() AS n, sum(duration) AS spent, max(duration) AS longest, countIf(duration >= ${requestUs} AND is_segment = 0) AS slow,
    countIf(is_segment = 1 AND item = 'span' AND duration >= ${longSegmentUs}) AS long_segments,
    min(jpos) AS first, max(jpos) AS last, min(received) AS came
  FROM ${table} WHERE jpos >= {since:UInt64} AND jpos < {until:UInt64} AND (category IN ('db', 'http', 'resource') OR is_segment = 1)
  GROUP BY project_id, trace_id, category, if(category = 'db' AND duration < ${statementUs}, statement_hash, 0)`

/** Characters of a text that are read. 10,000 spans are then 30 MB at most, of the 256 MiB that an answer can have. */
const textMax = 2000
const keys = detectorAttributes.map((key) => `'${key}'`).join(', ')
/** The columns that detectors read. Route, release and the like are read for segments only. */
const detectorSelect = `project_id, lower(hex(trace_id)) AS trace_hex, span_id, parent_id, segment_id, is_segment,
  if(is_segment = 1, transaction, '') AS transaction, if(is_segment = 1, route, '') AS route, op, kind,
  leftUTF8(if(description != '', description, name), ${textMax}) AS description, category, statement,
  toUnixTimestamp64Micro(start) AS start_us, duration, failed, http_status, cut,
  if(is_segment = 1, environment, '') AS environment, if(is_segment = 1, release, '') AS release,
  if(is_segment = 1, platform, '') AS platform,
  mapApply((k, v) -> (k, leftUTF8(v, ${textMax})), mapFilter((k, v) -> k IN (${keys}), tags)) AS tags,
  mapFilter((k, v) -> k IN (${keys}), numbers) AS numbers,
  mapFilter((k, v) -> k = '${detectorMeasurement}', measurements) AS measurements`

/** Columns of `StoredSpan` that detectors do not read. */
const unread = {
  name: '',
  status: '',
  origin: '',
  links: '',
  events: '',
  repaired: 0,
  weight: 1,
  clock_shift: '0',
  self_time: '0',
  user_hash: '0',
  received_ms: '0',
}

const noCandidates = { traces: [], total: 0, receivedMs: Number.POSITIVE_INFINITY }

/**
 * Whether any span has a position in a range. A product that gets no spans asks for candidates every 5 s too: 5 ms of the
 * engine's processor time so, instead of 13 to 22.
 */
async function hasSpans(connection: Connection, table: string, since: number, until: number): Promise<boolean> {
  const sql = `SELECT 1 AS one FROM ${table} WHERE jpos >= {since:UInt64} AND jpos < {until:UInt64} LIMIT 1`
  return (await connection.rows(sql, { since, until })).length > 0
}

/** Creates the queries of the detectors. */
export function createDetectorRows(connection: Connection, database: string): DetectorStore {
  const table = `${database}.spans`
  return {
    async detectorCandidates({ sinceJpos, fromJpos, toJpos, untilJpos, limits, max, projectMax }) {
      if (!(await hasSpans(connection, table, sinceJpos, untilJpos))) return noCandidates
      const { repeatsMin, repeatedUs, statementUs, requestsMin, assetUs } = limits
      const rows = await connection.rows<{
        project_id: string
        trace: string
        spans: string
        found: string
        came_ms: string
      }>(
        `SELECT project_id, lower(hex(trace_id)) AS trace, sum(n) AS spans, count() OVER () AS found,
           row_number() OVER (PARTITION BY project_id ORDER BY cityHash64(trace_id, {to:UInt64})) AS turn,
           toUnixTimestamp64Milli(min(came)) AS came_ms
         FROM (${groupsOf(table, limits)})
         GROUP BY project_id, trace_id
         HAVING max(last) >= {from:UInt64} AND min(first) < {to:UInt64} AND (max(last) < {to:UInt64} OR min(first) < {from:UInt64})
           AND (max(category = 'db' AND (longest >= ${statementUs} OR (n >= ${repeatsMin} AND spent >= ${repeatedUs}))) = 1
             OR sumIf(slow, category = 'http') >= ${requestsMin}
             OR max(category = 'resource' AND longest >= ${assetUs}) = 1 OR sum(long_segments) > 0)
         ORDER BY turn, project_id LIMIT {projectMax:UInt32} BY project_id LIMIT {max:UInt32}`,
        { since: sinceJpos, from: fromJpos, to: toJpos, until: untilJpos, max, projectMax },
      )
      return {
        traces: rows.map((row) => ({
          projectId: Number(row.project_id),
          traceId: row.trace,
          spans: Number(row.spans),
        })),
        total: Number(rows[0]?.found ?? 0),
        receivedMs: Math.min(...rows.map((row) => Number(row.came_ms))),
      }
    },

    async spansOfTraces(traces, sinceMs, { each, max }) {
      if (traces.length === 0) return []
      const projects = [...new Set(traces.map(({ projectId }) => projectId))]
      const ids = [...new Set(traces.map(({ traceId }) => traceId))]
      const rows = await connection.rows<Omit<StoredSpan, keyof typeof unread>>(
        `SELECT ${detectorSelect} FROM ${table}
         PREWHERE trace_id IN (SELECT toFixedString(unhex(arrayJoin({traces:Array(String)})), 16))
         WHERE project_id IN {projects:Array(UInt64)} AND received >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
         ORDER BY project_id, trace_id, is_segment DESC, start LIMIT {each:UInt32} BY project_id, trace_id LIMIT {max:UInt32}`,
        { projects, traces: ids, since: Math.floor(sinceMs) - spreadMs, each, max },
      )
      const wanted = new Set(traces.map(({ projectId, traceId }) => `${projectId} ${traceId}`))
      return rows
        .filter((row) => wanted.has(`${row.project_id} ${row.trace_hex}`))
        .map((row): DetectorRow => readSpan({ ...row, ...unread }))
    },

    async storedSpans(projectId, traceId, spanIds) {
      const trace = traceHex(traceId)
      if (trace === undefined || spanIds.length === 0) return []
      const rows = await connection.rows<{ span_id: string }>(
        `SELECT DISTINCT span_id FROM ${table}
         PREWHERE project_id = {project:UInt64} AND trace_id = toFixedString(unhex({trace:String}), 16)
         WHERE span_id IN {spans:Array(UInt64)} ${byFilter}`,
        {
          project: projectId,
          trace,
          spans: spanIds.map(hashNumber).filter((id) => id !== undefined),
        },
      )
      return rows.map((row) => hashText(row.span_id))
    },
  }
}
