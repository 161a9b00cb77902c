import { expect, test, vi } from 'vitest'
import { shapeOf, shapeTextMax, splitText, valueSign } from './log-shape.ts'

test.each([
  ['cart 17 loaded', 'cart * loaded'],
  ['cart loaded', 'cart loaded'],
  ['took 12.5 ms', 'took * ms'],
  ['took 12ms', 'took *'],
  ['GET /orders/8123/items/77 -> 200', 'GET /orders/*/items/* -> *'],
  ['user "ann@example.com" is new', 'user * is new'],
  ["user 'ann' is new", 'user * is new'],
  ["can't open, won't close", "can't open, won't close"],
  ['job 7f3e9c1a-0b6d-4f8e-9a77-1c2d3e4f5a6b done', 'job * done'],
  ['commit deadbeefcafe is live', 'commit * is live'],
  ['a facade, a decade', 'a facade, a decade'],
  ['from 10.0.0.17:8080 to db-3.internal', 'from * to *'],
  ['at 2026-11-21T09:40:13.123Z', 'at *'],
  ['{"order":{"id":17,"sku":"A7"},"ok":true}', '{"order":{"id":*,"sku":*},"ok":true}'],
  ['it says "never closed 5', 'it says "never closed *'],
  ['one "a\nb" 5', 'one "a\nb" *'],
  ['', ''],
  ['über 5 Größen', 'über * Größen'],
])('the shape of %j is %j', (text, shape) => expect(shapeOf(text)).toBe(shape))

test('only the beginning makes the shape', () => {
  expect(shapeOf(`${'a '.repeat(shapeTextMax / 2)}1`)).toBe(shapeOf(`${'a '.repeat(shapeTextMax / 2)}2 and more`))
})

test.each([
  ['quotes', '"'],
  ['escaped quotes', '\\"'],
  ['escaped apostrophes', "\\'"],
  ['apostrophes and quotes', '\'"\\'],
  ['digits', '7'],
  ['joints', '1-'],
])('it reads each character a few times at most: %s', (_name, part) => {
  const read = vi.spyOn(String.prototype, 'charCodeAt')
  shapeOf(part.repeat(shapeTextMax))
  const reads = read.mock.calls.length
  read.mockRestore()
  expect(reads).toBeLessThan(5 * shapeTextMax)
})

test.each([
  ['cart 17 loaded', ['17']],
  ['17', ['17']],
  ['cart loaded', []],
  ['größe17 in "ann 5"', ['e17', '"ann 5"']],
  ["can't 17, 'won 5' 10.0.0.17:8080", ['17', "'won 5'", '10.0.0.17:8080']],
  ['{"order":{"id":17,"sku":"A\\"7"}}', ['17', '"A\\"7"']],
  [`${'x'.repeat(997)} 17`, ['17']],
])('%j is split into its shape and its values', (text, values) => {
  const found = splitText(text)
  expect(found?.values).toEqual(values)
  expect(found?.shape.replaceAll(valueSign, '*')).toBe(shapeOf(text))
  const rest = [...values]
  expect(found?.shape.replaceAll(valueSign, () => rest.shift() ?? '')).toBe(text)
})

test.each([
  ['an empty text', ''],
  ['a text with the sign', `a${valueSign}b 17`],
  ['a text above 1,000 characters', 'x'.repeat(1001)],
])('%s is not split', (_name, text) => expect(splitText(text)).toBe(undefined))

test('no run of ASCII letters and digits is cut', () => {
  const texts = ['order-17x', 'größe17ß9a', "don't7 'a'b7\"c\"d", 'a_b-c.7:d@e', '5\u212a7', 'x"y"z9"', '\'a9\'"b9"c']
  for (const text of texts) {
    const found = splitText(text)
    const pieces = [...(found?.shape.split(valueSign) ?? []), ...(found?.values ?? [])]
    const runsOf = (part: string) => part.match(/[a-z0-9]+/gi) ?? []
    expect(pieces.flatMap(runsOf).sort()).toEqual([...runsOf(text)].sort())
  }
})
