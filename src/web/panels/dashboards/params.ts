import type { RestDashboard } from '../../../contract/explore/dashboards.ts'
import { isRelativeRange } from '../../../domain/time-ranges.ts'
import { type ListParams, type ProjectName, projectIdsOf } from '../search/list-params.ts'
import { type Range, rangeOf } from '../search/range.ts'

/** The state of a dashboard in its URL: the values that apply to all tiles. */
export type BoardParams = Pick<ListParams, 'project' | 'env' | 'range'> & {
  releases: string[]
  /** Values of the attribute of the dashboard. */
  values: string[]
  /** Seconds between two reads of the tiles; 0: never. */
  refreshS: number
}

export const refreshChoices = [0, 30, 60, 300] as const

const defaultRange: Range = { kind: 'relative', period: '24h' }

/** Reads the state of a dashboard from a query string. Its own period counts where the URL names no range. */
export function boardParams(search: URLSearchParams, period: string | null): BoardParams {
  const isRanged = ['t', 'from', 'to'].some((name) => search.has(name))
  const own: Range = period !== null && isRelativeRange(period) ? { kind: 'relative', period } : defaultRange
  const refresh = Number(search.get('refresh') ?? 60)
  return {
    project: search.get('project') ?? '',
    env: search.get('env') ?? '',
    range: isRanged ? rangeOf({ t: search.get('t'), from: search.get('from'), to: search.get('to') }) : own,
    releases: search.getAll('release').filter((release) => release !== ''),
    values: search.getAll('value').filter((value) => value !== ''),
    refreshS: refreshChoices.find((choice) => choice === refresh) ?? 60,
  }
}

/** The parameters of a call for a tile, and for the marks of releases. */
export function tileQuery(params: BoardParams, projects: readonly ProjectName[]) {
  const ids = projectIdsOf(params.project, projects)
  const { range } = params
  return {
    project: ids.length > 0 ? ids : undefined,
    environment: params.env === '' ? undefined : params.env.split(','),
    ...(range.kind === 'relative'
      ? { statsPeriod: range.period }
      : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }),
    release: params.releases,
    value: params.values,
  }
}

/** The query string that a dashboard with values of its own opens with. '' if it has none. */
export function openingSearch(
  { projects, environment, filters }: Pick<RestDashboard, 'projects' | 'environment' | 'filters'>,
  names: readonly ProjectName[],
): string {
  const search = new URLSearchParams()
  const slugs = projects.map((id) => names.find((name) => name.id === String(id))?.slug ?? String(id))
  if (slugs.length > 0) search.set('project', slugs.join(','))
  if (environment.length > 0) search.set('env', environment.join(','))
  for (const release of filters.release) search.append('release', release)
  return search.size > 0 ? `?${search}` : ''
}
