import type { Json } from '../../../wire/json.ts'
import type { Connection } from '../connection.ts'
import { spanRollupName } from '../schema/span-rollup.ts'
import type { SeenSpan, SpanStore } from '../span-store.ts'
import { hashText, traceHex } from '../tables/rows.ts'

/**
 * Look-up of a trace: filters of its id are applied before the read, without the key (decision 20). Most traces are
 * read by this query alone, without an order: 7 ms among two million spans instead of 27.
 */
const byFilter = 'SETTINGS use_skip_indexes_on_data_read = 0, use_primary_key = 0'
/** Up to this many rows per requested span, duplicates included, are sorted here. The engine sorts larger traces. */
const wholeFactor = 2

/** The columns of `StoredSpan`. */
export const spanSelect = `project_id, lower(hex(trace_id)) AS trace_hex, span_id, parent_id, segment_id, is_segment, transaction, op, name,
  description, toUnixTimestamp64Micro(start) AS start_us, duration, self_time, status, kind, origin, cut, tags, numbers,
  measurements, links, events, platform, release, environment, user_hash, toUnixTimestamp64Milli(received) AS received_ms, repaired,
  route, category, statement, weight, failed, http_status, clock_shift`

/** A row from the engine: fields as in the span, 64-bit numbers as text. */
export type StoredSpan = Pick<
  SeenSpan,
  | 'transaction'
  | 'op'
  | 'name'
  | 'description'
  | 'status'
  | 'kind'
  | 'origin'
  | 'cut'
  | 'measurements'
  | 'links'
  | 'events'
  | 'platform'
  | 'release'
  | 'environment'
  | 'repaired'
  | 'route'
  | 'category'
  | 'statement'
  | 'weight'
> & {
  tags: Record<string, string>
  numbers: Record<string, number>
  failed: number
  http_status: number
  clock_shift: string
  project_id: string
  trace_hex: string
  span_id: string
  parent_id: string
  segment_id: string
  is_segment: number
  start_us: string
  duration: string
  self_time: string
  user_hash: string
  received_ms: string
}

const idText = (decimal: string): string => (decimal === '0' ? '' : hashText(decimal))

/** Booleans, lists and objects are stored as JSON. A text that looks like one of them is read as such. */
function readTag(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true'
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/** The attributes of a span, from both of their columns. */
const attributesOf = ({ tags, numbers }: Pick<StoredSpan, 'tags' | 'numbers'>): Record<string, Json> => ({
  ...Object.fromEntries(Object.entries(tags).map(([key, text]) => [key, readTag(text)])),
  ...numbers,
})

/** Converts a stored span. */
export const readSpan = (row: StoredSpan): SeenSpan => ({
  projectId: Number(row.project_id),
  traceId: row.trace_hex,
  spanId: idText(row.span_id),
  parentId: idText(row.parent_id),
  segmentId: idText(row.segment_id),
  isSegment: row.is_segment === 1,
  transaction: row.transaction,
  op: row.op,
  name: row.name,
  description: row.description,
  startUs: Number(row.start_us),
  durationUs: Number(row.duration),
  selfUs: Number(row.self_time),
  status: row.status,
  kind: row.kind,
  origin: row.origin,
  cut: row.cut,
  attributes: attributesOf(row),
  measurements: row.measurements,
  links: row.links,
  events: row.events,
  platform: row.platform,
  release: row.release,
  environment: row.environment,
  userHash: idText(row.user_hash),
  receivedMs: Number(row.received_ms),
  repaired: row.repaired,
  route: row.route,
  category: row.category,
  statement: row.statement,
  weight: row.weight,
  failed: row.failed === 1,
  httpStatus: row.http_status,
  clockShiftUs: Number(row.clock_shift),
})

/** Order of a trace's spans, as in the engine's query: segments first, then start; first received duplicate first. */
const inOrder = (a: SeenSpan, b: SeenSpan): number =>
  Number(b.isSegment) - Number(a.isSegment) ||
  a.startUs - b.startUs ||
  (a.spanId < b.spanId ? -1 : a.spanId > b.spanId ? 1 : a.receivedMs - b.receivedMs)

/** Sorts the spans of a trace and removes duplicates: SDKs retry unanswered requests, and senders choose ids. */
function onceEach(spans: readonly SeenSpan[]): SeenSpan[] {
  const seen = new Set<string>()
  return spans.toSorted(inOrder).filter(({ projectId, spanId }) => {
    const key = `${projectId} ${spanId}`
    return !seen.has(key) && seen.add(key)
  })
}

/** Creates the span queries. None of them needs exact rollups, so they wait for no recount. */
export function createSpans(connection: Connection, database: string): SpanStore {
  const table = `${database}.spans`
  return {
    async recentTransactions(sinceMs, max) {
      const rows = await connection.rows<{ project_id: string; trace_hex: string; span_id: string }>(
        `SELECT project_id, lower(hex(trace_id)) AS trace_hex, span_id FROM ${table}
         WHERE received >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND is_segment AND item = 'transaction'
         ORDER BY received DESC LIMIT {max:UInt32}`,
        { since: Math.floor(sinceMs), max },
      )
      return rows.map((row) => ({
        projectId: Number(row.project_id),
        traceId: row.trace_hex,
        spanId: hashText(row.span_id),
      }))
    },

    async pathsByProject(sinceMs, max) {
      const rows = await connection.rows<{ project: string; routes: string[] }>(
        `SELECT project_id AS project, groupArray(route) AS routes FROM (
           SELECT project_id, route::String AS route, sum(n) AS spans FROM ${database}.${spanRollupName}
           WHERE length = 1 AND metric IN ('duration', 'cut') AND hour >= toStartOfDay(toDateTime({since:UInt32}, 'UTC'))
             AND match(route, '^([A-Z]{3,10} )?/')
           GROUP BY project_id, route ORDER BY spans DESC, route LIMIT {max:UInt32} BY project_id)
         GROUP BY project`,
        { since: Math.max(0, Math.floor(sinceMs / 1000)), max },
      )
      return rows.map(({ project, routes }) => ({ projectId: Number(project), routes }))
    },

    async spansOfTrace(projectIds, traceId, max) {
      const hex = traceHex(traceId)
      if (hex === undefined || projectIds.length === 0) return []
      const ofTrace = 'project_id IN {projects:Array(UInt64)} AND trace_id = toFixedString(unhex({trace:String}), 16)'
      const bound = { projects: projectIds, trace: hex }
      const most = max * wholeFactor
      const some = await connection.rows<StoredSpan>(
        `SELECT ${spanSelect} FROM ${table} PREWHERE ${ofTrace} LIMIT {most:UInt32} ${byFilter}`,
        { ...bound, most: most + 1 },
      )
      if (some.length <= most) return onceEach(some.map(readSpan)).slice(0, max)
      // Narrow columns select the spans: a trace can have a million, and a sort decompresses all of them.
      const rows = await connection.rows<StoredSpan>(
        `SELECT ${spanSelect} FROM ${table} PREWHERE ${ofTrace} AND (project_id, span_id) IN (
           SELECT project_id, span_id FROM ${table} PREWHERE ${ofTrace} GROUP BY project_id, span_id
           ORDER BY max(is_segment) DESC, min(start), span_id LIMIT {max:UInt32})
         ORDER BY is_segment DESC, start, span_id, received LIMIT 1 BY project_id, span_id LIMIT {max:UInt32} ${byFilter}`,
        { ...bound, max },
      )
      return rows.map(readSpan)
    },
  }
}
