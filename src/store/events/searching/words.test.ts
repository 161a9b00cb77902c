import { expect, test } from 'vitest'
import type { Filter, Value } from '../question.ts'
import { createValues } from '../reading/filter.ts'
import { compileFilter } from './filter.ts'
import { sourceOf } from './sources.ts'
import { valueConditions, wordConditions } from './words.ts'

/** SQL with the bound values in place. */
function shown(build: (values: ReturnType<typeof createValues>) => string): string {
  const values = createValues()
  return build(values).replace(/\{(\w+):String\}/g, (_, name: string) => `'${String(values.bound[name])}'`)
}
const conditions = (pattern: string) => shown((values) => wordConditions(values, 'body', pattern).join(' AND '))
const compiled = (filter: Filter, from: 'logs' | 'spans' = 'logs') =>
  shown((values) => compileFilter(sourceOf(from), values, filter))

const body: Value = { of: 'text', column: 'body' }
const has = (word: string) => `hasToken(lower(body), '${word}')`
const part = (word: string) => `lower(body) LIKE '%${word}%'`

test.each([
  ['a word between others is whole', 'a Refused b', [has('a'), has('refused'), has('b')]],
  ['a word beside * can be a part', '*refused in 17* ms*', [part('refused'), has('in')]],
  ['also beside an escaped one', 'abc\\*def', [has('abc'), part('def')]],
  ['a short part is not looked for', '*ab*', []],
  ['letters of other alphabets have another lower case', 'GRÖSSE of Kelvin \u212a5', [has('of'), has('kelvin')]],
  ['a word is looked for once', 'to to', [has('to')]],
  ['signs are no words', '% _ \\', []],
  ['not more than eight', 'a b c d e f g h i j', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(has)],
])('%s', (_, pattern, expected) => {
  expect(conditions(pattern)).toBe(expected.join(' AND '))
})

test('a single word is answered by the index alone', () => {
  expect(compiled({ op: 'match', value: body, match: 'words', text: ' Refused ' })).toBe(`(${part('refused')})`)
})

test('several words, and a short one, are compared with the text as well', () => {
  const whole = (text: string) => `ifNull(positionCaseInsensitiveUTF8(body, '${text}') > 0, 0)`
  const words = (text: string): Filter => ({ op: 'match', value: body, match: 'words', text })
  expect(compiled(words('went so wrong'))).toBe(
    `(${part('went')} AND ${has('so')} AND ${part('wrong')} AND ${whole('went so wrong')})`,
  )
  expect(compiled(words('ms'))).toBe(`(${whole('ms')})`)
  expect(compiled(words('grün'))).toBe(`(${whole('grün')})`)
})

test('a pattern is compared with the texts that its words leave', () => {
  expect(compiled({ op: 'match', value: body, match: 'like', text: '*refused*' })).toBe(
    `(${part('refused')} AND ifNull(body ILIKE '%refused%', 0))`,
  )
})

test('a column without an index is only compared', () => {
  const filter: Filter = { op: 'match', value: { of: 'text', column: 'op' }, match: 'words', text: 'select' }
  expect(compiled(filter, 'spans')).not.toMatch(/hasToken|LIKE/)
})

const path = (...keys: string[]): Value => ({
  of: 'json',
  text: body,
  path: { steps: keys.map((key) => (key === '[]' ? { each: true } : { key })) },
})

test.each([
  ['has', '', true],
  ['is', 'a', true],
  ['is', '', false],
  ['like', '*', false],
  ['like', 'a*', true],
  ['words', ' ', false],
] as const)('keys of a path for %s %j are words of the text: %s', (match, text, isNeeded) => {
  const sql = compiled({ op: 'match', value: path('order', 'line_no', 'id'), match, text })
  const keys = ['order', 'line', 'no', 'id'].map(has).join(' AND ')
  expect(sql.startsWith(`(${keys} AND `)).toBe(isNeeded)
  expect(sql.includes('hasToken')).toBe(isNeeded)
})

const anyOf = (...words: string[]) => `(${words.map(has).join(' OR ')})`

test.each([
  ['a whole number', 'is', '17', [has('17')]],
  ['a number that can have an exponent', 'is', '12345000', [anyOf('12345000', '2345e7', '2345e')]],
  ['a power of ten', 'is', '100000', [anyOf('100000', '1e5', '1e', '0e5', '0e')]],
  ['a number of too many digits', 'is', '1234567890123456', []],
  ['a number with a fraction', 'is', '1234.567', []],
  ['a number with an exponent', 'is', '1e5', []],
  ['one word', 'is', 'Paid', [has('paid')]],
  ['a short word', 'is', 'eu', [has('eu')]],
  ['several words can follow escapes', 'is', 'not Paid, 12345', [part('not'), part('paid')]],
  ['words beside *', 'like', '*refused by*', [part('refused')]],
  ['words between others', 'words', 'went so wrong', [part('went'), part('wrong')]],
  ['a part of a number', 'like', '*12345*', []],
  ['letters of other alphabets', 'is', 'größer als', [part('als')]],
] as const)('a text in which a path has this value has its words: %s', (_, match, text, expected) => {
  const value = path('order', '[]', 'id')
  const filter = { op: 'match', value, match, text } as const
  expect(shown((values) => valueConditions(sourceOf('logs'), values, filter).join(' AND '))).toBe(
    expected.join(' AND '),
  )
  expect(compiled(filter)).toContain([has('order'), has('id'), ...expected].join(' AND '))
})

test('so are those of a comparison and of lists, but no keys that JSON escapes', () => {
  const compare: Filter = { op: 'compare', value: path('order', 'items', '[]', 'id'), compare: '>', number: 3 }
  expect(compiled(compare)).toContain(`(${['order', 'items', 'id'].map(has).join(' AND ')} AND `)
  expect(compiled({ op: 'match', value: path('so"me'), match: 'has', text: '' })).not.toContain('hasToken')
})
