import { describe, expect, test } from 'vitest'
import type { MetricCondition } from '../contract/alerts/alerts.ts'
import type { RankedBucket } from '../query/group-measures.ts'
import type { Measure } from '../query/metrics/measures.ts'
import {
  longerHistory,
  messagesOfGroups,
  othersOfGroups,
  runGroupedRule,
  samplesOfGroups,
  shownGroup,
  shownGroups,
  truncatedPart,
} from './group-back-test.ts'
import { hostileTexts } from './message/hostile.cases.ts'
import { addRanked, createGrouped, forgetGroups, judgeGroups, readSeries } from './rules/grouped.ts'
import { type GroupFiring, groupedState } from './rules/groups.ts'
import { newMetricState } from './rules/metric.ts'

const minuteMs = 60_000
const startMs = Date.UTC(2026, 10, 16, 10)
const range = { fromMs: startMs, toMs: startMs + 6 * minuteMs }

const measure: Measure = {
  dataset: 'spans',
  from: 'spans',
  projectIds: [1],
  environments: [],
  filter: undefined,
  withCut: false,
  groups: [{ name: 'route', value: { of: 'text', column: 'route' } }],
  isCount: true,
  stepMs: minuteMs,
  windowMs: minuteMs,
  recipes: {
    parts: [
      { aggregate: { fn: 'count' }, merge: 'sum' },
      { aggregate: { fn: 'samples' }, merge: 'sum' },
    ],
    uniques: [],
    valueOf: ([count]) => (typeof count === 'number' ? count : 0),
  },
}

const rule = {
  threshold: { type: 'fixed', direction: 'above', warning: null, critical: 10, resolve: null },
  minimum: 0,
  missing: 'keep',
} as MetricCondition

/** Counts of groups minute by minute. */
const minutes: Record<string, number>[] = [
  { '/cart': 5, '/pay': 1 },
  { '/cart': 12, '/pay': 30 },
  { '/cart': 14 },
  { '/cart': 2, '/pay': 25 },
  { '/cart': 1, '/pay': 1, '/help': 3 },
  { '/cart': 1 },
]

async function historyOf(counts = minutes, groups?: number) {
  const grouped = createGrouped(measure, rule, () => null)
  const found = new Map(
    counts.map((own, at): [number, RankedBucket] => [
      startMs + at * minuteMs,
      {
        groups: groups ?? Object.keys(own).length,
        rows: new Map(
          Object.entries(own).map(([name, count]) => [
            JSON.stringify([name]),
            { cells: [name], bucket: [count, count] },
          ]),
        ),
      },
    ]),
  )
  addRanked(grouped, found)
  const ends = counts.map((_, at) => startMs + (at + 1) * minuteMs)
  const events = { seriesOfRows: async () => [] }
  await readSeries({ events, meta: {} } as never, grouped, ends, groupedState(newMetricState()), { limits: {} })
  return { grouped, ends, readFrom: startMs, firstMs: null }
}

const minuteOf = (ms: number | null) => (ms === null ? null : (ms - startMs) / minuteMs)

describe('a run over stored groups', () => {
  test('has the firings of each group, with their ends and peaks', async () => {
    const { firings } = runGroupedRule(await historyOf(), rule)
    expect(
      firings.map(({ cells, startMs: ms, endMs, peak }) => [cells[0], minuteOf(ms), minuteOf(endMs), peak]),
    ).toEqual([
      ['/pay', 2, 3, 30],
      ['/cart', 2, 4, 14],
      ['/pay', 4, 5, 25],
    ])
  })

  test('names the groups, those that fired most first', async () => {
    const run = runGroupedRule(await historyOf(), rule)
    const { shown, others, more, beyond } = shownGroups(run, measure, rule, { ...range, barMs: 2 * minuteMs })
    expect(shown.map(({ name, times }) => [name, times])).toEqual([
      ['/pay', 2],
      ['/cart', 1],
      ['/help', 0],
    ])
    expect(shown[0]?.points.map(({ value }) => value)).toEqual([30, 25, 1])
    expect({ others, more, beyond }).toEqual({ others: [], more: 0, beyond: 0 })
  })

  test('shows five charts, and names the others', async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`/${at}`, at + 1]))
    const run = runGroupedRule(await historyOf([many]), rule)
    const { shown, others } = shownGroups(run, measure, rule, { ...range, barMs: minuteMs })
    expect(shown.map(({ name }) => name)).toEqual(['/8', '/7', '/6', '/5', '/4'])
    expect(others.map(({ name }) => name)).toEqual(['/3', '/2', '/1', '/0'])
  })

  test('other thresholds fire as often as they would have', async () => {
    const history = await historyOf()
    const others = othersOfGroups(history, rule, runGroupedRule(history, rule), range.toMs)
    expect(others.map(({ threshold, times, isChosen }) => [threshold, times, isChosen])).toEqual([
      [6, 3, false],
      [10, 3, true],
      [15, 2, false],
      [20, 2, false],
    ])
    expect(others.find(({ isChosen }) => isChosen)?.totalMs).toBe(4 * minuteMs)
  })

  test('the same rows in longer windows, if all of them were read', async () => {
    const history = await historyOf()
    const longer = { ...measure, windowMs: 2 * minuteMs }
    const deps = { events: { seriesOfRows: async () => [] }, meta: {} } as never
    // The window that ends a minute after the start would begin before what was read.
    expect(await longerHistory(deps, history, longer, { ...range, fromMs: startMs + minuteMs })).toBeUndefined()
    const late = { ...history, ends: history.ends.slice(1) }
    const found = await longerHistory(deps, late, longer, { ...range, fromMs: startMs + 2 * minuteMs })
    expect(found?.ends).toEqual(late.ends)
    const { firings } = runGroupedRule(found ?? history, { ...rule, threshold: { ...rule.threshold, critical: 20 } })
    expect(firings.map(({ cells, startMs: ms, peak }) => [cells[0], minuteOf(ms), peak])).toEqual([
      ['/pay', 2, 31],
      ['/cart', 3, 26],
    ])
  })

  test('counts stored rows, and says when a step has more groups than are ranked', async () => {
    const history = await historyOf()
    expect(samplesOfGroups(history)).toEqual({ samples: 89, sampled: false })
    expect(truncatedPart(history, range)).toEqual([])
    const full = await historyOf(minutes, 5000)
    expect(truncatedPart(full, range)).toMatchObject([{ ...range, reason: 'groups' }])
    expect(runGroupedRule(full, rule).beyond).toBe(4999)
  })

  test('the evaluator forgets what no later window has', async () => {
    const { grouped, ends } = await historyOf()
    const last = ends.at(-1) ?? 0
    const { state } = judgeGroups(grouped, rule, groupedState(newMetricState()), last)
    forgetGroups(grouped, state, last)
    expect([...grouped.ranked.keys()]).toEqual([last - minuteMs])
    expect([...grouped.series.keys()]).toEqual(['["/cart"]'])
  })
})

describe('messages of a receiver', () => {
  const change = (minute: number, name: string, what: GroupFiring['change'] = 'start'): GroupFiring => ({
    change: what,
    level: 'critical',
    atMs: startMs + minute * minuteMs,
    value: 11,
    threshold: 10,
    sinceMs: startMs,
    cells: [name],
  })
  test.each<[string, GroupFiring[], number]>([
    ['none', [], 0],
    ['one for groups that fire at once', [change(0, 'a'), change(0, 'b'), change(0, 'c')], 1],
    ['one for a group that follows within minutes', [change(0, 'a'), change(5, 'b')], 1],
    ['another one for a group that fires later', [change(0, 'a'), change(6, 'b')], 2],
    ['the end only when all have ended', [change(0, 'a'), change(0, 'b'), change(3, 'a', 'end')], 1],
    ['start and end', [change(0, 'a'), change(0, 'b'), change(3, 'a', 'end'), change(4, 'b', 'end')], 2],
  ])('%s', (_says, changes, count) => {
    expect(messagesOfGroups(changes, { intervalMinutes: 30, resolveMessage: true })).toBe(count)
  })
})

test.each(hostileTexts)('the name of a group is one clean line: $name', ({ text }) => {
  const name = shownGroup(measure, [text])
  expect(name).not.toMatch(/[\r\n\0\u202a-\u202e\u200b]/)
  expect([...name].length).toBeLessThanOrEqual(120)
})

test.each([
  [[null], '(none)'],
  [[7], '7'],
  [[true], 'true'],
])('the group %j is named %s', (cells, name) => {
  expect(shownGroup(measure, cells)).toBe(name)
})
