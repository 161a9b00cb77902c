import { expect, test } from 'vitest'
import { differingColumns, offeredColumns, readColumns } from './event-columns.ts'

const event = (tags: Record<string, string>) => ({
  tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
})

test.each([
  ['release,user', ['release', 'user']],
  ['a,,a,b', ['a', 'b']],
  ['', undefined],
  [null, undefined],
  ['x'.repeat(201), undefined],
  [Array.from({ length: 20 }, (_, at) => `c${at}`).join(), Array.from({ length: 12 }, (_, at) => `c${at}`)],
])('%j names the columns %j', (text, columns) => {
  expect(readColumns(text)).toEqual(columns)
})

test('columns whose values differ, a missing value included', () => {
  const events = [
    event({ level: 'error', plan: 'free', release: '1', browser: 'Firefox 1', 'browser.name': 'Firefox' }),
    event({ level: 'error', plan: 'gold', release: '1', browser: 'Chrome 1', 'browser.name': 'Chrome' }),
    event({ level: 'error', plan: 'gold', release: '1', browser: 'Chrome 1', user: 'id:1' }),
  ]
  expect(differingColumns(events)).toEqual(['user', 'browser', 'plan'])
  expect(offeredColumns(events)).toEqual(['release', 'user', 'browser', 'level', 'plan'])
})

test('at most five differ, and without a difference the usual ones show', () => {
  const many = (value: string) => event(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`t${at}`, value])))
  expect(differingColumns([many('a'), many('b')])).toHaveLength(5)
  expect(differingColumns([many('a')])).toEqual(['release', 'environment', 'user'])
})
