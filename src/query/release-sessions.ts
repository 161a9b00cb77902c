import { MishapError } from '../base/errors.ts'
import type { RestSessions } from '../contract/release-health.ts'
import type { EventFilter } from '../store/events/events.ts'
import type { HealthCounts, SessionDimension, SessionGroup } from '../store/events/session-store.ts'
import type { Project } from '../store/meta/meta.ts'
import type { QueryDeps } from './issues/issue.ts'
import type { Search, TextPattern } from './search/ast.ts'
import { parseSearch } from './search/parse.ts'
import { fits } from './search/release-parts.ts'

/** Fields that can be queried for a group of sessions. */
export const sessionFields = [
  'sum(session)',
  'count_unique(user)',
  'crash_rate(session)',
  'crash_rate(user)',
  'crash_free_rate(session)',
  'crash_free_rate(user)',
  'errored_rate(session)',
  'errored_rate(user)',
  'unhandled_rate(session)',
  'unhandled_rate(user)',
  'abnormal_rate(session)',
  'abnormal_rate(user)',
  'anr_rate()',
  'avg(session.duration)',
  'p50(session.duration)',
  'p75(session.duration)',
  'p90(session.duration)',
  'p95(session.duration)',
  'p99(session.duration)',
] as const
export type SessionField = (typeof sessionFields)[number]

export const sessionGroupings = ['project', 'release', 'environment', 'session.status'] as const
export type SessionGrouping = (typeof sessionGroupings)[number]

/** Limits of buckets and of groups in one answer. */
const bucketsMax = 1000
export const groupsMax = 500
/** Limit of values in all groups and buckets: an answer of some megabytes. */
const cellsMax = 50_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const unitMs: Record<string, number> = { m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs }

const wrong = (field: string, sentence: string) => new MishapError('VALIDATION', { fields: { [field]: [sentence] } })

/** Parses the bucket length to ms. Default: an hour, or a day for ranges of 30 days or more. Throws VALIDATION. */
export function intervalOf(text: string | undefined, range: { fromMs: number; toMs: number }): number {
  const lengthMs = range.toMs - range.fromMs
  if (text === undefined || text === '') return lengthMs >= 30 * dayMs ? dayMs : hourMs
  const found = /^(\d{1,4})([mhdw])$/.exec(text)
  const intervalMs = found ? Number(found[1]) * (unitMs[found[2] ?? ''] ?? 0) : 0
  if (intervalMs <= 0) throw wrong('interval', 'A number with m, h, d or w, such as 1h.')
  if (lengthMs / intervalMs > bucketsMax) throw wrong('interval', `At most ${bucketsMax} intervals in the range.`)
  return intervalMs
}

type FilterNames = { projectIdsOf(pattern: TextPattern): number[] }

function leafOf(term: Extract<Search, { op: 'match' }>, { projectIdsOf }: FilterNames): EventFilter {
  const { key, values } = term
  if (key === 'project' || key === 'project.name')
    return { op: 'projects', ids: values.flatMap((pattern) => projectIdsOf(pattern)) }
  if (key !== 'release' && key !== 'environment') throw unknownKey(key)
  return {
    op: 'or',
    of: values.map(({ text, wild }) => ({ op: 'field', field: key, match: wild ? 'like' : 'is', value: text })),
  }
}

const unknownKey = (key: string) =>
  new MishapError('QUERY_FIELD_UNKNOWN', {
    detail: `Invalid query: sessions have release, environment and project, not ${JSON.stringify(key.slice(0, 60))}.`,
  })

function filterOf(node: Search, names: FilterNames): EventFilter {
  if (node.op === 'not') return { op: 'not', of: filterOf(node.of, names) }
  if ('of' in node) return { op: node.op, of: node.of.map((child) => filterOf(child, names)) }
  if (node.op === 'match' && !node.tag) return leafOf(node, names)
  if (node.op === 'has' && (node.key === 'release' || node.key === 'environment'))
    return { op: 'field', field: node.key, match: 'has', value: '' }
  throw unknownKey('key' in node ? node.key : 'value' in node ? String(node.value) : '')
}

/** Converts a query on sessions to conditions; undefined for an empty query. Throws the errors of an invalid query. */
export function sessionFilter(query: string, projects: readonly Project[]): EventFilter | undefined {
  const search = parseSearch(query)
  const projectIdsOf = (pattern: TextPattern) =>
    projects
      .filter((project) => fits(project.slug, pattern) || String(project.id) === pattern.text)
      .map((project) => project.id)
  return search && filterOf(search, { projectIdsOf })
}

const statuses = ['healthy', 'errored', 'unhandled', 'abnormal', 'crashed'] as const
type Status = (typeof statuses)[number]

/** The statuses are disjoint: the rest of all sessions is healthy. */
const numberOf = (counts: HealthCounts, status: Status): number =>
  status === 'healthy'
    ? Math.max(0, counts.all - counts.errored - counts.unhandled - counts.abnormal - counts.crashed)
    : counts[status]

const empty: HealthCounts = { all: 0, errored: 0, unhandled: 0, abnormal: 0, crashed: 0 }

const rateOf = (part: number, { all }: HealthCounts): number | null =>
  all > 0 ? Math.min(1, Math.max(0, part / all)) : null

type Values = Pick<SessionGroup, 'sessions' | 'users' | 'durations'>

/** Returns the value of a field. With `status` only counts have a value: a rate within one status is meaningless. */
function statOf(field: SessionField, group: Values | undefined, status: Status | undefined): number | null {
  const { sessions = empty, users = empty, durations } = group ?? {}
  if (field === 'sum(session)') return status ? numberOf(sessions, status) : sessions.all
  if (field === 'count_unique(user)') return status ? numberOf(users, status) : users.all
  if (status) return null
  const [, name = '', of = ''] = /^(\w+)\(([\w.]*)\)$/.exec(field) ?? []
  if (of === 'session.duration') return durations?.[name === 'avg' ? 'avg' : (name as 'p50')] ?? null
  const counts = of === 'user' || name === 'anr_rate' ? users : sessions
  if (name === 'crash_free_rate') {
    const crashed = rateOf(counts.crashed, counts)
    return crashed === null ? null : (counts.all - Math.min(counts.crashed, counts.all)) / counts.all
  }
  const parts: Record<string, number> = {
    crash_rate: counts.crashed,
    errored_rate: counts.errored,
    unhandled_rate: counts.unhandled,
    abnormal_rate: counts.abnormal,
    anr_rate: counts.abnormal,
  }
  return rateOf(parts[name] ?? 0, counts)
}

const dimensions: Record<Exclude<SessionGrouping, 'session.status'>, SessionDimension> = {
  project: 'project',
  release: 'release',
  environment: 'environment',
}

/** The request of `GET organizations/{org}/sessions/`. Times in ms. */
export type SessionsRequest = {
  projects: readonly Project[]
  environments: readonly string[]
  query: string
  fields: readonly SessionField[]
  groupBy: readonly SessionGrouping[]
  range: { fromMs: number; toMs: number }
  intervalMs: number
  withTotals: boolean
  withSeries: boolean
  /** Limit of groups, those with the most sessions first. */
  max: number
}

function byOf(groupBy: readonly SessionGrouping[], group: SessionGroup): Record<string, string | number> {
  const { projectId: project, release, environment } = group
  const all: Record<string, string | number> = { project, release, environment }
  return Object.fromEntries(Object.entries(all).filter(([name]) => groupBy.some((groupKey) => groupKey === name)))
}

const keyOf = ({ projectId, release, environment }: SessionGroup) => `${projectId}\n${release}\n${environment}`

/**
 * Counts sessions by group and time, in whole intervals. Throws VALIDATION for too large an answer, the errors of an
 * invalid query, STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function sessionsAnswer(
  { events }: Pick<QueryDeps, 'events'>,
  request: SessionsRequest,
): Promise<RestSessions> {
  const { projects, environments, query, fields, groupBy, range, intervalMs, withSeries, withTotals, max } = request
  const fromMs = Math.floor(range.fromMs / intervalMs) * intervalMs
  const toMs = Math.ceil(range.toMs / intervalMs) * intervalMs
  const starts = Array.from({ length: (toMs - fromMs) / intervalMs }, (_, at) => fromMs + at * intervalMs)
  const filter = query.trim() === '' ? undefined : sessionFilter(query, projects)
  const scope = { projectIds: projects.map((project) => project.id), environments, fromMs, toMs, filter }
  const options = {
    scope,
    by: groupBy.flatMap((name) => (name === 'session.status' ? [] : [dimensions[name]])),
    users: fields.some((field) => field.includes('user') || field === 'anr_rate()'),
    durations: fields.some((field) => field.includes('duration')),
  }
  const totals = await events.sessionGroups({ ...options, max })
  if (withSeries && totals.length * starts.length > cellsMax)
    throw wrong('interval', `At most ${cellsMax} values: a longer interval, fewer groups, or includeSeries=0.`)
  const points = withSeries
    ? await events.sessionGroups({ ...options, bucketMs: intervalMs, max: Math.max(1, cellsMax * 2) })
    : []
  const pointsOf = Map.groupBy(points, keyOf)
  const groups = totals.flatMap((group) => {
    const ownPoints = new Map((pointsOf.get(keyOf(group)) ?? []).map((point) => [point.startMs, point]))
    const statusGroups = groupBy.includes('session.status') ? statuses : [undefined]
    return statusGroups.map((status) => ({
      by: { ...byOf(groupBy, group), ...(status ? { 'session.status': status } : {}) },
      totals: withTotals ? valuesOf(fields, (field) => statOf(field, group, status)) : {},
      series: withSeries
        ? valuesOf(fields, (field) => starts.map((startMs) => statOf(field, ownPoints.get(startMs), status)))
        : {},
    }))
  })
  const iso = (ms: number) => new Date(ms).toISOString()
  return { start: iso(fromMs), end: iso(toMs), query, intervals: starts.map(iso), groups }
}

const valuesOf = <Value>(fields: readonly SessionField[], of: (field: SessionField) => Value): Record<string, Value> =>
  Object.fromEntries(fields.map((field) => [field, of(field)]))
