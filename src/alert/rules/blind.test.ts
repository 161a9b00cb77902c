import { describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { Dataset } from '../../domain/datasets.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import { blindParts } from './blind.ts'
import type { History } from './history.ts'
import type { MetricMeasure } from './metric.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const now = Date.UTC(2026, 10, 23, 12)
const range = { fromMs: now - 14 * dayMs, toMs: now }
const windowMs = 10 * minuteMs

type Asked = {
  dataset?: Dataset
  query?: string
  seriesQuery?: string
  threshold?: Partial<MetricCondition['threshold']>
  retentionDays?: number
  readFrom?: number
  waitsUntil?: number
  removed?: { fromMs: number; toMs: number }
  late?: number
}

async function partsOf(asked: Asked) {
  const { dataset = 'errors', retentionDays = 90, removed = null, late = 0 } = asked
  const days = retentionDays
  const deps = {
    clock: testClock(now),
    config: {
      retentionErrorsDays: days,
      retentionSpansDays: days,
      retentionLogsDays: days,
      retentionMetricsDays: days,
    },
    events: { removedHours: async () => removed, groupRows: async () => [[late]] },
  } as unknown as Parameters<typeof blindParts>[0]
  const measure = { dataset, projectIds: [1], environments: [], filter: undefined, windowMs } as unknown as Measure
  const metric = {
    plan: { query: asked.query ?? '', series: [{ name: 'a', aggregate: 'count()', query: asked.seriesQuery }] },
    threshold: { type: 'fixed', ...asked.threshold },
  } as unknown as MetricCondition
  const history = { readFrom: asked.readFrom ?? range.fromMs - windowMs } as History
  const waiting = { atMs: asked.waitsUntil ?? 0, waits: 'It waits.' } as MetricMeasure
  const measures = asked.waitsUntil === undefined ? [] : [waiting]
  return blindParts(deps, { measure, metric, history, measures, range })
}

const day = (n: number) => range.fromMs + n * dayMs

describe('a back-test that can judge everything', () => {
  test.each<[string, Asked]>([
    ['has no blind part', {}],
    ['is not disturbed by a filter on the events themselves', { query: 'level:error handled:no this:is' }],
    ['asks other datasets about no issues', { dataset: 'spans', query: 'is:unresolved' }],
  ])('%s', async (_name, asked) => {
    expect(await partsOf(asked)).toEqual([])
  })
})

const cases: { name: string; asked: Asked; part: { fromMs: number; toMs: number; reason: string }; text: string }[] = [
  {
    name: 'rows that were deleted by age',
    asked: { retentionDays: 10 },
    part: { fromMs: range.fromMs, toMs: day(4) + windowMs, reason: 'retention' },
    text: 'Rows are deleted after 10 days.',
  },
  {
    name: 'spans that were deleted by age',
    asked: { dataset: 'spans', retentionDays: 13 },
    part: { fromMs: range.fromMs, toMs: day(1) + windowMs, reason: 'retention' },
    text: 'Rows are deleted after 13 days.',
  },
  {
    name: 'errors that the disk budget removed, within the range',
    asked: { removed: { fromMs: day(-1), toMs: day(2) } },
    part: { fromMs: range.fromMs, toMs: day(2), reason: 'downsampled' },
    text: 'The disk budget removed errors',
  },
  {
    name: 'a weekly pattern that was not known yet',
    asked: { threshold: { type: 'weekly' }, waitsUntil: day(3) },
    part: { fromMs: range.fromMs, toMs: day(3), reason: 'pattern' },
    text: 'It waits.',
  },
  {
    name: 'a period before without rows',
    asked: { threshold: { type: 'change', before: 'day' }, waitsUntil: day(1) },
    part: { fromMs: range.fromMs, toMs: day(1), reason: 'before' },
    text: 'There are no rows of the day before',
  },
  {
    name: 'a part that was not read in time',
    asked: { readFrom: day(6) },
    part: { fromMs: range.fromMs, toMs: day(6) + windowMs, reason: 'partial' },
    text: 'Only the newest part was read.',
  },
  {
    name: 'rows that came late',
    asked: { late: 12 },
    part: { ...range, reason: 'late' },
    text: '12 rows came over 7 days after their own time.',
  },
  {
    name: 'a filter on the state of issues',
    asked: { query: 'level:error is:unresolved' },
    part: { ...range, reason: 'state' },
    text: 'The filter asks about the state of issues',
  },
  {
    name: 'a filter on the stage of releases',
    asked: { query: '(level:error !release.stage:adopted)' },
    part: { ...range, reason: 'state' },
    text: 'or the stage of releases, which is only known as it is now.',
  },
  {
    name: 'a filter on releases with a stage',
    asked: { query: 'level:error has:release.stage' },
    part: { ...range, reason: 'state' },
    text: 'or the stage of releases',
  },
  {
    name: 'a filter of the series on the latest release',
    asked: { seriesQuery: 'release:latest' },
    part: { ...range, reason: 'state' },
    text: 'The filter asks about the state of issues',
  },
]

test.each(cases)('names $name', async ({ asked, part, text }) => {
  const parts = await partsOf(asked)
  expect(parts).toEqual([{ ...part, sentence: expect.stringContaining(text) }])
})
