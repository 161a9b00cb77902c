import type { RestTile } from '../../../contract/explore/dashboards.ts'
import type { Plan } from '../../../contract/explore/explore.ts'
import {
  chartGroups,
  datasetOfTile,
  freePlace,
  issueLimit,
  type TileDisplay,
  type TileType,
  tileSizes,
} from '../../../domain/dashboards.ts'

/** The kinds of tiles as a person chooses them: a list of issues is a display of its own. */
export const draftKinds = ['line', 'area', 'bar', 'big_number', 'table', 'heatmap', 'issues', 'text'] as const
export type DraftKind = (typeof draftKinds)[number]

/** A tile as fields of a form. Lists are lines of text. */
export type TileDraft = {
  title: string
  kind: DraftKind
  type: Exclude<TileType, 'issue'>
  query: string
  /** One aggregate per line, with its own filter behind ` where `. */
  series: string
  /** One formula per line: `share = a / b * 100`. */
  formulas: string
  /** Groups, or columns of rows where there are no series; one per line. */
  groups: string
  order: string
  limit: string
  isCompared: boolean
  text: string
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const where = ' where '
const nameAt = (place: number) => String.fromCharCode(97 + place)

/** The fields of a tile; those of an empty one without it. */
export function draftOf(tile: RestTile | undefined): TileDraft {
  const { plan, queries: [query] = [] } = tile ?? { plan: null }
  const isIssues = tile?.widgetType === 'issue'
  const series = plan?.series ?? []
  return {
    title: tile?.title ?? '',
    kind: isIssues ? 'issues' : (tile?.displayType ?? 'line'),
    type: tile?.widgetType && tile.widgetType !== 'issue' ? tile.widgetType : 'error-events',
    query: plan?.query ?? query?.conditions ?? '',
    series: tile
      ? series.map(({ aggregate, query: own }) => (own ? `${aggregate}${where}${own}` : aggregate)).join('\n')
      : 'count()',
    formulas: (plan?.formulas ?? []).map(({ name, expression }) => `${name} = ${expression}`).join('\n'),
    groups: (series.length > 0 ? (plan?.groupBy ?? []) : (plan?.columns ?? [])).join('\n'),
    order: plan?.order ?? query?.orderby ?? '',
    limit: tile?.limit ? String(tile.limit) : '',
    isCompared: plan?.compare === 'previous',
    text: tile?.description ?? '',
  }
}

function planOfDraft(draft: TileDraft, limit: number | null): Plan {
  const series = lines(draft.series).map((line, at) => {
    const place = line.indexOf(where)
    const query = place < 0 ? '' : line.slice(place + where.length).trim()
    return {
      name: nameAt(at),
      aggregate: (place < 0 ? line : line.slice(0, place)).trim(),
      ...(query === '' ? {} : { query }),
    }
  })
  const formulas = lines(draft.formulas).map((line, at) => {
    const [, name, expression] = /^([a-z][a-z0-9_]{0,19})\s*=\s*(.+)$/.exec(line) ?? []
    return { name: name ?? nameAt(series.length + at), expression: (expression ?? line).trim() }
  })
  const groups = lines(draft.groups)
  const isChart = draft.kind !== 'table' && draft.kind !== 'big_number'
  return {
    dataset: datasetOfTile(draft.type) ?? 'errors',
    query: draft.query.trim(),
    columns: series.length > 0 ? [] : groups,
    groupBy: series.length > 0 ? groups : [],
    series,
    formulas,
    order: draft.order.trim(),
    limit: limit ?? (isChart ? chartGroups : 100),
    ...(draft.isCompared ? { compare: 'previous' as const } : {}),
  }
}

/** The limit of the form; null for none or no number. */
function limitOf(text: string): number | null {
  const limit = Number(text)
  return Number.isInteger(limit) && limit >= 1 && limit <= 1000 ? limit : null
}

/** The tile that a form describes. A new one gets a free place; its id is temporary, the server gives the real id. */
export function tileOfDraft(draft: TileDraft, before: RestTile | undefined, all: readonly RestTile[]): RestTile {
  const display: TileDisplay = draft.kind === 'issues' ? 'table' : draft.kind
  const limit = limitOf(draft.limit)
  const taken = all.map(({ layout }) => layout)
  const common = {
    id: before?.id ?? `new-${all.length + 1}-${taken.reduce((sum, { y, h }) => sum + y + h, 0)}`,
    title: draft.title.trim(),
    description: draft.text.trim() === '' ? null : draft.text,
    displayType: display,
    interval: before?.interval ?? '',
    layout: before?.layout ?? freePlace(taken, tileSizes[display]),
  }
  if (draft.kind === 'text') return { ...common, widgetType: null, limit: null, queries: [], plan: null }
  if (draft.kind === 'issues') {
    const conditions = draft.query.trim()
    const query = {
      name: '',
      fields: [],
      aggregates: [],
      columns: [],
      fieldAliases: [],
      conditions,
      orderby: draft.order,
    }
    return { ...common, widgetType: 'issue', limit: limit ?? issueLimit, queries: [query], plan: null }
  }
  const plan = planOfDraft(draft, limit)
  // Names of queries and aliases belong to the queries, so they stay while the plan is the same.
  const isSame = before?.plan !== undefined && JSON.stringify(before.plan) === JSON.stringify(plan)
  return { ...common, widgetType: draft.type, limit, queries: isSame && before ? before.queries : [], plan }
}
