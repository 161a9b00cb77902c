import { expect, test } from 'vitest'
import { randomOf } from '../../../random.cases.ts'
import { createValues } from '../reading/filter.ts'
import { compileRollup, compileWeeks, dayMs, type Length, lengths, spansOf } from './spans.ts'

const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)
const nowMs = at('17T08:15')

// Mondays: 9, 16, 23 and 30 November.
test.each<[string, string, string, Length, Partial<Record<Length, string[]>>]>([
  [
    'whole days and the hours beside them',
    ...(['14T10:30', '17T08:15', 'day'] as const),
    { day: ['15T00:00', '17T00:00'], hour: ['14T10:00', '15T00:00', '17T00:00', '17T08:15'] },
  ],
  ['days alone', '14T00:00', '16T00:00', 'day', { day: ['14T00:00', '16T00:00'] }],
  [
    'a day from its first hour on',
    ...(['14T00:30', '15T23:59', 'day'] as const),
    { day: ['14T00:00', '15T00:00'], hour: ['15T00:00', '15T23:59'] },
  ],
  ['no whole day', '14T01:30', '15T23:59', 'day', { hour: ['14T01:00', '15T23:59'] }],
  [
    'today as a whole day',
    ...(['16T23:30', '17T08:16', 'day'] as const),
    { day: ['17T00:00', '18T00:00'], hour: ['16T23:00', '17T00:00'] },
  ],
  ['hours alone where days are not asked for', '14T10:30', '17T08:15', 'hour', { hour: ['14T10:00', '17T08:15'] }],
  [
    'weeks, the days around them, and the hours around these',
    ...(['01T10:30', '17T08:15', 'week'] as const),
    {
      week: ['02T00:00', '16T00:00'],
      day: ['16T00:00', '17T00:00'],
      hour: ['01T10:00', '02T00:00', '17T00:00', '17T08:15'],
    },
  ],
  [
    'this week as a whole one',
    ...(['06T10:30', '17T08:16', 'week'] as const),
    { week: ['09T00:00', '23T00:00'], day: ['07T00:00', '09T00:00'], hour: ['06T10:00', '07T00:00'] },
  ],
  [
    'within this week its days to come are whole ones',
    ...(['16T10:30', '17T08:16', 'week'] as const),
    { day: ['17T00:00', '23T00:00'], hour: ['16T10:00', '17T00:00'] },
  ],
  ['no whole week, and none asked for', '12T00:00', '16T00:00', 'week', { day: ['12T00:00', '16T00:00'] }],
])('%s', (_name, from, to, longest, wanted) => {
  const spans = spansOf({ fromMs: at(from), toMs: at(to) }, longest, nowMs)
  const flat = (of: Length) => spans[of].flat().sort((a, b) => a - b)
  expect({ week: flat('week'), day: flat('day'), hour: flat('hour') }).toEqual({
    week: (wanted.week ?? []).map(at),
    day: (wanted.day ?? []).map(at),
    hour: (wanted.hour ?? []).map(at),
  })
})

test.each(lengths)('by %s nothing of a scope is left out and nothing counted twice, whatever it is', (longest) => {
  const random = randomOf(7)
  for (let n = 0; n < 500; n++) {
    const fromMs = Math.floor(random() * 4e12)
    const toMs = fromMs + Math.floor(random() ** 3 * 1e10)
    const all = Object.values(spansOf({ fromMs, toMs }, longest, toMs)).flat()
    const sorted = all.sort(([a], [b]) => a - b)
    expect(sorted[0]?.[0]).toBe(Math.floor(fromMs / 3_600_000) * 3_600_000)
    expect(sorted.at(-1)?.[1]).toBe(toMs)
    for (const [n, [from]] of sorted.entries()) if (n > 0) expect(from).toBe(sorted[n - 1]?.[1])
  }
})

test('times before 1970 and after 2106 are its ends', () => {
  const ends = Object.values(spansOf({ fromMs: -5, toMs: 2 ** 45 }, 'week', 0)).flat(2)
  expect([Math.min(...ends), Math.max(...ends)]).toEqual([0, (2 ** 32 - 1) * 1000])
})

test.each([
  [0, 3_600_000, 0, 3600],
  [3_600_001, 7_200_001, 3600, 7201],
  [-5000, 1000, 0, 1],
  [0, 1e18, 0, 2 ** 32 - 1],
])('hours of %i to %i ms stay within what the column holds', (fromMs, toMs, from, to) => {
  const values = createValues()
  const scope = { projectIds: [1, 2], environments: ['a'], fromMs, toMs }
  const asked = { columns: 'hour, n', where: '1', known: false, nowMs: toMs, longest: 'hour' } as const
  expect(compileRollup(values, 'mishap', scope, asked)).toMatch(/^\(SELECT hour, n FROM mishap\.hour_issue\s+WHERE /)
  expect(Object.values(values.bound)).toEqual(expect.arrayContaining([[1, 2], ['a'], from, to]))
})

test.each<[from: string, week: string]>([
  ['2026-11-18T10:20:00Z', '2026-11-16'],
  ['2026-11-16T01:00:00Z', '2026-11-16'],
  // The first hour counts completely, and rows received in the minute before it can belong to it.
  ['2026-11-16T00:30:00Z', '2026-11-09'],
  ['1970-01-01T00:00:00Z', '1970-01-01'],
])('rows of a scope from %s are of the week of %s and later', (from, week) => {
  const values = createValues()
  const text = compileWeeks(values, { fromMs: Date.parse(from) })
  const [seconds] = Object.values(values.bound).map(Number)
  expect(text).toMatch(/^week >= toMonday\(toDateTime\(\{\w+:UInt32\}, 'UTC'\)\)$/)
  const received = new Date((seconds ?? 0) * 1000)
  const monday = new Date(received.getTime() - ((received.getUTCDay() + 6) % 7) * dayMs)
  expect(monday.toISOString().slice(0, 10) > '1970' ? monday.toISOString().slice(0, 10) : '1970-01-01').toBe(week)
})

test.each<[from: string, to: string, known: boolean, selects: RegExp[]]>([
  ['2026-11-16T05:00:00Z', '2026-11-16T20:00:00Z', true, [/issue_time .*span = 0 AND/]],
  ['2026-11-16T05:00:00Z', '2026-11-16T20:00:00Z', false, [/hour_issue/]],
  ['2026-11-16T00:00:00Z', '2026-11-18T00:00:00Z', true, [/issue_time .*span = 1 AND/]],
  ['2026-10-30T05:00:00Z', '2026-11-18T20:00:00Z', true, [/span = 0 AND/, /span = 1 AND/, /span = 2 AND/]],
  ['2026-10-30T05:00:00Z', '2026-11-18T20:00:00Z', false, [/span = 1 AND/, /span = 2 AND/, /hour_issue/]],
])('rows from %s to %s of each length (known: %s) are a SELECT of their own', (from, to, known, selects) => {
  const scope = { projectIds: [7, 7], environments: [], fromMs: Date.parse(from), toMs: Date.parse(to) }
  const asked = { columns: 'n', where: 'its_group', known, nowMs: scope.toMs + 1 }
  const text = compileRollup(createValues(), 'mishap', scope, asked).replaceAll(/\s+/g, ' ')
  const parts = text.slice(1, -1).split(' UNION ALL ')
  expect(parts).toEqual(selects.map((select) => expect.stringMatching(select)))
  for (const part of parts) {
    expect(part).toMatch(/WHERE project_id = \{p\d+:UInt64\} AND/)
    expect(part.match(/span = /g) ?? []).toHaveLength(part.includes('issue_time') ? 1 : 0)
    expect(part).toMatch(/AND its_group$/)
  }
})
