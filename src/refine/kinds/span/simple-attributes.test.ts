import { expect, test } from 'vitest'
import { randomOf } from '../../../random.cases.ts'
import type { Loose } from '../../pipeline/value.ts'
import { ownConventional } from './conventions.ts'
import { boundedAttributes, plainAttributes } from './parts.ts'
import { createSimpleAttributes } from './simple-attributes.ts'

const columns = new Set(['sentry.op', 'sentry.release'])
const simple = createSimpleAttributes(columns)
const text = (value: unknown) => ({ type: 'string', value })
const many = (count: number, value: unknown = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`key.${n}`, text(value)]))

/** The same by the passes that repair. */
function byPasses(sent: unknown, added: Loose = {}, bytes = 100_000) {
  const all = ownConventional(plainAttributes(sent))
  for (const name in added) all[name] ??= added[name]
  const [budget, repairs] = [{ bytes }, { count: 0 }]
  return { all, kept: boundedAttributes(all, budget, repairs, columns), left: budget.bytes, repairs: repairs.count }
}

test.each<[string, unknown, Loose]>([
  [
    'texts, numbers and booleans',
    { a: text('b'), n: { type: 'double', value: 1.5 }, yes: text(true), no: text(false) },
    {},
  ],
  ['a column', { 'sentry.op': text('db'), 'db.system.name': text('postgresql') }, {}],
  ['a column with an object', { 'sentry.release': text({ a: 1 }) }, {}],
  ['a long integer as text', { n: { type: 'integer', value: '123456789012345' } }, {}],
  ['an integer that is too long', { n: { type: 'integer', value: '1234567890123456' } }, {}],
  ['a number in a text, by the name', { 'http.response.status_code': text('404') }, {}],
  ['a text in a number, by the name', { 'url.full': { type: 'integer', value: 7 } }, {}],
  ['entries that are no objects', { a: 'b', c: 1, d: null, e: ['x'], f: text('kept') }, {}],
  ['values that are missing', { a: {}, b: { value: null }, c: text('kept') }, {}],
  ['a deprecated name', { 'db.system': text('redis'), a: text('b') }, {}],
  ['a deprecated name with a type', { 'http.status_code': text('404') }, {}],
  ['a short list', { a: text(['b', 'c']), e: text([]) }, {}],
  ['the longest list', { a: text(Array.from({ length: 20 }, () => 'x'.repeat(8))) }, {}],
  ['a list whose JSON is six times as long', { a: text(['\u0001'.repeat(160)]) }, {}],
  ['added names', { a: text('b') }, { 'browser.name': 'Chrome', a: 'other' }],
  ['as many names as are kept', many(64), {}],
  ['a value of the largest length', { a: text('x'.repeat(1024)) }, {}],
  ['an own property of every object', { constructor: text('x'), toString: text('y') }, {}],
])('%s are read in one pass', (_name, sent, added) => {
  const budget = { bytes: 100_000 }
  const found = simple(sent, added, budget)
  const { all, kept, left, repairs } = byPasses(sent, added)
  expect(found?.kept).toEqual(kept)
  expect(Object.keys(found?.kept ?? {})).toEqual(Object.keys(kept))
  expect({ ...found?.columns, ...found?.kept }).toEqual(all)
  expect([budget.bytes, repairs]).toEqual([left, 0])
})

test.each<[string, unknown, number]>([
  ['no object', 'text', 100_000],
  ['a list', [], 100_000],
  ['a deprecated name beside its current one', { 'db.system': text('redis'), 'db.system.name': text('x') }, 100_000],
  ['the same in the other order', { 'db.system.name': text('x'), 'db.system': text('redis') }, 100_000],
  ['a current name without a value', { 'db.system': text('redis'), 'db.system.name': text(null) }, 100_000],
  [
    'two deprecated names of one',
    { 'http.method': text('GET'), method: text('PUT'), 'http.request_method': text('x') },
    100_000,
  ],
  ['a list with a number', { a: text(['b', 1]) }, 100_000],
  ['a list of lists', { a: text([['b']]) }, 100_000],
  ['a long list', { a: text(Array.from({ length: 21 }, () => 'b')) }, 100_000],
  ['a list of a long text', { a: text(['x'.repeat(161)]) }, 100_000],
  ['a name that is no key', JSON.parse('{"__proto__":{"value":"x"}}'), 100_000],
  ['a long name', { ['k'.repeat(201)]: text('x') }, 100_000],
  ['a long value', { a: text('x'.repeat(1025)) }, 100_000],
  ['an object', { a: text({ b: 1 }) }, 100_000],
  ['too many names', many(65), 100_000],
  ['too many bytes for one span', many(5, 'x'.repeat(1000)), 100_000],
  ['too many bytes for the item', many(5, 'x'.repeat(100)), 400],
])('%s is left to the passes that repair', (_name, sent, bytes) => {
  const budget = { bytes }
  expect(simple(sent, {}, budget)).toBeUndefined()
  expect(budget.bytes).toBe(bytes)
})

test('gives what the passes give, for any attributes', () => {
  const random = randomOf(48)
  const oneOf = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T
  const names = [
    'a',
    'sentry.op',
    'db.system',
    'db.system.name',
    'http.method',
    'http.response.status_code',
    'url.full',
    'user.id',
    'x'.repeat(210),
  ]
  const values = ['t', '12', 7, true, false, null, undefined, [1], ['t', 'u'], [], { a: 1 }, 'x'.repeat(1100), 'true']
  let simpleCount = 0
  for (let round = 0; round < 3000; round++) {
    const sent: Record<string, unknown> = {}
    for (let n = 0; n < 6; n++)
      sent[oneOf(names)] = { type: oneOf(['string', 'integer', 'double', 'boolean', 'array']), value: oneOf(values) }
    const budget = { bytes: 5000 }
    const found = simple(sent, {}, budget)
    if (!found) continue
    simpleCount++
    const { all, kept, left, repairs } = byPasses(sent, {}, 5000)
    expect([found.kept, { ...found.columns, ...found.kept }, budget.bytes, 0]).toEqual([kept, all, left, repairs])
  }
  expect(simpleCount).toBeGreaterThan(50)
})
