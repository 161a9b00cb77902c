import type { Connection } from './connection.ts'
import { spanColumns } from './encode-span.ts'
import { hashText, traceHex } from './rows.ts'
import type { Settling } from './settle.ts'
import type { SeenSpan, SpanStore, SpanTally } from './span-store.ts'

/**
 * How a trace is found: by the filters of its id before anything is read, without going through the key (decision 20). Most
 * traces are found whole so, in one question without an order: 7 ms among two million spans instead of 27.
 */
const byFilter = 'SETTINGS use_skip_indexes_on_data_read = 0, use_primary_key = 0'
/** Rows that are ordered here: spans that came twice are among them. A trace that has more is ordered in the engine. */
const wholeFactor = 2

/** A tally goes through every row; a deletion of a day's spans too. */
const workSeconds = 3600
const settleSeconds = 120
/** Projects of one statement. */
const listMax = 1000

const spanSelect = `project_id, lower(hex(trace_id)) AS trace_hex, span_id, parent_id, segment_id, is_segment, transaction, op, name,
  description, toUnixTimestamp64Micro(start) AS start_us, duration, self_time, status, kind, origin, cut, attributes,
  measurements, links, platform, release, environment, user_hash, toUnixTimestamp64Milli(received) AS received_ms, repaired`

/** A row as the engine gives it: what it has as the span itself has it, and numbers of 64 bits as text. */
type StoredSpan = Pick<
  SeenSpan,
  | 'transaction'
  | 'op'
  | 'name'
  | 'description'
  | 'status'
  | 'kind'
  | 'origin'
  | 'cut'
  | 'attributes'
  | 'measurements'
  | 'links'
  | 'platform'
  | 'release'
  | 'environment'
  | 'repaired'
> & {
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

const readSpan = (row: StoredSpan): SeenSpan => ({
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
  attributes: row.attributes,
  measurements: row.measurements,
  links: row.links,
  platform: row.platform,
  release: row.release,
  environment: row.environment,
  userHash: idText(row.user_hash),
  receivedMs: Number(row.received_ms),
  repaired: row.repaired,
})

type Part = Omit<SpanStore, 'dropSpansBefore' | 'dropOldestSpans'>
type Sums = 'removeSpansBefore' | 'spansByProject' | 'spanTally'

/** What goes through all rows of projects. */
function createSums(connection: Connection, table: string): Pick<SpanStore, Sums> {
  return {
    async removeSpansBefore(projectIds, dayMs) {
      // A date before 1970 is none, and would be read as one to come.
      if (dayMs <= 0) return 0
      const where = 'project_id IN {projects:Array(UInt64)} AND toDate(received) < toDate({day:String})'
      let gone = 0
      for (let start = 0; start < projectIds.length; start += listMax) {
        const bound = {
          projects: projectIds.slice(start, start + listMax),
          day: new Date(dayMs).toISOString().slice(0, 10),
        }
        const [found] = await connection.rows<{ n: string }>(
          `SELECT count() AS n FROM ${table} WHERE ${where}`,
          bound,
          { seconds: workSeconds },
        )
        // Every deletion writes a mark for each part, also where there is nothing to delete.
        if (Number(found?.n ?? 0) === 0) continue
        await connection.command(`DELETE FROM ${table} WHERE ${where}`, bound, { seconds: workSeconds })
        gone += Number(found?.n)
      }
      return gone
    },

    async spansByProject() {
      const rows = await connection.rows<{ project: string; n: string }>(
        `SELECT project_id AS project, count() AS n FROM ${table} GROUP BY project_id`,
      )
      return rows.map((row) => ({ projectId: Number(row.project), rows: Number(row.n) }))
    },

    async spanTally() {
      const days = await connection.rows<{ day: string }>(
        `SELECT DISTINCT toString(toDate(received)) AS day FROM ${table} ORDER BY day`,
        {},
        { seconds: workSeconds },
      )
      const sums = new Map<number, SpanTally>()
      // A day at a time: a row that stands twice stands in one, and all places at once would not fit into the memory.
      for (const { day } of days) {
        const rows = await connection.rows<{
          project: string
          transactions: string
          n: string
          once: string
          last: string
        }>(
          `SELECT project_id AS project, countIf(is_segment AND item = 'transaction') AS transactions, count() AS n,
             uniqExact(jpos, place) AS once, max(jpos) AS last
           FROM ${table} WHERE toDate(received) = toDate({day:String}) GROUP BY project_id`,
          { day },
          { seconds: workSeconds },
        )
        for (const row of rows) {
          const [projectId, transactions, n] = [Number(row.project), Number(row.transactions), Number(row.n)]
          const sum = sums.get(projectId) ?? { projectId, transactions: 0, spans: 0, twice: 0, lastJpos: 0 }
          sum.transactions += transactions
          sum.spans += n - transactions
          sum.twice += n - Number(row.once)
          sum.lastJpos = Math.max(sum.lastJpos, Number(row.last))
          sums.set(projectId, sum)
        }
      }
      return [...sums.values()]
    },
  }
}

/** The order of a trace's spans, as the engine's below: segments first, then by their start; the first that came of each. */
const inOrder = (a: SeenSpan, b: SeenSpan): number =>
  Number(b.isSegment) - Number(a.isSegment) ||
  a.startUs - b.startUs ||
  (a.spanId < b.spanId ? -1 : a.spanId > b.spanId ? 1 : a.receivedMs - b.receivedMs)

/** Spans of a trace in order, each once: an SDK sends a request again that was not answered, and senders choose ids. */
function onceEach(spans: readonly SeenSpan[]): SeenSpan[] {
  const seen = new Set<string>()
  return spans.toSorted(inOrder).filter(({ projectId, spanId }) => {
    const key = `${projectId} ${spanId}`
    return !seen.has(key) && seen.add(key)
  })
}

/** Spans: what refine writes, and what is asked of them. They have no rollups, so nothing waits for those to be counted. */
export function createSpans(connection: Connection, database: string, settling: Pick<Settling, 'ended'>): Part {
  const table = `${database}.spans`
  return {
    ...createSums(connection, table),
    insertSpans: (tsv, token) => connection.insert('spans', spanColumns, tsv, token),

    async settleSpans(token, from, to) {
      await settling.ended(token)
      const rows = await connection.rows<{ jpos: string; places: number[] }>(
        `SELECT jpos, groupUniqArray(place) AS places FROM ${table} WHERE jpos >= {from:UInt64} AND jpos < {to:UInt64} GROUP BY jpos`,
        { from, to },
        { seconds: settleSeconds },
      )
      return new Map(rows.map(({ jpos, places }) => [Number(jpos), new Set(places)]))
    },

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
      // Which they are is found by light columns: a trace may have a million spans, and all that are sorted are unpacked.
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
