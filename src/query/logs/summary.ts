import type { RestDroppedLines, RestLogPatterns, RestLogSummary } from '../../contract/explore/logs.ts'
import { shapeOf } from '../../domain/log-shape.ts'
import { sortReleases } from '../../domain/release-order.ts'
import type { Scope } from '../../store/events/events.ts'
import type { Question, QuestionStore } from '../../store/events/question.ts'
import type { ValueField } from '../compile/fields.ts'
import { type Scanned, withinLimits } from '../compile/limits.ts'
import { slugsOf } from '../compile/scope.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { type LogView, logCondition, logFields, logLevels, scopeOfLogs } from './condition.ts'
import { idOfLine, isoOfMicros } from './line.ts'

const facetValuesMax = 8
const barsMax = 90
const trendPoints = 24
/** Shapes of an answer. */
export const patternsMax = 50
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The facets of every search, after the level. */
const facetColumns = ['service', 'host', 'logger', 'environment', 'release']

type Facet = RestLogSummary['facets'][number]

/** The values of a facet of the store, of which one more than shown was asked. */
const facetOf = (key: string, values: readonly { value: string; count: number }[]): Facet => ({
  key,
  values: values.slice(0, facetValuesMax).map(({ value, count }) => ({ value, count })),
  more: values.length > facetValuesMax,
})

/** Null: the whole range was read. */
const countedFromOf = ({ scope, partial }: Scanned): string | null =>
  partial ? new Date(scope.fromMs).toISOString() : null

/** Lines of the last day that were dropped before they were stored, by hour and project. The ledger counts by hour. */
async function droppedLines(
  deps: QueryDeps,
  projectIds: number[],
  range: LogView['range'],
): Promise<RestDroppedLines[]> {
  const fromMs = Math.max(range.fromMs, range.toMs - dayMs)
  const rows = await deps.meta.ledger.outcomesSince({ projectIds, fromMs })
  return rows
    .filter(
      ({ category, outcome, hourMs: at }) => category === 'log_item' && outcome === 'rate_limited' && at < range.toMs,
    )
    .map(({ hourMs: at, projectId, quantity, reason }) => ({
      from: new Date(at).toISOString(),
      to: new Date(at + hourMs).toISOString(),
      projectID: String(projectId),
      count: quantity,
      reason,
    }))
}

const lengthsS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800,
]

/** The length of a bar in ms. Lines are counted from rows, so it does not have to be whole hours. */
function barLength({ fromMs, toMs }: LogView['range']): number {
  const length = lengthsS.find((seconds) => (toMs - fromMs) / (seconds * 1000) <= barsMax)
  return (length ?? 2_592_000) * 1000
}

type Request = { query: string; fields: readonly string[]; signal?: AbortSignal | undefined }

/** The most frequent values of a field. */
async function valuesOf(events: QuestionStore, question: Question, { name, value }: ValueField): Promise<Facet> {
  const rows = await events.groupRows({
    ...question,
    withCut: false,
    values: [value],
    aggregates: [{ fn: 'count' }],
    having: [],
    order: [{ at: 1, descending: true }],
    max: facetValuesMax + 2,
    offset: 0,
  })
  const found = rows.flatMap(([cell, count]) =>
    cell === null || cell === undefined || cell === '' ? [] : [{ value: String(cell), count: Number(count) }],
  )
  return facetOf(name, found)
}

/** The facets of a search: of columns, of projects if there are several, and of the fields that a reader added. */
async function facetsOf(
  events: QuestionStore,
  question: Question,
  view: LogView,
  fields: readonly ValueField[],
): Promise<Facet[]> {
  const [columns, projects, ...added] = await Promise.all([
    events.columnFacets({ ...question, columns: facetColumns, max: facetValuesMax + 1 }),
    view.projects.length > 1 ? events.projectFacet(question) : [],
    ...fields.map((field) => valuesOf(events, question, field)),
  ])
  const slugOf = slugsOf(view.projects)
  const ofProjects = projects.map(({ projectId, count }) => ({ value: slugOf(projectId), count }))
  return [
    ...(ofProjects.length > 0 ? [facetOf('project', ofProjects)] : []),
    ...columns.map(({ key, values }) => facetOf(key, values)),
    ...added,
  ]
}

/**
 * Returns the lines of a view over time by level, and the most frequent values of fields. Throws QUERY_*, VALIDATION,
 * STORE_UNAVAILABLE.
 */
export async function logSummary(deps: QueryDeps, view: LogView, request: Request): Promise<RestLogSummary> {
  const { events } = deps
  const { filter, reads } = await logCondition(deps, view, request.query)
  const fields = logFields(request.fields, 'field')
  const bucketMs = barLength(view.range)
  const scope = scopeOfLogs(view)
  const limits = { from: 'logs', scope, reads: fields.length > 0 ? 'wide' : reads, signal: request.signal } as const
  const { answer, scanned } = await withinLimits(events, limits, (part, options) => {
    const question: Question = { from: 'logs', scope: part, filter, ...options }
    return Promise.all([
      events.seriesOfRows({
        ...question,
        withCut: false,
        values: [{ of: 'text', column: 'level' }],
        aggregates: [{ fn: 'count' }, { fn: 'samples' }],
        only: logLevels.map((level) => [level]),
        bucketMs,
      }),
      facetsOf(events, question, view, fields),
      droppedLines(deps, scope.projectIds, view.range),
    ])
  })
  const [series, facets, dropped] = answer
  const bars = new Map<number, Record<string, number>>()
  const levels = new Map<string, number>()
  let [count, samples] = [0, 0]
  for (const { startMs, group, cells } of series) {
    const level = String(group[0])
    bars.set(startMs, { ...bars.get(startMs), [level]: Number(cells[0]) })
    levels.set(level, (levels.get(level) ?? 0) + Number(cells[0]))
    count += Number(cells[0])
    samples += Number(cells[1])
  }
  return {
    count: Math.round(count),
    samples,
    interval: bucketMs,
    bars: [...bars].map(([start, counts]) => ({ start, levels: counts })),
    facets: [
      facetOf(
        'level',
        [...levels].map(([value, n]) => ({ value, count: n })),
      ),
      ...facets,
    ],
    countedFrom: countedFromOf(scanned),
    dropped,
  }
}

/** The newest release of the projects, and when it was created. */
async function newestRelease(
  deps: QueryDeps,
  projectIds: number[],
): Promise<{ version: string; createdMs: number } | undefined> {
  const releases = await deps.meta.releases.releaseTimes({ projectIds, text: '', offset: 0, max: 100 })
  return sortReleases(releases)[0]
}

/** Returns the number of shapes alone, which costs a part of reading them. Throws QUERY_*, STORE_UNAVAILABLE. */
async function countPatterns(
  deps: QueryDeps,
  view: LogView,
  { query, signal }: Omit<Request, 'fields'>,
): Promise<RestLogPatterns> {
  const { filter, reads } = await logCondition(deps, view, query)
  const { answer, scanned } = await withinLimits(
    deps.events,
    { from: 'logs', scope: scopeOfLogs(view), reads, signal },
    (part) => deps.events.patternCount({ scope: part, filter, signal }),
  )
  return { patterns: [], total: answer, release: null, countedFrom: countedFromOf(scanned) }
}

/**
 * Returns the `limit` most frequent shapes of lines, with what is new since the newest release, and how many there are.
 * With a limit of 0 it only counts them. Throws QUERY_*, STORE_UNAVAILABLE.
 */
export async function logPatterns(
  deps: QueryDeps,
  view: LogView,
  { query, signal, limit = patternsMax }: Omit<Request, 'fields'> & { limit?: number | undefined },
): Promise<RestLogPatterns> {
  if (limit === 0) return countPatterns(deps, view, { query, signal })
  const { filter, reads } = await logCondition(deps, view, query)
  const { answer, scanned } = await withinLimits(
    deps.events,
    { from: 'logs', scope: scopeOfLogs(view), reads, signal },
    (part) => deps.events.logPatterns({ scope: part, filter, max: limit, signal }),
  )
  const { scope } = scanned
  const { patterns, total, lines } = answer
  const names = patterns.map(({ pattern }) => pattern)
  const bucketMs = Math.max(1, Math.ceil((view.range.toMs - scope.fromMs) / trendPoints))
  // A shape is new if no stored line of it is older, in any environment and whatever else the search says.
  const stored: Scope = { ...scope, environments: [], fromMs: 0 }
  const [series, starts, newest, release] = await Promise.all([
    deps.events.patternSeries({ scope, filter, patterns: names, bucketMs, signal }),
    deps.events.patternStarts(stored, names),
    deps.events.logDetails(patterns.map((row) => row.newest)),
    newestRelease(deps, scope.projectIds),
  ])
  const lineOf = new Map(newest.map((line) => [idOfLine(line), line]))
  const firstBucket = Math.floor(scope.fromMs / bucketMs)
  const points = new Map(names.map((name) => [name, new Array<number>(trendPoints + 1).fill(0)]))
  for (const { pattern, startMs, count } of series) {
    const own = points.get(pattern)
    const at = Math.min(trendPoints, Math.max(0, Math.floor(startMs / bucketMs) - firstBucket))
    if (own) own[at] = (own[at] ?? 0) + count
  }
  return {
    patterns: patterns.map(({ pattern, count, lastUs, level, newest: key }) => {
      const line = lineOf.get(idOfLine(key))
      const firstUs = starts.get(pattern) ?? lastUs
      return {
        pattern,
        shape: line?.template || shapeOf(line?.body ?? ''),
        count,
        share: lines > 0 ? count / lines : 0,
        level,
        projectID: String(key.projectId),
        points: points.get(pattern) ?? [],
        firstSeen: isoOfMicros(firstUs),
        lastSeen: isoOfMicros(lastUs),
        isNew: release !== undefined && firstUs / 1000 >= release.createdMs,
      }
    }),
    total,
    release: release ? { version: release.version, since: new Date(release.createdMs).toISOString() } : null,
    countedFrom: countedFromOf(scanned),
  }
}
