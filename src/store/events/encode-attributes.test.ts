import { describe, expect, test } from 'vitest'
import { quoted } from './encode.ts'
import { attributeMaps } from './encode-attributes.ts'

const names: [string, string][] = [
  ['a plain name', 'http.route'],
  ['an empty name', ''],
  ['a quote', "it's"],
  ['a backslash', 'a\\b'],
  ['a tab and a line break', 'a\tb\nc'],
  ['other languages and pairs of code units', 'größe 日本 😀'],
  ['half of a pair', 'a\ud83d'],
  ['a long name', 'x'.repeat(5000)],
]

describe('names of attributes', () => {
  test.each(names)('%s: the same each time', (_what, name) => {
    const expected = Buffer.from(`${quoted(name)}:'1',${quoted('y')}:'2'`)
    for (let time = 0; time < 3; time++)
      expect(Buffer.from(attributeMaps({ [name]: '1', y: '2' }).tags)).toEqual(expected)
  })

  test('more names than are remembered', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `it's ${n}`)
    const expected = many.map((name) => `${quoted(name)}:1`)
    for (let time = 0; time < 2; time++)
      expect(many.map((name) => attributeMaps({ [name]: 1 }).numbers)).toEqual(expected)
  })

  test('names of texts and of numbers are remembered apart from their values', () => {
    expect(attributeMaps({ a: 1, b: 'x', c: true })).toEqual({ tags: "'b':'x','c':'true'", numbers: "'a':1" })
    expect(attributeMaps({ a: 'x', b: 2, c: ['d'] })).toEqual({ tags: `'a':'x','c':'["d"]'`, numbers: "'b':2" })
  })
})
