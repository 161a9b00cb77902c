import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { copyWaiting } from './copy.ts'
import { openJournalReader, openJournalWriter } from './files.ts'
import type { JournalWriter, RecordHead } from './journal.ts'

const folders: string[] = []
const open: JournalWriter[] = []
afterEach(async () => {
  for (const entry of open.splice(0)) await entry.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function writerIn(folder: string, trimmedTo = 0): Promise<JournalWriter> {
  const limits = { bytesMax: 1e9, diskReserveBytes: 0, groupMs: 0 }
  const writer = await openJournalWriter({ folder, ...limits, clock: systemClock, observe: silent, trimmedTo })
  open.push(writer)
  return writer
}

const head = { kind: 'envelope', receivedMs: 1, projectId: 1, keyId: 1 } as RecordHead
const place = () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-copy-'))
  folders.push(folder)
  return { from: join(folder, 'from'), to: join(folder, 'to') }
}
const bytesIn = (folder: string) =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join()
/** Bodies of all records from `cursor` on; one read goes to the end of a segment. */
function bodiesIn(folder: string, cursor: number, durable: number): string[] {
  const reader = openJournalReader(folder)
  const bodies: string[] = []
  for (let at = cursor; ; ) {
    const { records, next } = reader.read(at, durable, 1e6, 1e9)
    bodies.push(...records.map((record) => record.body.toString()))
    if (next <= at) break
    at = next
  }
  reader.close()
  return bodies
}

test.each([
  ['small records', 40, 30],
  ['records larger than what is read at once', 6, 2_500_000],
  // the part below the cursor is longer than one filler
  ['much below the cursor', 30, 3_000_000],
])(
  '%s: what waits is there, what was processed is not, and a writer goes on behind it',
  async (_name, count, bytes) => {
    const { from, to } = place()
    const writer = await writerIn(from)
    const bodyOf = (word: string, n: number) => Buffer.from(`${word}-${n}-`.padEnd(bytes, '.'))
    for (let n = 0; n < count; n++) await writer.append(head, bodyOf('done', n))
    const cursor = writer.durable()
    for (let n = 0; n < 3; n++) await writer.append(head, bodyOf('waits', n))
    writeFileSync(join(from, 'spare-1'), 'done-spare')
    await copyWaiting(from, to, cursor)
    const wanted = [0, 1, 2].map((n) => bodyOf('waits', n).toString())
    expect(bodiesIn(to, cursor, writer.durable())).toEqual(wanted)
    expect(bytesIn(to)).not.toContain('done-')
    const next = await writerIn(to, cursor)
    await next.append(head, Buffer.from('later'))
    expect(bodiesIn(to, cursor, next.durable())).toEqual([...wanted, 'later'])
  },
)

test('a torn record at the end, and the former life of a file behind it, stay behind', async () => {
  const { from, to } = place()
  const writer = await writerIn(from)
  await writer.append(head, Buffer.from('waits'))
  const durable = writer.durable()
  const [name = ''] = readdirSync(from).filter((file) => file.endsWith('.seg'))
  writeFileSync(join(from, name), Buffer.from([60, 0, 0, 0, 1, 2, 3, 4, 9, 0, 0, 0, ...Buffer.from('old-life')]), {
    flag: 'a',
  })
  await copyWaiting(from, to, durable - (durable % 2 ** 28))
  expect(bodiesIn(to, durable - (durable % 2 ** 28), durable)).toEqual(['waits'])
  expect(bytesIn(to)).not.toContain('old-life')
})

test('of an empty journal, or one that is processed whole, nothing is copied but its number', async () => {
  const { from, to } = place()
  const writer = await writerIn(from)
  await writer.append(head, Buffer.from('done'))
  const cursor = writer.durable()
  await writer.close()
  await copyWaiting(from, to, cursor)
  expect(bodiesIn(to, cursor, cursor)).toEqual([])
  expect(readFileSync(join(to, 'newest'), 'latin1')).toBe(readFileSync(join(from, 'newest'), 'latin1'))
  expect(bytesIn(to)).not.toContain('done')
})
