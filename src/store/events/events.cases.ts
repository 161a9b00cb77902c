import { describe, expect, test } from 'vitest'
import { downsampleCases } from './downsample.cases.ts'
import { encodeEventRow } from './encode.ts'
import type { EventStore } from './event-store.ts'
import type { EventRow, Scope } from './events.ts'
import { logCases } from './logs.cases.ts'
import { overviewCases } from './overview.cases.ts'
import { performanceCases } from './performance/performance.cases.ts'
import { questionCases } from './questions.cases.ts'
import { countCases } from './reading/counts.cases.ts'
import { filterCases } from './reading/filter.cases.ts'
import { reprocessingCases } from './reprocess.cases.ts'
import { skewCases } from './skew.cases.ts'
import { spanSearchCases } from './span-search.cases.ts'
import { detectorCases } from './traces/detector-rows.cases.ts'
import { spanCases } from './traces/span-rows.cases.ts'
import { traceCases } from './traces/trace-rows.cases.ts'

/** Monday 2026-11-16 10:00 UTC. */
export const monday = Date.UTC(2026, 10, 16, 10)
const hour = 3_600_000
const day = 24 * hour

/** Makes a row. `n` determines its id and jpos. */
export function row(n: number, changes: Partial<EventRow> = {}): EventRow {
  const at = changes.timestampUs ?? (monday + n * 1000) * 1000 + 7
  return {
    projectId: 1,
    groupHash: 'f000000000000001',
    hashes: ['f000000000000001', '00000000000000aa'],
    timestampUs: at,
    receivedMs: Math.floor(at / 1000) + 40,
    eventId: n.toString(16).padStart(32, '0'),
    jpos: 268_435_456 + n * 100,
    gen: 0,
    userHash: '00000000000000b1',
    level: 'error',
    environment: 'production',
    release: 'web@1.0.0',
    transaction: '/cart',
    type: 'TypeError',
    platform: 'javascript',
    message: `Cannot read properties of undefined (reading 'total')`,
    tags: { browser: 'Firefox', plan: 'team' },
    traceId: '',
    digest: '',
    frames: ['function=total', 'filename=/cart.js', 'in_app=true'],
    payload: `{"n":${n}}\n{"n":${n}}`,
    ...changes,
  }
}

/** The displayed part of a row. */
const seen = ({
  projectId,
  groupHash,
  hashes,
  timestampUs,
  receivedMs,
  eventId,
  jpos,
  tags,
  traceId,
  payload,
}: EventRow) => ({
  projectId,
  groupHash,
  hashes,
  timestampUs,
  receivedMs,
  eventId,
  jpos,
  tags,
  traceId,
  payload,
})
/** Encodes rows for an insert. */
export const tsv = (rows: EventRow[]) => Buffer.from(rows.map(encodeEventRow).join(''))
/** A scope with all events of a project. */
export const wide = (projectId: number): Scope => ({
  projectIds: [projectId],
  environments: [],
  fromMs: monday - 30 * day,
  toMs: monday + 2 * day,
})
/** The `n` of each row. */
export const ids = (rows: { eventId: string }[]) => rows.map((item) => Number.parseInt(item.eventId, 16))

/** Texts that could break an encoding. */
const nasty = [
  `\\ \\\\ \\N \\x41 ' " \` \t \n \r \0 \b \f \x1b`,
  `日本語 😀 ﷽ \u2028\u2029`,
  `'); DROP TABLE events; --`,
  `<script>alert(1)</script> {p0:String} %_*`,
]

/** Cases for every events store. `open` returns a migrated, possibly used one; each case uses its own project. */
export function eventsCases(open: () => EventStore): void {
  describe('skew', () => skewCases(open))
  describe('spans', () => spanCases(open))
  describe('logs', () => logCases(open))
  describe('traces', () => traceCases(open))
  describe('detectors', () => detectorCases(open))

  describe('searches over spans', () => spanSearchCases(open))
  describe('questions', () => questionCases(open))
  overviewCases(open)
  performanceCases(open)
  describe('rows', () => {
    test('the newest of a project, and the newest of each group', async () => {
      const store = open()
      const groups = ['e000000000000001', 'e000000000000002']
      const rows = [0, 1, 2, 3, 4].map((n) =>
        row(1100 + n, { projectId: 25, groupHash: groups[n % 2] ?? '', payload: `{"n":${n}}\n{"received":${n}}` }),
      )
      // Received last, but happened first.
      rows.push(row(1105, { projectId: 25, groupHash: groups[0] ?? '', timestampUs: monday * 1000 }))
      await store.insert('events', tsv([...rows, row(1106, { projectId: 26 })]), 'newest')
      const last = await store.lastPlaces(25, 3)
      expect(last.map((item) => item.jpos)).toEqual([1105, 1104, 1103].map((n) => row(n).jpos))
      const read = await store.eventsAt(25, last)
      expect(ids(read)).toEqual([1105, 1104, 1103])
      // Only the normalized JSON.
      expect(read[1]?.payload).toBe('{"n":4}')
      const places = await store.newestPlaces(25, groups)
      expect(places.sort((a, b) => a.jpos - b.jpos)).toEqual(
        [1103, 1104].map((n) => ({
          groupHash: groups[n % 2 === 0 ? 0 : 1],
          jpos: row(n).jpos,
          timestampUs: row(n).timestampUs,
        })),
      )
      const newestOf = async (hashes: string[]) => store.eventsAt(25, await store.newestPlaces(25, hashes))
      expect(ids(await newestOf(groups)).sort()).toEqual([1103, 1104])
      expect(ids(await newestOf([groups[1] ?? '', 'e0000000000000ff']))).toEqual([1103])
      expect(await newestOf([])).toEqual([])
      expect([await store.lastPlaces(27, 9), await store.newestPlaces(25, []), await store.eventsAt(25, [])]).toEqual([
        [],
        [],
        [],
      ])
    })
    test('come back as they went in, whatever their texts hold', async () => {
      const store = open()
      const rows = nasty.map((text, n) =>
        row(1000 + n, {
          projectId: 11,
          groupHash: 'ffffffffffffffff',
          message: text,
          level: text,
          environment: text,
          release: text,
          transaction: text,
          type: text,
          platform: text,
          tags: { [text]: text, '': '', a: `${text}'` },
          traceId: 'deadbeef00ff7f80090a0d5c27000102',
          digest: text,
          frames: [text, `${text}'`, ''],
          payload: text + text,
          eventId: `090a0d5c27000${n}0b0c08feffc3a9e200`,
          userHash: n === 0 ? '' : '8000000000000000',
          gen: 3,
        }),
      )
      await store.insert('events', tsv(rows), 'rows:nasty')
      expect(await store.eventsBetween(row(1000).jpos, row(1000 + nasty.length).jpos)).toEqual(rows)
      for (const item of rows) expect(await store.byEventId([11], item.eventId)).toEqual([seen(item)])
      expect(ids(await store.byTraceId([11], 'deadbeef00ff7f80090a0d5c27000102', 2))).toHaveLength(2)
      expect(await store.byDigest([11], nasty[0] ?? '', 5)).toEqual(rows.slice(0, 1).map(seen))
    })

    test('of a trace: with what detectors found, or without it', async () => {
      const store = open()
      const detected = row(1990, { projectId: 17, type: 'generic', traceId: '2'.repeat(32) })
      const thrown = row(1991, { projectId: 17, type: 'error', traceId: '2'.repeat(32) })
      await store.insert('events', tsv([detected, thrown]), 'rows:detected')
      expect(ids(await store.byTraceId([17], '2'.repeat(32), 5, true))).toEqual([1991])
      expect(await store.detectionsOfTrace([17], '2'.repeat(32))).toBe(1)
    })

    test('say the span that they happened in, as it was sent', async () => {
      const store = open()
      const payload = (trace: unknown) => `${JSON.stringify({ a: "'\\\n", contexts: { trace } })}\n{"sent":true}`
      const of = (n: number, trace: unknown) => row(1150 + n, { projectId: 16, payload: payload(trace) })
      const rows = [
        of(0, { span_id: 'a1', parent_span_id: 'b2' }),
        of(1, { span_id: 'x'.repeat(40), parent_span_id: { a: 1 } }),
        of(2, null),
      ]
      await store.insert('events', tsv(rows), 'rows:spans')
      const found = await store.spansOfEvents(rows)
      const spans = found.map(({ projectId, eventId, spanId, parentId }) => ({ projectId, eventId, spanId, parentId }))
      expect(spans.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))).toEqual(
        rows
          .map(({ eventId }, n) => ({
            projectId: 16,
            eventId,
            ...[
              { spanId: 'a1', parentId: 'b2' },
              { spanId: 'x'.repeat(32), parentId: '{"a":1}' },
              { spanId: '', parentId: '' },
            ][n],
          }))
          .toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1)),
      )
      expect(await store.spansOfEvents([])).toEqual([])
    })

    test('are found within the projects asked for only', async () => {
      const store = open()
      await store.insert(
        'events',
        tsv([row(1100, { projectId: 12, digest: '42', traceId: '1'.repeat(32) })]),
        'rows:projects',
      )
      const id = row(1100).eventId
      expect([
        await store.byEventId([13], id),
        await store.byDigest([13], '42', 5),
        await store.byTraceId([13], '1'.repeat(32), 5),
      ]).toEqual([[], [], []])
      expect([
        await store.byEventId([], id),
        await store.byEventId([12], 'no id'),
        await store.byDigest([12], '', 5),
      ]).toEqual([[], [], []])
      expect(await store.byEventId([13, 12], id)).toHaveLength(1)
    })

    test('with times out of range are kept, clamped', async () => {
      const store = open()
      const times = [-5, Number.NaN, 1e30, 0]
      await store.insert(
        'events',
        tsv(times.map((timestampUs, n) => ({ ...row(1200 + n, { projectId: 14 }), timestampUs }))),
        'rows:times',
      )
      const found = await store.ofIssue({ projectId: 14, hashes: ['f000000000000001'], order: 'oldest', max: 10 })
      expect(found).toHaveLength(4)
      expect(found[0]?.timestampUs).toBe(0)
    })

    test('received lately are named, newest first', async () => {
      const store = open()
      const rows = [0, 1, 2].map((n) => row(1300 + n, { projectId: 15, receivedMs: monday + 40 * day + n }))
      await store.insert('events', tsv(rows), 'rows:recent')
      expect((await store.recentIds(monday + 40 * day, 2)).map((item) => item.eventId)).toEqual([
        row(1302).eventId,
        row(1301).eventId,
      ])
    })
  })

  describe('insert', () => {
    test('counts the same token once, in rows and rollups', async () => {
      const store = open()
      const bytes = tsv([row(2000, { projectId: 21 }), row(2001, { projectId: 21 })])
      await Promise.all([store.insert('events', bytes, 'once'), store.insert('events', bytes, 'once')])
      await store.insert('events', bytes, 'once')
      const [group] = await store.groups({ scope: wide(21), order: 'last', max: 5, users: true })
      expect([group?.events, group?.users]).toEqual([2, 1])
      expect(
        await store.ofIssue({ projectId: 21, hashes: ['f000000000000001'], order: 'newest', max: 9 }),
      ).toHaveLength(2)
    })

    test('refuses a batch with a bad row, keeps none of it, and the next one goes in', async () => {
      const store = open()
      const bad = Buffer.concat([tsv([row(2100, { projectId: 22 })]), Buffer.from('no\trow\n')])
      await expect(store.insert('events', bad, 'bad')).rejects.not.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      await store.insert('events', tsv([row(2101, { projectId: 22 })]), 'good')
      expect(
        ids(await store.ofIssue({ projectId: 22, hashes: ['f000000000000001'], order: 'newest', max: 9 })),
      ).toEqual([2101])
    })

    test('of nothing is nothing', async () => {
      const store = open()
      const before = await store.rowsByProject()
      await store.insert('events', Buffer.alloc(0), 'empty')
      expect(await store.rowsByProject()).toEqual(before)
    })

    test('settles: the rows of a range, their rollups counted anew and not doubled', async () => {
      const store = open()
      const rows = [0, 1, 2, 3].map((n) => row(2200 + n, { projectId: 23, jpos: 900_000_000 + n }))
      await store.insert('events', tsv(rows), 'settle')
      for (let times = 0; times < 2; times++) {
        const found = await store.settle('events', 'settle', 900_000_001, 900_000_003)
        expect([...found].sort(([a], [b]) => a - b)).toEqual([
          [900_000_001, new Set([0])],
          [900_000_002, new Set([0])],
        ])
        expect(await store.eventsBetween(900_000_001, 900_000_003)).toEqual([rows[1], rows[2]])
        const [group] = await store.groups({ scope: wide(23), order: 'last', max: 5 })
        expect([group?.events, group?.lastMs]).toEqual([4, monday + 2203_000])
      }
      expect(await store.settle('events', 'other', 1, 2)).toEqual(new Map())
    })

    test('settles around the start of an hour: the seconds before it are counted to the last', async () => {
      const store = open()
      const start = monday + 30 * hour
      const rows = Array.from({ length: 20 }, (_, n) =>
        row(2250 + n, { projectId: 24, jpos: 910_000_000 + n, timestampUs: (start - 1000 + n * 100) * 1000 }),
      )
      await store.insert('events', tsv(rows.slice(0, 7)), 'hour:one')
      await store.insert('events', tsv(rows.slice(7)), 'hour:two')
      await store.settle('events', 'hour:one', 910_000_000, 910_000_007)
      const [group] = await store.groups({ scope: wide(24), order: 'last', max: 5 })
      expect(group?.events).toBe(20)
    })
  })

  describe('issue', () => {
    const hashes = ['f000000000000001', '0000000000000002']

    test('pages both ways, its numbers agree', async () => {
      const store = open()
      const rows = [0, 1, 2, 3, 4, 5].map((n) =>
        row(3000 + n, {
          projectId: 31,
          groupHash: hashes[n % 2] ?? '',
          timestampUs: (monday + Math.floor(n / 2) * 1000) * 1000,
        }),
      )
      await store.insert(
        'events',
        tsv([...rows, row(3099, { projectId: 31, groupHash: '0000000000000003' })]),
        'issue:pages',
      )
      const of = { projectId: 31, hashes, max: 2 } as const
      const first = await store.ofIssue({ ...of, order: 'newest' })
      expect(ids(first)).toEqual([3005, 3004])
      const second = await store.ofIssue({ ...of, order: 'newest', ...(first[1] ? { from: first[1] } : {}) })
      expect(ids(second)).toEqual([3003, 3002])
      expect(ids(await store.ofIssue({ ...of, order: 'oldest', ...(second[0] ? { from: second[0] } : {}) }))).toEqual([
        3004, 3005,
      ])
      expect(ids(await store.ofIssue({ ...of, order: 'oldest', offset: 1 }))).toEqual([3001, 3002])
      for (const [at, item] of rows.entries())
        for (const isLarge of [false, true])
          expect(await store.placeOf(31, hashes, item, isLarge)).toEqual({
            number: at + 1,
            total: 6,
            olderId: rows[at - 1]?.eventId,
            newerId: rows[at + 1]?.eventId,
          })
      expect(await store.ofIssue({ ...of, hashes: [], order: 'newest' })).toEqual([])
    })

    test('its numbers agree over hours, by rows and by the rollup', async () => {
      const store = open()
      const minutes = [0, 1, 61, 62, 63, 200, 200]
      const rows = minutes.map((minute, n) =>
        row(3050 + n, {
          projectId: 33,
          groupHash: hashes[n % 2] ?? '',
          timestampUs: (monday + minute * 60_000) * 1000,
        }),
      )
      await store.insert(
        'events',
        tsv([...rows, row(3060, { projectId: 33, groupHash: '0000000000000003' })]),
        'issue:hours',
      )
      for (const [at, item] of rows.entries())
        for (const isLarge of [false, true])
          expect(await store.placeOf(33, hashes, item, isLarge)).toEqual({
            number: at + 1,
            total: 7,
            olderId: rows[at - 1]?.eventId,
            newerId: rows[at + 1]?.eventId,
          })
    })

    test('a check names groups as meta does, leading zeros too', async () => {
      const store = open()
      const found = ['00000000000000ff', '0a00000000000001', 'f000000000000000']
      const rows = found.map((groupHash, n) => row(3200 + n, { projectId: 34, groupHash, hashes: [groupHash] }))
      await store.insert('events', tsv(rows), 'check:zeros')
      const { groups } = await store.check()
      const own = groups.filter((group) => group.projectId === 34).map((group) => group.groupHash)
      expect(own.toSorted()).toEqual(found)
    })

    test('tags: distribution over its newest events', async () => {
      const store = open()
      const browsers = ['Firefox', 'Chrome', 'Chrome', 'Edge', 'Chrome']
      await store.insert(
        'events',
        tsv(
          browsers.map((browser, n) =>
            row(3100 + n, { projectId: 32, tags: n === 4 ? { browser, rare: '1' } : { browser } }),
          ),
        ),
        'issue:tags',
      )
      const of = { projectId: 32, hashes, scope: wide(32), max: 4, valuesMax: 2 }
      expect(await store.tagsOf(of)).toEqual([
        {
          key: 'browser',
          total: 4,
          unique: 2,
          values: [
            { value: 'Chrome', events: 3 },
            { value: 'Edge', events: 1 },
          ],
        },
        { key: 'rare', total: 1, unique: 1, values: [{ value: '1', events: 1 }] },
      ])
      expect((await store.tagsOf({ ...of, valuesMax: 1 })).map((tag) => tag.unique)).toEqual([2, 1])
      const span = wide(32)
      const of2 = { projectId: 32, hashes, scope: span, pairs: ['browser=Chrome', 'rare=1', 'rare=2'] }
      const none = { fromMs: span.fromMs, toMs: span.fromMs + 1 }
      const counts = new Map([
        ['browser=Chrome', 3],
        ['rare=1', 1],
      ])
      expect(await store.tagPairs({ ...of2, spans: [none, span] })).toEqual({ events: 5, counts })
      expect(await store.tagPairs({ ...of2, spans: [none] })).toEqual({ events: 0, counts: new Map() })
      expect(await store.tagPairs({ ...of2, spans: [span], pairs: [] })).toEqual({ events: 5, counts: new Map() })
      expect(await store.tagKeys(wide(32), 1)).toEqual([{ key: 'browser', events: 5 }])
      expect(await store.tagValues(wide(32), 'browser', 2)).toEqual([
        { value: 'Chrome', events: 3 },
        { value: 'Edge', events: 1 },
      ])
    })
  })

  countCases(open)
  filterCases(open)

  test('dropBefore drops the weeks that are over, with their rollups, and only those', async () => {
    const store = open()
    const old = monday - 200 * day
    await store.insert(
      'events',
      tsv([row(6000, { projectId: 61, timestampUs: old * 1000, jpos: 1 }), row(6001, { projectId: 61 })]),
      'drop',
    )
    expect(await store.dropBefore('events', old, monday)).toEqual([])
    expect(await store.dropBefore('events', old + 8 * day, monday)).toEqual([
      new Date(old - (old % day) - ((new Date(old).getUTCDay() + 6) % 7) * day).toISOString().slice(0, 10),
    ])
    expect(ids(await store.ofIssue({ projectId: 61, hashes: ['f000000000000001'], order: 'newest', max: 9 }))).toEqual([
      6001,
    ])
    const [group] = await store.groups({ scope: { ...wide(61), fromMs: 0 }, order: 'last', max: 5 })
    expect(group?.events).toBe(1)
  })

  test('dropBefore keeps what came while the clock was set far back', async () => {
    const store = open()
    const old = monday - 400 * day
    await store.insert(
      'events',
      tsv([row(6100, { projectId: 62 }), row(6101, { projectId: 62, timestampUs: old * 1000 })]),
      'clock',
    )
    expect(await store.dropBefore('events', old + 50 * day, monday)).toEqual([])
    expect(ids(await store.ofIssue({ projectId: 62, hashes: ['f000000000000001'], order: 'newest', max: 9 }))).toEqual([
      6100, 6101,
    ])
    // It is dropped once everything before it is expired too.
    expect((await store.dropBefore('events', monday + 3650 * day, monday + 3650 * day)).length).toBeGreaterThan(1)
    expect(await store.ofIssue({ projectId: 62, hashes: ['f000000000000001'], order: 'newest', max: 9 })).toEqual([])
    await store.insert('events', tsv([row(6102, { projectId: 62 })]), 'after')
  })

  test('dropBefore is not held up by what came while the clock was set far forward, and takes it along', async () => {
    const store = open()
    const [old, ahead] = [monday - 100 * day, monday + 300 * day]
    const at = (n: number, ms: number) => row(n, { projectId: 63, timestampUs: ms * 1000, jpos: n })
    await store.insert(
      'events',
      tsv([at(6200, old), at(6201, ahead), at(6202, old + 7 * day), at(6203, ahead + 7 * day), at(6204, monday)]),
      'forward',
    )
    const left = async () =>
      ids(await store.ofIssue({ projectId: 63, hashes: ['f000000000000001'], order: 'oldest', max: 9 }))
    await store.dropBefore('events', old + 7 * day, monday)
    expect(await left()).toEqual([6202, 6204, 6201, 6203])
    await store.dropBefore('events', old + 15 * day, monday)
    expect(await left()).toEqual([6204, 6203])
  })

  downsampleCases(open)
  reprocessingCases(open)

  test('size names the tables, migrate can be repeated', async () => {
    const store = open()
    await store.migrate()
    const events = (await store.size()).find((item) => item.table === 'events')
    expect(events?.rows).toBeGreaterThan(0)
    expect(events?.bytesOnDisk).toBeGreaterThan(0)
    expect(await store.ping()).toBe(true)
  })
}
