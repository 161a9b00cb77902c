import type { RestTile, RestTileData } from '../../contract/explore/dashboards.ts'
import type { Plan } from '../../contract/explore/explore.ts'
import { chartGroups, chartGroupsMax, issueLimit } from '../../domain/dashboards.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { type PlanDeps, runPlan } from '../explore/explore.ts'
import type { View } from '../issues/issue.ts'
import { issueSorts, listIssues } from '../issues/issues.ts'
import type { KeyLookup } from '../search/lookup.ts'
import { parseSearch } from '../search/parse.ts'

/** The values that apply to all tiles, besides those of the view. */
type TileFilters = { releases: readonly string[]; attribute: string; values: readonly string[] }

const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('*', '\\*')}"`

function oneOf(key: string, values: readonly string[]): string {
  const [first] = values
  if (key === '' || first === undefined) return ''
  return values.length === 1 ? `${key}:${quoted(first)}` : `${key}:[${values.map(quoted).join(', ')}]`
}

/**
 * A query of a tile with the filters of all tiles. Outcomes have neither releases nor attributes. Throws QUERY_* if the
 * query is wrong by itself: in parentheses, `a) OR (b` would be a search that the filters do not reach.
 */
function filtered(query: string, { releases, attribute, values }: TileFilters, keyOf?: KeyLookup): string {
  const filters = [oneOf('release', releases), oneOf(attribute, values)].filter((part) => part !== '')
  if (filters.length === 0) return query
  parseSearch(query, keyOf)
  if (query.trim() === '') return filters.join(' ')
  // Conditions on functions stand beside other terms only: in parentheses, `count():>5 op:db` would be refused.
  return [/\bor\b/i.test(query) ? `(${query})` : query, ...filters].join(' ')
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The bucket length that a tile asks for, ms. Undefined: the range decides. */
function intervalOf(interval: string): number | undefined {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(interval) ?? []
  const each = unitMs[unit]
  return count === undefined || each === undefined ? undefined : Number(count) * each
}

async function issuesOf(
  deps: PlanDeps,
  view: View,
  { queries, limit }: RestTile,
  filters: TileFilters,
): Promise<RestTileData['issues']> {
  const [query] = queries
  const sort = issueSorts.find((known) => known === query?.orderby) ?? 'date'
  const page = await listIssues(deps, {
    ...view,
    query: filtered(query?.conditions ?? '', filters),
    sort,
    limit: Math.min(limit ?? issueLimit, 100),
  })
  return page.rows.map((row) => ({
    id: row.id,
    shortId: row.shortId,
    title: row.title,
    culprit: row.culprit,
    level: row.level,
    project: row.project.slug,
    events: Number(row.count),
    users: row.userCount,
    lastSeen: row.lastSeen,
  }))
}

/** The plan of a tile with the filters of all tiles. */
function planOfTile(tile: RestTile, plan: Plan, filters: TileFilters): Plan {
  const isChart = tile.displayType !== 'table' && tile.displayType !== 'big_number'
  return {
    ...plan,
    query:
      plan.dataset === 'outcomes' ? plan.query : filtered(plan.query, filters, fieldsOfDataset(plan.dataset).keyOf),
    limit:
      isChart && plan.groupBy.length > 0
        ? Math.min(tile.limit ?? chartGroups, chartGroupsMax)
        : (tile.limit ?? plan.limit),
  }
}

/** Answers a tile. Throws what its query throws: QUERY_*, VALIDATION, STORE_UNAVAILABLE. */
export async function tileData(
  deps: PlanDeps,
  view: View,
  tile: RestTile,
  filters: TileFilters,
  signal: AbortSignal,
): Promise<RestTileData> {
  const range = { start: new Date(view.range.fromMs).toISOString(), end: new Date(view.range.toMs).toISOString() }
  if (tile.widgetType === 'issue')
    return { answer: null, issues: await issuesOf(deps, view, tile, filters), plan: null, ...range }
  if (!tile.plan) return { answer: null, issues: null, plan: null, ...range }
  const plan = planOfTile(tile, tile.plan, filters)
  const isTable = tile.displayType === 'table' || tile.displayType === 'big_number'
  const intervalMs = intervalOf(tile.interval)
  const answer = await runPlan(deps, view, plan, {
    shape: isTable ? 'table' : 'series',
    signal,
    ...(intervalMs === undefined ? {} : { intervalMs }),
  })
  return { answer, issues: null, plan, ...range }
}
