import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { packDeadLetter } from '../journal/dead-letter.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { RequestLogEntry } from '../journal/request-log.ts'
import { createAppend } from './append.ts'
import type { FromApp } from './messages.ts'
import { createReplay } from './replay.ts'

const head: RecordHead = {
  kind: 'envelope',
  receivedMs: 5,
  projectId: 1,
  organizationId: 2,
  keyId: 3,
  clientAddress: '',
  userAgent: '',
  origin: '',
  contentType: '',
}
const item = { id: 9, jpos: 4, projectId: 1, keyId: 3, receivedMs: 5, reason: '', bytes: 3, blobKey: 'dead/4' }

function rig(kept: Buffer | undefined = packDeadLetter(head, Buffer.from('abc'))) {
  const clock = testClock()
  const sent: (FromApp & { kind: 'append' })[] = []
  const notes: RequestLogEntry[] = []
  const puts: string[] = []
  const rows = new Set([9])
  const blobs = { get: async () => kept, put: async (key: string) => void puts.push(key) } as never
  const { append, appended } = createAppend({
    clock,
    blobs,
    send: (message) => void sent.push(message as FromApp & { kind: 'append' }),
  })
  const replay = createReplay({
    clock,
    meta: { ledger: { deadLetterById: async (id) => (rows.has(id) ? item : undefined) } },
    blobs,
    append,
    logged: (note) => void notes.push(note),
  })
  const again = { ...replay, appended }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { again, clock, sent, notes, puts, rows, settled }
}

test('the record goes to the journal with a note of which dead item it was', async () => {
  const entry = rig()
  const done = entry.again.send(item)
  await entry.settled()
  const [message] = entry.sent
  expect(message).toMatchObject({
    kind: 'append',
    head: { ...head, again: { id: 9, blobKey: 'dead/4', category: 'default', itemType: 'envelope', bytes: 3 } },
  })
  expect(Buffer.from(message?.body ?? []).toString()).toBe('abc')
  entry.again.appended({ kind: 'appended', id: message?.id ?? 0, jpos: 77 })
  await done
  expect(entry.notes).toMatchObject([{ jpos: 77, keyId: 3, route: 'again', status: 202 }])
})

test.each([
  ['an envelope goes back without a lane', 'envelope', undefined],
  ['metrics of OpenTelemetry go back to the lane of bulk data', 'otlp_metrics', 'bulk'],
] as const)('%s', async (_name, kind, lane) => {
  const entry = rig(packDeadLetter({ ...head, kind, lane: 'bulk' }, Buffer.from('abc')))
  const done = entry.again.send(item)
  await entry.settled()
  const [message] = entry.sent
  expect([message?.head.kind, message?.head.lane]).toEqual([kind, lane])
  entry.again.appended({ kind: 'appended', id: message?.id ?? 0, jpos: 77 })
  await done
})

test.each([
  ['one event', { category: 'error', itemType: 'event' } as const, 1],
  ['a transaction with 20 spans', { category: 'transaction', itemType: 'transaction', spans: 20 } as const, 21],
])('%s goes back with what it was counted as', async (_name, count, quantity) => {
  const entry = rig(packDeadLetter({ ...head, onlyItem: 1 }, Buffer.from('abc'), count))
  expect(await entry.again.quantityOf(item)).toBe(quantity)
  void entry.again.send(item).catch(() => undefined)
  await entry.settled()
  expect(entry.sent[0]?.head).toMatchObject({ onlyItem: 1, again: { id: 9, ...count } })
})

test('twice at once is a conflict, until its commit has taken it out or it failed', async () => {
  const entry = rig()
  const first = entry.again.send(item)
  await expect(entry.again.send(item)).rejects.toMatchObject({ code: 'CONFLICT' })
  await entry.settled()
  entry.again.appended({ kind: 'appended', id: entry.sent[0]?.id ?? 0, jpos: -1, code: 'ACCEPT_DISK_FULL' })
  await expect(first).rejects.toMatchObject({ code: 'ACCEPT_DISK_FULL' })
  const second = entry.again.send(item)
  await entry.settled()
  entry.again.appended({ kind: 'appended', id: entry.sent[1]?.id ?? 0, jpos: 5 })
  await second
  await expect(entry.again.send(item)).rejects.toThrow(MishapError)
})

test('a large body goes to the blobs', async () => {
  const entry = rig(packDeadLetter(head, Buffer.alloc(2_000_000, 97)))
  const done = entry.again.send(item)
  await entry.settled()
  await entry.settled()
  expect(entry.puts).toHaveLength(1)
  expect(entry.sent[0]?.head.spool).toEqual({ key: entry.puts[0], bytes: 2_000_000 })
  expect(entry.sent[0]?.body).toHaveLength(0)
  entry.again.appended({ kind: 'appended', id: entry.sent[0]?.id ?? 0, jpos: 5 })
  await done
})

test('what is no record is refused; a journal that is silent is not waited for for ever', async () => {
  await expect(rig(Buffer.from('1\t2\n')).again.send(item)).rejects.toMatchObject({ code: 'VALIDATION' })
  const entry = rig()
  const done = entry.again.send(item)
  await entry.settled()
  entry.clock.advance(30_000)
  await expect(done).rejects.toMatchObject({ code: 'ACCEPT_OVERLOADED' })
})
