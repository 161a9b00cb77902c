import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import type { JournalRecord } from '../journal/journal.ts'
import { silent } from '../observe.ts'
import type { OutcomeCount } from '../outcome.ts'
import { plainSettings, recordedMs, refineBody } from './fixture.ts'
import { memoryEvents } from './memory.cases.ts'
import { createSeen } from './seen.ts'
import { createTools } from './step.ts'
import { nothingStored, type Storing, sift, store } from './storing.ts'
import { settleSpansSurely } from './storing-spans.ts'
import { joined, refineRange } from './worker.ts'

const batch = { seq: 1, from: 0, to: 10_000 }
const id = (n: number) => n.toString(16).padStart(16, 'b')
const envelope = (n: number, children: number) => {
  const at = recordedMs / 1000
  const spans = Array.from({ length: children }, (_, i) => ({
    ...{ span_id: id(n * 100 + i + 1), parent_span_id: id(n), description: `child ${n}-${i}\t\n` },
    ...{ start_timestamp: at - 1, timestamp: at },
  }))
  const trace = { trace_id: id(n) + id(7), span_id: id(n) }
  const payload = { transaction: `t${n}`, start_timestamp: at - 1, timestamp: at, contexts: { trace }, spans }
  return Buffer.from(`{"event_id":"${id(n)}${id(n)}"}\n{"type":"transaction"}\n${JSON.stringify(payload)}\n`)
}
const record = (n: number, children: number): JournalRecord => {
  const body = envelope(n, children)
  return {
    jpos: n * 100,
    end: n * 100 + 99,
    head: {
      ...{ kind: 'envelope', receivedMs: recordedMs, projectId: 7, organizationId: 1, keyId: 3 },
      ...{ clientAddress: '', userAgent: '', origin: '', contentType: '' },
    },
    body,
  }
}
const rangeOf = (...records: JournalRecord[]) =>
  refineRange(
    { job: 1, from: 0, durable: 1, recordsMax: 1, bytesMax: 1 },
    records,
    10_000,
    [plainSettings],
    // none of these records has a file
    {} as never,
    createTools(),
  )
const world = () => {
  const events = memoryEvents()
  const clock = { ...systemClock, sleep: async () => undefined }
  const seen = () => createSeen(3_600_000, 1000)
  const work: Storing = {
    ...{ clock, observe: silent, events: events.store, blobs: {} as never, stopped: new AbortController() },
    ...{ worker: { journalFolder: '', blobFolder: '' }, seen: seen(), transactions: seen() },
  }
  return { work, events }
}
const sum = (outcomes: OutcomeCount[], name: string, category: string) =>
  outcomes
    .filter((one) => one.outcome === name && one.category === category)
    .reduce((total, one) => total + one.quantity, 0)
const rows = ({ spans, spanField }: ReturnType<typeof memoryEvents>) =>
  spans.lines.map((line) => `${spanField(line, 'jpos')}:${spanField(line, 'place')}`)

test.each<[string, ('before' | 'after')[], number]>([
  ['an engine that answers', [], 1],
  ['one that was away', ['before'], 2],
  ['one that stored them and was not heard', ['after'], 1],
  ['one that is away for long', ['before', 'before', 'before', 'before', 'before', 'before', 'after'], 7],
])('each span stands once after %s', async (_name, faults, inserts) => {
  const { work, events } = world()
  events.spans.fail.push(...faults)
  const range = await rangeOf(record(1, 3), record(2, 0))
  const done = await store(work, batch, range, sift(range, work, nothingStored), nothingStored)
  expect([rows(events), events.spans.inserts]).toEqual([['100:0', '100:1', '100:2', '100:3', '200:0'], inserts])
  expect([sum(done.outcomes, 'stored', 'transaction'), sum(done.outcomes, 'stored', 'span')]).toEqual([2, 3])
  // what came, as it is counted from the framing and the spans of each item, ends
  expect(sum(done.outcomes, 'received', 'default')).toBe(5)
})

test.each<[string, (lines: string[]) => string[], number]>([
  ['nothing', () => [], 1],
  ['the first record', (lines) => lines.slice(0, 4), 1],
  ['a part of a record', (lines) => lines.filter((_, at) => at !== 2), 1],
  ['all', (lines) => lines, 0],
])('a recovery inserts what is missing where %s stands', async (_name, kept, inserts) => {
  const { work, events } = world()
  const range = await rangeOf(record(1, 3), record(2, 0))
  await store(work, batch, range, sift(range, work, nothingStored), nothingStored)
  events.spans.lines = kept(events.spans.lines)
  events.spans.inserts = 0
  const again = { ...work, transactions: createSeen(3_600_000, 1000) }
  // the memory of the start knows what stands
  for (const one of range.spans) again.transactions.add(one.projectId, one.key, recordedMs)
  const stored = { events: new Set<number>(), spans: await settleSpansSurely(again, batch) }
  if (stored.spans.size === 0) again.transactions = createSeen(3_600_000, 1000)
  else for (const one of range.spans) if (!stored.spans.has(one.jpos)) again.transactions.forget(7, one.key)
  const done = await store(again, batch, range, sift(range, again, stored), stored, true)
  expect(rows(events).sort()).toEqual(['100:0', '100:1', '100:2', '100:3', '200:0'])
  expect([events.spans.inserts, sum(done.outcomes, 'stored', 'transaction')]).toEqual([inserts, 2])
})

test('a transaction that comes again within the hour is a duplicate with its spans, in one batch or the next', async () => {
  const { work, events } = world()
  const twice = { ...record(3, 2), body: envelope(1, 2) }
  const range = await rangeOf(record(1, 2), twice)
  const first = await store(work, batch, range, sift(range, work, nothingStored), nothingStored)
  expect([sum(first.outcomes, 'duplicate', 'transaction'), sum(first.outcomes, 'duplicate', 'span')]).toEqual([1, 2])
  const next = await rangeOf({ ...record(4, 2), body: envelope(1, 2) })
  await store(work, batch, next, sift(next, work, nothingStored), nothingStored)
  expect(rows(events)).toEqual(['100:0', '100:1', '100:2'])
})

test('rows that the store refuses are invalid, and hold up neither other spans nor what comes after', async () => {
  const { work, events } = world()
  events.spans.bad = 'child 2-'
  const range = await rangeOf(record(1, 1), record(2, 2), record(3, 0))
  const done = await store(work, batch, range, sift(range, work, nothingStored), nothingStored)
  expect(rows(events)).toEqual(['100:0', '100:1', '300:0'])
  expect([sum(done.outcomes, 'stored', 'transaction'), sum(done.outcomes, 'invalid', 'transaction')]).toEqual([2, 1])
  expect(sum(done.outcomes, 'invalid', 'span')).toBe(2)
  // it may come again
  events.spans.bad = ''
  const again = await rangeOf({ ...record(5, 2), body: envelope(2, 2) })
  const stored = await store(work, batch, again, sift(again, work, nothingStored), nothingStored)
  expect(sum(stored.outcomes, 'stored', 'span')).toBe(2)
})

test('ranges that follow each other keep their rows', async () => {
  const { work, events } = world()
  const range = joined([await rangeOf(record(1, 2)), await rangeOf(record(2, 1))], 0)
  await store(work, batch, range, sift(range, work, nothingStored), nothingStored)
  expect(rows(events)).toEqual(['100:0', '100:1', '100:2', '200:0', '200:1'])
})

test('a batch without spans asks the store for nothing', async () => {
  const { work, events } = world()
  const range = await rangeOf()
  await store(work, batch, range, sift(range, work, nothingStored), nothingStored)
  expect([events.spans.inserts, refineBody('{}').spans]).toEqual([0, []])
})
