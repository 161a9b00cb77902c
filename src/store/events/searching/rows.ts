import type { Connection } from '../connection.ts'
import type { Scope } from '../events.ts'
import { inGroups, isWanted } from '../groups.ts'
import type { Aggregate, Cell, Having, Order, Question, QuestionStore, Value } from '../question.ts'
import { createValues, type Values } from '../reading/filter.ts'
import { compileAggregate, type Over } from './aggregates.ts'
import { type Answered, compileKey, compileValue, readCell } from './columns.ts'
import { compares, compileFilter, compileScope } from './filter.ts'
import { windowsOf } from './newest.ts'
import {
  outsideSlots,
  rolledColumn,
  rolledSeries,
  rollupOf,
  type Slots,
  slotsCondition,
  slotsOfQuestion,
} from './rolled.ts'
import { type Source, sourceOf } from './sources.ts'

const nameOf = (at: number): string => `c${at}`
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => nameOf(at))

const orderBy = (order: Order, tie: string): string =>
  `ORDER BY ${[...order.map(({ at, descending }) => `c${at} ${descending ? 'DESC' : 'ASC'} NULLS LAST`), tie].filter((part) => part !== '').join(', ')}`

const isByTime = (order: Order, values: readonly Value[]): boolean =>
  order.length === 0 || (order.length === 1 && order[0]?.descending === true && values[order[0].at]?.of === 'time')

/** Up to so many projects, each is read from its newest row on. A list of more is read part by part of its range. */
const projectsMax = 50

/** Runs a statement whose columns are the cells of an answer. */
async function ask(
  connection: Connection,
  { limits, cost, signal }: Pick<Question, 'limits' | 'cost' | 'signal'>,
  sql: string,
  values: Values,
): Promise<Answered[][]> {
  const answer = await connection.read<Answered[]>(sql, values.bound, { ...limits, signal })
  if (cost) {
    cost.rows += answer.rowsRead
    cost.bytes += answer.bytesRead
  }
  return answer.rows
}

type Listed = Parameters<QuestionStore['listRows']>[0]
type Reads = { connection: Connection; database: string }

/** What a list selects of each row: its cells, and what orders the rows. */
function listColumns(source: Source, values: Values, wanted: readonly Value[]): string {
  const ties = [source.time, ...source.tie.replaceAll(' DESC', '').split(', ')]
  return [
    ...wanted.map((value, at) => `${compileValue(source, values, value)} AS c${at}`),
    ...ties.map((name, at) => `${name} AS t${at}`),
  ].join(', ')
}

const newestFirst = (source: Source): string =>
  ['time', ...source.tie.split(', ')].map((_, at) => `t${at} DESC`).join(', ')

type Page = { inner: string; order: string; limit: number; skip: number; extra?: string }

/** Runs a SELECT of `listColumns` as a page of rows. `extra`: a column behind the cells. */
function readPage({ connection }: Reads, question: Listed, values: Values, page: Page): Promise<Answered[][]> {
  const { inner, order, limit, skip, extra = '' } = page
  const columns = names(question.values.length).join(', ') + extra
  const bounds = `LIMIT ${values.add('UInt32', limit)} OFFSET ${values.add('UInt32', skip)}`
  return ask(connection, question, `SELECT ${columns} FROM (${inner}) ${order} ${bounds}`, values)
}

/** Reads rows of a part of the range, or of one time in it: all that match are sorted. */
function readSorted(
  reads: Reads,
  question: Listed,
  { part, limit, skip, timeUs }: { part: Scope; limit: number; skip: number; timeUs?: string },
): Promise<Answered[][]> {
  const { from, filter, values: wanted, order } = question
  const source = sourceOf(from)
  const values = createValues()
  const columns = listColumns(source, values, wanted)
  const then = timeUs === undefined ? '' : ` AND ${source.time} = ${microsOf(values, timeUs)}`
  const inner = `SELECT ${columns} FROM ${reads.database}.${source.table}
    PREWHERE ${compileScope(source, values, part, filter)}${then}`
  const newest = newestFirst(source)
  const sorted = isByTime(order, wanted) ? `ORDER BY ${newest}` : orderBy(order, newest)
  return readPage(reads, question, values, { inner, order: sorted, limit, skip })
}

const microsOf = (values: Values, timeUs: string): string =>
  `fromUnixTimestamp64Micro(${values.add('Int64', timeUs)}, 'UTC')`

/** The number of rows that are newer than a time. */
async function countNewer({ connection, database }: Reads, question: Listed, timeUs: string): Promise<number> {
  const { from, scope, filter } = question
  const source = sourceOf(from)
  const values = createValues()
  const where = `${compileScope(source, values, scope, filter)} AND ${source.time} > ${microsOf(values, timeUs)}`
  const sql = `SELECT count() FROM ${database}.${source.table} PREWHERE ${where}`
  const [row] = await ask(connection, question, sql, values)
  return Number(row?.[0] ?? 0)
}

/**
 * Reads the newest rows of few projects, each from the end of the table's order until enough match: 22 ms for 100 of 8.6
 * million. The engine does that neither for a list of projects, nor with a tie-breaker, nor `WITH TIES` (49 instead of 15
 * ms). Without these it stops anywhere among rows of one microsecond. One row more than asked for shows whether it did:
 * then the rows of that time are read by themselves, or pages would repeat and leave out rows.
 */
async function readFromEnds(reads: Reads, question: Listed): Promise<Answered[][]> {
  const { from, scope, filter, values: wanted, max, offset } = question
  const source = sourceOf(from)
  const values = createValues()
  const columns = listColumns(source, values, wanted)
  const last = values.add('UInt32', offset + max + 1)
  const each = scope.projectIds.map((project) => {
    const where = `project_id = ${values.add('UInt64', project)} AND ${compileScope(source, values, { ...scope, projectIds: [project] }, filter)}`
    return `(SELECT ${columns} FROM ${reads.database}.${source.table} PREWHERE ${where}
      ORDER BY project_id DESC, ${source.time} DESC LIMIT ${last})`
  })
  const rows = await readPage(reads, question, values, {
    inner: each.join(' UNION ALL '),
    order: `ORDER BY ${newestFirst(source)}`,
    limit: max + 1,
    skip: offset,
    extra: ', toString(toUnixTimestamp64Micro(t0))',
  })
  const timeOf = (row: Answered[] | undefined) => row?.[wanted.length]
  const timeUs = timeOf(rows[max - 1])
  if (typeof timeUs !== 'string' || timeUs !== timeOf(rows[max])) return rows.slice(0, max)
  const newer = rows.filter((row) => timeOf(row) !== timeUs)
  const skip = newer.length > 0 || offset === 0 ? 0 : offset - (await countNewer(reads, question, timeUs))
  return [...newer, ...(await readSorted(reads, question, { part: scope, limit: max - newer.length, skip, timeUs }))]
}

/** See `QuestionStore.listRows`. */
export function createListRows(connection: Connection, database: string): QuestionStore['listRows'] {
  const reads = { connection, database }
  const read = async (question: Listed): Promise<Answered[][]> => {
    const { from, scope, values: wanted, order, max, offset } = question
    if (!isByTime(order, wanted)) return readSorted(reads, question, { part: scope, limit: max, skip: offset })
    if (sourceOf(from).isByTime && scope.projectIds.length <= projectsMax) return readFromEnds(reads, question)
    const found: Answered[][] = []
    for (const part of windowsOf(scope)) {
      found.push(...(await readSorted(reads, question, { part, limit: max + offset - found.length, skip: 0 })))
      if (found.length >= max + offset) break
    }
    return found.slice(offset)
  }
  return async (question) => {
    const { from, scope, values: wanted } = question
    if (scope.projectIds.length === 0 || wanted.length === 0) return []
    const source = sourceOf(from)
    const rows = await read(question)
    return rows.map((cells) => wanted.map((value, at) => readCell(source, value, cells[at] ?? null)))
  }
}

/** Reads a number of the engine, which writes 64-bit integers as texts and what is not a number as null. */
const numberOf = (answered: unknown): number | null => {
  const number = typeof answered === 'string' ? Number(answered) : answered
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Reads an aggregate. Bins are the text of two lists. */
const aggregateOf = (fn: Aggregate['fn'], answered: unknown): Cell =>
  fn === 'bins' && typeof answered === 'string' ? answered : numberOf(answered)

const keysOf = (source: Source, values: Values, wanted: readonly Value[]): string[] =>
  wanted.map((value) => compileKey(source, values, value))

/** Columns of keys and aggregates, with their names. */
function columnsOf(
  source: Source,
  values: Values,
  keys: readonly string[],
  aggregates: readonly Aggregate[],
  over: Over,
): string {
  return [...keys, ...aggregates.map((aggregate) => compileAggregate(source, values, aggregate, over, keys.length))]
    .map((column, at) => `${column} AS c${at}`)
    .join(', ')
}

/** Conditions on groups are outside, because a share is a part of all groups. */
function havingOf(source: Source, values: Values, having: readonly Having[], over: Over) {
  const columns = having.map(
    ({ aggregate }, at) => `, ${compileAggregate(source, values, aggregate, over, 0)} AS h${at}`,
  )
  const conditions = having.map(
    ({ compare, number }, at) => `ifNull(h${at} ${compares[compare]} ${values.add('Float64', number)}, 0)`,
  )
  return { columns: columns.join(''), where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '' }
}

/** Whether an aggregate of a group depends on the other groups. */
const isOfAll = ({ fn }: Aggregate): boolean => fn === 'share' || fn === 'allSamples' || fn === 'allCount'

/** See `QuestionStore.groupRows`. */
export function createGroupRows(connection: Connection, database: string): QuestionStore['groupRows'] {
  return async (question) => {
    const { from, scope, by, filter, withCut, values: wanted, aggregates, having, order, max, offset, only } = question
    if (scope.projectIds.length === 0 && wanted.length > 0) return []
    if (only?.length === 0) return []
    const source = sourceOf(from)
    const values = createValues()
    const over = { lengthMs: scope.toMs - scope.fromMs, withCut, shareOf: '', nameOf }
    const keys = names(wanted.length).join(', ')
    const columns = columnsOf(source, values, keysOf(source, values, wanted), aggregates, over)
    const groups = having.length > 0 ? havingOf(source, values, having, over) : { columns: '', where: '' }
    // A share is a part of all groups, so the others are read, too.
    const narrowed = only && !aggregates.some(isOfAll) ? inGroups(wanted, only) : undefined
    const where = compileScope(source, values, scope, filter, by)
    const rows = await ask(
      connection,
      question,
      `SELECT ${names(wanted.length + aggregates.length).join(', ')} FROM (
         SELECT ${columns}${groups.columns} FROM ${database}.${source.table}
         PREWHERE ${where}${narrowed ? ` AND ${compileFilter(source, values, narrowed)}` : ''}
         ${keys === '' ? '' : `GROUP BY ${keys}`})
       ${groups.where} ${order.length > 0 || keys !== '' ? orderBy(order, keys) : ''}
       LIMIT ${values.add('UInt32', max)} OFFSET ${values.add('UInt32', offset)}`,
      values,
    )
    const found = rows.map((cells) => [
      ...wanted.map((value, at) => readCell(source, value, cells[at] ?? null)),
      ...aggregates.map((_, at) => numberOf(cells[wanted.length + at])),
    ])
    return only ? found.filter(isWanted(wanted, only)) : found
  }
}

/**
 * The key of a series by one text whose groups are known: one number of the bucket and of the place of the text among
 * them, instead of a number and a text, which the engine hashes for each row (70 instead of 110 ms for 2.5 million log
 * lines). Undefined: it is grouped by something else.
 */
function placeKey(
  source: Source,
  values: Values,
  bucket: string,
  wanted: readonly Value[],
  only: readonly (readonly Cell[])[],
): { key: string; bucket: string; text: string } | undefined {
  const [value] = wanted
  const texts = [...new Set(only.map(([cell]) => cell))].sort()
  if (wanted.length !== 1 || value?.of !== 'text' || !texts.every((text) => typeof text === 'string')) return undefined
  const known = values.add('Array(String)', texts)
  const places = values.add(
    'Array(UInt32)',
    texts.map((_, at) => at + 1),
  )
  const count = values.add('Int64', texts.length + 1)
  const place = `transform(${compileValue(source, values, value)}, ${known}, ${places}, toUInt32(0))`
  return {
    key: `${bucket} * ${count} + ${place}`,
    bucket: `intDiv(${nameOf(0)}, ${count})`,
    text: `arrayElement(${known}, ${nameOf(0)} % ${count})`,
  }
}

type AskedSeries = Parameters<QuestionStore['seriesOfRows']>[0]
type Series = Awaited<ReturnType<QuestionStore['seriesOfRows']>>

/** Counts the lines of whole slots by bucket, and by a column if there is one. */
async function countRolled(
  { connection, database }: Reads,
  question: AskedSeries,
  { column, slots }: { column: string; slots: Slots },
): Promise<Series> {
  const { from, scope, values: wanted, aggregates, bucketMs } = question
  const values = createValues()
  const { field, sql } = rolledColumn(column) ?? { field: '', sql: "''" }
  const rows = await ask(
    connection,
    question,
    `SELECT intDiv(toInt64(toUnixTimestamp(slot)) * 1000, ${values.add('Int64', bucketMs)}) AS bucket, toString(${sql}) AS text, sum(weight), sum(n)
     FROM ${rollupOf(database)} WHERE field = '${field}' AND ${slotsCondition(values, scope, slots)}
     GROUP BY bucket, text ORDER BY bucket, text`,
    values,
  )
  return rows.map(([start, text, weight, n]) => ({
    startMs: Number(start) * bucketMs,
    group: wanted.map((value) => readCell(sourceOf(from), value, text ?? null)),
    cells: aggregates.map(({ fn }) => numberOf(fn === 'count' ? weight : n)),
  }))
}

/** Adds the counts of two series, in the order of buckets and groups. */
function addedSeries(a: Series, b: Series): Series {
  const keyOf = ({ startMs, group }: Series[number]) => JSON.stringify([startMs, ...group])
  const found = new Map(a.map((row) => [keyOf(row), row]))
  for (const row of b) {
    const same = found.get(keyOf(row))
    const cells = row.cells.map((cell, at) => Number(cell) + Number(same?.cells[at] ?? 0))
    found.set(keyOf(row), { ...row, cells })
  }
  return [...found.values()].toSorted(
    (x, y) => x.startMs - y.startMs || (String(x.group[0] ?? '') < String(y.group[0] ?? '') ? -1 : 1),
  )
}

/** See `QuestionStore.seriesOfRows`. Counts of log lines without a filter are read from their rollup. */
export function createSeriesOfRows(connection: Connection, database: string): QuestionStore['seriesOfRows'] {
  const reads = { connection, database }
  return async (question) => {
    const { scope, values: wanted, aggregates, only, bucketMs } = question
    if (scope.projectIds.length === 0 || (wanted.length > 0 && only.length === 0)) return []
    const slots = slotsOfQuestion(question)
    const column = slots && rolledSeries(wanted, aggregates, bucketMs)
    if (!slots || column === undefined) return countSeries(reads, question)
    const [rest, rolled] = await Promise.all([
      countSeries(reads, question, slots),
      countRolled(reads, question, { column, slots }),
    ])
    const isOwn = isWanted(wanted, only)
    return addedSeries(rest, wanted.length === 0 ? rolled : rolled.filter(({ group }) => isOwn(group)))
  }
}

/** Reads a series from rows: from all of the range, or from those that are in none of its slots. */
async function countSeries({ connection, database }: Reads, question: AskedSeries, slots?: Slots): Promise<Series> {
  const { from, scope, by, filter, withCut, values: wanted, aggregates, only, bucketMs } = question
  const source = sourceOf(from)
  const values = createValues()
  const over = { lengthMs: bucketMs, withCut, shareOf: 'PARTITION BY bucket', nameOf }
  const keys = names(wanted.length)
    .map((name) => `, ${name}`)
    .join('')
  const bucket = `intDiv(toUnixTimestamp64Milli(${by ? 'received' : source.time}), ${values.add('Int64', bucketMs)})`
  const all = compileScope(source, values, scope, filter, by)
  const where = slots ? `${all} AND ${outsideSlots(values, slots)}` : all
  const isNarrow = wanted.length > 0 && !aggregates.some(isOfAll)
  const groups = isNarrow ? ` AND ${compileFilter(source, values, inGroups(wanted, only))}` : ''
  const rowsRead = `FROM ${database}.${source.table} PREWHERE ${where}${groups}`
  const place = isNarrow ? placeKey(source, values, bucket, wanted, only) : undefined
  const columns = columnsOf(source, values, place ? [place.key] : keysOf(source, values, wanted), aggregates, over)
  const cells = names(wanted.length + aggregates.length)
  const sql = place
    ? `SELECT ${[place.bucket, place.text, ...cells.slice(1)].join(', ')} FROM (
           SELECT ${columns} ${rowsRead} GROUP BY ${nameOf(0)}) ORDER BY ${nameOf(0)}`
    : `SELECT bucket, ${cells.join(', ')} FROM (
           SELECT ${bucket} AS bucket, ${columns} ${rowsRead} GROUP BY bucket${keys}) ORDER BY bucket${keys}`
  const rows = await ask(connection, question, sql, values)
  const found = rows.map(([start, ...answered]) => ({
    startMs: Number(start) * bucketMs,
    group: wanted.map((value, at) => readCell(source, value, answered[at] ?? null)),
    cells: aggregates.map(({ fn }, at) => aggregateOf(fn, answered[wanted.length + at])),
  }))
  const isOwn = isWanted(wanted, only)
  return wanted.length === 0 ? found : found.filter(({ group }) => isOwn(group))
}

/**
 * See `QuestionStore.largestOfBuckets`. Sums of weights can differ in their last digits from one read to the next, so
 * ranks are those of rounded ones.
 */
export function createLargestOfBuckets(connection: Connection, database: string): QuestionStore['largestOfBuckets'] {
  return async (question) => {
    const { from, scope, by, filter, withCut, values: wanted, aggregates, max, bucketMs } = question
    if (scope.projectIds.length === 0 || wanted.length === 0) return []
    const source = sourceOf(from)
    const values = createValues()
    const over = { lengthMs: bucketMs, withCut, shareOf: 'PARTITION BY bucket', nameOf }
    const keys = names(wanted.length).join(', ')
    const size = `round(${nameOf(wanted.length)}, 3)`
    const bucket = `intDiv(toUnixTimestamp64Milli(${by ? 'received' : source.time}), ${values.add('Int64', bucketMs)})`
    const columns = columnsOf(source, values, keysOf(source, values, wanted), aggregates, over)
    const where = compileScope(source, values, scope, filter, by)
    const rows = await ask(
      connection,
      question,
      `SELECT bucket, found, ${names(wanted.length + aggregates.length).join(', ')} FROM (
         SELECT *, count() OVER (PARTITION BY bucket) AS found FROM (
           SELECT ${bucket} AS bucket, ${columns} FROM ${database}.${source.table}
           PREWHERE ${where} GROUP BY bucket, ${keys})
         WHERE ${size} > 0)
       ORDER BY bucket, ${size} DESC, ${keys} LIMIT ${values.add('UInt32', max)} BY bucket`,
      values,
    )
    return rows.map(([start, found, ...cells]) => ({
      startMs: Number(start) * bucketMs,
      groups: Number(found),
      group: wanted.map((value, at) => readCell(source, value, cells[at] ?? null)),
      cells: aggregates.map(({ fn }, at) => aggregateOf(fn, cells[wanted.length + at])),
    }))
  }
}
