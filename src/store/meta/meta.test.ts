import { chmodSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { openSqlite } from './database/connection.ts'
import { commit, effect, hash, nowMs, stored, withProject } from './fixture.cases.ts'
import { metaCases } from './meta.cases.ts'
import type { MetaStore } from './meta-store.ts'
import { openSqliteMeta } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-meta-'))
const opened: MetaStore[] = []
let files = 0
const nextFile = () => join(folder, `${++files}.sqlite`)

/** Migrate once and copy the file: all migrations with their syncs take 0.1 s, and 340 tests need them. */
const migrated = join(folder, 'migrated.sqlite')
await (await openSqliteMeta(migrated, { clock: testClock() })).close()

const open = async (clock: ReturnType<typeof testClock>) => {
  const file = nextFile()
  copyFileSync(migrated, file)
  const meta = await openSqliteMeta(file, { clock })
  opened.push(meta)
  return meta
}

afterAll(async () => {
  for (const meta of opened) await meta.close()
  rmSync(folder, { recursive: true, force: true })
})

metaCases('SQLite', open)

test('opens again what it wrote, and without a reader of its own', async () => {
  const file = nextFile()
  for (const readers of [1, 0]) {
    const meta = await openSqliteMeta(file, { clock: testClock(), readers })
    await meta.values.setValue(`with ${readers}`, 'x')
    expect(await meta.values.getValue('with 1')).toBe('x')
    await meta.close()
  }
})

test('data of a newer version is refused and left alone', async () => {
  const file = nextFile()
  await (await openSqliteMeta(file, { clock: testClock() })).close()
  const connection = openSqlite(file)
  await connection.script('insert into version (number, applied_ms) values (99, 0)')
  await connection.close()
  await expect(openSqliteMeta(file, { clock: testClock() })).rejects.toThrow(
    expect.objectContaining({ code: 'START_NEWER_DATA', message: expect.stringContaining('schema 99') }),
  )
})

test('2,000 effects in batches of 500 are 50 issues', async () => {
  const meta = await withProject(await open(testClock(nowMs)))
  const batch = (round: number) =>
    Array.from({ length: 500 }, (_, index) =>
      effect({ hashes: [hash(index % 50), hash(1000 + index)], jpos: round * 500 + index }),
    )
  const rounds = [0, 1, 2, 3].map(batch)
  for (const events of rounds) await commit(meta, { events, outcomes: events.map(() => stored) })
  expect(await meta.issues.countIssues({ projectIds: [1] })).toBe(50)
})

test('a side that can’t be joined is set aside; those beside and behind it are joined', async () => {
  const file = nextFile()
  const meta = await withProject(await openSqliteMeta(file, { clock: testClock(nowMs) }))
  opened.push(meta)
  const [bad, good] = ['b'.repeat(32), 'c'.repeat(32)]
  const fault = openSqlite(file)
  await fault.script(
    `create trigger fault before insert on failure_link when new.browser_event_id = '${bad}' begin select raise(abort, 'no link'); end`,
  )
  const sideOf = (side: 'browser' | 'server', digest: string) => ({
    side,
    digest,
    sure: true,
    hints: 0,
    traceId: 't',
    route: '/',
    userHash: '',
  })
  const events = [bad, good].flatMap((eventId, n) => [
    effect({ eventId: `${n}`.repeat(32), hashes: [hash(9 + n)], failure: sideOf('server', `${100_000 + n}`) }),
    effect({ eventId, failure: sideOf('browser', `${100_000 + n}`) }),
  ])
  await commit(meta, { events })
  expect(await meta.errorLinks.linkErrors(10, nowMs)).toMatchObject({ looked: 4, linked: 1, aside: 1, more: false })
  expect(
    await Array.fromAsync([bad, good], async (item) => (await meta.errorLinks.errorLinkOf(1, item))?.reason),
  ).toEqual([undefined, 'digest'])
  expect(await meta.errorLinks.linkErrors(10, nowMs)).toMatchObject({ looked: 0 })
  // A new related event reopens and retries it.
  await fault.script('drop trigger fault')
  await fault.close()
  await commit(meta, {
    events: [effect({ eventId: 'd'.repeat(32), hashes: [hash(9)], failure: sideOf('server', '100000') })],
  })
  expect(await meta.errorLinks.linkErrors(10, nowMs)).toMatchObject({ linked: 1, aside: 0 })
})

test('every commit is synced, in WAL, with foreign keys; what throws is rolled back', async () => {
  const connection = openSqlite(nextFile())
  const ask = (text: string) =>
    connection.get<Record<string, unknown>>({ compile: () => ({ sql: text, parameters: [] }) as never })
  // 2: FULL
  expect([
    await ask('pragma synchronous'),
    await ask('pragma journal_mode'),
    await ask('pragma foreign_keys'),
  ]).toMatchObject([{ synchronous: 2 }, { journal_mode: 'wal' }, { foreign_keys: 1 }])
  await connection.script('create table t (a integer)')
  const fail = () =>
    connection.transaction(async () => {
      await connection.script('insert into t values (1)')
      throw new Error('stop')
    })
  await expect(fail()).rejects.toThrow('stop')
  expect(await connection.transaction(() => ask('select count(*) as n from t'))).toMatchObject({ n: 0 })
  await connection.close()
})

test('its files are the owner’s only, also those that an older version left open to others', async () => {
  const file = nextFile()
  const modes = () => [file, `${file}-wal`, `${file}-shm`].map((item) => (statSync(item).mode & 0o777).toString(8))
  const meta = await openSqliteMeta(file, { clock: testClock() })
  const second = openSqlite(file)
  await meta.values.setValue('a', 'b')
  expect(modes()).toEqual(['600', '600', '600'])
  await second.close()
  await meta.close()
  chmodSync(file, 0o644)
  const again = await openSqliteMeta(file, { clock: testClock() })
  await again.values.setValue('a', 'c')
  expect([...modes(), await again.values.getValue('a')]).toEqual(['600', '600', '600', 'c'])
  await again.close()
})
