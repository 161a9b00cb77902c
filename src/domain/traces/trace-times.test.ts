import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnsOf, type TestSpan } from './trace.cases.ts'
import { runsOf } from './trace-runs.ts'
import { criticalPath, mainRoot, timesOf } from './trace-times.ts'
import { buildTree } from './trace-tree.ts'

const timed = (list: readonly TestSpan[]) => {
  const spans = columnsOf(list)
  const tree = buildTree(spans)
  return { spans, tree, ...timesOf(spans, tree) }
}
const root: TestSpan = { id: 'a', for: 100 }

describe('self time, gaps and network', () => {
  test('children that overlap count once; what leaves the span does not count', () => {
    const { selfUs } = timed([
      root,
      { id: 'b', parent: 'a', from: 10, for: 30 },
      { id: 'c', parent: 'a', from: 20, for: 30 },
      { id: 'd', parent: 'a', from: 90, for: 50 },
    ])
    expect([...selfUs].map((us) => us / 1000)).toEqual([50, 30, 30, 50])
  })

  test('a gap is before a child or at the end, and short ones are left out', () => {
    const { gaps } = timed([
      root,
      { id: 'b', parent: 'a', from: 1, for: 39 },
      { id: 'c', parent: 'a', from: 60, for: 20 },
    ])
    expect(gaps).toEqual([
      { node: 0, fromUs: 40_000, toUs: 60_000, kind: 'idle', before: 2 },
      { node: 0, fromUs: 80_000, toUs: 100_000, kind: 'idle', before: -1 },
    ])
  })

  test('between a call and the called service it is the network', () => {
    const { gaps, networkUs } = timed([
      { ...root, op: 'http.client' },
      { id: 'b', parent: 'a', project: 1, segment: true, from: 30, for: 50 },
    ])
    expect([...networkUs].map((us) => us / 1000)).toEqual([50, -0.001])
    expect(gaps.map(({ kind, fromUs, toUs }) => [kind, fromUs / 1000, toUs / 1000])).toEqual([
      ['network', 0, 30],
      ['network', 80, 100],
    ])
  })

  test.each<[string, TestSpan, number]>([
    ['newer SDKs', { id: 'c', parent: 'b', op: 'browser.request', name: '/cart', from: 5, for: 130 }, 30],
    ['older SDKs', { id: 'c', parent: 'b', op: 'browser', name: 'request', from: 5, for: 130 }, 30],
    ['another span', { id: 'c', parent: 'b', op: 'browser', name: 'response', from: 5, for: 130 }, -0.001],
    // The page was built once, and the trace is that of its build.
    ['a server that took longer', { id: 'c', parent: 'b', op: 'browser.request', from: 5, for: 60 }, -0.001],
  ])('between the browser and the server of a page load, by %s', (_name, request, networkMs) => {
    const { networkUs, gaps } = timed([
      { ...root, op: 'http.server', segment: true },
      { id: 'b', parent: 'a', project: 1, segment: true, op: 'pageload', from: 20, for: 40 },
      request,
    ])
    // The server did not call the page load, so its other time is none of the network.
    expect([networkUs[0], (networkUs[2] ?? 0) / 1000]).toEqual([-1, networkMs])
    expect(gaps.filter(({ kind }) => kind === 'network')).toEqual([])
  })

  test('without the span of the server, the request of a page has no network time', () => {
    const { networkUs } = timed([
      { id: 'b', segment: true, op: 'pageload', for: 100 },
      { id: 'c', parent: 'b', op: 'browser.request', for: 50 },
    ])
    expect([...networkUs]).toEqual([-1, -1])
  })

  test('a call with retries has no one network time', () => {
    const { networkUs } = timed([
      root,
      { id: 'b', parent: 'a', project: 1, segment: true, from: 30, for: 10 },
      { id: 'c', parent: 'a', project: 1, segment: true, from: 50, for: 10 },
    ])
    expect(networkUs[0]).toBe(-1)
  })
})

const pathOf = (list: readonly TestSpan[]) => {
  const { tree } = timed(list)
  const { nodes, fromUs, toUs } = criticalPath(tree, mainRoot(tree))
  return nodes.map((node, at) => `${list[node]?.id} ${(fromUs[at] ?? 0) / 1000}-${(toUs[at] ?? 0) / 1000}`).reverse()
}

describe('the critical path', () => {
  test.each<[string, TestSpan[], string[]]>([
    ['of nothing', [], []],
    ['of one span', [root], ['a 0-100']],
    [
      'goes through what was waited for last',
      [
        root,
        { id: 'b', parent: 'a', from: 10, for: 50 },
        { id: 'c', parent: 'a', from: 10, for: 60 },
        { id: 'd', parent: 'a', from: 75, for: 15 },
      ],
      ['a 0-10', 'c 10-70', 'a 70-75', 'd 75-90', 'a 90-100'],
    ],
    [
      'goes into children of children',
      [root, { id: 'b', parent: 'a', from: 20, for: 60 }, { id: 'c', parent: 'b', from: 30, for: 20 }],
      ['a 0-20', 'b 20-30', 'c 30-50', 'b 50-80', 'a 80-100'],
    ],
    [
      'not into what still ran when the parent ended',
      [root, { id: 'b', parent: 'a', from: 50, for: 100 }, { id: 'c', parent: 'a', from: 10, for: 20 }],
      ['a 0-10', 'c 10-30', 'a 30-100'],
    ],
  ])('%s', (_name, list, expected) => expect(pathOf(list)).toEqual(expected))

  test('covers its root without overlap when all children lie inside', () => {
    const span = fc.record({
      parent: fc.nat(5),
      from: fc.integer({ min: 0, max: 50 }),
      for: fc.integer({ min: 0, max: 50 }),
    })
    fc.assert(
      fc.property(fc.array(span, { maxLength: 8 }), (list) => {
        const inside = list.map((item, n) => ({ ...item, id: `s${n}`, parent: 'a' }))
        const { tree } = timed([root, ...inside])
        const { fromUs, toUs } = criticalPath(tree, mainRoot(tree))
        const sum = fromUs.reduce((all, from, at) => all + (toUs[at] ?? 0) - from, 0)
        expect(sum).toBe(100_000)
        expect(fromUs.every((from, at) => at === fromUs.length - 1 || from === toUs[at + 1])).toBe(true)
      }),
    )
  })
})

describe('runs of repeated siblings', () => {
  const query = (n: number, more: Partial<TestSpan> = {}): TestSpan => ({
    id: `q${n}`,
    parent: 'a',
    from: n,
    for: 1,
    op: 'db',
    name: `SELECT * FROM items WHERE id = ${n} AND name = 'n${n}'`,
    ...more,
  })
  const runs = (list: TestSpan[]) => {
    const { spans, tree } = timed([root, ...list])
    return runsOf(spans, tree).get(0) ?? []
  }
  test.each<[string, TestSpan[], number[]]>([
    ['five that differ by literals', [1, 2, 3, 4, 5].map((n) => query(n)), [5]],
    ['four', [1, 2, 3, 4].map((n) => query(n)), []],
    ['another op between', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => query(n, n === 6 ? { op: 'cache' } : {})), [5]],
    ['another statement', [1, 2, 3, 4, 5].map((n) => query(n, n % 2 ? { name: 'BEGIN' } : {})), []],
    ['of another project', [1, 2, 3, 4, 5].map((n) => query(n, { project: n % 2 })), []],
    ['segments are never folded', [1, 2, 3, 4, 5].map((n) => query(n, { segment: true })), []],
  ])('%s', (_name, list, expected) => expect(runs(list).map((run) => run.count)).toEqual(expected))

  test('pairs are one run, named by the part that took longer; half a pair is not in it', () => {
    const connect = (n: number) => query(n, { name: 'pg-pool.connect', for: 0.1 })
    const pairs = Array.from({ length: 5 }, (_, n) => [connect(2 * n + 1), query(2 * n + 2)]).flat()
    expect(runs([query(0, { name: 'BEGIN' }), ...pairs, connect(11)])).toEqual([
      { first: 2, place: 1, count: 10, times: 5, main: 3, totalUs: 5500 },
    ])
    expect(runs(pairs.slice(2))).toEqual([])
  })

  test('a run has its place, its sum, and roots have runs too', () => {
    expect(runs([query(0, { name: 'BEGIN' }), ...[1, 2, 3, 4, 5].map((n) => query(n))])).toEqual([
      { first: 2, place: 1, count: 5, times: 5, main: 2, totalUs: 5000 },
    ])
    const { spans, tree } = timed([1, 2, 3, 4, 5].map((n) => query(n, { parent: '' })))
    expect(runsOf(spans, tree).get(-1)).toMatchObject([{ place: 0, count: 5 }])
  })
})
