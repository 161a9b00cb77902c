import { beforeAll, describe, expect, test } from 'vitest'
import { randomOf } from '../../random.cases.ts'
import type { EventStore } from './event-store.ts'
import type { Aggregate, Asked, Filter, JsonPath, UniqueSeries, Value } from './question.ts'
import { sourceOf } from './searching/sources.ts'
import { tableNames } from './tables.ts'
import { encodeSpanRow } from './traces/encode-span.ts'
import { spanRow } from './traces/span-rows.cases.ts'
import { windowCases } from './windows.cases.ts'

const monday = Date.UTC(2026, 10, 16, 10)
const projectId = 63
const scope = { projectIds: [projectId], environments: [], fromMs: monday, toMs: monday + 3_600_000 }

/** Names that would end a literal, name a bound value, or comment the rest away. */
const hostile = [
  "it's",
  "'] OR 1 = 1 --",
  "') UNION ALL SELECT * FROM system.tables --",
  '{p0:String}',
  '\\',
  "\\'",
  '`; DROP TABLE spans',
  '/*',
  '%_*',
  '☃ "quoted"',
]
const steps = (...keys: string[]): JsonPath => ({ steps: keys.map((key) => (key === '[]' ? { each: true } : { key })) })
const json = (path: JsonPath): Value => ({ of: 'json', text: { of: 'attribute', key: 'doc', as: 'text' }, path })
const attribute = (key: string, as: 'any' | 'text' | 'number' = 'any'): Value => ({ of: 'attribute', key, as })

/** Ten spans: the n-th has the n-th name as an attribute, and in its JSON behind some words. */
const lines = hostile.map((name, n) => {
  const startMs = monday + n * 60_000
  const doc = `order placed ${JSON.stringify({
    order: {
      items: [
        { sku: name, n },
        { sku: 'x', n: 1 },
      ],
    },
    [name]: n,
  })}`
  return encodeSpanRow(
    spanRow(n + 1, {
      projectId,
      startUs: startMs * 1000,
      receivedMs: startMs,
      durationUs: n * 1000,
      weight: 1 + (n % 2),
      attributes: { [name]: `value ${n}`, doc, size: n },
      jpos: 975_000_000,
      place: n,
    }),
  )
})

const valuesOf = (from: Asked): Value[] => {
  const { texts, numbers, ids, flags, hasMeasurements } = sourceOf(from)
  return [
    ...Object.keys(texts).map((column): Value => ({ of: 'text', column })),
    ...Object.keys(numbers).map((column): Value => ({ of: 'number', column })),
    ...Object.keys(ids).map((column): Value => ({ of: 'id', column })),
    ...Object.keys(flags).map((column): Value => ({ of: 'flag', column })),
    { of: 'time' },
    attribute('a b'),
    attribute('a', 'number'),
    attribute('a', 'text'),
    json(steps('a', 'b')),
    json(steps('a', '[]', 'b', '[]')),
    json(steps('[]')),
    json({ steps: [{ at: 3 }, { key: 'a' }] }),
    ...(hasMeasurements
      ? ([
          { of: 'measurement', key: "l'cp" },
          { of: 'score', vital: 'total' },
        ] as const)
      : []),
  ]
}
const isNumeric = ({ of }: Value) => of !== 'text' && of !== 'id' && of !== 'time'

function aggregatesOf(value: Value, only: Filter | undefined): Aggregate[] {
  const numbers: Aggregate[] = [
    ...(['avg', 'sum', 'min', 'max'] as const).map((fn) => ({ fn, of: value, only })),
    { fn: 'valued', of: value, only },
    { fn: 'bins', of: value, only },
    { fn: 'percentile', level: 0.95, of: value, only },
    { fn: 'percentile', level: 1, of: value, only },
  ]
  return [{ fn: 'unique', of: value, only }, ...(isNumeric(value) ? numbers : [])]
}
const counts: Aggregate[] = [
  { fn: 'count' },
  { fn: 'samples' },
  { fn: 'failureCount' },
  { fn: 'failureRate' },
  { fn: 'share' },
  { fn: 'rate', perMs: 1000 },
  { fn: 'allSamples' },
  { fn: 'allCount' },
  {
    fn: 'formula',
    of: {
      op: '/',
      of: [
        { op: 'aggregate', at: 0 },
        { op: 'number', value: 0 },
      ],
    },
  },
]

const changesOf = ({ changes }: UniqueSeries) => changes

function compiled(open: () => EventStore): void {
  const asked = (['events', 'spans', 'logs', 'metrics'] as const).filter((from) =>
    tableNames.some((name) => name === from),
  )

  test.each(asked)('every value of %s is listed, grouped, compared and summed up', async (from) => {
    const values = valuesOf(from)
    const question = { from, scope, withCut: false, having: [], order: [], max: 3, offset: 0 }
    expect(await open().listRows({ ...question, filter: undefined, values })).toHaveLength(from === 'spans' ? 3 : 0)
    for (const value of values) {
      const filter: Filter = {
        op: 'or',
        of: [
          ...(['is', 'like', 'has', 'words'] as const).map((match) => ({
            op: 'match' as const,
            value,
            match,
            text: 'a*',
          })),
          ...(isNumeric(value) ? [{ op: 'compare' as const, value, compare: '>=' as const, number: 3 }] : []),
        ],
      }
      for (const only of [undefined, filter]) {
        const aggregates = [...counts, ...aggregatesOf(value, only)]
        const groups = await open().groupRows({ ...question, filter: only, values: [value], aggregates })
        const series = { ...question, filter: only, values: [value], aggregates, bucketMs: 60_000 }
        const rows = await open().seriesOfRows({ ...series, only: groups })
        expect(rows.every(({ cells }) => cells.length === aggregates.length)).toBe(true)
        const windows = { from, scope, filter: only, stepMs: 60_000, windowMs: 600_000 }
        const part = { of: value, only }
        const alone = await open().uniqueOfWindows({ ...windows, parts: [part], values: [] })
        expect(alone.flatMap(changesOf).every(({ count }) => count >= 0)).toBe(true)
        const grouped = await open().uniqueOfWindows({ ...windows, parts: [part, part], values: [value] })
        const [first, second] = [0, 1].map((at) =>
          Object.fromEntries(
            grouped.filter((own) => own.part === at).map(({ group, changes }) => [String(group[0]), changes]),
          ),
        )
        expect(second).toEqual(first)
        expect(grouped.length > 0).toBe(alone.length > 0)
      }
    }
  })
}

function hostileCases(open: () => EventStore): void {
  const question = { from: 'spans', scope, withCut: true, having: [], order: [], max: 100, offset: 0 } as const

  test.each(hostile.map((name, n) => [name, n] as const))('the attribute and the key of JSON %j', async (name, n) => {
    const found = (filter: Filter) => open().listRows({ ...question, filter, values: [{ of: 'time' }] })
    const at = [[new Date(monday + n * 60_000).toISOString()]]
    expect(await found({ op: 'match', value: attribute(name), match: 'is', text: `value ${n}` })).toEqual(at)
    expect(await found({ op: 'match', value: attribute(name), match: 'has', text: '' })).toEqual(at)
    expect(await found({ op: 'match', value: json(steps(name)), match: 'has', text: '' })).toEqual(at)
    expect(await found({ op: 'compare', value: json(steps(name)), compare: '=', number: n })).toEqual(at)
    const sku = json(steps('order', 'items', '[]', 'sku'))
    expect(await found({ op: 'match', value: sku, match: 'is', text: name })).toEqual(at)
    const aggregates: Aggregate[] = [{ fn: 'samples' }]
    const groups = await open().groupRows({ ...question, filter: undefined, values: [sku], aggregates })
    expect(groups).toContainEqual([name, 1])
    expect(groups).toContainEqual(['x', 10])
    expect(groups).toHaveLength(hostile.length + 1)
  })

  test('SQL for people has the same values in place, as literals', () => {
    const filter: Filter = { op: 'match', value: attribute("'] OR 1 = 1 --"), match: 'is', text: '{p0:String}' }
    const asked = {
      ...question,
      filter,
      values: [{ name: '`x {p1:String}', value: attribute("it's") }],
      aggregates: [],
    }
    const sql = open().explain({ ...asked, order: [{ at: 0, descending: true }] })
    expect(sql).toContain("tags['\\'] OR 1 = 1 --'] = '{p0:String}'")
    expect(sql).toContain("(tags['it\\'s']")
    expect(sql).toContain('ORDER BY `\\`x {p1:String}` DESC')
  })

  test('a column that the source does not have is a fault, not SQL', async () => {
    const values: Value[] = [{ of: 'text', column: 'op, (SELECT 1)' }]
    await expect(open().listRows({ ...question, filter: undefined, values })).rejects.toThrow('no column')
    const named: Value[] = [{ of: 'text', column: 'constructor' }]
    await expect(open().listRows({ ...question, filter: undefined, values: named })).rejects.toThrow('no column')
  })
}

/** Random filters: a row meets a condition or its opposite, never both and never neither. */
function randomCases(open: () => EventStore): void {
  test('150 random filters and their opposites share the rows', async () => {
    const random = randomOf(21)
    const pick = <T>(items: readonly T[]): T => {
      const item = items[Math.floor(random() * items.length)]
      if (item === undefined) throw new Error('nothing to pick')
      return item
    }
    const values: Value[] = [
      ...valuesOf('spans'),
      ...hostile.map((name) => attribute(name)),
      json(steps('order', 'items', '[]', 'n')),
    ]
    const filterOf = (depth: number): Filter => {
      const kind = random()
      if (depth > 0 && kind < 0.2) return { op: 'not', of: filterOf(depth - 1) }
      if (depth > 0 && kind < 0.5)
        return {
          op: pick(['and', 'or'] as const),
          of: Array.from({ length: Math.floor(random() * 4) }, () => filterOf(depth - 1)),
        }
      const value = pick(values)
      if (random() < 0.4 && isNumeric(value))
        return {
          op: 'compare',
          value,
          compare: pick(['<', '<=', '=', '>=', '>'] as const),
          number: Math.floor(random() * 10),
        }
      const text = pick([...hostile, 'value 3', '*', 'x', '5', ''])
      return { op: 'match', value, match: pick(['is', 'like', 'has', 'words'] as const), text }
    }
    const question = {
      from: 'spans',
      scope,
      withCut: true,
      having: [],
      order: [],
      max: 1,
      offset: 0,
      values: [],
    } as const
    for (let n = 0; n < 150; n++) {
      const filter = filterOf(3)
      const count = async (asked: Filter) => {
        const aggregates: Aggregate[] = [{ fn: 'samples' }, { fn: 'count', only: asked }]
        const [row] = await open().groupRows({ ...question, filter: asked, aggregates })
        return Number(row?.[0])
      }
      const sum = (await count(filter)) + (await count({ op: 'not', of: filter }))
      expect([JSON.stringify(filter), sum]).toEqual([JSON.stringify(filter), hostile.length])
    }
  })
}

/** Questions over every table, on each kind of events store. */
export function questionCases(open: () => EventStore): void {
  beforeAll(async () => {
    await open().insert('spans', Buffer.from(lines.join('')), 'spans:975-976')
  })

  describe('compiled', () => compiled(open))
  describe('hostile names', () => hostileCases(open))
  describe('random filters', () => randomCases(open))
  describe('windows', () => windowCases(open))

  test('a statement over its memory says so, and another is not touched by that', async () => {
    const question = { from: 'spans', scope, withCut: true, having: [], order: [], max: 1, offset: 0 } as const
    const asked = { ...question, filter: undefined, values: [], aggregates: [{ fn: 'samples' }] as Aggregate[] }
    const refused = await open()
      .groupRows({ ...asked, limits: { memoryBytes: 1000 } })
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'QUERY_TIMEOUT', causes: ['memory'] })
    const cost = { rows: 0, bytes: 0 }
    expect(await open().groupRows({ ...asked, cost })).toEqual([[hostile.length]])
    expect(cost.rows).toBeGreaterThanOrEqual(hostile.length)
  })
}
