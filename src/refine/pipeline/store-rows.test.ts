import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { JournalRecord } from '../../journal/journal.ts'
import { byteLengthOf, linesOf, type RowFile } from '../../store/events/row-file.ts'
import type { Batch } from '../../store/meta/meta.ts'
import { repeatWindows } from '../kinds/kinds.ts'
import { streamedType } from '../kinds/span/items.ts'
import { memoryEvents } from '../memory.cases.ts'
import { createTools } from './context.ts'
import { createMemory, deduplicate, type Memory, nothingStored } from './deduplicate.ts'
import { plainSettings, recordedMs, refineBody } from './fixture.cases.ts'
import { joined } from './range.ts'
import { createWaits } from './retry.ts'
import { type Storing, settleAll, store } from './store-rows.ts'
import { refineRange } from './worker.ts'

const batch: Batch = { seq: 1, from: 0, to: 10_000, lane: 'events' }
const id = (n: number) => n.toString(16).padStart(16, 'b')
const envelope = (n: number, children: number) => {
  const at = recordedMs / 1000
  const spans = Array.from({ length: children }, (_, i) => ({
    span_id: id(n * 100 + i + 1),
    parent_span_id: id(n),
    description: `child ${n}-${i}\t\n`,
    start_timestamp: at - 1,
    timestamp: at,
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
      kind: 'envelope',
      receivedMs: recordedMs,
      projectId: 7,
      organizationId: 1,
      keyId: 3,
      clientAddress: '',
      userAgent: '',
      origin: '',
      contentType: '',
    },
    body,
  }
}
const rangeOf = (...records: JournalRecord[]) =>
  refineRange(
    { job: 1, from: 0, durable: 1, recordsMax: 1, bytesMax: 1, lane: 'events' },
    records,
    10_000,
    [plainSettings],
    // None of these records has a file.
    {} as never,
    createTools(),
  )
const world = () => {
  const events = memoryEvents()
  const clock = { ...systemClock, sleep: async () => undefined }
  const work: Storing = {
    clock,
    observe: silent,
    events: events.store,
    blobs: {} as never,
    stopped: new AbortController(),
    waits: createWaits(clock),
    worker: { journalFolder: '', blobSource: { folder: '' } },
    // Small, so that a flood of one kind would evict keys of another kind from a shared window.
    memory: createMemory(repeatWindows.map(({ name }) => ({ name, max: 1000 }))),
  }
  return { work, events }
}
const sum = (outcomes: OutcomeCount[], name: string, category: string) =>
  outcomes
    .filter((outcome) => outcome.outcome === name && outcome.category === category)
    .reduce((total, outcome) => total + outcome.quantity, 0)
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
  const done = await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  expect([rows(events), events.spans.inserts]).toEqual([['100:0', '100:1', '100:2', '100:3', '200:0'], inserts])
  expect([sum(done.outcomes, 'stored', 'transaction'), sum(done.outcomes, 'stored', 'span')]).toEqual([2, 3])
  // Each received item, counted from the framing and the spans of each item, has an outcome.
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
  await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  events.spans.lines = kept(events.spans.lines)
  events.spans.inserts = 0
  // After a start, the dedup window contains the stored keys.
  const stored = await settleAll(work, batch)
  const memory: Memory = createMemory()
  for (const { table, jpos, window, projectId, key } of range.groups)
    if (stored.get(table)?.has(jpos)) memory.get(window)?.add(projectId, key, recordedMs)
  const done = await store({ ...work, memory }, batch, range, deduplicate(range, memory, stored), stored, true)
  expect(rows(events).sort()).toEqual(['100:0', '100:1', '100:2', '100:3', '200:0'])
  expect([events.spans.inserts, sum(done.outcomes, 'stored', 'transaction')]).toEqual([inserts, 2])
})

test.each<[string, ('before' | 'after')[]]>([
  ['an engine that answers', []],
  ['one that stored them and was not heard', ['after']],
])('rows of a group with gaps stand once after %s', async (_name, faults) => {
  const { work, events } = world()
  events.spans.fail.push(...faults)
  const range = await rangeOf(record(1, 3))
  const [group] = range.groups
  const lines = range.lines.get('spans')
  if (!group || !lines) throw new Error('no spans')
  const whole = linesOf(lines)
  const ends = whole.indexOf(10) + 1
  const left = Buffer.concat([whole.subarray(0, ends), whole.subarray(whole.indexOf(10, ends) + 1)])
  range.lines.set('spans', left)
  range.groups = [{ ...group, to: left.length, places: [0, 2, 3] }]
  await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  expect(rows(events)).toEqual(['100:0', '100:2', '100:3'])
})

test('a transaction that comes again within the hour is a duplicate with its spans, in one batch or the next', async () => {
  const { work, events } = world()
  const twice = { ...record(3, 2), body: envelope(1, 2) }
  const range = await rangeOf(record(1, 2), twice)
  const first = await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  expect([sum(first.outcomes, 'duplicate', 'transaction'), sum(first.outcomes, 'duplicate', 'span')]).toEqual([1, 2])
  const next = await rangeOf({ ...record(4, 2), body: envelope(1, 2) })
  await store(work, batch, next, deduplicate(next, work.memory, nothingStored()), nothingStored())
  expect(rows(events)).toEqual(['100:0', '100:1', '100:2'])
})

const spanItem = (jpos: number, ids: string[], type: 'v1' | 'v2' = 'v2'): JournalRecord => {
  const at = recordedMs / 1000
  const entry = (span_id: string) => ({ trace_id: id(1) + id(7), span_id, start_timestamp: at - 1, name: 'n' })
  const items =
    type === 'v2'
      ? [JSON.stringify({ items: ids.map((span_id) => ({ ...entry(span_id), end_timestamp: at })) })]
      : ids.map((span_id) => JSON.stringify({ ...entry(span_id), timestamp: at }))
  const framing = { type: 'span', ...(type === 'v2' ? { content_type: streamedType } : {}) }
  const body = Buffer.from(`{}\n${items.map((item) => `${JSON.stringify(framing)}\n${item}\n`).join('')}`)
  return { ...record(1, 0), jpos, end: jpos + 99, body }
}

test.each(['v1', 'v2'] as const)(
  'a %s span item that comes again within the hour is a duplicate; one with other spans is not',
  async (type) => {
    const { work, events } = world()
    const send = async (...records: JournalRecord[]) => {
      const range = await rangeOf(...records)
      return (await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored()))
        .outcomes
    }
    const ids = [id(1), id(2)]
    const first = await send(spanItem(100, ids, type), spanItem(200, ids, type))
    const later = await send(spanItem(300, ids, type))
    expect([sum(first, 'stored', 'span'), sum(first, 'duplicate', 'span'), sum(first, 'received', 'default')]).toEqual([
      2, 2, 4,
    ])
    expect([sum(later, 'stored', 'span'), sum(later, 'duplicate', 'span')]).toEqual([0, 2])
    expect(rows(events)).toEqual(['100:0', '100:1'])
    // In v1 each span is an item, so the repeated span is known. A container is known only by all of its spans.
    const other = await send(spanItem(400, [id(1), id(3)], type))
    expect([sum(other, 'stored', 'span'), sum(other, 'duplicate', 'span')]).toEqual(type === 'v1' ? [1, 1] : [2, 0])
    // Another project has its own keys.
    const again = await rangeOf(spanItem(500, ids, type))
    for (const span of again.groups) span.projectId = 8
    expect(deduplicate(again, work.memory, nothingStored()).groups).toHaveLength(type === 'v1' ? 2 : 1)
  },
)

test('a flood of span items leaves the transactions known', async () => {
  const { work } = world()
  const range = await rangeOf(record(1, 1))
  deduplicate(range, work.memory, nothingStored())
  const flood = await rangeOf(...Array.from({ length: 2500 }, (_, n) => spanItem(1000 + 100 * n, [id(5000 + n)])))
  expect(deduplicate(flood, work.memory, nothingStored()).groups).toHaveLength(2500)
  expect(
    deduplicate(await rangeOf({ ...record(3, 1), body: envelope(1, 1) }), work.memory, nothingStored()).groups,
  ).toEqual([])
})

test('ranges that follow each other keep their rows', async () => {
  const { work, events } = world()
  const range = joined([await rangeOf(record(1, 2)), await rangeOf(record(2, 1))], 0)
  await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  expect(rows(events)).toEqual(['100:0', '100:1', '100:2', '200:0', '200:1'])
})

test('a batch without spans asks the store for nothing', async () => {
  const { work, events } = world()
  const range = await rangeOf()
  await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  expect([events.spans.inserts, refineBody('{}').spans]).toEqual([0, []])
})

test('what is larger than one insert of a table may be goes in pieces; each row is stored once', async () => {
  const { work, events } = world()
  const row = Buffer.alloc(1024 * 1024, 'x')
  row[row.length - 1] = 10
  const made = await rangeOf(record(1, 0))
  const [first] = made.groups
  if (!first) throw new Error('no rows')
  const groups = Array.from({ length: 20 }, (_, at) => ({
    ...first,
    key: id(at) + id(7),
    jpos: at,
    from: at * row.length,
    to: (at + 1) * row.length,
  }))
  const range = {
    ...made,
    groups,
    lines: new Map([['spans' as const, new Uint8Array(Buffer.concat(groups.map(() => row)))]]),
  }
  await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  expect([events.spans.inserts, events.spans.lines.length]).toEqual([2, 20])
})

test('a batch whose file of rows cannot be read fails as a whole: no record becomes a dead letter', async () => {
  const { work } = world()
  const made = await rangeOf(record(1, 3), record(2, 0))
  // The record of a dead letter is looked up in the journal.
  const looked: string[] = []
  const worker = {
    ...work.worker,
    get journalFolder() {
      looked.push('journal')
      return ''
    },
  }
  const lost: RowFile = { path: '/nonexistent/rows', bytes: byteLengthOf(made.lines.get('spans') ?? new Uint8Array(0)) }
  const range = { ...made, lines: new Map([['spans' as const, lost]]) }
  const done = store(
    { ...work, worker },
    batch,
    range,
    deduplicate(range, work.memory, nothingStored()),
    nothingStored(),
  )
  await expect(done).rejects.toThrow('ENOENT')
  expect([looked, range.dead]).toEqual([[], []])
})

test('once the store has answered nothing waits for it, also where it turns out that all rows are stored', async () => {
  const { work, events } = world()
  events.spans.fail.push('after')
  const range = await rangeOf(record(1, 1))
  await store(work, batch, range, deduplicate(range, work.memory, nothingStored()), nothingStored())
  expect([events.spans.inserts, work.waits.oldest()]).toEqual([1, undefined])
})
