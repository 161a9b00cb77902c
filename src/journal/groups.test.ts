import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import { openJournalReader, openJournalWriter } from './files.ts'
import { head, readAll } from './journal.cases.ts'

test('groups of any size come back whole, whatever the memory of the group before held', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-groups-'))
  const writer = await openJournalWriter({
    folder,
    bytesMax: 2 ** 30,
    diskReserveBytes: 0,
    groupMs: 0,
    clock: systemClock,
    observe: silent,
  })
  const reader = openJournalReader(folder)
  const sent: Buffer[] = []
  // Records of a tick are one group: of 0.1 MB, 0.5, 2.1 (more than is kept), 0.1, 1.2 and 0.5 MB.
  for (const count of [10, 40, 180, 5, 100, 40]) {
    const bodies = Array.from({ length: count }, (_, n) => Buffer.alloc(12_000, sent.length + n))
    sent.push(...bodies)
    await Promise.all(bodies.map((body, n) => writer.append(head(n), body)))
  }
  const read = readAll(reader, writer.durable(), 0, 1000, 2 ** 22)
  expect(read.length).toBe(sent.length)
  expect(read.every(({ body }, at) => body.equals(sent[at] ?? Buffer.alloc(0)))).toBe(true)
  reader.close()
  await writer.close()
  rmSync(folder, { recursive: true })
})
