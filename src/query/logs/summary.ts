import type { RestDroppedLines, RestLogPatterns, RestLogSummary } from '../../contract/logs.ts'
import { shapeOf } from '../../domain/log-shape.ts'
import { sortReleases } from '../../domain/release-order.ts'
import type { Scope } from '../../store/events/events.ts'
import type { LogFacetRow } from '../../store/events/log-search.ts'
import type { QueryDeps } from '../issue.ts'
import { bucketOf } from '../range.ts'
import { type LogView, logCondition, logFields, scopeOfLogs } from './condition.ts'
import { idOfLine, isoOfMicros } from './line.ts'

/** Lines that the counts of one answer read; with words or attributes, fewer. Longer ranges are counted in part. */
const linesMax = { narrow: 12_000_000, wide: 4_000_000 }
const facetValuesMax = 8
const barsMax = 90
const trendPoints = 24
const patternsMax = 50
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The facets of every search, after the level. */
const facetFields = ['project', 'service', 'host', 'logger', 'environment', 'release']

type Counted = { scope: Scope; countedFrom: string | null }

/** The newest part of a view that can be counted in time. */
async function countedOf(deps: QueryDeps, view: LogView, isWide: boolean, signal?: AbortSignal): Promise<Counted> {
  const scope = scopeOfLogs(view)
  const { fromMs } = await deps.events.newestLogs(scope, isWide ? linesMax.wide : linesMax.narrow, signal)
  return fromMs > scope.fromMs
    ? { scope: { ...scope, fromMs }, countedFrom: new Date(fromMs).toISOString() }
    : { scope, countedFrom: null }
}

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

function facetsOf(rows: readonly LogFacetRow[], view: LogView): RestLogSummary['facets'] {
  const slugs = new Map(view.projects.map(({ id, slug }) => [String(id), slug]))
  const facets = new Map<string, RestLogSummary['facets'][number]>()
  for (const { key, value, count, values } of rows) {
    const facet = facets.get(key) ?? { key, values: [], more: values }
    facet.values.push({ value: key === 'project' ? (slugs.get(value) ?? value) : value, count })
    facet.more = values - facet.values.length
    facets.set(key, facet)
  }
  return [...facets.values()]
}

type Request = { query: string; fields: readonly string[]; signal?: AbortSignal | undefined }

/**
 * Returns the lines of a view over time by level, and the most frequent values of fields. Throws QUERY_*,
 * STORE_UNAVAILABLE.
 */
export async function logSummary(deps: QueryDeps, view: LogView, request: Request): Promise<RestLogSummary> {
  const { query, fields, signal } = request
  const { where, isWide } = await logCondition(deps, view, query)
  const { scope, countedFrom } = await countedOf(deps, view, isWide || fields.length > 0, signal)
  const bucketMs = bucketOf(view.range, barsMax)
  const names = [...facetFields, ...fields.filter((field) => !facetFields.includes(field))]
  const expressions = logFields(names)
  const asked = names.flatMap((key, at) => {
    const of = key === 'project' ? () => 'project_id' : expressions[at]
    return of ? [{ key, of }] : []
  })
  const [series, values, dropped] = await Promise.all([
    deps.events.logSeries({ scope, where, bucketMs, signal }),
    deps.events.logFacets({ scope, where, fields: asked, max: facetValuesMax, signal }),
    droppedLines(deps, scope.projectIds, view.range),
  ])
  const bars = new Map<number, Record<string, number>>()
  const levels = new Map<string, number>()
  for (const { startMs, level, count } of series) {
    bars.set(startMs, { ...bars.get(startMs), [level]: count })
    levels.set(level, (levels.get(level) ?? 0) + count)
  }
  return {
    count: Math.round(series.reduce((sum, { count }) => sum + count, 0)),
    samples: series.reduce((sum, { samples }) => sum + samples, 0),
    interval: bucketMs,
    bars: [...bars].map(([start, counts]) => ({ start, levels: counts })),
    facets: [
      { key: 'level', values: [...levels].map(([value, count]) => ({ value, count })), more: 0 },
      ...facetsOf(values, view),
    ],
    countedFrom,
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

/** Returns the most frequent shapes of lines, with what is new since the newest release. Throws QUERY_*, STORE_UNAVAILABLE. */
export async function logPatterns(
  deps: QueryDeps,
  view: LogView,
  { query, signal }: Omit<Request, 'fields'>,
): Promise<RestLogPatterns> {
  const { where, isWide } = await logCondition(deps, view, query)
  const { scope, countedFrom } = await countedOf(deps, view, isWide, signal)
  const { patterns, total, lines } = await deps.events.logPatterns({ scope, where, max: patternsMax, signal })
  const names = patterns.map(({ pattern }) => pattern)
  const bucketMs = Math.max(1, Math.ceil((view.range.toMs - scope.fromMs) / trendPoints))
  // A shape is new if no stored line of it is older, in any environment and whatever else the search says.
  const stored: Scope = { ...scope, environments: [], fromMs: 0 }
  const [series, starts, newest, release] = await Promise.all([
    deps.events.patternSeries({ scope, where, patterns: names, bucketMs, signal }),
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
    countedFrom,
  }
}
