import { expect, test } from 'vitest'
import { type ErrorCode, MishapError } from '../../base/errors.ts'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import type { Filter } from '../../store/events/question.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { describeFiring } from './firings.ts'
import type { MetricFiring } from './metric.ts'
import { setMeasure, watchRule } from './watched.ts'

const noon = Date.UTC(2026, 10, 23, 12)

function watchedOf(threshold: Partial<MetricCondition['threshold']> = {}, dataset: Measure['dataset'] = 'errors') {
  const condition = {
    plan: { dataset, series: [{ name: 'a', aggregate: 'count()' }] },
    of: 'a',
    windowMinutes: 10,
    threshold: { type: 'fixed', direction: 'above', warning: null, critical: 50, resolve: null, ...threshold },
  } as MetricCondition
  const rule = { id: 7, rev: 3, organizationId: 2, name: 'Checkout failing', state: { memory: null } } as AlertRule
  const watched = watchRule(rule, condition)
  const recipes = { parts: [], uniques: [], valueOf: () => 0 }
  const measure = { dataset, from: 'events', projectIds: [1, 2], windowMs: 600_000, recipes } as unknown as Measure
  setMeasure(watched, measure, noon)
  return watched
}

const firing: MetricFiring = {
  change: 'start',
  level: 'critical',
  atMs: noon,
  value: 182,
  threshold: 50,
  sinceMs: noon,
}

/** Events by project and group of the window. Group `b` has no issue any more. */
const depsOf = (rows: [number, string, number][]) => {
  const all = rows.reduce((sum, [, , count]) => sum + count, 0)
  const ids = new Map([
    ['1:a', 11],
    ['1:a2', 11],
    ['2:c', 13],
    ['2:d', 14],
  ])
  return {
    events: { groupRows: async () => rows.map((row) => [...row, all]) },
    meta: { issues: { issueIdsOf: async () => ids } },
  } as unknown as QueryDeps
}

test('the cause of a firing is the issues with most of its events', async () => {
  const deps = depsOf([
    [1, 'a', 40],
    [2, 'c', 25],
    [1, 'a2', 20],
    [1, 'b', 10],
    [2, 'd', 5],
  ])
  expect((await describeFiring(deps, watchedOf(), firing)).cause).toEqual({
    projectIds: [1, 2],
    issueIds: [11, 13],
    release: '',
    deployId: null,
  })
})

test('without a main issue, and for other data than errors, it is the projects of the rule', async () => {
  const many = Array.from({ length: 10 }, (): [number, string, number] => [2, 'd', 1])
  const spread = depsOf([[1, 'b', 100], ...many])
  expect((await describeFiring(spread, watchedOf(), firing)).cause).toMatchObject({ projectIds: [1, 2], issueIds: [] })
  const never = { events: {}, meta: {} } as unknown as QueryDeps
  const ofSpans = await describeFiring(never, watchedOf({}, 'spans'), firing)
  expect(ofSpans.cause).toMatchObject({ projectIds: [1, 2], issueIds: [] })
})

test('a firing has a key of rule, revision, time and change', async () => {
  expect(await describeFiring(depsOf([]), watchedOf(), firing)).toMatchObject({
    organizationId: 2,
    ruleId: 7,
    key: `7/3/${noon}/start`,
    trigger: 'fixed',
    level: 'critical',
    value: 182,
    threshold: 50,
  })
})

test.each<[string, Partial<MetricFiring>, Partial<MetricCondition['threshold']>]>([
  ['Checkout failing fired: count() is 182 in 10 min, threshold above 50.', {}, {}],
  [
    'Checkout failing ended: count() is 3 in 10 min, threshold above 25.',
    { change: 'end', value: 3, threshold: 25 },
    {},
  ],
  ['Checkout failing fired: count() has no data in 10 min, threshold above 50.', { value: null }, {}],
  [
    'Checkout failing fired: count() is 1.235 in 10 min, threshold below 2% against the day before.',
    { value: 1.23456, threshold: 2 },
    { type: 'change', direction: 'below', before: 'day' },
  ],
  [
    'Checkout failing fired: count() is 182 in 10 min, threshold above 50% against the usual week.',
    {},
    { type: 'weekly' },
  ],
])('%s', async (sentence, change, threshold) => {
  expect((await describeFiring(depsOf([]), watchedOf(threshold), { ...firing, ...change })).sentence).toBe(sentence)
})

const ended = { change: 'end', value: 3.14159, threshold: 25 } as const
const endFacts = {
  why: 'metric',
  rule: 'Checkout failing',
  measured: 'count()',
  group: '',
  value: 3.142,
  windowMinutes: 10,
  direction: 'above',
  threshold: 25,
  compared: 'fixed',
}
test.each<[string, Partial<MetricFiring>, Partial<MetricCondition['threshold']>, object | undefined]>([
  ['an end', ended, {}, endFacts],
  ['an end without data', { ...ended, value: null }, {}, { ...endFacts, value: null }],
  [
    'the end of a change',
    ended,
    { type: 'change', direction: 'below', before: 'week' },
    { ...endFacts, direction: 'below', compared: 'week' },
  ],
  ['the end of a change against the hour before', ended, { type: 'change' }, { ...endFacts, compared: 'hour' }],
  ['the end of a pattern', ended, { type: 'weekly' }, { ...endFacts, compared: 'weekly' }],
  ['a start has none', {}, {}, undefined],
])('the facts of a sentence, for the history: %s', async (_name, change, threshold, facts) => {
  expect((await describeFiring(depsOf([]), watchedOf(threshold), { ...firing, ...change })).why).toEqual(facts)
})

const named = (release: string): Filter => ({
  op: 'event',
  of: { op: 'field', field: 'release', match: 'is', value: release },
})
const ofSpans: Filter = { op: 'match', value: { of: 'text', column: 'release' }, match: 'is', text: 'web@1' }

test.each<[string, Filter | undefined, string]>([
  ['no filter', undefined, ''],
  ['one release', named('web@1'), 'web@1'],
  ['one release of spans', ofSpans, 'web@1'],
  ['the latest release', { op: 'event', of: { op: 'releases', values: ['web@2'] } }, 'web@2'],
  ['two latest releases', { op: 'event', of: { op: 'releases', values: ['web@2', 'app@7'] } }, ''],
  ['a release and more', { op: 'and', of: [ofSpans, { op: 'projects', ids: [1] }] }, 'web@1'],
  ['a choice of releases', { op: 'or', of: [named('web@1'), named('web@2')] }, ''],
  ['two releases at once', { op: 'and', of: [named('web@1'), named('web@2')] }, ''],
  ['all but one', { op: 'not', of: named('web@1') }, ''],
  ['a pattern', { op: 'event', of: { op: 'field', field: 'release', match: 'like', value: 'web@*' } }, ''],
])('the release of a cause, for a filter with %s', async (_name, filter, release) => {
  const watched = watchedOf()
  if (watched.measure) watched.measure.filter = filter
  expect((await describeFiring(depsOf([]), watched, firing)).cause.release).toBe(release)
})

const refusing = (code: ErrorCode) =>
  ({ ...depsOf([]), events: { groupRows: () => Promise.reject(new MishapError(code)) } }) as unknown as QueryDeps

test('a firing whose causes take too long to read has none; an outage ends the evaluation', async () => {
  const { cause } = await describeFiring(refusing('QUERY_TIMEOUT'), watchedOf(), firing)
  expect(cause).toMatchObject({ projectIds: [1, 2], issueIds: [] })
  await expect(describeFiring(refusing('STORE_UNAVAILABLE'), watchedOf(), firing)).rejects.toThrow('down')
})
