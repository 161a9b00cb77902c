import { describe, expect, test } from 'vitest'
import type { Arithmetic } from '../../store/events/question.ts'
import { wordsOfPlan } from '../explore/plan-words.ts'
import { fieldsOfDataset } from './datasets.ts'
import { fieldsOf } from './fields.ts'
import { searchOf } from './filter.ts'
import { formulaOf } from './formula.ts'
import { jsonPathOf } from './json-path.ts'

const places = new Map([
  ['a', 0],
  ['b', 1],
])
const nameOf = (name: string) => places.get(name)

/** Writes arithmetic with all of its parentheses. */
const shown = (of: Arithmetic): string =>
  of.op === 'number' ? String(of.value) : of.op === 'aggregate' ? `#${of.at}` : `(${of.of.map(shown).join(of.op)})`

test.each([
  ['a', '#0'],
  ['a / (a + b) * 100', '((#0/(#0+#1))*100)'],
  ['1 - a - b', '((1-#0)-#1)'],
  ['a+b*2', '(#0+(#1*2))'],
  ['-a * -.5', '((0-#0)*(0-0.5))'],
  [' ( ( 1.25 ) ) ', '1.25'],
])('the formula %j', (text, wanted) => {
  const found = formulaOf(text, nameOf)
  expect('of' in found ? shown(found.of) : found).toBe(wanted)
})

test.each<[text: string, position: number, expected: RegExp]>([
  ['', 1, /name of a series/],
  ['a +', 4, /name of a series/],
  ['a b', 3, /operator/],
  ['c / a', 1, /name of a series/],
  ['constructor', 1, /name of a series/],
  ['(a', 3, /\)/],
  ['a ; DROP', 3, /name of a series, a number/],
  ['a)', 2, /operator, or the end/],
  ['a ** b', 4, /name of a series/],
  ['('.repeat(30), 21, /at most 20/],
])('the formula %j is wrong at %i', (text, position, expected) => {
  expect(formulaOf(text, nameOf)).toEqual({ position, expected: expect.stringMatching(expected) })
})

test.each<[text: string, steps: unknown]>([
  ['order.items[].id', [{ key: 'order' }, { key: 'items' }, { each: true }, { key: 'id' }]],
  ['a[*][2].b', [{ key: 'a' }, { each: true }, { at: 2 }, { key: 'b' }]],
  ['"a.b"."it\'s"', [{ key: 'a.b' }, { key: "it's" }]],
  ['[0]', [{ at: 0 }]],
  ['größe', [{ key: 'größe' }]],
])('the path %j', (text, steps) => {
  expect(jsonPathOf(text)).toEqual({ steps })
})

test.each([
  '',
  'a..b',
  'a[',
  'a[-1]',
  "a'",
  'a[]b',
  'a[x]',
  'a'.repeat(101),
  'a[][][][]',
  Array(13).fill('a').join('.'),
])('%j is no path', (text) => {
  expect(jsonPathOf(text)).toBe(undefined)
})

describe('fields of datasets', () => {
  const readField = (dataset: Parameters<typeof fieldsOfDataset>[0], name: string) => {
    const [field] = fieldsOf(fieldsOfDataset(dataset), [name])
    return field?.aggregate ?? field?.value
  }

  test.each([
    ['logs', 'severity', { of: 'text', column: 'level' }],
    ['logs', 'server.address', { of: 'text', column: 'host' }],
    ['logs', 'latency', { of: 'attribute', key: 'latency', as: 'any' }],
    [
      'logs',
      'body.order.items[].id',
      {
        of: 'json',
        text: { of: 'text', column: 'body' },
        path: { steps: [{ key: 'order' }, { key: 'items' }, { each: true }, { key: 'id' }] },
      },
    ],
    ['logs', 'failure_rate()', { fn: 'failureRate' }],
    ['metrics', 'avg(value)', { fn: 'avg', of: { of: 'number', column: 'value' } }],
    ['metrics', 'p95()', { fn: 'percentile', level: 0.95, of: { of: 'number', column: 'value' } }],
    ['errors', 'title', { of: 'text', column: 'title' }],
    ['errors', 'user.email', { of: 'attribute', key: 'user.email', as: 'text' }],
    ['errors', 'event.type', { of: 'text', column: 'type' }],
    ['errors', 'id', { of: 'id', column: 'event' }],
    ['outcomes', 'sum(quantity)', { fn: 'sum', of: { of: 'number', column: 'quantity' } }],
    ['outcomes', 'project', { of: 'number', column: 'projectId' }],
  ] as const)('%s: %s', (dataset, name, value) => {
    expect(readField(dataset, name)).toEqual(value)
  })

  test.each([
    ['logs', 'p95()'],
    ['logs', 'apdex(300)'],
    ['metrics', 'failure_rate()'],
    ['errors', 'performance_score(a)'],
    ['errors', 'stack.function'],
    ['errors', 'assigned'],
    ['outcomes', 'anything'],
    ['outcomes', 'tags[a]'],
    ['logs', 'sum()'],
    ['logs', 'avg(severity)'],
  ] as const)('%s have no %s', (dataset, name) => {
    expect(() => readField(dataset, name)).toThrow('A value is not valid.')
  })
})

describe('searches over logs', () => {
  const context = (dataset: 'logs' | 'outcomes') => ({
    dataset: fieldsOfDataset(dataset),
    nowMs: 1_795_000_000_000,
    projects: [{ id: 1, slug: 'web' }],
    latestReleases: async () => [],
  })
  const severity = { of: 'number', column: 'severity' }

  test.each([
    ['severity:>=warning', { op: 'compare', value: severity, compare: '>=', number: 13 }],
    ['level:>warn', { op: 'compare', value: severity, compare: '>=', number: 17 }],
    ['severity:<=info', { op: 'compare', value: severity, compare: '<', number: 13 }],
    ['severity:<fatal', { op: 'compare', value: severity, compare: '<', number: 21 }],
    ['severity:>fatal', { op: 'or', of: [] }],
    ['severity:warn', { op: 'match', value: { of: 'text', column: 'level' }, match: 'is', text: 'warning' }],
    ['refused', { op: 'match', value: { of: 'text', column: 'body' }, match: 'words', text: 'refused' }],
    ['ref*', { op: 'match', value: { of: 'text', column: 'body' }, match: 'like', text: '*ref**' }],
  ])('%s', async (text, filter) => {
    expect((await searchOf(text, context('logs'))).filter).toEqual(filter)
  })

  test('a path with lists is a key', async () => {
    const { filter } = await searchOf('body.order.items[].id:>3 !has:body.order.items[0]', context('logs'))
    expect(JSON.stringify(filter)).toContain('"each":true')
    expect(JSON.stringify(filter)).toContain('"at":0')
  })

  test('outcomes have no attributes: another key is named with its place', async () => {
    await expect(searchOf('category:error colour:red', context('outcomes'))).rejects.toMatchObject({
      code: 'QUERY_TYPE',
      mistakes: [{ position: 16, expected: expect.stringMatching(/a key of outcomes: category, outcome/) }],
    })
  })
})

test('a plan in phrases', () => {
  const plan = {
    dataset: 'spans' as const,
    query: 'span.op:db',
    columns: [],
    groupBy: ['release'],
    series: [{ name: 'a', aggregate: 'count()', query: 'span.failed:true' }],
    formulas: [{ name: 'f', expression: 'a * 2' }],
    order: '-f',
    limit: 5,
    compare: 'previous' as const,
  }
  expect(wordsOfPlan(plan).map(({ part }) => part)).toEqual([
    'series',
    'formula',
    'filter',
    'groups',
    'order',
    'limit',
    'previous',
  ])
  expect(wordsOfPlan({ ...plan, series: [], groupBy: [], formulas: [], columns: ['id'] })[0]).toEqual({
    part: 'rows',
    dataset: 'spans',
    columns: ['id'],
  })
})
