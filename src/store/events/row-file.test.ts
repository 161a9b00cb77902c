import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import { createEventStore } from './clickhouse.ts'
import { encodeEventRow } from './encode.ts'
import { startTestEngine } from './engine.cases.ts'
import { row } from './events.cases.ts'
import { dropRows, prepareRowsFolder, type RowFile } from './row-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-rows-'))
// A path is no pattern for the engine.
const engineFolder = join(folder, "da'ta {1,2} *")
const socketPath = join(folder, 'engine.sock')
const events = createEventStore({
  url: 'http://localhost',
  socketPath,
  database: 'mishap',
  observe: silent,
  clock: systemClock,
})
let engine: ChildProcess | undefined

beforeAll(async () => {
  engine = await startTestEngine(engineFolder, socketPath)
  await events.migrate()
}, 20_000)

afterAll(async () => {
  await events.close()
  const child = engine
  if (child) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  rmSync(folder, { recursive: true })
})

const projectId = 978
const file = (path: string, numbers: number[]): RowFile => {
  const text = numbers
    .map((n) => encodeEventRow(row(n, { projectId, jpos: 1_300_000 + n, message: `ü\\${n}` })))
    .join('')
  writeFileSync(path, text)
  return { path, bytes: Buffer.byteLength(text) }
}
const counted = async () =>
  (await events.countByProject('events')).find((found) => found.projectId === projectId)?.rows ?? 0

test('rows of a file count once under a token, and another token adds its rows', async () => {
  const prefix = prepareRowsFolder(engineFolder)
  const rows = file(`${prefix}1-events`, [1, 2, 3])
  await events.insert('events', rows, 'filed:1')
  await events.insert('events', rows, 'filed:1')
  expect(await counted()).toBe(3)
  const messages = await events.eventsBetween(1_300_000, 1_300_010)
  expect(messages.map(({ message }) => message).sort()).toEqual(['ü\\1', 'ü\\2', 'ü\\3'])
  await events.insert('events', file(`${prefix}2-events`, [4]), 'filed:2')
  expect(await counted()).toBe(4)
  dropRows([rows, new Uint8Array(3)])
  expect(existsSync(rows.path)).toBe(false)
})

test('a broken row is an error of the rows, and a file that is gone stores nothing', async () => {
  const prefix = prepareRowsFolder(engineFolder)
  const before = await counted()
  const broken = `${prefix}3-events`
  writeFileSync(broken, 'no row\n')
  await expect(events.insert('events', { path: broken, bytes: 7 }, 'filed:3')).rejects.toThrow(/parse|Cannot/)
  const rows = file(`${prefix}4-events`, [5])
  dropRows([rows])
  await expect(events.insert('events', rows, 'filed:4')).rejects.toThrow(/cannot be opened/)
  expect(await counted()).toBe(before)
})

test('only names in its folder are opened', async () => {
  const elsewhere = join(engineFolder, 'rows', 'a.b')
  mkdirSync(join(engineFolder, 'rows'), { recursive: true })
  await expect(events.insert('events', file(elsewhere, [6]), 'filed:5')).rejects.toThrow(/strange name/)
})

test('a start leaves no file of an earlier process, and takes other names', () => {
  const first = prepareRowsFolder(engineFolder)
  writeFileSync(`${first}1-events`, 'x')
  expect(prepareRowsFolder(engineFolder)).not.toBe(first)
  expect(readdirSync(join(engineFolder, 'rows'))).toEqual([])
})
