import { describe, expect, it } from 'vitest'
import type { Dataset } from '../../domain/datasets.ts'
import { fieldsOfDataset } from './datasets.ts'
import { aggregateOfText, callOf, functionOf, jsonValueOf, valueOfName } from './functions.ts'

type RowDataset = Exclude<Dataset, 'outcomes'>
const of = (dataset: RowDataset) => fieldsOfDataset(dataset)
const aggregate = (dataset: RowDataset, text: string) => aggregateOfText(of(dataset), text)
const typeOf = (dataset: RowDataset, text: string) => {
  const call = callOf(text)
  const made = call && functionOf(of(dataset), call)
  return typeof made === 'object' ? made.type : made
}

describe('a call', () => {
  it.each([
    ['count()', { name: 'count', argument: '' }],
    ['p95( span.duration )', { name: 'p95', argument: 'span.duration' }],
    ['sum(body.items[].price)', { name: 'sum', argument: 'body.items[].price' }],
    ['count', undefined],
    ['count()x', undefined],
    ['count(a(b))', undefined],
    ['1count()', undefined],
    ['', undefined],
    [`sum(${'a'.repeat(221)})`, undefined],
    [`${'a'.repeat(52)}()`, undefined],
  ])('%j', (text, wanted) => expect(callOf(text)).toEqual(wanted))
})

describe('an aggregate', () => {
  it.each([
    ['logs', 'count()', { fn: 'count' }],
    ['logs', 'count_unique(host)', { fn: 'unique', of: { of: 'text', column: 'host' } }],
    ['logs', 'avg(cart.size)', { fn: 'avg', of: { of: 'attribute', key: 'cart.size', as: 'any' } }],
    ['metrics', 'max(value)', { fn: 'max', of: { of: 'number', column: 'value' } }],
    ['metrics', 'eps()', { fn: 'rate', perMs: 1000 }],
    ['spans', 'tpm()', { fn: 'rate', perMs: 60_000 }],
    ['spans', 'apdex()', { fn: 'apdex', satisfiedMs: 300 }],
    ['spans', 'apdex(0.5)', { fn: 'apdex', satisfiedMs: 0.5 }],
  ] as const)('of %s, %s', (dataset, text, wanted) => expect(aggregate(dataset, text)).toEqual(wanted))

  it.each([
    ['logs', 'count', /such as count\(\)/],
    ['logs', 'median(value)', /median is no function of/],
    ['logs', 'count(host)', /count\(\) takes no argument/],
    ['logs', 'avg()', /avg\(\) needs a field, such as avg\(value\)/],
    ['logs', 'count_unique()', /count_unique\(\) needs a field/],
    ['logs', 'sum(host)', /host in sum\(\) is no number/],
    ['logs', 'sum(a b)', /a b in sum\(\) is no field/],
    ['spans', 'apdex(0)', /apdex\(\) takes milliseconds/],
    ['spans', 'apdex(-1)', /apdex\(\) takes milliseconds/],
    ['spans', 'apdex(86400001)', /apdex\(\) takes milliseconds/],
    ['spans', 'performance_score(span.duration)', /performance_score\(\) takes measurements/],
    ['metrics', 'apdex(300)', /apdex is no function of/],
  ] as const)('of %s, %s is refused with what was expected', (dataset, text, sentence) =>
    expect(aggregate(dataset, text)).toMatch(sentence),
  )

  it.each([
    ['spans', 'p95(span.duration)', { type: 'duration', unit: 'millisecond' }],
    ['spans', 'count()', { type: 'integer', unit: null }],
    ['logs', 'share()', { type: 'percentage', unit: null }],
    ['logs', 'epm()', { type: 'rate', unit: '1/minute' }],
    ['logs', 'eps()', { type: 'rate', unit: '1/second' }],
    ['logs', 'count_unique(host)', { type: 'integer', unit: null }],
    ['logs', 'sum(cart.size)', { type: 'number', unit: null }],
  ] as const)('of %s, %s has the type %j', (dataset, text, wanted) => expect(typeOf(dataset, text)).toEqual(wanted))
})

describe('a name', () => {
  it.each([
    ['logs', 'body', { of: 'text', column: 'body' }],
    ['logs', 'tags[host]', { of: 'attribute', key: 'host', as: 'any' }],
    ['logs', 'tags[size, number]', { of: 'attribute', key: 'size', as: 'number' }],
    ['logs', 'tags[size,string]', { of: 'attribute', key: 'size', as: 'text' }],
    ['metrics', 'plan', { of: 'attribute', key: 'plan', as: 'any' }],
    ['metrics', 'unit', { of: 'text', column: 'unit' }],
  ] as const)('of %s, %s', (dataset, name, wanted) => expect(valueOfName(of(dataset), name)?.value).toEqual(wanted))

  it.each(["a'b", 'a"b', 'a`b', 'a\\b', 'a(b', 'a b', '', 'a'.repeat(201)])('that is none: %j', (name) =>
    expect(valueOfName(of('logs'), name)).toBeUndefined(),
  )

  it('of a project is its number, shown as slug or id', () => {
    expect(valueOfName(of('logs'), 'project')).toMatchObject({ project: 'slug', type: { type: 'string' } })
    expect(valueOfName(of('logs'), 'project.id')).toMatchObject({ project: 'id', type: { type: 'integer' } })
  })

  it('with brackets is a path into JSON', () => {
    expect(jsonValueOf(of('logs'), 'body.order.items[].id')).toMatchObject({ text: { of: 'text', column: 'body' } })
    expect(jsonValueOf(of('logs'), 'items[].id')).toMatchObject({ text: { of: 'attribute', key: 'items' } })
    expect(jsonValueOf(of('metrics'), 'body.order.id')).toBeUndefined()
    expect(jsonValueOf(of('logs'), 'plain')).toBeUndefined()
  })
})
