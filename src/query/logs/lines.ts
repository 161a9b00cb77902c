import { MishapError } from '../../base/errors.ts'
import type { RestLogDetail, RestLogLine, RestLogLines, RestLogsAround } from '../../contract/explore/logs.ts'
import type { AroundBy } from '../../domain/log-around.ts'
import type { LogDetail, LogKey, LogLine } from '../../store/events/log-search.ts'
import type { Filter, Value } from '../../store/events/question.ts'
import { shownCell } from '../compile/fields.ts'
import { slugsOf } from '../compile/scope.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { type LogView, logCondition, logFields, scopeOfLogs } from './condition.ts'
import { idOfLine, keyOfLine, toRestLine } from './line.ts'

const columnsMax = 10
/** Lines on each side of a line. */
const aroundMax = 10
/** The lines around a line are searched in this time before and after it. */
const aroundMs = 24 * 3_600_000
/** Errors of a trace whose issues a line names, and those issues. */
const errorsMax = 10
const issuesMax = 3
/** Characters of a span's name. A statement can be long. */
const spanNameMax = 300

/** Reads lines with columns: what to ask of the store, and each line as clients see it. Throws VALIDATION for a column. */
export function lineReader(
  view: Pick<LogView, 'projects'>,
  names: readonly string[],
): { columns: Value[]; toRest: (line: LogLine) => RestLogLine } {
  if (names.length > columnsMax) throw new MishapError('VALIDATION', { fields: { column: [`At most ${columnsMax}.`] } })
  const fields = logFields(names, 'column')
  const slugOf = slugsOf(view.projects)
  return {
    columns: fields.map(({ value }) => value),
    toRest: (line) =>
      toRestLine({ ...line, columns: fields.map((field, at) => shownCell(field, line.columns[at] ?? null, slugOf)) }),
  }
}

type LinesRequest = {
  query: string
  columns: readonly string[]
  limit: number
  cursor: string | undefined
  signal?: AbortSignal | undefined
}

/** The position that a live tail goes on at: everything before it is committed. */
export const logPosition = ({ meta }: Pick<QueryDeps, 'meta'>): Promise<number> => meta.batches.cursor()

/** Returns the lines of a view that match, newest first. Throws VALIDATION, QUERY_*, STORE_UNAVAILABLE. */
export async function logLines(deps: QueryDeps, view: LogView, request: LinesRequest): Promise<RestLogLines> {
  const after = request.cursor ? keyOfLine(request.cursor) : undefined
  if (request.cursor && !after) throw new MishapError('VALIDATION', { fields: { cursor: ['The id of a line.'] } })
  // Before the lines are read: what is committed meanwhile comes again with a tail, which knows the lines of the list.
  const position = await logPosition(deps)
  const { filter } = await logCondition(deps, view, request.query)
  const { columns, toRest } = lineReader(view, request.columns)
  const found = await deps.events.logLines({
    scope: scopeOfLogs(view),
    filter,
    columns,
    order: 'newest',
    after,
    max: request.limit + 1,
    signal: request.signal,
  })
  const lines = found.slice(0, request.limit)
  const last = lines.at(-1)
  return {
    lines: lines.map(toRest),
    next: found.length > request.limit && last ? idOfLine(last) : null,
    position: String(position),
  }
}

/** Returns the stored line of an id in one of these projects. Throws NOT_FOUND. */
async function lineOf(deps: QueryDeps, readable: readonly number[], id: string): Promise<LogDetail> {
  const key = keyOfLine(id)
  const [line] = key && readable.includes(key.projectId) ? await deps.events.logDetails([key]) : []
  if (!line) throw new MishapError('NOT_FOUND')
  return line
}

const fieldNames = ['service', 'host', 'logger', 'environment', 'release', 'platform', 'origin'] as const

async function issuesOf(
  deps: QueryDeps,
  readable: readonly number[],
  traceId: string,
): Promise<RestLogDetail['issues']> {
  if (traceId === '') return []
  const events = await deps.events.byTraceId([...readable], traceId, errorsMax, true)
  const ids = await deps.meta.issues.issueIdsOf(events.map(({ projectId, groupHash }) => ({ projectId, groupHash })))
  const issues = await Array.fromAsync([...new Set(ids.values())].slice(0, issuesMax), (id) =>
    deps.meta.issues.issueById(id),
  )
  return issues.flatMap((issue) => (issue ? [{ id: String(issue.id), shortId: issue.shortId }] : []))
}

/** Milliseconds that the spans of a line's trace last; null without spans. */
async function durationOf(
  deps: QueryDeps,
  projectIds: number[],
  { traceId, timeUs }: LogDetail,
): Promise<number | null> {
  if (traceId === '') return null
  const atMs = timeUs / 1000
  const [trace] = await deps.events.traceSummaries({ projectIds, fromMs: atMs, toMs: atMs }, [traceId])
  return trace?.durationMs ?? null
}

/** The span of a line, in projects that the reader may read. */
async function spanOf(
  deps: QueryDeps,
  readable: readonly number[],
  { traceId, spanId }: LogDetail,
): Promise<RestLogDetail['spanInfo']> {
  const span = traceId && spanId ? await deps.events.spanOfTrace(readable, traceId, spanId) : undefined
  if (!span) return null
  const { op, name, description, durationUs } = span
  return { op, name: (name || description).slice(0, spanNameMax), duration: durationUs / 1000 }
}

/** Returns a line with everything that is stored of it. Throws NOT_FOUND, STORE_UNAVAILABLE. */
export async function logDetail(deps: QueryDeps, readable: readonly number[], id: string): Promise<RestLogDetail> {
  const line = await lineOf(deps, readable, id)
  const [issues, traceDuration, spanInfo] = await Promise.all([
    issuesOf(deps, readable, line.traceId),
    durationOf(deps, [...readable], line),
    spanOf(deps, readable, line),
  ])
  const { columns: _, ...rest } = toRestLine({ ...line, columns: [] })
  return {
    ...rest,
    isTruncated: line.truncated,
    isRepaired: line.repaired,
    received: new Date(line.receivedMs).toISOString(),
    fields: fieldNames.flatMap((name) => (line[name] === '' ? [] : [{ name, value: line[name] }])),
    attributes: [
      ...Object.entries(line.tags).map(([name, value]) => ({ name, value })),
      ...Object.entries(line.numbers).map(([name, value]) => ({ name, value })),
    ].sort((a, b) => (a.name < b.name ? -1 : 1)),
    traceDuration,
    spanInfo,
    issues,
  }
}

const is = (value: Extract<Filter, { op: 'match' }>['value'], text: string): Filter => ({
  op: 'match',
  value,
  match: 'is',
  text,
})

function around(line: LogDetail, by: AroundBy | undefined): { by: AroundBy; value: string; filter: Filter } {
  const chosen = by ?? (line.traceId ? 'trace' : line.service ? 'service' : 'host')
  if (chosen === 'trace')
    return { by: chosen, value: line.traceId, filter: is({ of: 'id', column: 'trace' }, line.traceId) }
  return { by: chosen, value: line[chosen], filter: is({ of: 'text', column: chosen }, line[chosen]) }
}

/**
 * Returns ten lines before and after a line, oldest first: of its trace, else of its service, else of its host. The
 * trace is searched in all readable projects, the others in the line's own. Throws NOT_FOUND, VALIDATION.
 */
export async function logsAround(
  deps: QueryDeps,
  readable: number[],
  id: string,
  by: AroundBy | undefined,
): Promise<RestLogsAround> {
  const line = await lineOf(deps, readable, id)
  const { filter, ...answer } = around(line, by)
  if (answer.value === '' && by)
    throw new MishapError('VALIDATION', { fields: { by: [`The line has no ${answer.by}.`] } })
  const atMs = line.timeUs / 1000
  const projectIds = answer.by === 'trace' ? readable : [line.projectId]
  const scope = { projectIds, environments: [], fromMs: atMs - aroundMs, toMs: atMs + aroundMs }
  const after: LogKey = line
  const asked = { scope, filter, columns: [], after, max: aroundMax }
  const [before, behind] = await Promise.all([
    deps.events.logLines({ ...asked, order: 'newest' }),
    deps.events.logLines({ ...asked, order: 'oldest' }),
  ])
  const lines = [...before.toReversed(), { ...line, columns: [] }, ...behind]
  return { ...answer, lines: lines.map(toRestLine) }
}
