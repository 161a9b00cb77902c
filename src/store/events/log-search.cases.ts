import { beforeAll, describe, expect, test } from 'vitest'
import type { EventStore } from './event-store.ts'
import type { LogKey, LogLine } from './log-search.ts'
import type { LogRow } from './log-store.ts'
import { encodeLogRow } from './logs/encode.ts'
import type { Filter } from './question.ts'

/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)
const second = 1_000_000
const trace = 'd'.repeat(32)
const [one, two] = [91, 92]

/** A line of the shop without a text, at the start. */
export const plainLine: LogRow = {
  projectId: one,
  timeUs: monday * 1000,
  traceId: '',
  spanId: '',
  severity: 9,
  level: 'info',
  body: '',
  template: '',
  pattern: '00000000000000a1',
  service: 'shop',
  host: '',
  logger: '',
  environment: 'production',
  release: '',
  platform: 'node',
  origin: '',
  userHash: '',
  attributes: {},
  repaired: 0,
  truncated: false,
  weight: 1,
  receivedMs: monday,
  jpos: 0,
  place: 0,
}

/** A line, `n` seconds after the start. Its number is its position. */
const line = (n: number, changes: Partial<LogRow> = {}): LogRow => ({
  ...plainLine,
  timeUs: monday * 1000 + n * second + 7,
  body: `line ${n}`,
  attributes: { 'cart.id': n, name: `n${n}` },
  receivedMs: monday + n * 1000 + 50,
  jpos: 900_000_000 + n * 10,
  ...changes,
})
const at = (n: number) => monday * 1000 + n * second + 7
/** Lines 5 to 8 are of one microsecond; 7 and 8 of one record. */
const rows: LogRow[] = [
  ...[1, 2, 3, 4].map((n) => line(n)),
  line(5, { timeUs: at(5), traceId: trace, spanId: 'e'.repeat(16) }),
  line(6, { timeUs: at(5), projectId: two, traceId: trace, pattern: 'fffffffffffffffe', level: 'error', severity: 17 }),
  line(7, { timeUs: at(5), traceId: trace }),
  line(8, { timeUs: at(5), jpos: 900_000_070, place: 1, weight: 10 }),
  line(9, { body: 'é'.repeat(5000), truncated: true, repaired: 2, pattern: '' }),
]
const scope = { projectIds: [one, two], environments: [] as string[], fromMs: monday, toMs: monday + 3_600_000 }
const asked = { scope, filter: undefined, columns: [] }
const numbers = (lines: readonly LogLine[]) =>
  lines.map(({ jpos, place, body }) => (body.startsWith('é') ? 9 : (jpos - 900_000_000) / 10 + place))

/** Texts of lines of another project, whose words the index knows. */
const texts = [
  'Connection REFUSED by db-7',
  'unrefused, then refused again',
  'Größe und GRÖSSE in 17 ms',
  'refused in 171 ms',
  'got {"order":{"items":[{"id":7},{"id":70}]}}',
  'an order of items with the id 7',
  '100% of _it_, *all* of it',
  '',
  'got {"pay":{"code":1.2E6}}',
  '{"pay":{"code":"late\\nExpired card"}}',
  '{"pay":{"code":"1200000"}, "late": "expired card"}',
]
const wordy = 93
const wordRows = texts.map((body, n) => line(n, { projectId: wordy, body, jpos: 900_000_500 + n }))

/** Searches for words, by the index of words and by the texts. */
function wordCases(open: () => EventStore): void {
  const found = async (filter: Filter) => {
    const lines = await open().logLines({
      scope: { ...scope, projectIds: [wordy] },
      filter,
      columns: [],
      order: 'oldest',
      max: 100,
    })
    return lines.map(({ body }) => texts.indexOf(body))
  }
  const value = { of: 'text', column: 'body' } as const
  const all = texts.map((_, n) => n)

  test.each([
    ['words', 'refused', [0, 1, 3]],
    ['words', 'REFUSE', [0, 1, 3]],
    ['words', 'then refused', [1]],
    ['words', 'fused by d', [0]],
    ['words', 'größe', [2]],
    ['words', 'und GRÖSSE in', [2]],
    ['words', '7', [0, 2, 3, 4, 5]],
    ['words', '% of _it', [6]],
    ['words', '', all],
    ['words', 'zebra', []],
    ['like', '*refused in 17* ms*', [3]],
    ['like', 'refused*', [3]],
    ['like', '*refused', []],
    ['like', '*\\*all\\* of*', [6]],
    ['like', '*', all],
  ] as const)('%s %j finds the lines that have it', async (match, text, expected) => {
    expect(await found({ op: 'match', value, match, text })).toEqual(expected)
    const others = all.filter((n) => !expected.some((one) => one === n))
    expect(await found({ op: 'not', of: { op: 'match', value, match, text } })).toEqual(others)
  })

  test('keys of JSON are words, but only JSON has the value', async () => {
    const path = { steps: [{ key: 'order' }, { key: 'items' }, { each: true as const }, { key: 'id' }] }
    const id = { of: 'json', text: value, path } as const
    expect(await found({ op: 'match', value: id, match: 'is', text: '7' })).toEqual([4])
    expect(await found({ op: 'compare', value: id, compare: '>', number: 60 })).toEqual([4])
    expect(await found({ op: 'not', of: { op: 'match', value: id, match: 'has', text: '' } })).toEqual(
      all.filter((n) => n !== 4),
    )
  })

  test.each([
    ['is', '1200000', [8, 10]],
    ['is', '120000', []],
    ['is', 'late\nExpired card', [9]],
    ['is', 'late\nexpired card', []],
    ['like', '*expired*', [9]],
    ['like', '12*', [8, 10]],
    ['words', 'EXPIRED card', [9]],
    ['words', '2000', [8, 10]],
  ] as const)('%s %j of a path finds the value, however JSON writes it', async (match, text, expected) => {
    const code = { of: 'json', text: value, path: { steps: [{ key: 'pay' }, { key: 'code' }] } } as const
    expect(await found({ op: 'match', value: code, match, text })).toEqual(expected)
  })
}

/** 5,000 lines of one microsecond in two projects, among a few others. Inserts alternate, so that parts of the table overlap. */
const crowded = [94, 95] as const
const crowdedRows: LogRow[] = Array.from({ length: 5010 }, (_, n) =>
  line(n, {
    timeUs: at(50) + (n < 5 ? -1000 : n < 5005 ? 0 : 1000),
    projectId: crowded[n % 3 === 0 ? 1 : 0],
    jpos: 900_002_000 + Math.floor(n / 7),
    place: n % 7,
    level: n % 2 === 0 ? 'error' : 'info',
  }),
)

/** Pages through lines of one microsecond. */
function tieCases(open: () => EventStore): void {
  const own = { ...scope, projectIds: [...crowded] }
  const numberOf = ({ jpos, place }: Pick<LogLine, 'jpos' | 'place'>) => (jpos - 900_002_000) * 7 + place
  const errors: Filter = { op: 'match', value: { of: 'text', column: 'level' }, match: 'is', text: 'error' }
  const all = crowdedRows.map((_, n) => n)
  beforeAll(async () => {
    for (const insert of [0, 1, 2, 3]) {
      const part = crowdedRows.filter((_, n) => n % 4 === insert)
      await open().insert('logs', Buffer.from(part.map(encodeLogRow).join('')), `crowded lines ${insert}`)
    }
  })

  test.each<[string, 'newest' | 'oldest', Filter | undefined, number[], number]>([
    ['newest first', 'newest', undefined, all.toReversed(), 499],
    ['oldest first', 'oldest', undefined, all, 499],
    ['that match', 'newest', errors, all.toReversed().filter((n) => n % 2 === 0), 250],
    ['in one page', 'newest', undefined, all.toReversed(), 6000],
  ])(
    'pages have every line once and are no longer than asked: %s',
    async (_name, order, filter, expected, max) => {
      const found: number[] = []
      let after: LogKey | undefined
      for (let page = 0; page < 30; page++) {
        const lines = await open().logLines({ scope: own, filter, columns: [], order, after, max })
        expect(lines.length).toBeLessThanOrEqual(max)
        found.push(...lines.map(numberOf))
        after = lines.at(-1)
        if (lines.length < max) break
      }
      expect(found).toEqual(expected)
    },
    60_000,
  )

  test('a page in the middle has its columns and texts', async () => {
    const [after] = await open().logLines({ scope: own, filter: undefined, columns: [], order: 'oldest', max: 1 })
    const columns = [{ of: 'attribute', key: 'cart.id', as: 'any' }] as const
    const lines = await open().logLines({ scope: own, filter: undefined, columns, order: 'oldest', after, max: 10 })
    expect(lines.map(({ body, columns: cells }) => [body, ...cells])).toEqual(
      Array.from({ length: 10 }, (_, n) => [`line ${n + 1}`, n + 1]),
    )
  })

  test.each<[string, (string | null)[], unknown[][]]>([
    [
      'known texts, in their order',
      ['info', 'error'],
      [
        [-1, 'error', 3],
        [-1, 'info', 2],
        [0, 'error', 2500],
        [0, 'info', 2500],
        [1, 'error', 2],
        [1, 'info', 3],
      ],
    ],
    [
      'one of them, named twice',
      ['error', 'error'],
      [
        [-1, 'error', 3],
        [0, 'error', 2500],
        [1, 'error', 2],
      ],
    ],
    ['texts that no line has', ["it's", 'debug'], []],
    [
      'a text and the lines without one',
      ['error', null],
      [
        [-1, 'error', 3],
        [0, 'error', 2500],
        [1, 'error', 2],
      ],
    ],
  ])('a series by %s', async (_name, levels, expected) => {
    const rows = await open().seriesOfRows({
      from: 'logs',
      scope: own,
      filter: undefined,
      withCut: false,
      values: [{ of: 'text', column: 'level' }],
      aggregates: [{ fn: 'count' }, { fn: 'formula', of: { op: 'aggregate', at: 0 } }],
      only: levels.map((level) => [level]),
      bucketMs: 1,
    })
    const middle = monday + 50_000
    expect(rows.map(({ startMs, group, cells }) => [startMs - middle, ...group, cells[0]])).toEqual(expected)
    expect(rows.every(({ cells }) => cells[1] === cells[0])).toBe(true)
  })

  test('the rows of a table have every line once, page by page', async () => {
    const values = [{ of: 'attribute', key: 'cart.id', as: 'any' }] as const
    const found: unknown[] = []
    for (let offset = 0; offset < all.length; offset += 501)
      found.push(
        ...(await open().listRows({
          from: 'logs',
          scope: own,
          filter: undefined,
          values,
          order: [],
          max: 501,
          offset,
        })),
      )
    expect(found.flat()).toEqual(all.toReversed())
  }, 60_000)
}

/** Cases for the reads of log lines. */
export function logSearchCases(open: () => EventStore): void {
  beforeAll(() => open().insert('logs', Buffer.from([...rows, ...wordRows].map(encodeLogRow).join('')), 'log search'))

  describe('words', () => wordCases(open))

  describe('lines of one microsecond', () => tieCases(open))

  describe('lines in order', () => {
    test.each([1, 2, 3, 100])('pages of %i lines have every line once, also those of one microsecond', async (max) => {
      for (const [order, expected] of [
        ['newest', [9, 8, 7, 6, 5, 4, 3, 2, 1]],
        ['oldest', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
      ] as const) {
        const found: number[] = []
        let after: LogKey | undefined
        for (let page = 0; page < 20; page++) {
          const lines = await open().logLines({ ...asked, order, after, max })
          found.push(...numbers(lines))
          after = lines.at(-1)
          if (lines.length < max) break
        }
        expect(found).toEqual(expected)
      }
    })

    test('columns, filter and the cut of a long text', async () => {
      const columns = [
        { of: 'attribute', key: 'cart.id', as: 'any' },
        { of: 'attribute', key: 'name', as: 'any' },
        { of: 'text', column: 'service' },
      ] as const
      const filter = { op: 'compare', value: columns[0], compare: '>', number: 7 } as const
      const [last, before] = await open().logLines({ scope, filter, columns, order: 'newest', max: 10 })
      expect([last?.columns, before?.columns]).toEqual([
        [9, 'n9', 'shop'],
        [8, 'n8', 'shop'],
      ])
      expect([last?.body.length, last?.pattern, before?.pattern]).toEqual([2000, '', '00000000000000a1'])
    })

    test('no project, and no readable one, find nothing', async () => {
      const none = { ...asked, scope: { ...scope, projectIds: [] } }
      expect(await open().logLines({ ...none, order: 'newest', max: 10 })).toEqual([])
      expect(await open().logTail({ ...none, from: 0, to: 1e12, max: 10 })).toEqual({ lines: [], total: 0 })
    })
  })

  test('a tail has the newest lines between two positions, and counts all', async () => {
    const tail = (from: number, to: number, max: number) => open().logTail({ ...asked, from, to, max })
    const all = await tail(900_000_000, 900_001_000, 3)
    expect([numbers(all.lines), all.total]).toEqual([[9, 8, 7], 9])
    const few = await tail(900_000_020, 900_000_040, 10)
    expect([numbers(few.lines), few.total]).toEqual([[3, 2], 2])
    expect(await tail(900_000_040, 900_000_040, 10)).toEqual({ lines: [], total: 0 })
  })

  test('a detail has everything of a line; another key has nothing', async () => {
    const [last] = await open().logLines({ ...asked, order: 'newest', max: 1 })
    if (!last) throw new Error('no line')
    const [detail] = await open().logDetails([last])
    expect(detail).toMatchObject({ truncated: true, repaired: true, service: 'shop', tags: { name: 'n9' } })
    expect([detail?.body.length, detail?.numbers]).toEqual([5000, { 'cart.id': 9 }])
    expect(await open().logDetails([{ ...last, place: 5 }])).toEqual([])
  })

  test('lines of a trace around a time, of readable projects only', async () => {
    const of = (projectIds: number[], newest = false, max = 10) =>
      open().logsOfTrace({ projectIds, traceId: trace, fromMs: monday, toMs: monday + 60_000, max, newest })
    expect(numbers(await of([one, two]))).toEqual([5, 6, 7])
    expect(numbers(await of([one, two], true, 2))).toEqual([6, 7])
    expect(numbers(await of([one]))).toEqual([5, 7])
    expect((await of([one]))[0]?.spanId).toBe('e'.repeat(16))
    expect(
      await open().logsOfTrace({ projectIds: [one], traceId: "'", fromMs: 0, toMs: 1, max: 1, newest: true }),
    ).toEqual([])
  })

  test('patterns with their weights, their newest line and their start', async () => {
    const { patterns, total, lines } = await open().logPatterns({ ...asked, max: 10 })
    expect([patterns.map(({ pattern, count, level }) => [pattern, count, level]), total, lines]).toEqual([
      [
        ['00000000000000a1', 16, 'info'],
        ['fffffffffffffffe', 1, 'error'],
      ],
      2,
      17,
    ])
    expect(patterns[0]?.newest).toEqual({ projectId: one, timeUs: at(5), jpos: 900_000_070, place: 1 })
    expect(await open().patternCount(asked)).toBe(2)
    expect(await open().patternCount({ ...asked, scope: { ...asked.scope, projectIds: [] } })).toBe(0)
    const names = patterns.map(({ pattern }) => pattern)
    expect([...(await open().patternStarts(scope, names))].sort()).toEqual([
      ['00000000000000a1', at(1)],
      ['fffffffffffffffe', at(5)],
    ])
    const series = await open().patternSeries({ ...asked, patterns: names.slice(0, 1), bucketMs: 3000 })
    expect(series.reduce((sum, { count }) => sum + count, 0)).toBe(16)
    expect(await open().patternStarts(scope, [])).toEqual(new Map())
  })
}
