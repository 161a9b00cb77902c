import { describe, expect, test } from 'vitest'
import { overviewWords, toneOf } from './words.ts'

const english = overviewWords('en')
const german = overviewWords('de')
const plain = (text: string | undefined) => text?.replace(/[\u00a0\u202f]/g, ' ')

describe('growth', () => {
  test.each<[string, number, number, string | undefined]>([
    ['more has a sign', 118, 100, '+18%'],
    ['less too', 88, 100, '-12%'],
    ['the same is no change', 1001, 1000, undefined],
    ['nothing before has no percent', 5, 0, undefined],
  ])('%s', (_name, now, before, expected) => expect(english.growth({ now, before })).toBe(expected))
})

test('a share is rounded down, so that a crash never shows as 100 %', () => {
  expect(english.share(0.99999)).toBe('99.99%')
  expect(english.share(1)).toBe('100%')
  expect(english.share(0.9912)).toBe('99.12%')
})

test.each<[number, string | undefined]>([
  [-0.0021, '-0.21'],
  [0.0031, '+0.31'],
  [0.00001, undefined],
])('points of %d', (by, expected) => expect(english.points(by)).toBe(expected))

test.each<[number, string]>([
  [0.94, '0.94 ms'],
  [940, '940 ms'],
  [2412, '2.41 s'],
])('duration of %d ms', (ms, expected) => expect(plain(english.duration(ms))).toBe(expected))

test('slower has a sign', () => {
  expect(plain(english.slower(180))).toBe('+180 ms')
  expect(english.slower(0.2)).toBeUndefined()
})

test('bytes', () => expect([2e6, 3.04e9].map((bytes) => plain(english.bytes(bytes)))).toEqual(['2 MB', '3.04 GB']))

test('the locale formats', () => {
  expect(german.count(48_212)).toBe('48.212')
  expect(plain(german.share(0.9931))).toBe('99,31 %')
  expect(english.margin({ low: 0.9926, high: 0.9936 })).toBe('±0.05')
})

test.each([
  [1, 'worse'],
  [-1, 'better'],
  [0, undefined],
])('tone of %d', (by, expected) => expect(toneOf(by)).toBe(expected))
