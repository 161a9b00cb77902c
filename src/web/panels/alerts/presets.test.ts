import { describe, expect, test } from 'vitest'
import { newAlertRuleBody } from '../../../contract/alerts/alerts.ts'
import { alertHref as tileHref } from '../dashboards/explore-link.ts'
import { alertHref, exploreParams } from '../explore/params.ts'
import { bodyOf, emptyDraft, measureOf } from './draft.ts'
import { alertListParams, isWhole } from './list-params.ts'
import { draftOfAddress, presetIds } from './presets.ts'

const open = (search: string) => draftOfAddress(new URLSearchParams(search), (preset) => `named ${preset}`)

describe('presets', () => {
  test.each(presetIds)('%s is a rule that the API takes', (preset) => {
    const draft = open(`preset=${preset}`)
    expect(draft.name).toBe(`named ${preset}`)
    expect(newAlertRuleBody.safeParse(bodyOf(draft)).error).toBeUndefined()
  })
  test('an unknown preset and a plain address are an empty rule', () => {
    expect(open('preset=__proto__')).toEqual(emptyDraft)
    expect(open('')).toEqual(emptyDraft)
  })
})

describe('a rule from a query', () => {
  test('of Explore has its plan, scope, groups and name, without order', () => {
    const search = 'q=level:error&s=count()&s=count_unique(user)&f=a / b&by=release&sort=-a&compare=1&project=web'
    const href = alertHref('acme', exploreParams(new URLSearchParams(`${search}&env=production`)), 'Errors per user')
    expect(href).toMatch(/^\/o\/acme\/alerts\/new\?/)
    const draft = open(href.split('?')[1] ?? '')
    expect(draft).toMatchObject({
      kind: 'metric',
      name: 'Errors per user',
      projects: ['web'],
      environment: 'production',
    })
    expect(draft.metric).toMatchObject({ of: 'c', threshold: { critical: null } })
    expect(draft.metric.plan).toEqual({
      dataset: 'errors',
      query: 'level:error',
      columns: [],
      groupBy: ['release'],
      series: [
        { name: 'a', aggregate: 'count()' },
        { name: 'b', aggregate: 'count_unique(user)' },
      ],
      formulas: [{ name: 'c', expression: 'a / b' }],
      order: '',
      limit: 100,
    })
    const metric = { ...draft.metric, threshold: { ...draft.metric.threshold, critical: 1 } }
    expect(newAlertRuleBody.safeParse(bodyOf({ ...draft, metric })).error).toBeUndefined()
  })
  test('the plain query of Explore is the number of errors', () => {
    const draft = open(alertHref('acme', exploreParams(new URLSearchParams()), undefined).split('?')[1] ?? '')
    expect([draft.kind, measureOf(draft.metric), draft.name]).toEqual(['metric', 'errors', ''])
  })
  test('several environments become a part of the filter', () => {
    const draft = open('dataset=errors&q=level:error&env=production,my "stage"')
    expect(draft.environment).toBeNull()
    expect(draft.metric.plan.query).toBe('level:error environment:[production,"my \\"stage\\""]')
  })
  test('of a tile has its title; a tile of rows or text has none', () => {
    const { plan } = open('dataset=logs').metric
    const range = { kind: 'relative' as const, period: '24h' as const }
    const scope = { project: '', env: '', range }
    expect(open(tileHref('acme', { plan, title: 'Lines' }, scope)?.split('?')[1] ?? '')).toMatchObject({
      name: 'Lines',
      metric: { plan: { dataset: 'logs', series: [{ aggregate: 'count()' }] } },
    })
    expect(tileHref('acme', { plan: { ...plan, series: [] }, title: 'Rows' }, scope)).toBeUndefined()
    expect(tileHref('acme', { plan: null, title: 'Text' }, scope)).toBeUndefined()
  })
})

test('the list reads its address, and repairs it', () => {
  expect(alertListParams(new URLSearchParams('q=a&status=waiting&project=web&at=50'))).toEqual({
    q: 'a',
    status: 'waiting',
    project: 'web',
    at: 50,
  })
  const plain = alertListParams(new URLSearchParams('status=odd&at=-3'))
  expect(plain).toEqual({ q: '', status: '', project: '', at: 0 })
  expect(isWhole(plain)).toBe(true)
  expect(isWhole({ ...plain, at: 50 })).toBe(false)
})
