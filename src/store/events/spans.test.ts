import { expect, test } from 'vitest'
import { createValues } from './filter.ts'
import { compileRollup, spansOf } from './spans.ts'

const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)

test.each<[string, string, string, boolean, { days?: [string, string]; hours: string[] }]>([
  [
    'whole days and the hours beside them',
    ...(['14T10:30', '17T08:15'] as const),
    true,
    { days: ['15T00:00', '17T00:00'], hours: ['14T10:00', '15T00:00', '17T00:00', '17T08:15'] },
  ],
  ['days alone', '14T00:00', '16T00:00', true, { days: ['14T00:00', '16T00:00'], hours: [] }],
  [
    'a day from its first hour on',
    '14T00:30',
    '15T23:59',
    true,
    { days: ['14T00:00', '15T00:00'], hours: ['15T00:00', '15T23:59'] },
  ],
  ['no whole day', '14T01:30', '15T23:59', true, { hours: ['14T01:00', '15T23:59'] }],
  [
    'today as a whole day',
    '16T23:30',
    '17T08:16',
    true,
    { days: ['17T00:00', '18T00:00'], hours: ['16T23:00', '17T00:00'] },
  ],
  ['hours alone where days are not asked for', '14T10:30', '17T08:15', false, { hours: ['14T10:00', '17T08:15'] }],
])('%s', (_name, from, to, byDays, wanted) => {
  const { days, hours } = spansOf({ fromMs: at(from), toMs: at(to) }, byDays, at('17T08:15'))
  expect({ days, hours: hours.flat() }).toEqual({ days: wanted.days?.map(at), hours: wanted.hours.map(at) })
})

test('times before 1970 and after 2106 are its ends', () => {
  const { days, hours } = spansOf({ fromMs: -5, toMs: 2 ** 45 }, true, 0)
  expect([days?.[0], hours.flat().at(-1)]).toEqual([0, (2 ** 32 - 1) * 1000])
})

test.each([
  [0, 3_600_000, 0, 3600],
  [3_600_001, 7_200_001, 3600, 7201],
  [-5000, 1000, 0, 1],
  [0, 1e18, 0, 2 ** 32 - 1],
])('hours of %i to %i ms stay within what the column holds', (fromMs, toMs, from, to) => {
  const values = createValues()
  const scope = { projectIds: [1, 2], environments: ['a'], fromMs, toMs }
  const asked = { columns: 'hour, n', where: '1', known: false, nowMs: toMs, byDays: false }
  expect(compileRollup(values, 'mishap', scope, asked)).toMatch(/^\(SELECT hour, n FROM mishap\.hour_issue\s+WHERE /)
  expect(Object.values(values.bound)).toEqual(expect.arrayContaining([[1, 2], ['a'], from, to]))
})
