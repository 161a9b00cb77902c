import { beforeAll, expect, test } from 'vitest'
import type { Connection } from './connection.ts'
import type { EventStore } from './event-store.ts'
import { plainLine } from './log-search.cases.ts'
import type { LogRow } from './log-store.ts'
import { encodeLogRow } from './logs/encode.ts'
import type { Filter } from './question.ts'

const minute = 60_000
const day = 24 * 60 * minute
/** Thursday 2026-11-19 22:03:20.5 UTC: in no whole slot of its range, and the range ends on the next day. */
const at = Date.UTC(2026, 10, 19, 22, 3, 20, 500)
const [one, two] = [97, 98]

type Database = { connection: Connection; name: string }

/** Lines of three hours in two projects, one every 6 s. */
const line = (n: number, changes: Partial<LogRow> = {}): LogRow => ({
  ...plainLine,
  projectId: n % 5 === 0 ? two : one,
  timeUs: (at + n * 6000) * 1000 + n,
  level: n % 7 === 0 ? 'error' : 'info',
  body: `line ${n}`,
  pattern: n % 11 === 0 ? '' : `fffffffffffffff${n % 4}`,
  service: ['shop', 'pay', ''][n % 3] ?? '',
  host: `web-${n % 13}`,
  logger: 'cart',
  environment: n % 4 === 0 ? 'staging' : 'production',
  release: `shop@${Math.floor(n / 700)}`,
  weight: 1 + (n % 2) / 2,
  receivedMs: at + n * 6000 + 50,
  jpos: 960_000_000 + Math.floor(n / 10),
  place: n % 10,
  ...changes,
})
const tsv = (rows: readonly LogRow[]) => Buffer.from(rows.map(encodeLogRow).join(''))
const rows = Array.from({ length: 1800 }, (_, n) => line(n))
const [from, to] = [960_000_000, 960_000_180]

/** A filter that every line meets: it is answered from the lines. */
const every: Filter = { op: 'and', of: [] }
const scope = { projectIds: [one, two], environments: [] as string[], fromMs: at, toMs: at + 180 * minute }
const levels = ['error', 'info'].map((level) => [level])

/** Cases of the rollup of log lines. Every kind of events store passes them. */
export function logRollupCases(open: () => EventStore, database: () => Database): void {
  const table = () => `${database().name}.log_rollup`
  const run = (statement: string) => database().connection.command(statement)
  /** All sums of the rollup, as lines. */
  const sums = async () => {
    const found = await database().connection.rows<{ line: string }>(
      `SELECT toString(tuple(day, project_id, field, slot, environment, level, value, pattern, sum(n), sum(weight), min(first), max(last))) AS line
       FROM ${table()} WHERE project_id IN (${one}, ${two})
       GROUP BY day, project_id, field, slot, environment, level, value, pattern ORDER BY line`,
    )
    return found.map((row) => row.line)
  }
  const differing = async () => (await open().check()).rollups['log_rollup']
  const hosts = (filter: Filter | undefined) =>
    open().columnFacets({ from: 'logs', scope, filter, columns: ['host'], max: 2 })

  beforeAll(async () => {
    for (const part of [0, 1])
      await open().insert('logs', tsv(rows.filter((_, n) => n % 2 === part)), `logs:rollup-${part}`)
  })

  test.each<[string, Partial<typeof scope>]>([
    ['a range that begins and ends anywhere', {}],
    ['whole slots', { fromMs: at - 200_500, toMs: at - 200_500 + 130 * minute }],
    ['one project', { projectIds: [two] }],
    ['an environment', { environments: ['staging'] }],
    ['too short a range', { toMs: at + 50 * minute }],
    ['more than there is', { fromMs: at - 3 * day, toMs: at + 3 * day }],
    ['all that is stored', { fromMs: 0 }],
    ['nothing', { fromMs: at - 3 * day, toMs: at - day }],
  ])('the rollup says the same as the lines: %s', async (_, changes) => {
    const part = { ...scope, ...changes }
    const facets = (filter: Filter | undefined) =>
      open().columnFacets({
        from: 'logs',
        scope: part,
        filter,
        columns: ['service', 'host', 'logger', 'environment', 'release', 'level'],
        max: 5,
      })
    expect(await facets(undefined)).toEqual(await facets(every))
    for (const bucketMs of [5 * minute, 30 * minute, 7 * minute]) {
      const series = (filter: Filter | undefined, isByLevel: boolean) =>
        open().seriesOfRows({
          from: 'logs',
          scope: part,
          filter,
          withCut: false,
          values: isByLevel ? [{ of: 'text', column: 'level' }] : [],
          aggregates: [{ fn: 'count' }, { fn: 'samples' }],
          only: isByLevel ? levels : [],
          bucketMs,
        })
      expect(await series(undefined, true)).toEqual(await series(every, true))
      expect(await series(undefined, false)).toEqual(await series(every, false))
      const trend = async (filter: Filter | undefined) =>
        (await open().patternSeries({ scope: part, filter, patterns: ['fffffffffffffff1'], bucketMs })).toSorted(
          (a, b) => a.startMs - b.startMs,
        )
      expect(await trend(undefined)).toEqual(await trend(every))
    }
    const patterns = (filter: Filter | undefined) => open().logPatterns({ scope: part, filter, max: 3 })
    expect(await patterns(undefined)).toEqual(await patterns(every))
    const count = (filter: Filter | undefined) => open().patternCount({ scope: part, filter })
    const { total } = await patterns(every)
    expect([await count(undefined), await count(every)]).toEqual([total, total])
  })

  test('patterns have their newest line, their level and their first time', async () => {
    const own = rows.filter(({ pattern }) => pattern === 'fffffffffffffff1')
    const last = own.at(-1)
    const { patterns, total, lines } = await open().logPatterns({ scope, filter: undefined, max: 10 })
    expect(total).toBe(4)
    expect(lines).toBe(rows.reduce((sum, { pattern, weight }) => sum + (pattern === '' ? 0 : weight), 0))
    expect(patterns.find(({ pattern }) => pattern === 'fffffffffffffff1')).toEqual({
      pattern: 'fffffffffffffff1',
      count: own.length * 1.5,
      lastUs: last?.timeUs,
      level: last?.level,
      newest: { projectId: last?.projectId, timeUs: last?.timeUs, jpos: last?.jpos, place: last?.place },
    })
    const starts = await open().patternStarts({ ...scope, fromMs: 0 }, ['fffffffffffffff1', 'fffffffffffffff9'])
    expect([...starts]).toEqual([['fffffffffffffff1', own[0]?.timeUs]])
  })

  test('an unclear insert is counted again, once, and the check finds a sum that is wrong', async () => {
    const whole = await sums()
    expect(whole.length).toBeGreaterThan(500)
    expect(await differing()).toBe(0)
    await open().settle('logs', 'logs:rollup-0', from, to)
    expect(await sums()).toEqual(whole)
    await run(`INSERT INTO ${table()} SELECT * FROM ${table()}
      WHERE project_id = ${one} AND field IN ('', 'host', 'pattern') SETTINGS insert_deduplicate = 0`)
    expect(await differing()).toBe(2)
    expect(await hosts(undefined)).not.toEqual(await hosts(every))
    await open().settle('logs', 'logs:rollup-0', from, to)
    expect(await sums()).toEqual(whole)
    expect(await differing()).toBe(0)
    expect(await hosts(undefined)).toEqual(await hosts(every))
  })

  test('a start builds the rollup of an older version, and leaves a complete one alone', async () => {
    const whole = await sums()
    for (const step of ['', `TRUNCATE TABLE ${table()}`, `DROP TABLE ${table()}`]) {
      await run(`DROP VIEW IF EXISTS ${table()}_feed`)
      if (step !== '') await run(step)
      await open().migrate()
      expect(await sums()).toEqual(whole)
    }
    await open().insert('logs', tsv([line(1801, { jpos: to })]), 'logs:rollup-2')
    expect(await differing()).toBe(0)
    expect(await hosts(undefined)).toEqual(await hosts(every))
  })

  test('own retention deletes the same days, and a removal everything', async () => {
    const old = line(1, { timeUs: (at - 5 * day) * 1000, receivedMs: at - 5 * day, jpos: from - 1 })
    await open().insert('logs', tsv([old]), 'logs:rollup-3')
    expect(await open().removeBefore('logs', [one], Date.UTC(2026, 10, 17))).toBe(1)
    expect(await differing()).toBe(0)
    await open().remove(one)
    await open().remove(two)
    expect(await sums()).toEqual([])
    expect(await open().rowsOf(one)).toBe(0)
  })
}
