import type { Connection } from '../connection.ts'
import { hashText, traceHex } from '../tables/rows.ts'
import type { TextColumn, TraceColumns, TraceProjects, TraceStore, TraceTotals } from '../trace-store.ts'
import { readSpan, type StoredSpan, spanSelect } from './span-rows.ts'
import { byFilter, createTraceRoutes, ofTrace } from './trace-route-rows.ts'

/** Characters of a name: a row has space for a hundred. */
const nameMax = 200
/** Spans that a summary of a large trace shows before others: segments, then failures, then the longest. */
const byImportance = 'is_segment DESC, failed DESC, duration DESC, span_id'

/** A text of a span, or '' in a project that the reader may not see: its texts do not even leave the store. */
const seen = (expression: string) => `if(project_id IN {readable:Array(UInt64)}, ${expression}, '')`

/** A stored id as the product writes it: '' for none. */
const hexOf = (column: string) => `if(${column} = 0, '', lower(hex(reverse(reinterpretAsFixedString(${column})))))`

/** The columns of a span, by the names of `StoredColumns`. */
const columns = {
  projects: 'project_id',
  ids: hexOf('span_id'),
  parents: hexOf('parent_id'),
  segments: 'is_segment',
  starts: 'toUnixTimestamp64Micro(start)',
  durations: 'toFloat64(duration)',
  failures: 'if(project_id IN {readable:Array(UInt64)}, failed, 0)',
}
/** The columns whose values repeat. */
const textColumns = {
  segment_ids: hexOf('segment_id'),
  ops: seen('op'),
  names: seen(`leftUTF8(if(name != '', name, if(description != '', description, transaction)), ${nameMax})`),
  statuses: seen('status'),
  platforms: seen('platform'),
  environments: seen('environment'),
  cuts: seen('cut'),
}
const fields = Object.entries({ ...columns, ...textColumns })
const texts = Object.keys(textColumns) as (keyof typeof textColumns)[]

/**
 * One row with a list for each column, from the rows of `source`. JSON with a list per column is a third of the bytes of
 * an object per row. One groupArray of tuples makes the lists: of a sparse column such as is_segment, an own groupArray
 * would have all values first that are not 0, so that lists would not belong together. Repeating texts are sent once,
 * and times after the first start: app spends 51 ms of CPU on 25,000 spans instead of 126.
 */
const columnsOf = (source: string): string => `SELECT
    arrayMin(start_list) AS first, toFloat64(first) AS origin, arrayMap(start -> toFloat64(start - first), start_list) AS starts,
    ${fields
      .filter(([name]) => name !== 'starts' && !Object.hasOwn(textColumns, name))
      .map(([name]) => `${name}_list AS ${name}`)
      .join(', ')},
    ${texts.map((name) => `arrayDistinct(${name}_list) AS ${name}_texts, arrayEnumerateDense(${name}_list) AS ${name}`).join(', ')}, vitals
  FROM (SELECT ${fields.map(([name], at) => `tupleElement(spans, ${at + 1}) AS ${name === 'starts' ? 'start' : name}_list`).join(', ')}, vitals
  FROM (SELECT groupArray((${fields.map(([, expression]) => expression).join(', ')})) AS spans,
    groupArrayIf((${hexOf('span_id')}, measurements), notEmpty(measurements) AND project_id IN {readable:Array(UInt64)}) AS vitals
    FROM (${source})))`

type TextColumnName = keyof typeof textColumns
type StoredColumns = {
  projects: string[]
  ids: string[]
  parents: string[]
  segments: number[]
  /** The first start, microseconds since 1970, and the starts after it. */
  origin: number
  starts: number[]
  durations: number[]
  failures: number[]
  vitals: [string, Record<string, number>][]
} & Record<TextColumnName, number[]> & { [Name in `${TextColumnName}_texts`]: string[] }

function readColumns(row: StoredColumns | undefined): TraceColumns {
  const textsOf = (name: TextColumnName): TextColumn => ({
    texts: ['', ...(row?.[`${name}_texts`] ?? [])],
    numbers: row?.[name] ?? [],
  })
  return {
    projectIds: row?.projects.map(Number) ?? [],
    ids: row?.ids ?? [],
    parentIds: row?.parents ?? [],
    segmentIds: textsOf('segment_ids'),
    segments: row?.segments ?? [],
    originUs: row?.origin ?? 0,
    starts: row?.starts ?? [],
    durationsUs: row?.durations ?? [],
    ops: textsOf('ops'),
    names: textsOf('names'),
    statuses: textsOf('statuses'),
    failures: row?.failures ?? [],
    platforms: textsOf('platforms'),
    environments: textsOf('environments'),
    cuts: textsOf('cuts'),
    measurements: row?.vitals ?? [],
  }
}

type StoredTotals = { project_id: string; spans: string; from_us: number; to_us: number }

async function traceTotals(
  connection: Connection,
  table: string,
  { all }: TraceProjects,
  trace: string,
  signal: AbortSignal | undefined,
): Promise<TraceTotals> {
  const rows = await connection.rows<StoredTotals>(
    `SELECT project_id, count() AS spans, toFloat64(min(toUnixTimestamp64Micro(start))) AS from_us,
       toFloat64(max(toUnixTimestamp64Micro(start) + duration)) AS to_us
     FROM ${table} PREWHERE ${ofTrace} GROUP BY project_id ${byFilter}`,
    { projects: all, trace },
    { signal },
  )
  return {
    spans: rows.reduce((sum, row) => sum + Number(row.spans), 0),
    byProject: new Map(rows.map((row) => [Number(row.project_id), Number(row.spans)])),
    fromUs: Math.min(...rows.map((row) => row.from_us)),
    toUs: Math.max(...rows.map((row) => row.to_us)),
  }
}

function createExtras(connection: Connection, table: string): TraceStore['spansWithExtras'] {
  return async (projectIds, traceId, max) => {
    const trace = traceHex(traceId)
    if (trace === undefined || projectIds.length === 0) return []
    const rows = await connection.rows<{ span_id: string; start_us: string; links: string; events: string }>(
      `SELECT span_id, toUnixTimestamp64Micro(start) AS start_us, links, events FROM ${table} PREWHERE ${ofTrace}
       WHERE links != '' OR events != '' ORDER BY start, span_id LIMIT 1 BY span_id LIMIT {max:UInt32} ${byFilter}`,
      { projects: projectIds, trace, max },
    )
    return rows.map(({ span_id, start_us, links, events }) => ({
      spanId: hashText(span_id),
      startUs: Number(start_us),
      links,
      events,
    }))
  }
}

/** Creates the queries of whole traces. */
export function createTraces(connection: Connection, database: string): TraceStore {
  const table = `${database}.spans`
  return {
    async traceSpans({ all, readable }, traceId, max, signal) {
      const trace = traceHex(traceId)
      if (trace === undefined || all.length === 0) return readColumns(undefined)
      const [row] = await connection.rows<StoredColumns>(
        `${columnsOf(`SELECT * FROM ${table} PREWHERE ${ofTrace} LIMIT {max:UInt32}`)} ${byFilter}`,
        { projects: all, readable, trace, max },
        { signal },
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

    async traceTotals(projects, traceId, signal) {
      const trace = traceHex(traceId)
      if (trace === undefined || projects.all.length === 0)
        return { spans: 0, byProject: new Map(), fromUs: 0, toUs: 0 }
      return await traceTotals(connection, table, projects, trace, signal)
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

    spansWithExtras: createExtras(connection, table),

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
    ...createTraceRoutes(connection, database),
  }
}
