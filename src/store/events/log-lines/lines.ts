import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import type { LogDetail, LogFields, LogKey, LogLine, LogSearchStore } from '../log-search.ts'
import { logTextSql } from '../logs/text.ts'
import type { Value } from '../question.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { type Answered, compileValue, readCell } from '../searching/columns.ts'
import { compileScope } from '../searching/filter.ts'
import { windowsOf } from '../searching/newest.ts'
import {
  afterCondition,
  type LineCells,
  lineCells,
  lineColumns,
  listBodyMax,
  logSource,
  microsOf,
  readLine,
  timeOf,
} from './scope.ts'

type Row = LineCells & { columns: Answered[] }

/** Up to so many projects, each is read from its newest line on. A list of more is read part by part of its range. */
const projectsMax = 50

const columnsOf = (values: Values, columns: readonly Value[]) =>
  columns.map((column, at) => `, ${compileValue(logSource, values, column)} AS c${at}`).join('')
const cellsOf = (columns: readonly Value[]) =>
  `${lineCells}, tuple(${columns.map((_, at) => `c${at}`).join(', ')}) AS columns`
const noColumns = `${lineCells}, [] AS columns`
const readRow =
  (columns: readonly Value[]) =>
  ({ columns: cells, ...line }: Row): LogLine => ({
    ...readLine(line),
    columns: columns.map((column, at) => readCell(logSource, column, cells[at] ?? null)),
  })

type AskedLines = Parameters<LogSearchStore['logLines']>[0]
type Reads = { connection: Connection; table: string }
const wayOf = ({ order }: AskedLines): string => (order === 'newest' ? 'DESC' : 'ASC')

/** Condition of the lines of a list in a part of its range. */
function conditionOf(values: Values, { filter, after, order }: AskedLines, part: Scope): string {
  const scope = compileScope(logSource, values, part, filter)
  return after ? `${scope} AND ${afterCondition(values, after, order)}` : scope
}

/** Runs a SELECT of `lineColumns` and columns as a list of lines, in the order of the list. */
async function readLines({ connection }: Reads, asked: AskedLines, inner: string, values: Values, limit: number) {
  const { columns, signal } = asked
  const way = wayOf(asked)
  const rows = await connection.rows<Row>(
    `SELECT ${columns.length > 0 ? cellsOf(columns) : noColumns} FROM (
       SELECT * FROM (${inner}) ORDER BY time ${way}, jpos ${way}, place ${way} LIMIT ${values.add('UInt32', limit)})`,
    values.bound,
    { signal },
  )
  return rows.map(readRow(columns))
}

/** Reads lines of many projects: all that match in a part of the range are sorted. */
async function readSorted(reads: Reads, asked: AskedLines, part: Scope, limit: number): Promise<LogLine[]> {
  const values = createValues()
  const condition = conditionOf(values, asked, part)
  const inner = `SELECT ${lineColumns}${columnsOf(values, asked.columns)} FROM ${reads.table} WHERE ${condition}`
  return readLines(reads, asked, inner, values, limit)
}

/**
 * Reads lines of one microsecond in the order of their records. Their keys are found without their texts, however many
 * there are.
 */
async function readTies(reads: Reads, asked: AskedLines, timeUs: number, limit: number): Promise<LogLine[]> {
  const { table } = reads
  const values = createValues()
  const way = wayOf(asked)
  const isThen = `time = ${microsOf(values, timeUs)}`
  const keys = `SELECT jpos, place FROM ${table} WHERE ${isThen} AND ${conditionOf(values, asked, asked.scope)}
    ORDER BY jpos ${way}, place ${way} LIMIT ${values.add('UInt32', limit)}`
  const inner = `SELECT ${lineColumns}${columnsOf(values, asked.columns)} FROM ${table}
    PREWHERE ${isThen} AND ${compileScope(logSource, values, asked.scope, undefined)} AND (jpos, place) IN (${keys})`
  return readLines(reads, asked, inner, values, limit)
}

/**
 * Reads lines of few projects, each from the end of the table's order until enough match. Lines of one microsecond are
 * ties of that order, and the engine stops anywhere among them. One line more than asked for shows whether it did: then
 * the ties are read by themselves. With `LIMIT WITH TIES`, each page read all ties with their texts.
 */
async function readFromEnds(reads: Reads, asked: AskedLines): Promise<LogLine[]> {
  const { scope, columns, max } = asked
  const values = createValues()
  const extra = columnsOf(values, columns)
  const limit = values.add('UInt32', max + 1)
  const way = wayOf(asked)
  const parts = scope.projectIds.map((id) => {
    const condition = conditionOf(values, asked, { ...scope, projectIds: [id] })
    return `(SELECT ${lineColumns}${extra} FROM ${reads.table} WHERE project_id = ${values.add('UInt64', id)} AND ${condition}
      ORDER BY project_id ${way}, time ${way} LIMIT ${limit})`
  })
  const found = await readLines(reads, asked, parts.join(' UNION ALL '), values, max + 1)
  const last = found[max - 1]
  if (!last || found[max]?.timeUs !== last.timeUs) return found.slice(0, max)
  const others = found.filter(({ timeUs }) => timeUs !== last.timeUs)
  return [...others, ...(await readTies(reads, asked, last.timeUs, max - others.length))]
}

/** See `LogSearchStore.logLines`. */
export function createLogLines(connection: Connection, table: string): LogSearchStore['logLines'] {
  const reads = { connection, table }
  return async (asked) => {
    const { scope, order, max } = asked
    if (scope.projectIds.length === 0) return []
    if (scope.projectIds.length <= projectsMax) return readFromEnds(reads, asked)
    if (order === 'oldest') return readSorted(reads, asked, scope, max)
    const found: LogLine[] = []
    for (const part of windowsOf(scope)) {
      found.push(...(await readSorted(reads, asked, part, max - found.length)))
      if (found.length >= max) break
    }
    return found
  }
}

/** See `LogSearchStore.logTail`. */
export function createLogTail(connection: Connection, table: string): LogSearchStore['logTail'] {
  return async ({ scope, filter, columns, from, to, max, signal }) => {
    if (scope.projectIds.length === 0 || from >= to) return { lines: [], total: 0 }
    const condition = (values: Values) =>
      `${compileScope(logSource, values, scope, filter)} AND jpos >= ${values.add('UInt64', from)} AND jpos < ${values.add('UInt64', to)}`
    const values = createValues()
    const rows = await connection.rows<Row>(
      `SELECT ${columns.length > 0 ? cellsOf(columns) : noColumns} FROM (
         SELECT ${lineColumns}${columnsOf(values, columns)} FROM ${table} WHERE ${condition(values)}
         ORDER BY jpos DESC, place DESC LIMIT ${values.add('UInt32', max)})`,
      values.bound,
      { signal },
    )
    if (rows.length < max) return { lines: rows.map(readRow(columns)), total: rows.length }
    const counted = createValues()
    const [all] = await connection.rows<{ n: string }>(
      `SELECT count() AS n FROM ${table} WHERE ${condition(counted)}`,
      counted.bound,
      { signal },
    )
    return { lines: rows.map(readRow(columns)), total: Number(all?.n ?? rows.length) }
  }
}

/** See `LogSearchStore.logsOfTrace`. The index of trace ids finds them without the times of other lines. */
export function createTraceLogs(connection: Connection, table: string): LogSearchStore['logsOfTrace'] {
  return async ({ projectIds, traceId, fromMs, toMs, max, newest }) => {
    if (projectIds.length === 0 || !/^[0-9a-f]{32}$/.test(traceId)) return []
    const values = createValues()
    const way = newest ? 'DESC' : 'ASC'
    const rows = await connection.rows<Row>(
      `SELECT ${noColumns} FROM (
         SELECT ${lineColumns} FROM ${table}
         WHERE project_id IN ${values.add('Array(UInt64)', projectIds)} AND time >= ${timeOf(values, fromMs)}
           AND time < ${timeOf(values, toMs)} AND received >= ${timeOf(values, Math.max(0, fromMs - 60_000))}
           AND trace_id = toFixedString(unhex(${values.add('String', traceId)}), 16)
         ORDER BY time ${way}, jpos ${way}, place ${way} LIMIT ${values.add('UInt32', max)})`,
      values.bound,
    )
    const lines = rows.map(readRow([]))
    return newest ? lines.reverse() : lines
  }
}

type DetailRow = LineCells & LogFields & { truncated: number; repaired: number; receivedMs: string }

/** See `LogSearchStore.logDetails`. */
export function createLogDetails(connection: Connection, table: string): LogSearchStore['logDetails'] {
  return async (keys: readonly LogKey[]): Promise<LogDetail[]> => {
    if (keys.length === 0) return []
    const values = createValues()
    const conditions = keys.map(
      ({ projectId, timeUs, jpos, place }) =>
        `(project_id = ${values.add('UInt64', projectId)} AND time = ${microsOf(values, timeUs)} AND jpos = ${values.add('UInt64', jpos)} AND place = ${values.add('UInt32', place)})`,
    )
    const text = lineColumns.replace(`substringUTF8(${logTextSql()}, 1, ${listBodyMax})`, logTextSql())
    const rest = 'service, host, logger, environment, release, platform, origin, tags, numbers, truncated, repaired'
    const rows = await connection.rows<DetailRow>(
      `SELECT ${lineCells}, ${rest}, toString(toUnixTimestamp64Milli(received)) AS receivedMs
       FROM (SELECT ${text}, ${rest}, received FROM ${table} WHERE ${conditions.join(' OR ')})`,
      values.bound,
    )
    return rows.map((row) => ({
      ...readLine(row),
      service: row.service,
      host: row.host,
      logger: row.logger,
      environment: row.environment,
      release: row.release,
      platform: row.platform,
      origin: row.origin,
      tags: row.tags,
      numbers: row.numbers,
      truncated: row.truncated === 1,
      repaired: row.repaired > 0,
      receivedMs: Number(row.receivedMs),
    }))
  }
}
