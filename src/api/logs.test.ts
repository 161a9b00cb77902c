import { beforeAll, describe, expect, test } from 'vitest'
import type {
  RestLogDetail,
  RestLogLines,
  RestLogPatterns,
  RestLogSummary,
  RestLogsAround,
} from '../contract/explore/logs.ts'
import type { LogRow } from '../store/events/log-store.ts'
import { encodeLogRow } from '../store/events/logs/encode.ts'
import { appForFile } from './app.cases.ts'

const { made, call, personAs } = appForFile()
const nowMs = Date.now() - 60_000
const trace = 'a1'.repeat(16)

/** 30 lines, a second apart: number 1 is the newest. */
function line(n: number): LogRow {
  const isError = n % 10 === 0
  return {
    projectId: made().project.id,
    timeUs: (nowMs - n * 1000) * 1000,
    traceId: n <= 25 ? trace : '',
    spanId: '',
    severity: isError ? 17 : 9,
    level: isError ? 'error' : 'info',
    body: n === 3 ? '{"order":{"items":[{"id":"A-1"},{"id":"B-2"}]}}' : `cart ${n} loaded`,
    template: '',
    pattern: n === 3 ? '00000000000000b2' : '00000000000000a1',
    service: n % 2 === 0 ? 'shop' : 'billing',
    host: 'web-1',
    logger: '',
    environment: 'production',
    release: 'shop@1',
    platform: 'node',
    origin: '',
    userHash: '',
    attributes: { 'cart.id': n, 'user.id': `u${n}` },
    repaired: 0,
    truncated: false,
    weight: 1,
    receivedMs: nowMs,
    jpos: 66_000,
    place: n,
  }
}

beforeAll(async () => {
  const rows = Array.from({ length: 30 }, (_, n) => encodeLogRow(line(n + 1)))
  await made().app.events.insert('logs', Buffer.from(rows.join('')), 'logs:api')
})

const get = async (path: string, words: Record<string, string> = {}) =>
  call('GET', `/organizations/acme/logs/${path}?${new URLSearchParams({ statsPeriod: '24h', ...words })}`)
const lines = async (words: Record<string, string>): Promise<RestLogLines> => (await get('', words)).json
const numbers = (found: RestLogLines) => found.lines.map(({ id }) => Number(id.split('-').at(-1)))

describe('log lines', () => {
  test('come newest first, page by page', async () => {
    const first = await lines({ limit: '20' })
    const second = await lines({ limit: '20', cursor: first.next ?? '' })
    expect([...numbers(first), ...numbers(second)]).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
    expect(second.next).toBe(null)
  })

  test.each<[query: string, found: number[]]>([
    ['level:error', [10, 20, 30]],
    ['level:[error, fatal]', [10, 20, 30]],
    ['severity:>=warning service:shop', [10, 20, 30]],
    ['cart.id:<3', [1, 2]],
    ['body.order.items[].id:"B-2"', [3]],
    ['user.id:u7', [7]],
    [`trace:${trace} service:shop cart.id:>=24`, [24]],
    ['pattern:00000000000000b2', [3]],
    ['"cart 17 loaded"', [17]],
    ['nowhere', []],
  ])('%s', async (query, found) => {
    expect(numbers(await lines({ query }))).toEqual(found)
  })

  test('have the columns that were asked for', async () => {
    const { lines: found } = (await get('', { query: 'cart.id:3', column: 'body.order.items[].id' }))
      .json as RestLogLines
    expect(found[0]?.columns).toEqual(['A-1, B-2'])
    expect((await lines({ query: 'cart.id:4', column: 'cart.id' })).lines[0]?.columns).toEqual([4])
  })

  test.each([
    ['', { query: 'level:' }],
    ['', { cursor: 'x' }],
    ['', { column: 'count()x(' }],
    ['summary/', { query: '((' }],
    ['patterns/', { query: '((' }],
    ['tail/', { query: '((' }],
  ])('a wrong request is answered 400: %s %j', async (path, words) => {
    expect((await get(path, words as Record<string, string>)).status).toBe(400)
  })

  test('are counted by level and by the values of fields', async () => {
    const summary: RestLogSummary = (await get('summary/', { field: 'user.id' })).json
    expect([summary.count, summary.samples, summary.countedFrom]).toEqual([30, 30, null])
    const facet = (key: string) => summary.facets.find((found) => found.key === key)
    expect(facet('level')?.values).toEqual(expect.arrayContaining([{ value: 'error', count: 3 }]))
    expect(facet('service')?.values).toEqual(expect.arrayContaining([{ value: 'shop', count: 15 }]))
    expect([facet('user.id')?.values.length, facet('user.id')?.more]).toEqual([8, true])
    expect(summary.bars.reduce((sum, { levels }) => sum + (levels.info ?? 0), 0)).toBe(27)
  })

  test('form patterns', async () => {
    const { patterns, total }: RestLogPatterns = (await get('patterns/')).json
    expect(patterns.map(({ pattern, shape, count }) => [pattern, shape, count])).toEqual([
      ['00000000000000a1', 'cart * loaded', 29],
      ['00000000000000b2', '{"order":{"items":[{"id":*},{"id":*}]}}', 1],
    ])
    expect(total).toBe(2)
    const limited = async (limit: number): Promise<RestLogPatterns> =>
      (await get('patterns/', { limit: String(limit) })).json
    const [none, one] = [await limited(0), await limited(1)]
    expect([none.patterns.length, none.total, one.patterns.length, one.total]).toEqual([0, 2, 1, 2])
    for (const limit of ['-1', '51', 'x']) expect((await get('patterns/', { limit })).status).toBe(400)
    expect(patterns[0]?.points.reduce((sum, count) => sum + count, 0)).toBe(29)
  })

  test('have their attributes, and the lines around them', async () => {
    const [first] = (await lines({ query: 'cart.id:12' })).lines
    const detail: RestLogDetail = (await get(`${first?.id}/`)).json
    expect(detail).toMatchObject({ message: 'cart 12 loaded', trace, isTruncated: false, issues: [] })
    expect(detail.attributes).toEqual([
      { name: 'cart.id', value: 12 },
      { name: 'user.id', value: 'u12' },
    ])
    const around = async (by?: string): Promise<RestLogsAround> =>
      (await get(`${first?.id}/around/`, by ? { by } : {})).json
    const placesOf = (found: RestLogsAround) => found.lines.map(({ id }) => Number(id.split('-').at(-1)))
    expect(placesOf(await around())).toEqual(Array.from({ length: 21 }, (_, n) => 22 - n))
    expect(placesOf(await around('service')).every((n) => n % 2 === 0)).toBe(true)
    expect((await get(`${first?.id}x/`)).status).toBe(404)
    expect((await get('1-1-1-1/around/')).status).toBe(404)
  })

  test('nobody else reads a line by its id', async () => {
    const [first] = (await lines({ query: 'cart.id:12' })).lines
    const { token } = await personAs(null)
    for (const path of [`${first?.id}/`, `${first?.id}/around/`])
      expect((await call('GET', `/organizations/acme/logs/${path}`, { token })).status).toBe(404)
  })
})
