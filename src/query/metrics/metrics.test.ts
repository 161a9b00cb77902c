import { expect, test } from 'vitest'
import { eachSwitch } from '../../domain/project-switches.ts'
import type { ListedMetric, MetricStore } from '../../store/events/metric-store.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { QueryDeps } from '../issues/issue.ts'
import { listMetrics, metricDetails, metricsPerPage } from './metrics.ts'

const hourMs = 3_600_000
const project = (id: number, slug: string): Project => ({
  id,
  organizationId: 1,
  slug,
  name: slug,
  platform: null,
  createdMs: 0,
  firstEventMs: null,
  allowedOrigins: [],
  switches: eachSwitch(() => false),
  metricSeriesMax: 500,
  rev: 0,
})
const view = {
  projects: [project(1, 'web'), project(2, 'api')],
  environments: [],
  range: { fromMs: 0, toMs: 24 * hourMs, period: '24h' },
}
const listed = (name: string, more: Partial<ListedMetric> = {}): ListedMetric => ({
  name,
  type: 'counter',
  unit: '',
  points: 1,
  folded: 0,
  lastMs: 5,
  last: 2,
  attributes: [],
  projectIds: [1],
  ...more,
})

/** A store that answers with these, and what it was asked. */
function depsWith(answers: Partial<{ [Name in keyof MetricStore]: unknown }>) {
  const asked: Record<string, unknown> = {}
  const names = [
    'metricList',
    'metricTrends',
    'metricGroups',
    'metricSeries',
    'metricSamples',
    'metricAttributes',
    'foldedMetrics',
  ] as const
  const events = Object.fromEntries(
    names.map((name) => [
      name,
      async (request: unknown) => {
        asked[name] = request
        return answers[name] ?? []
      },
    ]),
  )
  return { deps: { events } as unknown as QueryDeps, asked }
}

test('a page has the metrics with their course, and says whether there are more', async () => {
  const { deps } = depsWith({
    metricList: Array.from({ length: metricsPerPage + 1 }, (_, n) => listed(`m${n}`)),
    metricTrends: [{ name: 'm1', startMs: 0, value: 3 }],
  })
  const { metrics, more } = await listMetrics(deps, view, { text: '', order: 'name', offset: 0 })
  expect([metrics.length, more, metrics[0]?.trend, metrics[1]?.trend]).toEqual([metricsPerPage, true, [], [[0, 3]]])
})

test('folded points are summed by project, with its limit', async () => {
  const folded = (projectId: number, name: string, points: number) => ({ projectId, name, points, sinceMs: points })
  const { deps } = depsWith({ foldedMetrics: [folded(2, 'a', 9), folded(2, 'b', 4), folded(3, 'gone', 1)] })
  const found = await listMetrics(deps, view, { text: '', order: 'newest', offset: 0 })
  expect(found.folded).toEqual([{ project: 'api', max: 500, points: 13, sinceMs: 4, names: ['a', 'b'] }])
})

const request = { name: 'm', aggregate: undefined, by: undefined, where: [], bucket: undefined }

test.each([
  ['counter', 'p95', 'sum'],
  ['counter', 'rate', 'rate'],
  ['gauge', undefined, 'last'],
  ['distribution', 'last', 'p50'],
] as const)('a %s asked for %s answers with %s', async (type, aggregate, given) => {
  const { deps } = depsWith({ metricList: [listed('m', { type })] })
  expect((await metricDetails(deps, view, { ...request, aggregate }))?.aggregate).toBe(given)
})

test('points of a bucket are within it, of their group, and those with a trace come first', async () => {
  const { deps, asked } = depsWith({ metricList: [listed('m')], metricGroups: [{ group: 'pro', value: 1, points: 1 }] })
  const bucket = { startMs: 23.5 * hourMs, group: 'pro' }
  const found = await metricDetails(deps, view, { ...request, by: 'plan', bucket })
  expect(found?.groups).toEqual([{ group: 'pro', value: 1, points: 1, series: [] }])
  expect(asked['metricSamples']).toMatchObject({
    scope: { fromMs: 23.5 * hourMs, toMs: 24 * hourMs },
    where: [{ key: 'plan', value: 'pro' }],
    withTrace: true,
  })
})

test('a metric without a point is none, and filters are limited', async () => {
  const { deps } = depsWith({})
  expect(await metricDetails(deps, view, request)).toBe(undefined)
  const where = Array.from({ length: 11 }, (_, n) => ({ key: `k${n}`, value: '' }))
  await expect(metricDetails(deps, view, { ...request, where })).rejects.toMatchObject({ code: 'VALIDATION' })
})
