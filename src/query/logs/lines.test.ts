import { describe, expect, test } from 'vitest'
import type { LogDetail, LogKey, LogLine, LogSearchStore } from '../../store/events/log-search.ts'
import type { QueryDeps } from '../issues/issue.ts'
import type { LogView } from './condition.ts'
import { lineReader, logDetail, logLines, logsAround } from './lines.ts'

const trace = 'ab'.repeat(16)
const atMs = Date.UTC(2026, 10, 27, 10)
const dayMs = 86_400_000
const line = (n: number, more: Partial<LogLine> = {}): LogLine => ({
  projectId: 1,
  timeUs: atMs * 1000 + n,
  jpos: 100,
  place: n,
  level: 'info',
  severity: 9,
  body: `line ${n}`,
  template: '',
  pattern: '',
  traceId: '',
  spanId: '',
  columns: [],
  ...more,
})
const { columns: _, ...bare } = line(5)
const detail = (more: Partial<LogDetail> = {}): LogDetail => ({
  ...bare,
  service: '',
  host: '',
  logger: '',
  environment: '',
  release: '',
  platform: '',
  origin: '',
  tags: {},
  numbers: {},
  truncated: false,
  repaired: false,
  receivedMs: atMs + 250,
  ...more,
})
const id = `${atMs * 1000 + 5}-1-100-5`
const view = {
  projects: [
    { id: 1, slug: 'web' },
    { id: 2, slug: 'api' },
  ],
  environments: ['production'],
  range: { fromMs: atMs - dayMs, toMs: atMs, period: '24h' },
} as unknown as LogView

type Asked = Parameters<LogSearchStore['logLines']>[0]
type Held = {
  lines?: LogLine[]
  details?: LogDetail[]
  errors?: { projectId: number; groupHash: string }[]
  issueIds?: [string, number][]
  durations?: { durationMs: number }[]
  spans?: Record<string, { op: string; name: string; description: string; durationUs: number }>
}

/** Stores that hold these, and what they were asked. */
function stores({ lines = [], details = [], errors = [], issueIds = [], durations = [], spans = {} }: Held = {}) {
  const asked: Asked[] = []
  const keys: LogKey[] = []
  const order: string[] = []
  const deps = {
    clock: { now: () => atMs },
    events: {
      logLines: async (request: Asked) => {
        order.push('lines')
        asked.push(request)
        return lines.slice(0, request.max)
      },
      logDetails: async (wanted: readonly LogKey[]) => {
        keys.push(...wanted)
        return details
      },
      byTraceId: async () => errors,
      traceSummaries: async () => durations,
      spanOfTrace: async (readable: readonly number[], traceId: string, spanId: string) =>
        spans[`${readable.join()} ${traceId} ${spanId}`],
    },
    meta: {
      batches: {
        cursor: async () => {
          order.push('position')
          return 4096
        },
      },
      issues: {
        issueIdsOf: async () => new Map(issueIds),
        issueById: async (issue: number) => (issue === 404 ? undefined : { id: issue, shortId: `WEB-${issue}` }),
      },
    },
  }
  return { deps: deps as unknown as QueryDeps, asked, keys, order }
}

describe('a list', () => {
  const list = (held: Held, more: Partial<Parameters<typeof logLines>[2]> = {}) => {
    const own = stores(held)
    return {
      ...own,
      answer: logLines(own.deps, view, { query: '', columns: [], limit: 2, cursor: undefined, ...more }),
    }
  }

  test('asks for one line more than it shows, and names the last one as the cursor', async () => {
    const { answer, asked } = list({ lines: [line(3), line(2), line(1)] })
    const { lines, next } = await answer
    expect(lines.map(({ message }) => message)).toEqual(['line 3', 'line 2'])
    expect(next).toBe(lines[1]?.id)
    expect(asked[0]).toMatchObject({
      max: 3,
      order: 'newest',
      after: undefined,
      scope: { projectIds: [1, 2], environments: ['production'], fromMs: atMs - dayMs, toMs: atMs },
    })
  })
  test('exactly full has no cursor', async () => {
    expect(await list({ lines: [line(2), line(1)] }).answer).toMatchObject({ next: null })
  })
  test('knows its position from before the read: what is committed meanwhile comes with the tail', async () => {
    const { answer, order } = list({})
    expect((await answer).position).toBe('4096')
    expect(order).toEqual(['position', 'lines'])
  })
  test('goes on behind the line of a cursor', async () => {
    const { answer, asked } = list({}, { cursor: id })
    await answer
    expect(asked[0]?.after).toEqual({ timeUs: atMs * 1000 + 5, projectId: 1, jpos: 100, place: 5 })
  })
  test.each(['x', '1-2-3', `${id} OR 1`, `${'9'.repeat(17)}-1-1-1`])('refuses the cursor %j', async (cursor) => {
    const { answer, order } = list({}, { cursor })
    await expect(answer).rejects.toMatchObject({ code: 'VALIDATION', fields: { cursor: ['The id of a line.'] } })
    expect(order).toEqual([])
  })
})

describe('columns', () => {
  test('show projects by their slugs, and missing values as null', () => {
    const { columns, toRest } = lineReader(view, ['project', 'service', 'order.id'])
    expect(columns).toHaveLength(3)
    expect(toRest(line(1, { columns: [2, 'pay'] })).columns).toEqual(['api', 'pay', null])
    // A project that has left the view has its number.
    expect(toRest(line(1, { columns: [9, '', 7] })).columns).toEqual(['9', '', 7])
  })
  test('are at most ten', () => {
    const names = Array.from({ length: 10 }, (_, n) => `a${n}`)
    expect(lineReader(view, names).columns).toHaveLength(10)
    expect(() => lineReader(view, [...names, 'b'])).toThrow(
      expect.objectContaining({ code: 'VALIDATION', fields: { column: ['At most 10.'] } }),
    )
  })
  test('are no functions', () => {
    expect(() => lineReader(view, ['service', 'count()'])).toThrow(
      expect.objectContaining({
        code: 'VALIDATION',
        fields: { column: ['"count()" is a function. A line has fields only.'] },
      }),
    )
  })
})

describe('one line', () => {
  test('has its fields in a fixed order, and its attributes by name', async () => {
    const { deps, keys } = stores({
      details: [
        detail({ service: 'pay', release: 'r@1', tags: { b: 'x', z: '' }, numbers: { a: 1.5 }, truncated: true }),
      ],
    })
    const answer = await logDetail(deps, [1], id)
    expect(answer).toMatchObject({
      id,
      timestamp: '2026-11-27T10:00:00.000005Z',
      received: '2026-11-27T10:00:00.250Z',
      isTruncated: true,
      fields: [
        { name: 'service', value: 'pay' },
        { name: 'release', value: 'r@1' },
      ],
      attributes: [
        { name: 'a', value: 1.5 },
        { name: 'b', value: 'x' },
        { name: 'z', value: '' },
      ],
      traceDuration: null,
      issues: [],
    })
    expect(answer).not.toHaveProperty('columns')
    expect(keys).toHaveLength(1)
  })

  test.each<[string, number[], string, Held, number]>([
    ['no id', [1], 'nonsense', { details: [detail()] }, 0],
    // The store is not asked: an answer would tell that the line exists.
    ['of a project that the reader may not read', [2], id, { details: [detail()] }, 0],
    ['not stored any more', [1], id, {}, 1],
  ])('is not found: %s', async (_name, readable, wanted, held, reads) => {
    const { deps, keys } = stores(held)
    await expect(logDetail(deps, readable, wanted)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(logsAround(deps, readable, wanted, undefined)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(keys).toHaveLength(2 * reads)
  })

  test('says the span that it was written in, if the reader may read it', async () => {
    const spanId = 'cd'.repeat(8)
    const span = { op: 'db', name: '', description: `SELECT ${'x'.repeat(400)}`, durationUs: 1_480_000 }
    const held = { details: [detail({ traceId: trace, spanId })], spans: { [`1 ${trace} ${spanId}`]: span } }
    const infoOf = async (own: Held, readable = [1]) => (await logDetail(stores(own).deps, readable, id)).spanInfo
    expect(await infoOf(held)).toEqual({ op: 'db', name: span.description.slice(0, 300), duration: 1480 })
    expect(await infoOf({ ...held, spans: { [`1 ${trace} ${spanId}`]: { ...span, name: 'connect' } } })).toMatchObject({
      name: 'connect',
    })
    expect(await infoOf(held, [1, 2])).toBeNull()
    expect(await infoOf({ ...held, details: [detail({ traceId: trace })] })).toBeNull()
  })

  test('names each issue of its trace once, at most three, and none that was removed', async () => {
    const issuesWith = async (ids: number[]) => {
      const issueIds = ids.map((issue, n): [string, number] => [`1:${n}`, issue])
      const { deps } = stores({ details: [detail({ traceId: trace })], issueIds, durations: [{ durationMs: 12.5 }] })
      return logDetail(deps, [1], id)
    }
    expect(await issuesWith([7, 7, 404, 8])).toMatchObject({
      traceDuration: 12.5,
      issues: [
        { id: '7', shortId: 'WEB-7' },
        { id: '8', shortId: 'WEB-8' },
      ],
    })
    expect((await issuesWith([1, 2, 3, 4])).issues.map((issue) => issue.id)).toEqual(['1', '2', '3'])
  })
})

describe('the lines around a line', () => {
  const around = async (own: Partial<LogDetail>, by?: Parameters<typeof logsAround>[3]) => {
    const { deps, asked } = stores({ details: [detail(own)], lines: [line(1), line(2)] })
    return { answer: await logsAround(deps, [1, 2], id, by), asked }
  }

  test.each<[string, Partial<LogDetail>, Parameters<typeof logsAround>[3], string, string, number[]]>([
    [
      'its trace first, in all projects',
      { traceId: trace, service: 's', host: 'h' },
      undefined,
      'trace',
      trace,
      [1, 2],
    ],
    ['its service without a trace', { service: 's', host: 'h' }, undefined, 'service', 's', [1]],
    ['its host without both', { host: 'h' }, undefined, 'host', 'h', [1]],
    ['what the reader chose', { traceId: trace, service: 's', host: 'h' }, 'host', 'host', 'h', [1]],
    ['all lines of the project that name no host either', {}, undefined, 'host', '', [1]],
  ])('%s', async (_name, own, by, wantedBy, value, projectIds) => {
    const { answer, asked } = await around(own, by)
    expect(answer).toMatchObject({ by: wantedBy, value })
    for (const { scope, filter } of asked) {
      // All environments: the lines before a crash can be of another one.
      expect(scope).toMatchObject({ projectIds, environments: [] })
      expect(filter).toMatchObject({ op: 'match', match: 'is', text: value, value: { column: wantedBy } })
    }
  })

  test('ten on each side within a day, oldest first, with the line itself in the middle', async () => {
    const { answer, asked } = await around({ service: 's' })
    expect(asked.map(({ order, max, after }) => [order, max, after?.place])).toEqual([
      ['newest', 10, 5],
      ['oldest', 10, 5],
    ])
    expect(asked[0]?.scope.fromMs).toBeCloseTo(atMs - dayMs, 0)
    expect(asked[0]?.scope.toMs).toBeCloseTo(atMs + dayMs, 0)
    expect(answer.lines.map(({ message }) => message)).toEqual(['line 2', 'line 1', 'line 5', 'line 1', 'line 2'])
  })

  test.each(['trace', 'service', 'host'] as const)('a line without a %s that was chosen is a mistake', async (by) => {
    await expect(around({}, by)).rejects.toMatchObject({
      code: 'VALIDATION',
      fields: { by: [`The line has no ${by}.`] },
    })
  })
})
