import { describe, expect, test } from 'vitest'
import { columnsOf, type TestSpan } from './trace.cases.ts'
import { compareTraces } from './trace-compare.ts'
import { buildTree } from './trace-tree.ts'

const traceOf = (list: readonly TestSpan[], projects: readonly (string | null)[] = ['web']) => {
  const spans = columnsOf(list)
  return { spans, tree: buildTree(spans), projects }
}
const queries = (count: number, length: number): TestSpan[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${n + 10}`,
    parent: 'a',
    op: 'db',
    name: `SELECT * FROM items WHERE id = ${n}`,
    from: 10 + n * length,
    for: length,
  }))
const root = (name: string, length: number): TestSpan => ({
  id: 'a',
  op: 'http.server',
  name,
  segment: true,
  for: length,
})

describe('two traces of one route', () => {
  const slow = [
    root('GET /posts/hello', 1000),
    ...queries(38, 20),
    { id: 'c', parent: 'a', op: 'cache.get', name: 'key', from: 900, for: 5 },
  ]
  const fast = [
    root('GET /posts/world', 100),
    ...queries(2, 20),
    { id: 'd', parent: 'a', op: 'render', name: 'page', from: 60, for: 30, status: 'internal_error' },
  ]
  const { rows, largest, leftOut } = compareTraces(traceOf(slow), traceOf(fast), 100)

  test('roots belong together, repeats are one row with both counts', () => {
    expect(rows.map(({ op, depth, a, b }) => [op, depth, a?.count ?? 0, b?.count ?? 0])).toEqual([
      ['http.server', 0, 1, 1],
      ['db', 1, 38, 2],
      ['render', 1, 0, 1],
      ['cache.get', 1, 1, 0],
    ])
    expect(leftOut).toBe(0)
  })

  test('sums, self time, extent and failures of each side', () => {
    expect(rows[1]?.a).toMatchObject({ totalUs: 760_000, selfUs: 760_000, fromUs: 10_000, toUs: 770_000, failed: 0 })
    expect(rows[2]).toMatchObject({ a: undefined, b: { failed: 1, spanId: 'd'.padStart(16, '0') } })
  })

  test('the largest differences of self time come first', () => {
    expect(largest.map((at) => rows[at]?.op)).toEqual(['db', 'http.server', 'render', 'cache.get'])
  })
})

test('a span may have more kinds of children than a call has arguments', () => {
  const wordOf = (n: number) => String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))
  const wide = traceOf([
    root('GET /', 1000),
    ...Array.from({ length: 130_000 }, (_, n) => ({
      id: (n + 16).toString(16),
      parent: 'a',
      op: `op${n % 400}`,
      name: wordOf(Math.floor(n / 400)),
      for: 1,
    })),
  ])
  const { rows, leftOut } = compareTraces(wide, traceOf([root('GET /', 1000)]), 10)
  expect([rows.length, leftOut]).toEqual([10, 129_991])
})

test('over the limit the rows with most time stay, with those above them', () => {
  const list = [
    root('GET /', 1000),
    ...[1, 2, 3, 4].map((n) => ({ id: `${n}`, parent: 'a', op: `op${n}`, for: n * 10 })),
  ]
  const { rows, leftOut } = compareTraces(traceOf(list), traceOf(list), 3)
  expect([rows.map(({ op, parent }) => [op, parent]), leftOut]).toEqual([
    [
      ['http.server', -1],
      ['op3', 0],
      ['op4', 0],
    ],
    2,
  ])
})

test('spans of projects that the reader may not read have no texts; missing parents are named', () => {
  const list: TestSpan[] = [
    root('GET /', 100),
    { id: 'h', parent: 'a', op: 'secret', name: 'secret', project: 1 },
    { id: 'o', parent: 'gone', op: 'db', name: 'x', from: 50 },
  ]
  const { rows } = compareTraces(traceOf(list, ['web', null]), traceOf([], []), 100)
  expect(rows.map(({ kind, op }) => [kind, op])).toEqual([
    ['span', 'http.server'],
    ['hidden', ''],
    ['missing', ''],
    ['span', 'db'],
  ])
  expect(JSON.stringify(rows)).not.toContain('secret')
})

test('a chain of 50,000 spans', () => {
  const chain = Array.from({ length: 50_000 }, (_, n) => ({
    id: n.toString(16),
    parent: n === 0 ? '' : (n - 1).toString(16),
    op: 'f',
    for: 50_000 - n,
  }))
  const spans = { ...columnsOf([]), ...chainColumns(chain) }
  const trace = { spans, tree: buildTree(spans), projects: ['web'] }
  expect(compareTraces(trace, trace, 100).rows).toHaveLength(100)
})

/** Columns without the quadratic search for texts of `columnsOf`. */
function chainColumns(list: readonly { id: string; parent: string; op: string; for: number }[]) {
  const zeros = list.map(() => 0)
  return {
    texts: ['', 'f'],
    ids: list.map(({ id }) => id.padStart(16, '0')),
    parentIds: list.map(({ parent }) => (parent === '' ? '' : parent.padStart(16, '0'))),
    segmentIds: zeros,
    projects: zeros,
    segments: zeros,
    starts: zeros,
    durations: list.map((span) => span.for),
    ops: list.map(() => 1),
    names: zeros,
    statuses: zeros,
    failures: zeros,
    platforms: zeros,
    environments: zeros,
    cuts: zeros,
  }
}
