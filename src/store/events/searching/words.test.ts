import { expect, test } from 'vitest'
import { logTextSql } from '../logs/text.ts'
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
/** A text in one column, and the texts of log lines. */
const plain = { text: 'body', whole: [], split: ['body'] }
const logs = sourceOf('logs')
const text = logTextSql()
const conditions = (pattern: string) => shown((values) => wordConditions(values, plain, pattern).join(' AND '))
const compiled = (filter: Filter, from: 'logs' | 'spans' = 'logs') =>
  shown((values) => compileFilter(sourceOf(from), values, filter))

const body: Value = { of: 'text', column: 'body' }
const one = (word: string) => `hasToken(lower(body), '${word}')`
const onePart = (word: string) => `lower(body) LIKE '%${word}%'`
const like = (column: string, word: string) => `lower(${column}) LIKE '%${word}%'`
const has = (word: string) =>
  `(${like('shape', word)} OR hasToken(lower(changing), '${word}') OR hasToken(lower(body), '${word}'))`
const part = (word: string) => `(${['shape', 'changing', 'body'].map((column) => like(column, word)).join(' OR ')})`

test.each([
  ['a word between others is whole', 'a Refused b', [one('a'), one('refused'), one('b')]],
  ['a word beside * can be a part', '*refused in 17* ms*', [onePart('refused'), one('in')]],
  ['also beside an escaped one', 'abc\\*def', [one('abc'), onePart('def')]],
  ['a short part is not looked for', '*ab*', []],
  ['letters of other alphabets have another lower case', 'GRÖSSE of Kelvin \u212a5', [one('of'), one('kelvin')]],
  ['a word is looked for once', 'to to', [one('to')]],
  ['signs are no words', '% _ \\', []],
  ['not more than eight', 'a b c d e f g h i j', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(one)],
])('%s', (_, pattern, expected) => {
  expect(conditions(pattern)).toBe(expected.join(' AND '))
})

test('a single word is answered by the index alone', () => {
  expect(compiled({ op: 'match', value: body, match: 'words', text: ' Refused ' })).toBe(`(${part('refused')})`)
})

test('several words are compared with the text as well', () => {
  const whole = (word: string) => `ifNull(positionCaseInsensitiveUTF8(${text}, '${word}') > 0, 0)`
  const words = (word: string): Filter => ({ op: 'match', value: body, match: 'words', text: word })
  expect(compiled(words('went so wrong'))).toBe(
    `(${part('went')} AND ${has('so')} AND ${part('wrong')} AND ${whole('went so wrong')})`,
  )
  expect(compiled(words('grün'))).toBe(`(${whole('grün')})`)
})

test('a short word is compared in each column, and with the text only if letters of other cases can stand at a cut', () => {
  const short = (word: string) => compiled({ op: 'match', value: body, match: 'words', text: word })
  const position = (sql: string, word: string) => `positionCaseInsensitiveUTF8(${sql}, '${word}') > 0`
  const columns = (word: string) => ['shape', 'changing', 'body'].map((sql) => position(sql, word)).join(' OR ')
  expect(short('to')).toBe(`((${columns('to')}))`)
  expect(short('k')).toBe(`((${columns('k')}))`)
  const isAscii = ['shape', 'changing', 'body'].map((sql) => `isValidASCII(${sql})`).join(' AND ')
  expect(short('5K')).toBe(`((${columns('5K')} OR (NOT (${isAscii}) AND ${position(text, '5K')})))`)
})

test('a pattern is compared with the texts that its words leave', () => {
  expect(compiled({ op: 'match', value: body, match: 'like', text: '*refused*' })).toBe(
    `(${part('refused')} AND ifNull(${text} ILIKE '%refused%', 0))`,
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
] as const)('keys of a path for %s %j are words of the text: %s', (match, word, isNeeded) => {
  const sql = compiled({ op: 'match', value: path('order', 'line_no', 'id'), match, text: word })
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
] as const)('a text in which a path has this value has its words: %s', (_, match, word, expected) => {
  const value = path('order', '[]', 'id')
  const filter = { op: 'match', value, match, text: word } as const
  expect(shown((values) => valueConditions(logs, values, filter).join(' AND '))).toBe(expected.join(' AND '))
  expect(compiled(filter)).toContain([has('order'), has('id'), ...expected].join(' AND '))
})

test('so are those of a comparison and of lists, but no keys that JSON escapes', () => {
  const compare: Filter = { op: 'compare', value: path('order', 'items', '[]', 'id'), compare: '>', number: 3 }
  expect(compiled(compare)).toContain(`(${['order', 'items', 'id'].map(has).join(' AND ')} AND `)
  expect(compiled({ op: 'match', value: path('so"me'), match: 'has', text: '' })).not.toContain('hasToken')
})
