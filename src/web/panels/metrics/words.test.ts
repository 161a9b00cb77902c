import { expect, test } from 'vitest'
import { changedSearch, metricParams, toggledPair } from './params.ts'
import { axisOf, metricWords, sparkPath } from './words.ts'

const words = metricWords('en')
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

test.each<[number, string, string]>([
  [1234, '', '1.23K'],
  [0.5, '', '0.5'],
  [1240, 'millisecond', '1.24 s'],
  [0.0004, 'second', '400 µs'],
  [90, 's', '1.5 min'],
  [3_100_000, 'byte', '3.1 MB'],
  [0.42, 'ratio', '42%'],
  [42, 'percent', '42%'],
  [17, 'item', '17 item'],
  [17, '{requests}', '17 requests'],
  [3, 'constructor', '3 constructor'],
  [-1500, 'ms', '-1.5 s'],
  [1, 'abc\u202edcba\u200b', '1 abcdcba'],
  [1, 'W'.repeat(40), `1 ${'W'.repeat(15)}…`],
])('%s %s is shown as %s', (value, unit, shown) => expect(plain(words.value(value, unit))).toBe(shown))

test('an axis has round ends and contains zero', () => {
  expect([axisOf([3, 17]), axisOf([-4, 2]), axisOf([-7]), axisOf([]), axisOf([0])]).toEqual([
    { low: 0, high: 20 },
    { low: -4, high: 2 },
    { low: -8, high: 0 },
    { low: 0, high: 1 },
    { low: 0, high: 1 },
  ])
})

test('a course is a line on its own scale, and a dot if it is one point', () => {
  const range = { fromMs: 0, toMs: 100 }
  expect(sparkPath([], range, 10, 10)).toBe('')
  expect(sparkPath([[50, 1]], range, 10, 10)).toBe('M5 0h.01')
  expect(
    sparkPath(
      [
        [0, 0],
        [100, 1],
      ],
      range,
      10,
      10,
    ),
  ).toBe('M0 10L10 0')
})

test('the address is read with limits, and unknown values are the defaults', () => {
  const read = (search: string) => metricParams(new URLSearchParams(search))
  expect(read('')).toMatchObject({ q: '', sort: 'newest', at: 0, name: '', where: [], bucketMs: undefined })
  expect(read('sort=x&at=-1&bucket=soon&t=forever')).toMatchObject({ sort: 'newest', at: 0, bucketMs: undefined })
  expect(read(`q=${'x'.repeat(999)}`).q.length).toBe(250)
  expect(read('from=1000-01-01T00:00:00Z&to=2999-01-01T00:00:00Z').range).toEqual({ kind: 'relative', period: '24h' })
  expect(read('where=plan%3Dpro%26a%2520b%3D%2526').where).toEqual([
    { key: 'plan', value: 'pro' },
    { key: 'a b', value: '&' },
  ])
})

test('filters are added, replaced and removed', () => {
  const pair = { key: 'plan', value: 'pro' }
  const where = (text: string) => metricParams(new URLSearchParams({ where: text })).where
  expect(where(toggledPair([], pair))).toEqual([pair])
  expect(where(toggledPair([pair], { key: 'plan', value: 'free' }))).toEqual([{ key: 'plan', value: 'free' }])
  expect(toggledPair([pair], pair)).toBe('')
})

test('a change closes what it no longer fits', () => {
  const search = new URLSearchParams('name=a&agg=sum&by=plan&where=plan%3Dpro&bucket=5&at=50')
  const changed = (change: Parameters<typeof changedSearch>[1]) => changedSearch(search, change)
  expect(changed({ name: 'b' })).toBe('?name=b&at=50')
  expect(changed({ bucket: '7' })).toContain('bucket=7')
  expect(changed({ by: 'region' })).not.toContain('bucket')
  expect(changed({ q: 'x' })).not.toContain('at=')
})
