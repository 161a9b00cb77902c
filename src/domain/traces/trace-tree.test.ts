import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnsOf, type TestSpan } from './trace.cases.ts'
import { buildTree, childrenOf, extentOf, type TraceTree } from './trace-tree.ts'

/** The tree as nested ids; a missing parent is `?id`. */
function drawn(list: readonly TestSpan[], options = {}): string {
  const tree = buildTree(columnsOf(list), options)
  const nameOf = (node: number) =>
    list[node]?.id ?? `?${(tree.missingIds[node - tree.spanCount] ?? '').replace(/^0+/, '')}`
  const draw = (node: number): string => {
    const below = [...childrenOf(tree, node)].map(draw).join(' ')
    return below === '' ? nameOf(node) : `${nameOf(node)}(${below})`
  }
  return tree.roots.map(draw).join(' ')
}

describe('the shape of a trace', () => {
  test.each<[string, TestSpan[], string]>([
    ['nothing', [], ''],
    [
      'children by start, whatever their order',
      [{ id: 'b', parent: 'a', from: 5 }, { id: 'c', parent: 'a', from: 2 }, { id: 'a' }],
      'a(c b)',
    ],
    [
      'several roots',
      [
        { id: 'b', from: 3 },
        { id: 'a', from: 1 },
      ],
      'a b',
    ],
    [
      'orphans below their missing parent',
      [
        { id: 'a' },
        { id: 'b', parent: 'x', from: 2 },
        { id: 'c', parent: 'x', from: 1 },
        { id: 'd', parent: 'y', from: 4 },
      ],
      'a ?x(c b) ?y(d)',
    ],
    ['a span that is its own parent', [{ id: 'a', parent: 'a' }], 'a'],
    [
      'a circle is cut at its first span',
      [
        { id: 'b', parent: 'c', from: 2 },
        { id: 'c', parent: 'd', from: 3 },
        { id: 'd', parent: 'b', from: 4 },
        { id: 'e', parent: 'd', from: 5 },
      ],
      'b(d(c e))',
    ],
    [
      'two circles',
      [
        { id: 'a', parent: 'b' },
        { id: 'b', parent: 'a', from: 1 },
        { id: 'c', parent: 'd', from: 2 },
        { id: 'd', parent: 'c', from: 3 },
      ],
      'a(b) c(d)',
    ],
    [
      'a repeated span counts once, the first of them',
      [
        { id: 'a', for: 50 },
        { id: 'b', parent: 'a', from: 9 },
        { id: 'b', parent: 'a', from: 3 },
      ],
      'a(b)',
    ],
    [
      'one id in two projects: the parent of the own project first',
      [
        { id: 'a', project: 0 },
        { id: 'a', project: 1, from: 1 },
        { id: 'b', parent: 'a', project: 1, from: 2 },
        { id: 'c', parent: 'a', project: 0, from: 2 },
        { id: 'd', parent: 'a', project: 2, from: 2 },
      ],
      'a(c d) a(b)',
    ],
    [
      'a parent before a child that starts with it',
      [
        { id: 'b', parent: 'a', for: 5 },
        { id: 'a', for: 5 },
      ],
      'a(b)',
    ],
  ])('%s', (_name, list, expected) => expect(drawn(list)).toBe(expected))

  test('repeats and circles are counted, a missing parent covers its children', () => {
    const tree = buildTree(
      columnsOf([
        { id: 'b', parent: 'x', from: 10, for: 5 },
        { id: 'c', parent: 'x', from: 30, for: 5 },
        { id: 'c', parent: 'x', from: 31, for: 5 },
        { id: 'd', parent: 'e', from: 40 },
        { id: 'e', parent: 'd', from: 41 },
      ]),
    )
    expect([tree.repeated, [...tree.cyclic]]).toEqual([1, [3]])
    expect([tree.starts[5], tree.durations[5]]).toEqual([10_000, 25_000])
    expect(extentOf(tree)).toEqual({ fromUs: 10_000, toUs: 51_000 })
  })

  test('in a sample, a span whose parent was left out hangs on its segment', () => {
    const list = [
      { id: 'a', segment: true, for: 100 },
      { id: 'b', parent: 'x', segmentId: 'a', from: 5 },
      { id: 'c', parent: 'y', from: 6 },
      { id: 's', parent: 'z', segmentId: 's', segment: true, from: 7 },
    ]
    expect(drawn(list, { isSampled: true })).toBe('a(b) c s')
    expect(drawn(list)).toBe('a ?x(b) ?y(c) ?z(s)')
  })
})

/** Checks that each span is in the order once, after its parent, and that sizes and depths agree. */
function agrees(tree: TraceTree): boolean {
  const place = new Map([...tree.order].map((node, at) => [node, at]))
  return [...tree.order].every((node, at) => {
    const parent = tree.parents[node] ?? -1
    const children = [...childrenOf(tree, node)]
    return (
      place.get(node) === at &&
      (parent === -1 || (place.get(parent) ?? at) < at) &&
      tree.sizes[node] === children.reduce((sum, child) => sum + (tree.sizes[child] ?? 0), 1) &&
      children.every((child) => tree.depths[child] === (tree.depths[node] ?? 0) + 1)
    )
  })
}

test('any ids and times give one tree with each span once', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
  const span = fc.record({
    id,
    parent: fc.oneof(id, fc.constant(''), fc.constant('x')),
    from: fc.integer({ min: 0, max: 20 }),
    for: fc.integer({ min: 0, max: 9 }),
    project: fc.integer({ min: 0, max: 2 }),
    segment: fc.boolean(),
    op: fc.constantFrom('http.client', 'db', 'pageload'),
  })
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), fc.boolean(), (list, isSampled) => {
      const tree = buildTree(columnsOf(list), { isSampled })
      const distinct = new Set(list.map((item) => `${item.project} ${item.id}`)).size
      const ofSpans = [...tree.order].filter((node) => node < tree.spanCount)
      expect(ofSpans).toHaveLength(distinct)
      expect(new Set(tree.order).size).toBe(tree.order.length)
      expect(agrees(tree)).toBe(true)
    }),
    { numRuns: 400 },
  )
})

test('200,000 spans in one chain and in one row need no stack', () => {
  const chain = Array.from({ length: 200_000 }, (_, n) => ({
    id: n.toString(16),
    parent: n === 0 ? '' : (n - 1).toString(16),
    from: n / 1000,
  }))
  expect(buildTree(columnsOf(chain)).depths[199_999]).toBe(199_999)
  const row = chain.map((span, n) => ({ ...span, parent: n === 0 ? '' : '0' }))
  expect(buildTree(columnsOf(row)).sizes[0]).toBe(200_000)
})
