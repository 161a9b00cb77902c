import type { Connection } from './connection.ts'
import { hashText, traceHex } from './rows.ts'
import { readSpan, type StoredSpan, spanSelect } from './span-rows.ts'
import type { TraceColumns, TraceProjects, TraceStore, TraceTotals } from './trace-store.ts'

/** As for the spans of a trace in `span-rows.ts`: filters of the id before the read, without the key (decision 20). */
const byFilter = 'SETTINGS use_skip_indexes_on_data_read = 0, use_primary_key = 0'
/** Characters of a name: a row has space for a hundred. */
const nameMax = 200
const ofTrace = 'project_id IN {projects:Array(UInt64)} AND trace_id = toFixedString(unhex({trace:String}), 16)'
/** Spans that a summary of a large trace shows before others: segments, then failures, then the longest. */
const byImportance = 'is_segment DESC, failed DESC, duration DESC, span_id'

/** A text of a span, or '' in a project that the reader may not see: its texts do not even leave the store. */
const seen = (expression: string) => `if(project_id IN {readable:Array(UInt64)}, ${expression}, '')`

/** The columns of a span, in the order of `StoredColumns` without `vitals`. */
const fields = [
  'project_id',
  'span_id',
  'parent_id',
  'segment_id',
  'is_segment',
  'toFloat64(toUnixTimestamp64Micro(start))',
  'toFloat64(duration)',
  seen('op'),
  seen(`leftUTF8(if(name != '', name, if(description != '', description, transaction)), ${nameMax})`),
  seen('status'),
  'if(project_id IN {readable:Array(UInt64)}, failed, 0)',
  seen('platform'),
  seen('environment'),
  seen('cut'),
]
const names = [
  'projects',
  'ids',
  'parents',
  'segment_ids',
  'segments',
  'starts',
  'durations',
  'ops',
  'names',
  'statuses',
  'failures',
  'platforms',
  'environments',
  'cuts',
] as const

/**
 * One row with a list for each column, from the rows of `source`. JSON with a list per column is a third of the bytes of
 * an object per row. One groupArray of tuples makes the lists: of a sparse column such as is_segment, an own groupArray
 * would have all values first that are not 0, so that lists would not belong together.
 */
const columnsOf = (source: string): string => `SELECT
    ${names.map((name, at) => `tupleElement(spans, ${at + 1}) AS ${name}`).join(', ')}, vitals
  FROM (SELECT groupArray((${fields.join(', ')})) AS spans,
    groupArrayIf((span_id, measurements), notEmpty(measurements) AND project_id IN {readable:Array(UInt64)}) AS vitals
    FROM (${source}))`

type StoredColumns = {
  projects: string[]
  ids: string[]
  parents: string[]
  segment_ids: string[]
  segments: number[]
  starts: number[]
  durations: number[]
  ops: string[]
  names: string[]
  statuses: string[]
  failures: number[]
  platforms: string[]
  environments: string[]
  cuts: string[]
  vitals: [string, Record<string, number>][]
}

/** Decimal 64-bit ids as hex. Each parent is the id of another span, so half of them are converted once. */
function idsOf(): (decimal: string) => string {
  const known = new Map<string, string>([['0', '']])
  return (decimal) => {
    const id = known.get(decimal) ?? hashText(decimal)
    known.set(decimal, id)
    return id
  }
}

function readColumns(row: StoredColumns | undefined): TraceColumns {
  const idOf = idsOf()
  return {
    projectIds: row?.projects.map(Number) ?? [],
    ids: row?.ids.map(idOf) ?? [],
    parentIds: row?.parents.map(idOf) ?? [],
    segmentIds: row?.segment_ids.map(idOf) ?? [],
    segments: row?.segments ?? [],
    startsUs: row?.starts ?? [],
    durationsUs: row?.durations ?? [],
    ops: row?.ops ?? [],
    names: row?.names ?? [],
    statuses: row?.statuses ?? [],
    failures: row?.failures ?? [],
    platforms: row?.platforms ?? [],
    environments: row?.environments ?? [],
    cuts: row?.cuts ?? [],
    measurements: row?.vitals.map(([id, values]) => [idOf(id), values] as const) ?? [],
  }
}

type StoredTotals = { project_id: string; spans: string; from_us: number; to_us: number }

async function traceTotals(
  connection: Connection,
  table: string,
  { all }: TraceProjects,
  trace: string,
): Promise<TraceTotals> {
  const rows = await connection.rows<StoredTotals>(
    `SELECT project_id, count() AS spans, toFloat64(min(toUnixTimestamp64Micro(start))) AS from_us,
       toFloat64(max(toUnixTimestamp64Micro(start) + duration)) AS to_us
     FROM ${table} PREWHERE ${ofTrace} GROUP BY project_id ${byFilter}`,
    { projects: all, trace },
  )
  return {
    spans: rows.reduce((sum, row) => sum + Number(row.spans), 0),
    byProject: new Map(rows.map((row) => [Number(row.project_id), Number(row.spans)])),
    fromUs: Math.min(...rows.map((row) => row.from_us)),
    toUs: Math.max(...rows.map((row) => row.to_us)),
  }
}

/** Creates the queries of whole traces. */
export function createTraces(connection: Connection, database: string): TraceStore {
  const table = `${database}.spans`
  return {
    async traceSpans({ all, readable }, traceId, max) {
      const trace = traceHex(traceId)
      if (trace === undefined || all.length === 0) return readColumns(undefined)
      const [row] = await connection.rows<StoredColumns>(
        `${columnsOf(`SELECT * FROM ${table} PREWHERE ${ofTrace} LIMIT {max:UInt32}`)} ${byFilter}`,
        { projects: all, readable, trace, max },
      )
      return readColumns(row)
    },

    async largestSpans({ all, readable }, traceId, max) {
      const trace = traceHex(traceId)
      if (trace === undefined || all.length === 0) return readColumns(undefined)
      // Narrow columns select the spans: the names of two million would be read for five thousand.
      const [row] = await connection.rows<StoredColumns>(
        `${columnsOf(`SELECT * FROM ${table} PREWHERE ${ofTrace} AND (start, span_id) IN (
           SELECT start, span_id FROM ${table} PREWHERE ${ofTrace} ORDER BY ${byImportance} LIMIT {max:UInt32})
         LIMIT {max:UInt32}`)} ${byFilter}`,
        { projects: all, readable, trace, max },
      )
      return readColumns(row)
    },

    async traceTotals(projects, traceId) {
      const trace = traceHex(traceId)
      if (trace === undefined || projects.all.length === 0)
        return { spans: 0, byProject: new Map(), fromUs: 0, toUs: 0 }
      return await traceTotals(connection, table, projects, trace)
    },

    async spanOfTrace(projectIds, traceId, spanId) {
      const trace = traceHex(traceId)
      if (trace === undefined || projectIds.length === 0 || !/^[0-9a-f]{16}$/.test(spanId)) return undefined
      const [row] = await connection.rows<StoredSpan>(
        `SELECT ${spanSelect} FROM ${table} PREWHERE ${ofTrace} AND span_id = {span:UInt64}
         ORDER BY received LIMIT 1 ${byFilter}`,
        { projects: projectIds, trace, span: BigInt(`0x${spanId}`).toString() },
      )
      return row && readSpan(row)
    },

    async spansWithAttribute(projectIds, traceId, { key, value }, max) {
      const trace = traceHex(traceId)
      if (trace === undefined || projectIds.length === 0) return []
      const rows = await connection.rows<{ span_id: string }>(
        `SELECT span_id FROM ${table} PREWHERE ${ofTrace}
         WHERE tags[{key:String}] = {value:String}
           OR (mapContains(numbers, {key:String}) AND toString(numbers[{key:String}]) = {value:String})
         LIMIT {max:UInt32} ${byFilter}`,
        { projects: projectIds, trace, key, value, max },
      )
      return rows.map((row) => hashText(row.span_id))
    },
  }
}
