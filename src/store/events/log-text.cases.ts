import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { valueSign } from '../../domain/log-shape.ts'
import type { Connection } from './connection.ts'
import type { EventStore } from './event-store.ts'
import { plainLine } from './log-search.cases.ts'
import type { LogRow } from './log-store.ts'
import { encodeWith, logColumns } from './logs/encode.ts'
import { laterLogColumns, laterLogIndexes, logsTable } from './logs/schema.ts'
import type { Filter, Value } from './question.ts'

const second = 1_000_000
/** Monday 2026-11-16 10:00 UTC. */
const monday = Date.UTC(2026, 10, 16, 10)
/** Projects with the same texts as older versions store them, as a shape and values, and in turns. */
type Projects = { whole: number; split: number; mixed: number; texts: readonly string[] }
/** The first position of a project. */
const firstOf = (projectId: number) => 970_000_000 + projectId * 100_000

const uuid = '7f3e9c1a-0b6d-4f8e-9a77-1c2d3e4f5a6b'
const odd = [
  'order-17 refused',
  'order 17 refused',
  'ORDER-17 Refused again',
  'order_17, order.17 and order:17',
  'Order17x unrefused',
  'key=17;refused=no',
  '17',
  '-17.5e3',
  'refused',
  '',
  ' ',
  'größe17 und GRÖSSE17',
  '17größe, Größe 17',
  'Kelvin 5\u212a and \u212a5, long \u017f5 and 5\u017f, dots \u01305 and \u01315',
  'Привет мир 42 и МИР42',
  '日本語ログ17行',
  '😀17😀 refused',
  `a${valueSign}b 17`,
  valueSign,
  'null\0byte 17',
  'tab\there 17\nand a line refused\\',
  'it says "order 17 refused" and \'17\'',
  'never "closed 17',
  "can't 17, won't 'single refused'",
  'slash "a\\"b 17" end',
  '100% of _it_, *all* of 17*',
  'deadbeefcafe, a facade, a decade',
  `job ${uuid} done`,
  'user ann@example.com from 10.0.0.17:8080',
  'refused in 171 ms',
  'refused in 17 ms, line 17',
  `${'x'.repeat(1000)} order-17 refused`,
  `${'y '.repeat(480)}order-17 refused in 17 ms`,
  `${'é'.repeat(2500)} order-17`,
  'got {"order":{"items":[{"id":7,"sku":"A17"},{"id":70,"sku":"order-17"}]}}',
  'an order of items with the id 7',
  'got {"pay":{"code":1.2E6}}',
  '{"pay":{"code":"late\\nExpired card"}}',
  '{"pay":{"code":"1200000"},"late":"expired card"}',
  '{"pay":{"code":"order-17 refused"}}',
  '{"pay":{"größe":17,"code":17}}',
]
/** A text of letters for a number: each makes a shape of its own. */
const letters = (n: number): string =>
  [1, 26, 676, 17_576].map((step) => String.fromCharCode(97 + (Math.floor(n / step) % 26))).join('')
const shapes = Array.from(
  { length: 10_000 },
  (_, n) => `job ${letters(n)} took ${n} ms${n % 1000 === 17 ? ', quarantined' : ''}`,
)
const few: Projects = { whole: 171, split: 172, mixed: 173, texts: odd }
const many: Projects = { whole: 174, split: 175, mixed: 176, texts: shapes }

const lineOf = (projectId: number, body: string, n: number): LogRow => ({
  ...plainLine,
  projectId,
  timeUs: monday * 1000 + n * second + 7,
  body,
  receivedMs: monday + n * 1000 + 50,
  jpos: firstOf(projectId) + n,
})
/** Lines of one of the three projects, of both lists of texts. */
const linesOf = (way: 'whole' | 'split' | 'mixed', isThis: (n: number) => boolean = () => true) =>
  [few, many].flatMap((own) => own.texts.flatMap((text, n) => (isThis(n) ? [lineOf(own[way], text, n)] : [])))
const scope = { environments: [], fromMs: monday, toMs: monday + 86_400_000 }

const body = { of: 'text', column: 'body' } as const
const pathOf = (...keys: string[]): Value => ({
  of: 'json',
  text: body,
  path: { steps: keys.map((key) => (key === '[]' ? { each: true } : { key })) },
})
type How = Extract<Filter, { op: 'match' }>['match']
const matches = (match: How, all: readonly string[], value: Value = body): Filter[] =>
  all.map((text) => ({ op: 'match', value, match, text }))

const words = [
  'refused',
  'REFUSE',
  'fuse',
  're',
  'o',
  '17',
  '7',
  '1',
  '171',
  '17 ms',
  'zebra',
  '',
  '  refused ',
  'ms',
  'in',
  'order-17',
  'rder-1',
  'ORDER-17 ref',
  'order 17',
  'order.17',
  'order_',
  'order17',
  'r17x',
  'key=17',
  '=no',
  '-17.5',
  'größe',
  'größe17',
  'GRÖSSE17',
  'e17',
  '17gr',
  'kelvin',
  'k5',
  'K5',
  '5k',
  '5s',
  'i5',
  'is',
  'to',
  '\u212a5',
  '5\u212a',
  's5',
  'мир',
  'МИР 42',
  'мир42',
  '語ログ17',
  '17行',
  '😀17',
  '17😀 ref',
  valueSign,
  `a${valueSign}b`,
  'b 17',
  'null',
  '\0byte',
  'here 17',
  'line refused\\',
  '"order 17',
  'says "order',
  'refused" and',
  "'17'",
  "can't 17",
  "t 17, won't 's",
  'slash "a\\',
  'b 17" end',
  '% of _',
  '*all*',
  'deadbeef',
  'beefcafe',
  'facade',
  uuid,
  '0b6d-4f8e',
  '4f8e',
  'ann@example',
  'example.com',
  '0.0.17:80',
  '8080',
  'xxx',
  'yyy',
  'y y',
  'y order-17',
  '"id":7',
  'A17',
  '2E6',
]
const patterns = [
  '*refused*',
  'refused*',
  '*refused',
  'refused',
  'order-17 refused',
  '*order-17*',
  '*rder-1*',
  'order*17*',
  '*order 17*',
  '*17*',
  '17*',
  '*17',
  '*7',
  '*in 17* ms*',
  '*refused in 17*',
  '*größe17*',
  '*GRÖSSE*',
  '*мир*',
  '*\\*all\\**',
  '*of 17\\*',
  '*',
  '',
  '*o*r*d*e*r*',
  `*${valueSign}*`,
  '*17" end',
  '*y order-17*',
  '*ab*',
]
const code = pathOf('pay', 'code')
const filters: Filter[] = [
  ...matches('words', words),
  ...matches('like', patterns),
  ...matches('is', ['order-17 refused', 'Order-17 refused', '17', '', ' ', valueSign, '日本語ログ17行']),
  ...matches('has', ['']),
  ...matches('is', ['1200000', '17', 'order-17 refused', 'late\nExpired card', 'zebra', ''], code),
  ...matches('like', ['*expired*', '12*', '*order-17*', '*'], code),
  ...matches('words', ['EXPIRED card', 'refused', '2000', 'r-1'], code),
  ...matches('has', [''], code),
  ...matches('is', ['7', '70'], pathOf('order', 'items', '[]', 'id')),
  ...matches('is', ['order-17', 'A17'], pathOf('order', 'items', '[]', 'sku')),
  ...matches('is', ['17'], pathOf('pay', 'größe')),
  { op: 'compare', value: pathOf('order', 'items', '[]', 'id'), compare: '>', number: 60 },
  { op: 'compare', value: code, compare: '>=', number: 17 },
]
/** Filters that are asked among many shapes. */
const manyFilters: Filter[] = [
  ...matches('words', [
    'quarantined',
    'took 4017',
    'job aab',
    'aaba took',
    'baa',
    'ab',
    '4017',
    '17',
    'ms, quar',
    'zebra',
  ]),
  ...matches('like', ['job aab*', '*took 99* ms', '*quarantined', '*a took 9*']),
  ...matches('is', ['job aaaa took 0 ms', 'job baaa took 1 ms, quarantined']),
]
const nameOf = (filter: Filter): string => JSON.stringify(filter).slice(0, 120)

/** What a filter of ASCII signs finds, by JavaScript; undefined for what has rules of its own. */
function expectedOf(filter: Filter, texts: readonly string[]): number[] | undefined {
  if (filter.op !== 'match' || filter.value !== body || filter.match !== 'words') return undefined
  const word = filter.text.trim()
  // Long s and the Kelvin sign are letters that Unicode calls cases of ASCII letters.
  if (!/^[\0-\x7f]*$/.test(word) || /^(?=.*5)[ski5]+$/i.test(word)) return undefined
  const lower = (text: string) => text.replace(/[A-Z]+/g, (found) => found.toLowerCase())
  return texts.flatMap((text, n) => (lower(text).includes(lower(word)) ? [n] : []))
}

/** Cases that ask for the same lines, stored in three ways. */
function searchCases(open: () => EventStore): void {
  /** The lines of each project that a filter finds, by their numbers. */
  const found = async ({ whole, split, mixed, texts }: Projects, filter: Filter) => {
    const projectIds = [whole, split, mixed]
    // One statement for all three: a list asks for the lines of each project by themselves.
    const found = await open().groupRows({
      from: 'logs',
      scope: { ...scope, projectIds },
      filter,
      withCut: false,
      values: [{ of: 'text', column: 'item' }],
      aggregates: [{ fn: 'count' }],
      having: [],
      order: [],
      max: 3 * texts.length + 1,
      offset: 0,
    })
    const places = found.map(([item]) => Number.parseInt(String(item).slice(0, 16), 16)).sort((a, b) => a - b)
    const isOf = (id: number) => (jpos: number) => jpos >= firstOf(id) && jpos < firstOf(id + 1)
    return projectIds.map((id) => places.filter(isOf(id)).map((jpos) => jpos - firstOf(id)))
  }

  test.each([
    ...filters.map((filter) => [`${nameOf(filter)} among odd texts`, few, filter] as const),
    ...manyFilters.map((filter) => [`${nameOf(filter)} among many shapes`, many, filter] as const),
  ])('the same lines: %s', async (_, own, filter) => {
    const [before = [], ...others] = await found(own, filter)
    for (const after of others) expect(after).toEqual(before)
    const expected = expectedOf(filter, own.texts)
    if (expected) expect(before).toEqual(expected)
    if (own === many) return
    const are = new Set(before)
    const rest = own.texts.flatMap((_text, n) => (are.has(n) ? [] : [n]))
    for (const after of await found(own, { op: 'not', of: filter })) expect(after).toEqual(rest)
  })

  test.each([
    ['odd texts', few],
    ['many shapes', many],
  ])(
    'each of %s comes back as it was sent: in lists, details, tails, rows and SQL',
    async (_, own) => {
      const { texts } = own
      for (const projectId of [own.whole, own.split, own.mixed]) {
        const asked = { scope: { ...scope, projectIds: [projectId] }, filter: undefined, columns: [body] }
        const lines = await open().logLines({ ...asked, order: 'oldest', max: texts.length })
        expect(lines.map((line) => line.body)).toEqual(texts.map((text) => text.slice(0, 2000)))
        expect(lines.map(({ columns }) => columns[0])).toEqual(texts)
        const details = await open().logDetails(lines.slice(0, 50))
        expect(details.map((line) => line.body).sort()).toEqual(texts.slice(0, 50).sort())
        const range = { from: firstOf(projectId), to: firstOf(projectId) + 50 }
        const tail = await open().logTail({ ...asked, ...range, max: 100 })
        expect(tail.lines.map(({ columns }) => columns[0])).toEqual(texts.slice(0, 50).reverse())
        const groups = await open().groupRows({
          from: 'logs',
          scope: asked.scope,
          filter: undefined,
          withCut: false,
          values: [body],
          aggregates: [{ fn: 'count' }],
          having: [],
          order: [],
          max: 20_000,
          offset: 0,
        })
        expect(groups.length).toBe(new Set(texts).size)
        const sql = "SELECT body FROM logs WHERE body LIKE '%r-17%' OR body LIKE '% took 17%' ORDER BY time"
        const { rows } = await open().runSql({ sql, projects: [{ id: projectId, slug: 'one' }] })
        expect(rows.flat()).toEqual(texts.filter((text) => /r-17| took 17/.test(text)))
      }
    },
    60_000,
  )
}

/** `merge` makes one part of each partition of a table. The user of a server may not. */
type Database = { connection: Connection; name: string; merge(table: string): Promise<unknown> }
const lineTexts = (rows: readonly LogRow[], isRepeated: (row: LogRow) => boolean) =>
  rows.map((row) => encodeWith(row, () => isRepeated(row)))
const later = new Set(laterLogColumns.map(({ name }) => name))
const olderColumns = logColumns.filter((name) => !later.has(name))

/** Cases for texts that are stored as a shape and values, on tables of this version and of an older one. Tables are emptied. */
export function logTextCases(open: () => EventStore, database: () => Database): void {
  const run = (sql: string) => database().connection.command(sql, {}, { seconds: 60 })
  const tables = ['logs', 'log_rollup']
  const clear = async () => {
    for (const table of tables) await run(`TRUNCATE TABLE ${database().name}.${table}`)
  }
  const insert = (rows: readonly LogRow[], isRepeated: (row: LogRow) => boolean, token: string) =>
    open().insert('logs', Buffer.from(lineTexts(rows, isRepeated).join('')), token)
  /** Inserts lines as an older version did: without the later columns, which are empty. */
  const insertOlder = (rows: readonly LogRow[], token: string) => {
    const places = [...logColumns.entries()].flatMap(([at, name]) => (later.has(name) ? [] : [at]))
    const lines = lineTexts(rows, () => false).map((line) => {
      const cells = line.slice(0, -1).split('\t')
      return `${places.map((at) => cells[at]).join('\t')}\n`
    })
    return database().connection.insert('logs', olderColumns, [Buffer.from(lines.join(''))], token)
  }
  afterAll(clear)

  describe('a new table', () => {
    beforeAll(async () => {
      await clear()
      await insert(linesOf('whole'), () => false, 'whole')
      await insert(linesOf('split'), () => true, 'split')
      await insert(linesOf('mixed'), ({ jpos }) => jpos % 2 === 0, 'mixed')
    }, 60_000)
    searchCases(open)

    test('a text with its shape is stored once', async () => {
      const found = await database().connection.rows<{ project: string; bodies: string; shapes: string }>(
        `SELECT toString(project_id) AS project, countIf(body != '') AS bodies, uniqExactIf(shape, shape != '') AS shapes
         FROM ${database().name}.logs GROUP BY project_id ORDER BY project_id`,
      )
      const unsplit = odd.filter((text) => text.length > 1000 || text.includes(valueSign)).length
      expect(found.map(({ bodies }) => Number(bodies))).toEqual(
        expect.arrayContaining([odd.length - 1, unsplit, shapes.length, 0, shapes.length / 2]),
      )
      expect(found.map((row) => Number(row.shapes)).slice(3)).toEqual([0, 10_000, 5000])
    })
  })

  describe('a table of an older version, with lines of before and after', () => {
    const kept: { columns: string[]; rows: { id: string; rows: Buffer[] }[] } = { columns: [], rows: [] }
    const isOld = (n: number) => n % 2 === 1
    beforeAll(async () => {
      const { connection, name } = database()
      const ddl = [...laterLogColumns, ...laterLogIndexes.map((index) => ({ ...index, name: `INDEX ${index.name}` }))]
        .map((item) => `${item.name} ${item.type}`)
        .reduce((sql, part) => sql.replace(`,\n  ${part}`, ''), logsTable(name, connection.kind))
      await run(`DROP VIEW ${name}.log_rollup_feed`)
      await run(`DROP TABLE ${name}.logs SYNC`)
      await run(`TRUNCATE TABLE ${name}.log_rollup`)
      await run(ddl)
      expect(await open().rowColumns('logs')).toEqual(expect.not.arrayContaining([...later]))
      expect((await open().rowColumns('logs')).toSorted()).toEqual(olderColumns.toSorted())
      await insertOlder(linesOf('whole'), 'older whole')
      await insertOlder(linesOf('split'), 'older split')
      await insertOlder(linesOf('mixed', isOld), 'older mixed')
      kept.columns = await open().rowColumns('logs')
      for (const partition of await open().rowPartitions()) {
        if (partition.table !== 'logs') continue
        const rows = await Array.fromAsync(open().rowsIn(partition, { from: 0, until: Number.MAX_SAFE_INTEGER }))
        kept.rows.push({ id: partition.id, rows })
      }
      await open().migrate()
      await run(
        `ALTER TABLE ${name}.logs DELETE WHERE project_id IN (${few.split}, ${many.split}) SETTINGS mutations_sync = 2`,
      )
      await insert(linesOf('split'), () => true, 'split again')
      await insert(
        linesOf('mixed', (n) => !isOld(n)),
        () => true,
        'newer mixed',
      )
    }, 60_000)

    describe('in parts of their own', () => searchCases(open))

    describe('in one part', () => {
      beforeAll(() => database().merge('logs'), 60_000)
      searchCases(open)
    })

    test('rows that the older version wrote into a backup are read', async () => {
      const target = await open().takeRows()
      for (const { id, rows } of kept.rows)
        await target.put(
          { table: 'logs', id, version: 1, deletion: 0 },
          kept.columns,
          (async function* () {
            yield* rows
          })(),
          true,
        )
      await target.finish()
      for (const { split, texts } of [few, many]) {
        const asked = { scope: { ...scope, projectIds: [split] }, filter: undefined, columns: [body] }
        const lines = await open().logLines({ ...asked, order: 'oldest', max: texts.length })
        expect(lines.map(({ columns }) => columns[0])).toEqual(texts)
      }
    }, 60_000)
  })

  describe('a move to another store', () => {
    test('writes shapes and values as they are', async () => {
      await clear()
      await insert(linesOf('mixed'), ({ jpos }) => jpos % 2 === 0, 'to move')
      const columns = await open().rowColumns('logs')
      expect(columns).toEqual(expect.arrayContaining(['shape', 'changing', 'body']))
      const [partition] = (await open().rowPartitions()).filter(({ table }) => table === 'logs')
      if (!partition) throw new Error('no rows')
      const rows = await Array.fromAsync(open().rowsIn(partition, { from: 0, until: Number.MAX_SAFE_INTEGER }))
      const sums = (await open().rowSums()).filter(({ table }) => table === 'logs')
      const target = await open().takeRows()
      await target.put(
        partition,
        columns,
        (async function* () {
          yield* rows
        })(),
        true,
      )
      await target.finish()
      expect((await open().rowSums()).filter(({ table }) => table === 'logs')).toEqual(sums)
      const [own] = await database().connection.rows<{ shapes: string }>(
        `SELECT countIf(shape != '') AS shapes FROM ${database().name}.logs`,
      )
      expect(Number(own?.shapes)).toBeGreaterThan(5000)
    }, 60_000)
  })
}
