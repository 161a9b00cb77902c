import { describe, expect, test } from 'vitest'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { changedParts } from './conflict.ts'
import {
  actionKey,
  bodyOf,
  draftOf,
  emptyDraft,
  errorsAt,
  filterOf,
  isSame,
  type MetricPart,
  measureOf,
  measures,
  mistakesIn,
  triggerOf,
  unitOf,
  withFilter,
  withMeasure,
} from './draft.ts'
import { applied, thresholdOf, withThreshold } from './suggested.ts'

const { issue, metric } = emptyDraft
const metricDraft = { ...emptyDraft, kind: 'metric' as const }
const asQuery = (plan: Partial<MetricPart['plan']>): MetricPart => ({ ...metric, plan: { ...metric.plan, ...plan } })

describe('the measure of a plan', () => {
  test.each(measures.filter((measure) => measure !== 'query'))('%s is recognized by its plan', (measure) => {
    expect(measureOf(withMeasure(metric, measure))).toBe(measure)
  })
  test.each([
    ['a second series', { series: [...metric.plan.series, { name: 'b', aggregate: 'count()' }] }],
    ['a formula', { formulas: [{ name: 'b', expression: 'a * 2' }] }],
    ['a filter of its series', { series: [{ name: 'a', aggregate: 'count()', query: 'level:error' }] }],
    ['another function', { series: [{ name: 'a', aggregate: 'eps()' }] }],
    ['another dataset', { dataset: 'metrics' as const }],
  ])('%s makes it a query', (_case, plan) => {
    expect(measureOf(asQuery(plan))).toBe('query')
  })
  test('a filter stays within its dataset only', () => {
    const filtered = asQuery({ query: 'level:error' })
    expect(withMeasure(filtered, 'users').plan.query).toBe('level:error')
    expect(withMeasure(filtered, 'p95').plan.query).toBe('')
  })
  test.each([
    ['errors', null],
    ['p95', 'millisecond'],
    ['failures', 'ratio'],
  ] as const)('the unit of %s is %s', (measure, unit) => {
    expect(unitOf(withMeasure(metric, measure))).toBe(unit)
  })
  test('a comparison is in percent', () => {
    expect(unitOf({ ...metric, threshold: { ...metric.threshold, type: 'change' } })).toBe('percent')
  })
})

const stored: RestAlertRule = {
  id: '7',
  ...emptyDraft,
  issue,
  metric: null,
  areProjectsGone: false,
  mutedUntil: null,
  state: { status: 'ok', reason: '', reasonCode: null, since: null, evaluatedTo: null, value: null, groups: null },
  unevaluable: [],
  original: null,
  workflow: null,
  createdBy: null,
  dateCreated: '2026-11-23T00:00:00.000Z',
  lastFired: null,
  dateUpdated: '2026-11-23T00:00:00.000Z',
  revision: 3,
}

describe('a draft', () => {
  test('of a stored rule is unchanged until its own part changes', () => {
    const draft = draftOf(stored)
    expect(isSame(draft, draftOf(stored))).toBe(true)
    expect(isSame(draft, { ...draft, metric: { ...draft.metric, minimum: 9 } })).toBe(true)
    expect(isSame(draft, withFilter(draft, 'level:fatal'))).toBe(false)
  })
  test('sends only the part of its kind, and no kind', () => {
    expect(Object.keys(bodyOf(emptyDraft))).toEqual(expect.not.arrayContaining(['metric', 'kind']))
    expect(Object.keys(bodyOf(metricDraft))).toEqual(expect.not.arrayContaining(['issue', 'kind']))
    expect(bodyOf({ ...emptyDraft, name: '  Checkout ' }).name).toBe('Checkout')
  })
  test('keeps the filter of each kind', () => {
    expect(filterOf(withFilter(emptyDraft, 'a:b'))).toBe('a:b')
    expect(filterOf({ ...withFilter(emptyDraft, 'a:b'), kind: 'metric' })).toBe('')
    expect(filterOf(withFilter(metricDraft, 'c:d'))).toBe('c:d')
  })
  test('names what cannot be stored', () => {
    expect(mistakesIn(emptyDraft)).toEqual(['name', 'actions'])
    const threshold = { ...metric.threshold, critical: null }
    const named = { ...metricDraft, name: 'x', actions: [{ type: 'assignee' as const }] }
    expect(mistakesIn({ ...named, metric: { ...metric, threshold } })).toEqual(['metric.threshold.critical'])
    expect(mistakesIn(named)).toEqual([])
  })
})

test('an error belongs to its field and to the fields around it', () => {
  const fields = { 'metric.plan': ['Plan.'], metrics: ['Other.'], 'actions.0': ['Gone.'], 'actions[1]': ['Two.'] }
  expect(errorsAt(fields, 'metric')).toEqual(['Plan.'])
  expect(errorsAt(fields, 'actions')).toEqual(['Gone.', 'Two.'])
  expect(errorsAt(fields, 'metric.threshold')).toEqual([])
})

test('actions that reach the same receiver have the same key', () => {
  const keys = (['assignee', 'owners'] as const).map((type) => actionKey({ type }))
  expect(keys).toEqual(['assignee', 'owners'])
  expect(actionKey({ type: 'channel', channel: '1' })).not.toBe(actionKey({ type: 'person', person: '1' }))
  expect(actionKey({ type: 'tracker', tracker: '1', options: { a: 'b' } })).toBe('tracker:1')
  expect(actionKey({ type: 'on_call', schedule: '1' })).toBe('on_call:1')
})

describe('the threshold of a rule', () => {
  const counted = { ...emptyDraft, issue: { ...issue, when: [triggerOf('new'), triggerOf('events')] } }
  const rate = { ...emptyDraft, issue: { ...issue, when: [triggerOf('rate')] } }
  test.each([
    ['a metric', metricDraft, 50],
    ['the first trigger with a number', counted, 100],
    ['a rate', rate, 100],
    ['a rule without numbers', emptyDraft, null],
  ])('%s', (_case, draft, threshold) => {
    expect(thresholdOf(draft)).toBe(threshold)
  })
  test('moves, as a whole number where events are counted', () => {
    expect(thresholdOf(withThreshold(metricDraft, 7.5))).toBe(7.5)
    expect(thresholdOf(withThreshold(counted, 7.6))).toBe(8)
    expect(thresholdOf(withThreshold(counted, 0))).toBe(1)
    expect(withThreshold(emptyDraft, 5)).toEqual(emptyDraft)
  })
  test('suggestions change what they name', () => {
    expect(thresholdOf(applied(metricDraft, { change: 'threshold', value: 90 }))).toBe(90)
    expect(applied(metricDraft, { change: 'window', value: 30 }).metric.windowMinutes).toBe(30)
    expect(applied(counted, { change: 'window', value: 30 }).issue.when[1]).toMatchObject({ windowMinutes: 30 })
    expect(applied(metricDraft, { change: 'minimum', value: 20 }).metric.minimum).toBe(20)
    expect(filterOf(applied(withFilter(metricDraft, 'a:b'), { change: 'filter', value: '!issue:WEB-1' }))).toBe(
      'a:b !issue:WEB-1',
    )
  })
})

test('a conflict names the parts that differ, in the order of the form', () => {
  expect(changedParts(emptyDraft, emptyDraft)).toEqual([])
  const other = { ...emptyDraft, name: 'x', owner: 'user:1', environment: 'production', intervalMinutes: 5 }
  expect(changedParts(emptyDraft, other)).toEqual(['name', 'where', 'often', 'owner'])
  const quieter = withFilter({ ...emptyDraft, actions: [{ type: 'members' }], isActive: false }, 'x')
  expect(changedParts(emptyDraft, quieter)).toEqual(['condition', 'receivers', 'active'])
})
