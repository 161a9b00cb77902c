import { describe, expect, test } from 'vitest'
import { detect } from './detect.ts'
import { detectionOf, titleOf } from './detection.ts'
import { segmentOf, spanOf } from './detector.cases.ts'
import type { DetectorSegment, DetectorSpan } from './detector-segment.ts'
import { changedDetectors, type DetectorChange, defaultDetectors, faultsOf, readDetectors } from './detectors.ts'

const found = (segment: DetectorSegment, settings = defaultDetectors) =>
  detect(segment, settings).map(({ detector, finding }) => `${detector} ${finding.spans.length}`)

const list = spanOf('list', 0, 10, { statement: 'SELECT id FROM orders LIMIT ?' })
const item = 'SELECT * FROM items WHERE order_id = ?'
/** `count` queries of 12 ms, `gap` ms apart, after the list. */
const loop = (count: number, more: Partial<DetectorSpan> = {}, gap = 1) =>
  Array.from({ length: count }, (_, at) => spanOf(`i${at}`, 11 + at * (12 + gap), 12, { statement: item, ...more }))

describe('N+1 queries', () => {
  test.each<[string, DetectorSpan[], string[]]>([
    ['a query for each row', [list, ...loop(6)], ['nPlusOneQueries 6']],
    ['in any order of arrival', [...loop(6).reverse(), list], ['nPlusOneQueries 6']],
    ['without an earlier query', loop(8), []],
    ['four rows', [list, ...loop(4)], []],
    ['rows that take no time', [list, ...loop(6).map((span) => ({ ...span, durationUs: 2000 }))], []],
    ['at once', [list, ...loop(6).map((span) => ({ ...span, startUs: 11_000 }))], []],
    ['with pauses', [list, ...loop(8, {}, 60)], []],
    ['that failed', [list, ...loop(8, { failed: true })], []],
    ['of batches', [list, ...loop(8, { text: 'SELECT * FROM items WHERE order_id IN (1, 2)' })], []],
    ['of a page', [list, ...loop(8, { statement: 'SELECT id FROM items WHERE id > ? ORDER BY id LIMIT ?' })], []],
    ['of a status', [list, ...loop(8, { statement: 'SELECT count(*) FROM items WHERE status = ?' })], []],
    [
      'of many values',
      [list, ...loop(20, { statement: 'SELECT * FROM items WHERE shelf = ?' })],
      ['nPlusOneQueries 20'],
    ],
    ['that lock', [list, ...loop(8, { statement: `${item} FOR UPDATE` })], []],
    ['that write', [list, ...loop(8, { statement: 'UPDATE items SET seen = ? WHERE id = ?' })], []],
    [
      'of a document store',
      [list, ...loop(8, { statement: '{"find":"items","filter":{"order_id":?}}' })],
      ['nPlusOneQueries 8'],
    ],
  ])('%s', (_says, spans, expected) => expect(found(segmentOf(spans))).toEqual(expected))

  test('each row in a span of its own', () => {
    const parents = loop(6).map((span, at) =>
      spanOf(`p${at}`, span.startUs / 1000, 12, { op: 'function', category: 'function' }),
    )
    const spans = loop(6).map((span, at) => ({ ...span, parentId: `p${at}` }))
    const [first] = detect(segmentOf([list, ...parents, ...spans]), defaultDetectors)
    expect(first?.finding).toMatchObject({ parentId: 's', totalUs: 72_000, savedUs: 60_000 })
  })

  test('at different places is no loop', () => {
    const between = loop(6, {}, 12).map((span, at) =>
      spanOf(`o${at}`, span.startUs / 1000 + 12, 11, { statement: `SELECT id FROM t${'abcdef'[at]}` }),
    )
    expect(found(segmentOf([list, ...loop(6, {}, 12), ...between]))).toEqual([])
  })
})

describe('slow queries', () => {
  const slow = (statement: string, ms = 600) => [spanOf('q', 0, ms, { statement })]
  test.each<[string, DetectorSpan[], Partial<DetectorSegment>, string[]]>([
    ['a slow read', slow(item), {}, ['slowQueries 1']],
    ['a slow write', slow('UPDATE items SET seen = ?'), {}, ['slowQueries 1']],
    ['a quick one', slow(item, 400), {}, []],
    ['a migration', slow('ALTER TABLE items ADD COLUMN seen bool'), {}, []],
    ['a statement of a migration', slow(item, 9000), { op: 'db.migration', kind: '' }, []],
    ['a sleep', slow('SELECT pg_sleep(?)'), {}, []],
    ['a lock', slow('SELECT pg_advisory_lock(?) FROM t'), {}, []],
    ['no table', slow('SELECT ?'), {}, []],
    ['in a job', slow(item, 3000), { op: 'queue.process', kind: '' }, []],
    ['very slow in a job', slow(item, 6000), { op: 'queue.process', kind: '' }, ['slowQueries 1']],
  ])('%s', (_says, spans, more, expected) => expect(found(segmentOf(spans, more))).toEqual(expected))
})

describe('consecutive requests', () => {
  const get = (path: string, at: number, ms: number, more: Partial<DetectorSpan> = {}) =>
    spanOf(path, at, ms, {
      op: 'http.client',
      category: 'http',
      statement: `GET api.test${path}`,
      httpStatus: 200,
      ...more,
    })
  const three = [get('/a', 0, 600), get('/b', 610, 600), get('/c', 1220, 600)]
  test.each<[string, DetectorSpan[], Partial<DetectorSegment>, string[]]>([
    ['three in turn', three, {}, ['consecutiveRequests 3']],
    ['two', three.slice(1), {}, []],
    ['in a job', three, { op: 'queue.process', kind: '' }, []],
    ['at once', three.map((span) => ({ ...span, startUs: 0 })), {}, []],
    [
      'with a write between',
      [...three.slice(0, 2), get('/w', 1215, 5, { statement: 'POST api.test/w' }), ...three.slice(2)],
      {},
      [],
    ],
    ['with a failure between', three.with(1, get('/b', 610, 600, { httpStatus: 503, failed: true })), {}, []],
    ['of one address', three.map((span) => ({ ...span, text: 'https://api.test/list?page=1' })), {}, []],
    ['with a pause', three.with(2, get('/c', 2000, 600)), {}, []],
    ['quick ones', three.map((span) => ({ ...span, durationUs: 300_000 })), {}, []],
  ])('%s', (_says, spans, more, expected) => expect(found(segmentOf(spans, more))).toEqual(expected))
})

describe('render-blocking assets', () => {
  const asset = (more: Partial<DetectorSpan> = {}) =>
    spanOf('a', 100, 2300, {
      op: 'resource.css',
      category: 'resource',
      statement: 'x.test/a.css',
      blocking: 'blocking',
      ...more,
    })
  const page = { op: 'pageload', kind: '', paintMs: 2500 }
  test.each<[string, DetectorSpan[], Partial<DetectorSegment>, string[]]>([
    ['a style that holds up the paint', [asset()], page, ['renderBlockingAssets 1']],
    ['one that does not block', [asset({ blocking: 'non-blocking' })], page, []],
    ['from the cache', [asset({ bytes: 0, decodedBytes: 900 })], page, []],
    ['an image', [asset({ op: 'resource.img' })], page, []],
    ['after the paint', [asset({ startUs: 2_000_000 })], page, []],
    ['long before the paint', [asset({ startUs: 0, durationUs: 600_000 })], page, []],
    ['a quick paint', [asset({ durationUs: 1_500_000 })], { ...page, paintMs: 1700 }, []],
    ['a paint in the background', [asset()], { ...page, paintMs: 60_000 }, []],
    ['a navigation', [asset()], { ...page, op: 'navigation' }, []],
  ])('%s', (_says, spans, more, expected) => expect(found(segmentOf(spans, more))).toEqual(expected))
})

describe('settings', () => {
  const change: DetectorChange = { nPlusOneQueries: { thresholds: { countMin: 10 } }, slowQueries: { active: false } }
  test('a project changes thresholds and switches detectors off', () => {
    const settings = readDetectors(changedDetectors('{}', change))
    expect(found(segmentOf([list, ...loop(6)]), settings)).toEqual([])
    expect(found(segmentOf([list, ...loop(10)]), settings)).toEqual(['nPlusOneQueries 10'])
    expect(found(segmentOf([spanOf('q', 0, 900, { statement: item })]), settings)).toEqual([])
  })

  test('values that equal the defaults are not stored', () => {
    const stored = changedDetectors('{}', change)
    expect(JSON.parse(stored)).toEqual({
      nPlusOneQueries: { thresholds: { countMin: 10 } },
      slowQueries: { active: false },
    })
    const back: DetectorChange = { nPlusOneQueries: { thresholds: { countMin: 5 } }, slowQueries: { active: true } }
    expect(changedDetectors(stored, back)).toBe('{}')
  })

  test.each<[string, DetectorChange, string[]]>([
    ['a fine change', change, []],
    ['an unknown threshold', { slowQueries: { thresholds: { wish: 5 } } }, ['detectors.slowQueries.wish']],
    ['one below its limit', { slowQueries: { thresholds: { durationMs: 1 } } }, ['detectors.slowQueries.durationMs']],
    [
      'half a time',
      { consecutiveRequests: { thresholds: { countMin: 2.5 } } },
      ['detectors.consecutiveRequests.countMin'],
    ],
  ])('%s', (_says, wanted, expected) => expect(Object.keys(faultsOf(wanted))).toEqual(expected))
})

test.each<[DetectorSpan[], string]>([
  [[list, ...loop(38)], `N+1 query: ${item} (38 times, 456 ms)`],
  [[spanOf('q', 0, 1234, { statement: item })], `Slow query: ${item} (1.2 s)`],
])('titles name the cause and the numbers', (spans, title) => {
  const trace = { projectId: 1, traceId: 'a'.repeat(32), environment: '', release: '', platform: 'node' }
  const segment = { ...segmentOf(spans), ...trace }
  const [first] = detect(segment, defaultDetectors)
  expect(first && titleOf(detectionOf(segment, first.detector, first.finding))).toBe(title)
})

describe('the work for a segment that somebody made to cost time', () => {
  /** Reads of span fields while `detect` runs. */
  function readsOf(spans: DetectorSpan[]): number {
    let reads = 0
    const counted = spans.map(
      (span) =>
        new Proxy(span, {
          get(target, name) {
            reads++
            return Reflect.get(target, name)
          },
        }),
    )
    detect(segmentOf(counted), defaultDetectors)
    return reads
  }
  /** `causes` look-ups with five repeats each, all between each other. */
  const interleaved = (causes: number) => [
    list,
    ...Array.from({ length: causes * 5 }, (_, at) =>
      spanOf(`q${at}`, 11 + at * 13, 13, { statement: `SELECT * FROM t${at % causes} WHERE id = ?` }),
    ),
  ]

  test('grows with the spans, not with their square', () => {
    const [few, many] = [readsOf(interleaved(100)), readsOf(interleaved(400))]
    expect(many / few).toBeLessThan(6)
    const [short, long] = [readsOf([list, ...loop(500)]), readsOf([list, ...loop(2000)])]
    expect(long / short).toBeLessThan(6)
  })

  test('a detector finds ten causes at most, those with the most time, and says how many more there are', () => {
    const slow = Array.from({ length: 30 }, (_, at) =>
      spanOf(`s${at}`, at * 700, 600 + at, { statement: `SELECT a FROM t${at}` }),
    )
    const skipped: number[] = []
    const kept = detect(segmentOf(slow), defaultDetectors, (findings) => skipped.push(findings))
    expect([kept.length, skipped, kept.at(-1)?.finding.totalUs]).toEqual([10, [20], 620_000])
  })

  test('a column is found after words of any form', () => {
    const lookup = (where: string) =>
      found(segmentOf([list, ...loop(6, { statement: `SELECT a FROM t WHERE ${where}`, text: 'SELECT' })]))
    for (const where of ['"t"."id" = ?', 't.id=?', 'order_id IN (?)', 'x > ? AND [id]  =  ?'])
      expect([where, lookup(where)]).toEqual([where, ['nPlusOneQueries 6']])
    for (const where of ['id >= ?', 'state = ?', '= ?', 'aid in (1)'])
      expect([where, lookup(where)]).toEqual([where, []])
  })
})
