import type { Plan } from '../../../contract/explore/explore.ts'
import type { BoardParams } from './params.ts'

/** The address of a new alert rule that watches a tile. Undefined: the tile has rows and no value to watch. */
export function alertHref(
  organization: string,
  tile: { plan: Plan | null; title: string },
  params: Pick<BoardParams, 'project' | 'env' | 'range'>,
): string | undefined {
  if (!tile.plan || tile.plan.series.length === 0) return undefined
  const search = new URLSearchParams(exploreHref(organization, tile.plan, 'line', params).split('?')[1])
  search.set('name', tile.title)
  return `/o/${organization}/alerts/new?${search}`
}

/** The address of a tile's query in Explore, with the values that apply to all tiles. */
export function exploreHref(
  organization: string,
  plan: Plan,
  kind: string,
  { project, env, range }: Pick<BoardParams, 'project' | 'env' | 'range'>,
): string {
  const search = new URLSearchParams()
  if (plan.series.length === 0) search.set('mode', 'rows')
  else if (kind === 'area' || kind === 'bar') search.set('kind', kind)
  search.set('dataset', plan.dataset)
  if (plan.query !== '') search.set('q', plan.query)
  for (const { aggregate, query } of plan.series) search.append('s', query ? `${aggregate} where ${query}` : aggregate)
  for (const { expression } of plan.formulas) search.append('f', expression)
  for (const field of plan.groupBy) search.append('by', field)
  for (const field of plan.columns) search.append('c', field)
  if (plan.order !== '') search.set('sort', plan.order)
  search.set('n', String(plan.limit))
  if (plan.compare) search.set('compare', '1')
  if (project !== '') search.set('project', project)
  if (env !== '') search.set('env', env)
  if (range.kind === 'relative') search.set('t', range.period)
  else {
    search.set('from', new Date(range.fromMs).toISOString())
    search.set('to', new Date(range.toMs).toISOString())
  }
  return `/o/${organization}/explore?${search}`
}
