import { describe, expect, test } from 'vitest'
import type { RestTraceView } from '../../../contract/explore/trace-views.ts'
import { columnsOf, type TestSpan } from '../../../domain/traces/trace.cases.ts'
import { shownRows, verdictOf } from './compared.ts'
import { isHidden, longestWait, modelOf, vitalsOf } from './model.ts'
import { eventOfPoint, levelOfPoint } from './point-level.ts'
import { carried, noFolds, revealed, rowAt, rowsOf } from './rows.ts'
import { lengthOf, matchesOf, parseSearch } from './search.ts'
import { readState, stateQuery } from './view-state.ts'
import { fitted, isWhole, ticksOf, within, zoomed } from './zoom.ts'

const event = (at: number, span: number) => ({
  eventID: 'e'.repeat(32),
  groupID: '1',
  shortId: 'WEB-1',
  title: 'Error: gone',
  type: 'Error',
  level: 'error',
  project: 0,
  at: at * 1000,
  span,
})
const viewOf = (list: TestSpan[], more: Partial<RestTraceView> = {}): RestTraceView => ({
  traceID: 'ab'.repeat(16),
  origin: 0,
  spanCount: list.length,
  isSampled: false,
  keptDays: 30,
  downsampled: null,
  projects: [
    { id: '1', slug: 'web', platform: 'javascript', place: 0, spans: 1 },
    { id: '2', slug: 'api', platform: 'node', place: 1, spans: 1 },
    { id: null, slug: null, platform: null, place: -1, spans: 1 },
  ],
  spans: columnsOf(list) as RestTraceView['spans'],
  vitals: [],
  events: [],
  eventsTruncated: false,
  findings: [],
  logs: [],
  logsTruncated: false,
  feedback: [],
  ...more,
})

const list: TestSpan[] = [
  { id: 'a', op: 'pageload', name: '/cart', segment: true, for: 1000 },
  { id: 'b', parent: 'a', op: 'http.client', name: 'GET /api', from: 10, for: 900 },
  { id: 'c', parent: 'b', op: 'http.server', name: 'GET /api', project: 1, segment: true, from: 60, for: 800 },
  ...[1, 2, 3, 4, 5].map((n) => ({
    id: `d${n}`,
    parent: 'c',
    op: 'db',
    name: `SELECT ${n}`,
    project: 1,
    from: 60 + n * 10,
    for: 9,
  })),
  { id: 'e', parent: 'c', op: 'secret', project: 2, from: 500, for: 100, status: 'internal_error' },
  { id: 'f', parent: 'c', op: 'render', name: 'page', project: 1, from: 610, for: 240, status: 'internal_error' },
]
const model = modelOf(
  viewOf(list, {
    events: [event(650, 9), event(1200, -1)],
    vitals: [
      { span: 0, values: { lcp: 900 } },
      { span: 1, values: { lcp: 1200 } },
    ],
  }),
)
const drawn = (folds = noFolds) => {
  const { kinds, refs, depths } = rowsOf(model, folds)
  return kinds.map(
    (kind, at) => `${' '.repeat(depths[at] ?? 0)}${kind} ${kind === 'point' ? refs[at] : list[refs[at] ?? 0]?.id}`,
  )
}

describe('rows', () => {
  test('bands, runs, gaps and points in their places', () => {
    expect(drawn()).toEqual(
      [
        'band a',
        'node a',
        ' node b',
        '  gap c',
        '  band c',
        '  node c',
        '   run d1',
        '   gap e',
        '   band e',
        '   node e',
        '   band f',
        '   node f',
        '    point 0',
        '  endGap b',
        // The largest paint of the page load.
        ' point 1',
        ' endGap a',
        'point 2',
      ].filter((row) => row !== '   band f'),
    )
  })
  test('what is closed has no rows below it, an open run shows its members one level deeper', () => {
    expect(drawn({ closed: new Set([2]), openRuns: new Set() })).not.toContain('   run d1')
    const open = drawn({ closed: new Set(), openRuns: new Set([3]) })
    expect(open.filter((row) => row.startsWith('    node d'))).toHaveLength(5)
  })
  test('a hidden span is found by opening what hides it', () => {
    const closed = { closed: new Set([0, 2]), openRuns: new Set<number>() }
    expect(rowAt(rowsOf(model, closed), 'node', 5)).toBe(-1)
    expect(rowAt(rowsOf(model, revealed(model, closed, 5)), 'node', 5)).toBeGreaterThan(0)
  })
})

test('what is open and selected stays so when an earlier span arrives', () => {
  const later = viewOf([{ id: 'z', from: -5 }, ...list.filter((span) => span.id !== 'e')])
  const folds = { closed: new Set([2, 8]), openRuns: new Set([3]) }
  expect(carried(model.view, later, folds, { kind: 'node', ref: 9 })).toEqual({
    folds: { closed: new Set([3]), openRuns: new Set([4]) },
    selected: { kind: 'node', ref: 9 },
  })
  expect(carried(model.view, later, noFolds, { kind: 'gap', ref: 8 }).selected).toBeUndefined()
  expect(carried(model.view, later, noFolds, { kind: 'point', ref: 0 }).selected).toBeUndefined()
})

describe('the model', () => {
  test('bands count the spans of one process, and hidden spans are told', () => {
    expect([...model.bandSizes]).toEqual([
      [0, 2],
      [2, 7],
      [8, 1],
    ])
    expect([isHidden(model, 8), isHidden(model, 9), model.failed]).toEqual([true, false, 2])
  })
  test('the longest wait, the largest vitals, and time that errors add', () => {
    expect(longestWait(model)).toEqual({ node: 2, us: expect.any(Number) })
    expect(vitalsOf(model).get('lcp')).toEqual({ value: 1200, span: 1 })
    expect([model.fromUs, model.toUs]).toEqual([0, 1_200_000])
    expect(modelOf(viewOf([], { events: [event(0, -1)] }))).toMatchObject({ fromUs: 0, toUs: 1_000_000 })
  })
})

test('a performance issue is a row after its run, at the first span, and no error', () => {
  const findings = [
    { ...event(0, 3), shortId: 'API-7', type: 'N+1 query' },
    { ...event(640, -1), shortId: 'API-8' },
  ]
  const found = modelOf(viewOf(list, { findings }))
  const { kinds, refs } = rowsOf(found, noFolds)
  const at = kinds.indexOf('point')
  expect([kinds[at - 1], refs[at - 1]]).toEqual(['run', 3])
  expect(found.points.map(({ kind, node, atUs }) => [kind, node, atUs / 1000])).toEqual([
    ['finding', 2, 70],
    ['finding', -1, 640],
  ])
  const [point] = found.points
  expect(point && [levelOfPoint(found, point), eventOfPoint(found, point)?.shortId]).toEqual(['warning', 'API-7'])
})

describe('web vitals', () => {
  const page = viewOf(
    [
      { id: 'a', op: 'pageload', name: '/cart', segment: true, for: 3000 },
      { id: 'b', parent: 'a', op: 'ui.webvital.lcp', for: 2600 },
      { id: 'c', parent: 'a', op: 'ui.interaction.click', from: 1000, for: 600 },
      { id: 'd', op: 'navigation', name: '/pay', segment: true, from: 5000, for: 100 },
      { id: 'e', parent: 'a', op: 'db', from: 2000, for: 10 },
      // Older SDKs begin the span of a vital when it happened.
      { id: 'f', parent: 'a', op: 'ui.webvital.lcp', from: 2700, for: 0 },
    ],
    {
      vitals: [
        { span: 0, values: { fcp: 900, ttfb: 9_000_000, cls: 0.3, inp: 40, score: 1 } },
        { span: 1, values: { lcp: 2600 } },
        { span: 2, values: { inp: 600 } },
        { span: 3, values: { 'soft.lcp': 66 } },
        { span: 4, values: { lcp: 1, rows: 7 } },
        { span: 5, values: { lcp: 2700 } },
      ],
    },
  )
  const built = modelOf(page)
  test('are rows at their spans and times, with a rating', () => {
    const shown = built.points.map((point) => {
      const { vital, isSoft } = built.vitals[point.index] ?? {}
      return [vital, isSoft, built.view.spans.ids[point.node]?.at(-1), point.atUs / 1000, levelOfPoint(built, point)]
    })
    expect(shown).toEqual([
      ['fcp', false, 'a', 900, 'ok'],
      ['inp', false, 'c', 1600, 'error'],
      ['lcp', false, 'b', 2600, 'warning'],
      ['lcp', false, 'f', 2700, 'warning'],
      ['inp', false, 'a', 3000, 'ok'],
      ['cls', false, 'a', 3000, 'error'],
      ['lcp', true, 'd', 5066, 'ok'],
      ['ttfb', false, 'a', 9_000_000, 'error'],
    ])
    expect(rowsOf(built, noFolds).kinds.filter((kind) => kind === 'point')).toHaveLength(8)
  })
  test('a wrong one stretches no axis, and many are cut', () => {
    expect([built.fromUs, built.toUs]).toEqual([0, 5_100_000])
    const many = { ...page, vitals: Array.from({ length: 500 }, () => ({ span: 0, values: { lcp: 1 } })) }
    expect(modelOf(many).vitals).toHaveLength(100)
  })
})

describe('search', () => {
  const found = (text: string, ...sets: string[][]) => {
    const search = parseSearch(text)
    const ids = sets.map((set) => new Set(set.map((id) => id.padStart(16, '0'))))
    const matches = search ? matchesOf(model, search, sets.length > 0 ? ids : undefined) : []
    return [...matches].map((node) => list[node]?.id)
  }
  test.each<[string, string[]]>([
    ['', []],
    ['GET', ['b', 'c']],
    ['get slower:850ms', ['b']],
    ['op:db faster:9ms', ['d1', 'd2', 'd3', 'd4', 'd5']],
    ['"select 3"', ['d3']],
    ['is:error', ['e', 'f']],
    ['status:internal project:api', ['f']],
    ['api slower:0.8s', ['b', 'c']],
    ['nothing', []],
  ])('%s', (text, ids) => expect(found(text)).toEqual(ids))
  test('an attribute waits for the server and combines with words', () => {
    expect(parseSearch('db.system:postgresql')?.attributes).toEqual([{ key: 'db.system', value: 'postgresql' }])
    expect(parseSearch('x:"a b"')?.attributes).toEqual([{ key: 'x', value: 'a b' }])
    expect(found('x:1')).toEqual([])
    expect(found('x:1 select', ['d2', 'f'])).toEqual(['d2'])
  })
  test('several attributes must all match; more than are asked match nothing', () => {
    expect(found('x:1 y:2', ['d2', 'f', 'e'], ['e', 'd2', 'd3'])).toEqual(['d2', 'e'])
    expect(found('x:1 y:2', ['d2', 'f', 'e'])).toEqual([])
  })
  test.each([
    ['100ms', 100_000],
    ['1.5s', 1_500_000],
    ['20', 20_000],
    ['3µs', 3],
    ['2min', 120_000_000],
    ['x', undefined],
    ['1e9', undefined],
  ])('%s is a length', (text, us) => expect(lengthOf(text)).toBe(us))
})

test('times as recorded: nothing is moved, and the page knows that it could be', () => {
  const list: TestSpan[] = [
    { id: 'a', op: 'http.client', segment: true, for: 100 },
    { id: 'b', parent: 'a', op: 'http.server', segment: true, project: 1, from: -500, for: 50 },
  ]
  const view = viewOf(list)
  const moved = modelOf(view)
  const recorded = modelOf(view, 'recorded')
  expect([moved.isRecorded, moved.tree.shifts[1], moved.fromUs]).toEqual([false, 525_000, 0])
  expect([recorded.isRecorded, recorded.tree.shifts[1], recorded.fromUs]).toEqual([true, 0, -500_000])
  expect(modelOf(viewOf(list.slice(0, 1)), 'recorded').isRecorded).toBe(false)
})

describe('the rows of two traces', () => {
  const side = (total: number, count = 1) => ({
    count,
    total,
    self: total,
    start: 0,
    end: total,
    failed: 0,
    spanID: '',
  })
  test.each<[string, Parameters<typeof verdictOf>[0], ReturnType<typeof verdictOf>]>([
    ['slower', { a: side(100), b: side(150) }, { verdict: 'slower', ms: 50 }],
    ['faster', { a: side(150), b: side(100) }, { verdict: 'faster', ms: 50 }],
    ['within 5 %', { a: side(100), b: side(104) }, { verdict: 'same', ms: 4 }],
    ['within 1 ms', { a: side(0.1), b: side(1) }, { verdict: 'same', ms: 0.9 }],
    ['only one', { a: null, b: side(3) }, { verdict: 'onlyB', ms: 3 }],
  ])('%s', (_name, row, wanted) => expect(verdictOf(row, 'total')).toEqual(wanted))
  test('closed rows hide those below; differences keep the rows above them', () => {
    const row = (parent: number, a: number, b: number, count = 1) => ({ parent, a: side(a), b: side(b, count) })
    const rows = [row(-1, 100, 100), row(0, 50, 50), row(1, 9, 90), row(0, 5, 5), row(-1, 1, 1, 2)]
    const data = { rows } as unknown as Parameters<typeof shownRows>[0]
    expect(shownRows(data, new Set(), false)).toEqual([0, 1, 2, 3, 4])
    expect(shownRows(data, new Set([1]), false)).toEqual([0, 1, 3, 4])
    expect(shownRows(data, new Set([0]), false)).toEqual([0, 4])
    expect(shownRows(data, new Set(), true)).toEqual([0, 1, 2, 4])
  })
})

describe('zoom', () => {
  const whole = { fromUs: 0, toUs: 1000 }
  test('in and out around a moment, never outside of the trace', () => {
    expect(zoomed(whole, whole, 'in')).toEqual({ fromUs: 250, toUs: 750 })
    expect(zoomed(whole, whole, 'in', 0)).toEqual({ fromUs: 0, toUs: 500 })
    expect(zoomed({ fromUs: 0, toUs: 500 }, whole, 'out', 500)).toEqual(whole)
    expect(zoomed({ fromUs: 100, toUs: 110 }, whole, 'in')).toEqual({ fromUs: 100, toUs: 110 })
    expect(within({ fromUs: 900, toUs: 1300 }, whole)).toEqual({ fromUs: 600, toUs: 1000 })
    expect(fitted({ fromUs: 400, toUs: 500 }, whole)).toEqual({ fromUs: 390, toUs: 510 })
    expect([isWhole(whole, whole), isWhole({ fromUs: 1, toUs: 1000 }, whole)]).toEqual([true, false])
  })
  test('ticks are round and few', () => {
    expect(ticksOf({ fromUs: 0, toUs: 4_200_000 }, 6)).toEqual([0, 1e6, 2e6, 3e6, 4e6])
    expect(ticksOf({ fromUs: 130, toUs: 170 }, 6)).toEqual([130, 140, 150, 160, 170])
  })
})

test('a link holds span, view, search, zoom and colours; what is wrong in one is left out', () => {
  const state = {
    span: '0123456789abcdef',
    view: 'list' as const,
    q: 'db slower:1s',
    window: { fromUs: 5, toUs: 9 },
    colour: 'op' as const,
    clocks: 'recorded' as const,
  }
  expect(readState(new URLSearchParams(stateQuery(state)))).toEqual(state)
  const none = { span: '', view: 'waterfall', q: '', window: undefined, colour: 'project', clocks: 'corrected' }
  expect(readState(new URLSearchParams('span=x&view=y&from=9&to=5&colour=z&clocks=x'))).toEqual(none)
  expect(stateQuery(readState(new URLSearchParams()))).toBe('')
})
