import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createSyncNames } from './names.ts'

const opened: string[] = []
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const watched = (path: string, flags: string) => {
    opened.push(path)
    return real.open(path, flags)
  }
  return { ...real, open: vi.fn(watched) }
})

const made: string[] = []
afterEach(() => {
  opened.length = 0
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A folder with the layout of chDB: one database, two tables. */
function chdbFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-names-'))
  made.push(folder)
  for (const path of ['store/aaa/aaa-1/all_1_1_0', 'store/bbb/bbb-1', 'store/ccc/ccc-db', 'data/mishap', 'metadata'])
    mkdirSync(join(folder, path), { recursive: true })
  symlinkSync('../store/ccc/ccc-db', join(folder, 'metadata/mishap'))
  writeFileSync(join(folder, 'store/aaa/aaa-1/format_version.txt'), '1')
  return folder
}

const tables = ['store/aaa/aaa-1', 'store/bbb/bbb-1', 'store/ccc/ccc-db']
const above = ['', 'store', 'metadata', 'data', 'store/aaa', 'store/bbb', 'store/ccc']

test.each<[string, string, boolean, string[]]>([
  ['an insert of rows', 'INSERT INTO mishap.events (a) FORMAT TabSeparated', true, tables],
  ['a new table', 'CREATE TABLE a (b UInt8) ENGINE = Memory', false, [...tables, ...above]],
  ['an insert of a query', 'INSERT INTO a SELECT 1', false, [...tables, ...above]],
  ['a dropped part', "ALTER TABLE a DROP PARTITION '2026-01-05'", false, [...tables, ...above]],
  ['a question', 'SELECT 1', false, []],
  ['a kill', "KILL QUERY WHERE query_id = 'a'", false, []],
])('after %s its folders are synced', async (_name, sql, rows, expected) => {
  const folder = chdbFolder()
  await createSyncNames(folder)(sql, rows)
  expect(opened.map((path) => relative(folder, path)).sort()).toEqual([...expected].sort())
  expect(vi.isMockFunction(open)).toBe(true)
})

test('a folder that is not there, or a table that goes meanwhile, is no failure', async () => {
  await createSyncNames('/nowhere/at/all')('INSERT INTO a FORMAT TSV', true)
  await createSyncNames('/nowhere/at/all')('DROP TABLE a', false)
  expect(opened.length).toBeGreaterThan(0)
})
