import { expect, test } from 'vitest'
import { compareWords } from './words.ts'

test.each([
  ['en', '15', '2.86%', '+13.8', '-0.0012%', '+0.34', '-1'],
  ['de', '15', '2,86 %', '+13,8', '-0,0012 %', '+0,34', '-1'],
])('rates in %s', (locale, ...expected) => {
  const words = compareWords(locale)
  const found = [
    words.rate(60 / 4000, 'sessions'),
    words.rate(0.0286, 'events'),
    words.difference(0.0138, 'sessions'),
    words.difference(-0.000012, 'events'),
    words.points(0.0034),
    words.points(-0.01),
  ]
  expect(found.map((text) => text.replace(/\u00a0/g, ' '))).toEqual(expected)
})
