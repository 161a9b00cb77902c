import { describe, expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import { randomOf } from '../../random.cases.ts'
import type { Filter, QuestionStore } from '../../store/events/question.ts'
import { groupKey } from '../group-measures.ts'
import type { Measure } from './measures.ts'
import { readGroupUniques, readUniques, uniquePieces } from './unique-counts.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 23, 12)
const stepMs = 15 * minuteMs

type Asked = Parameters<QuestionStore['uniqueOfWindows']>[0]
type Row = { ms: number; group: string; value: number }

const isEven: Filter = { op: 'compare', value: { of: 'number', column: 'even' }, compare: '=', number: 1 }

function measureOf(windowMs: number, change: Partial<Measure> = {}): Measure {
  const of = { of: 'text', column: 'user' } as const
  return {
    dataset: 'spans',
    from: 'spans',
    projectIds: [1],
    environments: [],
    filter: undefined,
    withCut: false,
    groups: [],
    isCount: false,
    stepMs,
    windowMs,
    recipes: {
      parts: [{ aggregate: { fn: 'count' }, merge: 'sum' }],
      uniques: [
        { of, only: undefined },
        { of, only: isEven },
      ],
      valueOf: () => 0,
    },
    ...change,
  }
}

/** Rows of some days with a gap, so that groups come, go and come again. */
function rowsOf(groups: number): Row[] {
  const random = randomOf(5)
  return Array.from({ length: 600 }, () => ({
    ms: noon - Math.floor((random() < 0.7 ? random() * 1.2 : 3 + random()) * dayMs),
    group: `g${Math.floor(random() * groups)}`,
    value: Math.floor(random() * 30),
  }))
}

const isMeant = (row: Row, only: Filter | undefined) => only === undefined || row.value % 2 === 0
const countOf = (rows: readonly Row[], only: Filter | undefined, endMs: number, windowMs: number) =>
  new Set(
    rows.filter((row) => row.ms >= endMs - windowMs && row.ms < endMs && isMeant(row, only)).map(({ value }) => value),
  ).size

/** A store that counts rows as the events store does, and notes what it is asked. */
function storeOf(rows: readonly Row[]) {
  const asked: Asked[] = []
  const uniqueOfWindows: QuestionStore['uniqueOfWindows'] = async (question) => {
    asked.push(question)
    const { scope, parts, values, only, windowMs } = question
    const read = rows.filter(({ ms }) => ms >= scope.fromMs && ms < scope.toMs)
    const wanted = only && new Set(only.map(([cell]) => cell))
    const groups = Map.groupBy(read, ({ group }) => (values.length > 0 ? group : ''))
    return [...groups]
      .filter(([group]) => !wanted || wanted.has(group))
      .flatMap(([group, own]) =>
        parts.map((part, at) => {
          const changes: { endMs: number; count: number }[] = []
          const first = Math.floor(scope.fromMs / stepMs) * stepMs
          for (let endMs = first; endMs <= scope.toMs + windowMs; endMs += stepMs) {
            const count = countOf(own, part.only, endMs, windowMs)
            if (count !== (changes.at(-1)?.count ?? 0)) changes.push({ endMs, count })
          }
          return { part: at, group: values.length > 0 ? [group] : [], changes }
        }),
      )
      .filter(({ changes }) => changes.length > 0)
  }
  return { asked, deps: { events: { uniqueOfWindows } } }
}

const ends = { fromMs: noon - 5 * dayMs, toMs: noon }
const allEnds = Array.from({ length: (ends.toMs - ends.fromMs) / stepMs + 1 }, (_, at) => ends.fromMs + at * stepMs)

describe('windows are read piece by piece', () => {
  test.each([
    ['one window', noon, 6 * 60 * minuteMs, [[0, 0]]],
    ['a day', noon - dayMs + stepMs, 6 * 60 * minuteMs, [[dayMs - stepMs, 0]]],
    [
      'more than two days',
      noon - 2 * dayMs,
      6 * 60 * minuteMs,
      [
        [dayMs - stepMs, 0],
        [2 * dayMs - stepMs, dayMs],
        [2 * dayMs, 2 * dayMs],
      ],
    ],
    ['windows that are longer than a day', noon - 2 * dayMs, 3 * dayMs, [[2 * dayMs, 0]]],
  ])('%s', (_name, fromMs, windowMs, pieces) => {
    expect(uniquePieces({ stepMs, windowMs }, { fromMs, toMs: noon })).toEqual(
      pieces.map(([first = 0, last = 0]) => ({ fromMs: noon - first, toMs: noon - last })),
    )
  })

  test.each([60 * minuteMs, 6 * 60 * minuteMs, 2 * dayMs])('each window of %s ms counts its rows', async (windowMs) => {
    const rows = rowsOf(1)
    const { asked, deps } = storeOf(rows)
    const [countsAt] = await readUniques(deps, [measureOf(windowMs)], { ...ends, limits: {} })
    expect(asked.length).toBe(windowMs > dayMs ? 3 : 6)
    for (const { scope } of asked) expect(scope.toMs - scope.fromMs).toBeLessThan(2 * Math.max(dayMs, windowMs))
    for (const endMs of allEnds)
      expect(countsAt?.(endMs)).toEqual([
        countOf(rows, undefined, endMs, windowMs),
        countOf(rows, isEven, endMs, windowMs),
      ])
  })
})

test('measures share a statement, with their projects and environments in their own parts; equal ones are asked once', async () => {
  const { asked, deps } = storeOf([])
  const windowMs = 60 * minuteMs
  const measures = [
    measureOf(windowMs),
    measureOf(windowMs, { projectIds: [2], environments: ['production'] }),
    measureOf(windowMs),
  ]
  const found = await readUniques(deps, measures, { fromMs: noon, toMs: noon, limits: {} })
  expect(found.map((countsAt) => countsAt(noon))).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ])
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({
    scope: { projectIds: [1, 2], environments: [], fromMs: noon - windowMs, toMs: noon },
    filter: undefined,
  })
  expect(asked[0]?.parts).toHaveLength(4)
  expect(asked[0]?.parts[0]?.only).toEqual({ op: 'projects', ids: [1] })
  expect(JSON.stringify(asked[0]?.parts[3]?.only)).toContain('production')
})

test('a measure without different values asks nothing', async () => {
  const { asked, deps } = storeOf([])
  const { recipes } = measureOf(stepMs)
  const plain = measureOf(stepMs, { recipes: { ...recipes, uniques: [] } })
  expect((await readUniques(deps, [plain], { ...ends, limits: {} })).map((countsAt) => countsAt(noon))).toEqual([[]])
  expect(asked).toEqual([])
})

describe('groups', () => {
  const by = { groups: [{ name: 'route', value: { of: 'text', column: 'route' } as const }] }
  const windowMs = 6 * 60 * minuteMs

  test.each([
    ['few are named', 3, 6],
    ['over a hundred are named in two statements of each piece', 150, 12],
    ['of many, one statement of each piece reads all', 250, 6],
  ])('%s, and each counts its own rows', async (_name, count, statements) => {
    const rows = rowsOf(count)
    const cells = Array.from({ length: count }, (_, at) => [`g${at}`])
    const { asked, deps } = storeOf(rows)
    const found = await readGroupUniques(deps, measureOf(windowMs, by), cells, { ...ends, limits: {} })
    expect(asked).toHaveLength(statements)
    expect(found.size).toBe(count)
    const own = Map.groupBy(rows, ({ group }) => group)
    for (const [group] of cells)
      for (const endMs of allEnds.filter((_, at) => at % 7 === 0))
        expect(found.get(groupKey([group ?? '']))?.(endMs)).toEqual([
          countOf(own.get(group ?? '') ?? [], undefined, endMs, windowMs),
          countOf(own.get(group ?? '') ?? [], isEven, endMs, windowMs),
        ])
  })

  test('no group asks nothing', async () => {
    const { asked, deps } = storeOf(rowsOf(3))
    expect((await readGroupUniques(deps, measureOf(windowMs, by), [], { ...ends, limits: {} })).size).toBe(0)
    expect(asked).toEqual([])
  })

  test('a query over its limit is the caller’s to handle', async () => {
    const timeout = new MishapError('QUERY_TIMEOUT')
    const deps = { events: { uniqueOfWindows: async () => Promise.reject(timeout) } }
    const asked = readGroupUniques(deps, measureOf(windowMs, by), [['g0']], { ...ends, limits: {} })
    await expect(asked).rejects.toBe(timeout)
  })
})
