import type { DashboardContent, RestTile } from '../../contract/explore/dashboards.ts'
import type { Plan } from '../../contract/explore/explore.ts'
import { datasetOfTile, freePlace, type TileDisplay, type TileType } from '../../domain/dashboards.ts'
import type { Dataset } from '../../domain/datasets.ts'
import { queriesOfPlan } from './dashboard-tiles.ts'

/** A dashboard that belongs to Mishap. People can duplicate it, and cannot change it. */
export type ReadyDashboard = { name: string; title: string; content: DashboardContent }

type Asked = Partial<Omit<Plan, 'dataset' | 'series'>> & { series?: Record<string, string> }
type Size = { w: number; h: number }

/** A tile of a ready-made dashboard, before it has a place. */
type Draft = Omit<RestTile, 'id' | 'layout'> & Size

const planOf = (dataset: Dataset, { series = {}, ...asked }: Asked): Plan => ({
  dataset,
  query: '',
  columns: [],
  groupBy: [],
  series: Object.entries(series).map(([name, aggregate]) => ({ name, aggregate })),
  formulas: [],
  order: '',
  limit: 5,
  ...asked,
})

function tile(title: string, displayType: TileDisplay, widgetType: TileType, size: Size, asked: Asked): Draft {
  const plan = planOf(datasetOfTile(widgetType) ?? 'errors', asked)
  return {
    title,
    description: null,
    displayType,
    widgetType,
    interval: '',
    limit: plan.limit,
    queries: queriesOfPlan(plan),
    plan,
    ...size,
  }
}

function issueTile(title: string, conditions: string, orderby: string, size: Size): Draft {
  const query = { name: '', fields: [], aggregates: [], columns: [], fieldAliases: [], conditions, orderby }
  return {
    title,
    description: null,
    displayType: 'table',
    widgetType: 'issue',
    interval: '',
    limit: 10,
    queries: [query],
    plan: null,
    ...size,
  }
}

const textTile = (title: string, description: string, size: Size): Draft => ({
  title,
  description,
  displayType: 'text',
  widgetType: null,
  interval: '',
  limit: null,
  queries: [],
  plan: null,
  ...size,
})

/** Puts tiles in the free places in their order. */
function placed(drafts: readonly Draft[]): RestTile[] {
  const tiles: RestTile[] = []
  for (const { w, h, ...draft } of drafts)
    tiles.push({
      ...draft,
      id: String(tiles.length + 1),
      layout: freePlace(
        tiles.map((other) => other.layout),
        { w, h },
      ),
    })
  return tiles
}

const number = { w: 2, h: 1 }
const half = { w: 3, h: 2 }
const whole = { w: 6, h: 2 }

const ready = (
  name: string,
  title: string,
  period: string,
  drafts: readonly Draft[],
  attribute = '',
): ReadyDashboard => ({
  name,
  title,
  content: { widgets: placed(drafts), projects: [], environment: [], period, filters: { release: [] }, attribute },
})

const compared = (aggregate: string, query = ''): Asked => ({ series: { a: aggregate }, query, compare: 'previous' })
const isRequest = 'is_transaction:true span.op:http.server'
const isPageLoad = 'is_transaction:true span.op:pageload'

const health = ready('health', 'Application health', '24h', [
  tile('Errors', 'big_number', 'error-events', number, compared('count()')),
  tile('Users with errors', 'big_number', 'error-events', number, compared('count_unique(user)')),
  tile('Requests', 'big_number', 'spans', number, compared('count()', isRequest)),
  tile('Errors by project', 'bar', 'error-events', half, { series: { a: 'count()' }, groupBy: ['project'] }),
  tile('Duration of requests', 'line', 'spans', half, {
    series: { a: 'p50(span.duration)', b: 'p95(span.duration)' },
    query: isRequest,
  }),
  issueTile('Unresolved issues', 'is:unresolved', 'freq', half),
  tile('Slowest routes', 'table', 'spans', half, {
    series: { a: 'p95(span.duration)', b: 'count()' },
    groupBy: ['transaction'],
    query: isRequest,
    limit: 10,
  }),
  tile('Log lines by severity', 'area', 'logs', half, { series: { a: 'count()' }, groupBy: ['severity'] }),
  tile('Errors by browser', 'heatmap', 'error-events', half, {
    series: { a: 'count()' },
    groupBy: ['browser.name'],
    limit: 10,
  }),
])

const firstHour = ready(
  'first-hour',
  'First hour of a release',
  '1h',
  [
    textTile(
      'How to use it',
      'Choose the release above. The tiles then show only this release. Compare them with the hour before its deploy.',
      number,
    ),
    tile('Errors', 'big_number', 'error-events', number, compared('count()')),
    tile('Users with errors', 'big_number', 'error-events', number, compared('count_unique(user)')),
    tile('Errors', 'bar', 'error-events', half, { series: { a: 'count()' }, groupBy: ['release'] }),
    tile('Duration of requests', 'line', 'spans', half, { series: { a: 'p95(span.duration)' }, query: isRequest }),
    issueTile('New issues', 'is:unresolved', 'new', half),
    tile('Warnings and errors in logs', 'table', 'logs', half, {
      series: { a: 'count()' },
      groupBy: ['severity', 'message'],
      query: 'severity:>=warning',
      limit: 10,
    }),
    tile('Errors by environment', 'table', 'error-events', half, {
      series: { a: 'count()', b: 'count_unique(user)' },
      groupBy: ['environment'],
      limit: 10,
    }),
    tile('Spans by operation', 'area', 'spans', half, { series: { a: 'count()' }, groupBy: ['span.op'] }),
  ],
  'browser.name',
)

const vital = (title: string, name: string): Draft =>
  tile(title, 'big_number', 'spans', number, compared(`p75(measurements.${name})`, isPageLoad))

const vitals = ready('web-vitals', 'Web vitals', '7d', [
  vital('Largest contentful paint, p75', 'lcp'),
  vital('First contentful paint, p75', 'fcp'),
  vital('Time to first byte, p75', 'ttfb'),
  tile('Paint', 'line', 'spans', half, {
    series: { a: 'p75(measurements.lcp)', b: 'p75(measurements.fcp)' },
    query: isPageLoad,
  }),
  tile('Interaction to next paint', 'line', 'spans', half, { series: { a: 'p75(measurements.inp)' } }),
  tile('Layout shift', 'line', 'spans', half, { series: { a: 'p75(measurements.cls)' }, query: isPageLoad }),
  tile('Slowest pages', 'table', 'spans', half, {
    series: { a: 'p75(measurements.lcp)', b: 'count()' },
    groupBy: ['transaction'],
    query: isPageLoad,
    limit: 10,
  }),
  tile('Largest contentful paint by browser', 'heatmap', 'spans', whole, {
    series: { a: 'p75(measurements.lcp)' },
    groupBy: ['browser.name'],
    query: isPageLoad,
    limit: 10,
  }),
])

const installation = ready('installation', 'This installation', '24h', [
  tile('Stored', 'big_number', 'outcomes', number, compared('sum(quantity)', 'outcome:stored')),
  tile('Rejected or limited', 'big_number', 'outcomes', number, {
    ...compared('sum(quantity)', 'outcome:[invalid, rate_limited]'),
  }),
  tile('Filtered', 'big_number', 'outcomes', number, compared('sum(quantity)', 'outcome:filtered')),
  tile('Outcomes', 'bar', 'outcomes', half, { series: { a: 'sum(quantity)' }, groupBy: ['outcome'], limit: 10 }),
  tile('Stored by category', 'area', 'outcomes', half, {
    series: { a: 'sum(quantity)' },
    groupBy: ['category'],
    query: 'outcome:stored',
    limit: 10,
  }),
  tile('Why data was not stored', 'table', 'outcomes', half, {
    series: { a: 'sum(quantity)' },
    groupBy: ['category', 'outcome', 'reason'],
    query: '!outcome:stored',
    limit: 20,
  }),
  tile('By project', 'table', 'outcomes', half, {
    series: { a: 'sum(quantity)' },
    groupBy: ['project', 'category'],
    limit: 20,
  }),
])

/** The dashboards that every organization has. */
export const readyDashboards: readonly ReadyDashboard[] = [health, firstHour, vitals, installation]

/** The ready-made dashboard of a name. */
export const readyDashboard = (name: string): ReadyDashboard | undefined =>
  readyDashboards.find((dashboard) => dashboard.name === name)
