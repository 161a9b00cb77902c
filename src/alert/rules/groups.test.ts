import { describe, expect, test } from 'vitest'
import type { Cell } from '../../store/events/question.ts'
import { createRanking, type GroupedState, groupedState, stepGroups } from './groups.ts'
import { type MetricCondition, type MetricMeasure, newMetricState } from './metric.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const startMs = Date.UTC(2026, 10, 16)

const ruleOf = (more: Partial<MetricCondition> = {}): MetricCondition => ({
  threshold: { type: 'fixed', direction: 'above', warning: 10, critical: 20, resolve: 5 },
  minimum: 0,
  missing: 'keep',
  ...more,
})

/** The values of groups in one window; null: it has no rows, and nothing to compute from. */
type Window = Readonly<Record<string, number | null>>

/** Runs windows a minute apart. `rows`: of each group with a value, by default its value. */
function run(
  rule: MetricCondition,
  windows: readonly Window[],
  { groups = 0, atMs = (at: number) => at * minuteMs } = {},
) {
  let state: GroupedState = groupedState(newMetricState())
  const fired: string[] = []
  for (const [at, window] of windows.entries()) {
    const endMs = startMs + atMs(at)
    const ranked = Object.entries(window)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => ({ key: JSON.stringify([name]), cells: [name] as Cell[], rows: value ?? 0 }))
      .toSorted((a, b) => b.rows - a.rows)
    const measureOf = ([name]: Cell[]): MetricMeasure => {
      const value = window[String(name)] ?? null
      return { atMs: endMs, value, rows: value ?? 0, reference: null, waits: '' }
    }
    const step = stepGroups(
      rule,
      state,
      { atMs: endMs, ranked, groups: Math.max(groups, ranked.length) },
      { windowMs: 5 * minuteMs, measureOf },
    )
    state = step.state
    fired.push(...step.firings.map(({ cells, change, level }) => `${at} ${String(cells[0])} ${change} ${level}`))
  }
  return { state, fired }
}

describe('each group has a state of its own', () => {
  test.each<[string, Partial<MetricCondition>, Window[], string[]]>([
    [
      'two fire in one window',
      {},
      [
        { a: 1, b: 1 },
        { a: 25, b: 12 },
      ],
      ['1 a start critical', '1 b start warning'],
    ],
    [
      'one rises while another ends',
      {},
      [
        { a: 12, b: 25 },
        { a: 25, b: 4 },
      ],
      ['0 b start critical', '0 a start warning', '1 b end critical', '1 a change critical'],
    ],
    [
      'above the resolve threshold it does not flap',
      {},
      [{ a: 12 }, { a: 8 }, { a: 12 }, { a: 5 }],
      ['0 a start warning', '3 a end warning'],
    ],
    ['with few rows no level rises', { minimum: 30 }, [{ a: 25, b: 40 }], ['0 b start critical']],
    ['a group that disappears fires', { missing: 'fire' }, [{ a: 1, b: 1 }, { a: 1 }], ['1 b start critical']],
    [
      'a group that disappears ends',
      { missing: 'resolve' },
      [{ a: 25 }, {}],
      ['0 a start critical', '1 a end critical'],
    ],
    ['a group that disappears keeps its level', {}, [{ a: 25 }, {}], ['0 a start critical']],
  ])('%s', (_says, rule, windows, expected) => {
    expect(run(ruleOf(rule), windows).fired).toEqual(expected)
  })

  test('the rule has the worst level and the value of the group that is furthest out', () => {
    const { state } = run(ruleOf(), [
      { a: 1, b: 30, c: 25 },
      { a: 12, b: 22, c: 21 },
    ])
    expect(state).toMatchObject({ level: 'critical', value: 22, sinceMs: startMs, firedMs: startMs, blocked: null })
    expect(run(ruleOf(), [{}]).state).toMatchObject({ level: 'ok', value: null, groups: [] })
  })
})

describe('which groups are watched', () => {
  const many = (count: number, value: (at: number) => number): Window =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`g${at}`, value(at)]))

  test('the 100 with most rows, and the rest is counted', () => {
    const { state } = run(ruleOf(), [many(130, (at) => 1 + at / 1000)])
    expect(state.groups).toHaveLength(100)
    expect(state.groups.map(({ cells }) => cells[0])).toContain('g129')
    expect(state.groups.map(({ cells }) => cells[0])).not.toContain('g0')
    expect(state.beyond).toBe(30)
    expect(run(ruleOf(), [{ a: 1 }], { groups: 5000 }).state.beyond).toBe(4999)
  })

  test('one that fires keeps its place', () => {
    const { state, fired } = run(ruleOf(), [
      { a: 25 },
      { ...many(130, () => 8), a: 6 },
      { ...many(130, () => 8), a: 2 },
    ])
    expect(fired).toEqual(['0 a start critical', '1 a change warning', '2 a end warning'])
    expect(state.groups).toHaveLength(100)
  })

  test('one without rows is forgotten after a day, and what it fired ends', () => {
    const days = { atMs: (at: number) => at * dayMs * 0.75 }
    const { state, fired } = run(ruleOf(), [{ a: 25, b: 1 }, {}, {}], days)
    expect(fired).toEqual(['0 a start critical', '2 a end critical'])
    expect(state.groups).toEqual([])
  })
})

test('ranks are those of the window, whichever windows were ranked before', () => {
  const bucket = (rows: Record<string, number>, groups = Object.keys(rows).length) => ({
    groups,
    rows: new Map(Object.entries(rows).map(([name, count]) => [name, { cells: [name] as Cell[], bucket: [count] }])),
  })
  const buckets = new Map([
    [startMs, bucket({ a: 0.1, b: 5 })],
    [startMs + minuteMs, bucket({ a: 0.2 }, 900)],
    [startMs + 2 * minuteMs, bucket({ a: 0.7, c: 1 })],
  ])
  const shape = { stepMs: minuteMs, windowMs: 2 * minuteMs }
  const at = (minute: number) => startMs + minute * minuteMs
  const moving = createRanking(buckets, shape)
  for (const minute of [2, 3, 4, 5, 9]) {
    const window = moving(at(minute))
    expect(window).toEqual(createRanking(buckets, shape)(at(minute)))
    if (minute === 2)
      expect(window).toEqual({
        atMs: at(2),
        groups: 900,
        ranked: [
          { key: 'b', cells: ['b'], rows: 5 },
          { key: 'a', cells: ['a'], rows: 0.3 },
        ],
      })
  }
})
