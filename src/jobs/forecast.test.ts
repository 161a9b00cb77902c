import { expect, test } from 'vitest'
import { silentLimits } from '../domain/issue-states.ts'
import { falseAlarms, type Kind, minutesToSee } from './forecast.cases.ts'
import { forecastOf, poissonLimit } from './forecast.ts'

const startMs = Date.UTC(2026, 10, 2)

test('at most one false alarm in 1,000 issue-weeks of series that go on as they were', () => {
  const alarms = falseAlarms(1_000, 1)
  expect(alarms.length, alarms.join(', ')).toBeLessThanOrEqual(1)
}, 60_000)

test.each<[Kind, number]>([
  ['steady', 30],
  ['steady', 1_000],
  ['daily', 60],
  ['working', 60],
])(
  'a tenfold rise of %s at %i an hour is seen within ten minutes',
  (kind, rate) => {
    const minutes = Array.from({ length: 80 }, (_, at) => minutesToSee(kind, rate, (at + 1) * 7919))
    expect(
      minutes.filter((minute) => minute > 10),
      minutes.join(', '),
    ).toEqual([])
  },
  60_000,
)

test.each([
  [0, 8],
  [1, 11.3],
  [100, 153],
])('a Poisson variable of mean %d is never over some %d', (mean, limit) => {
  expect(Math.abs(poissonLimit(mean) - limit)).toBeLessThan(1)
})

test('a quiet issue has the floors, a busy one three times its level, a day and a night their own', () => {
  expect(forecastOf(startMs, Array(168).fill(0))).toEqual(silentLimits)
  const busy = forecastOf(startMs, Array(168).fill(6_000))
  expect([busy.hour[3], busy.ten[3]]).toEqual([18_000, 3_000])
  const days = Array.from({ length: 168 }, (_, hour) => (hour % 24 < 12 ? 1_200 : 12))
  const { hour } = forecastOf(startMs, days)
  expect(hour[5]).toBeGreaterThan(10 * (hour[18] ?? 0))
  // A weekend is no irregularity, so it must not raise the limit for Monday.
  const week = Array.from({ length: 168 }, (_, at) => (at < 120 ? 1_200 : 120))
  expect(forecastOf(startMs, week).hour[5]).toBeLessThan(3 * 1_200)
})
