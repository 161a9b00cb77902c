import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import { type Observe, silent } from '../../base/observe.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import { unpackDeadLetter } from '../../journal/dead-letter.ts'
import { openJournalWriter } from '../../journal/files.ts'
import { openFileBlobs } from '../../store/blobs/files.ts'
import { eventColumns } from '../../store/events/encode.ts'
import { byteLengthOf } from '../../store/events/row-file.ts'
import { anyTable, type TableName } from '../../store/events/tables.ts'
import { spanColumns } from '../../store/events/traces/encode-span.ts'
import type { Batch } from '../../store/meta/meta.ts'
import { memoryEvents } from '../memory.cases.ts'
import { head } from '../rig.cases.ts'
import { createMemory, deduplicate, nothingStored } from './deduplicate.ts'
import { emptyRange, type RangeGroup, type RefinedRange } from './range.ts'
import { createWaits } from './retry.ts'
import { type Storing, settle, store, tablesToRecount } from './store-rows.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mishap-rows-'))
  mkdirSync(join(folder, 'journal'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const batch: Batch = { seq: 1, from: 0, to: 100_000, lane: 'events' }
const id = (n: number) => n.toString(16).padStart(32, 'a')

type Counted = 'error' | 'transaction' | 'span' | 'session'

type Rows = {
  table?: TableName
  jpos: number
  lines: string[]
  outcomes?: Counted[]
  part?: RangeGroup['part']
  index?: number
}

const lineOf = (table: TableName, jpos: number, place: number, word: string): string =>
  (table === 'events' ? eventColumns : spanColumns)
    .map((name) =>
      name === 'jpos' ? String(jpos) : name === 'place' ? String(place) : name === 'project_id' ? word : '',
    )
    .join('\t')

/** `bytes` names the group in the expectations. */
const outcomeOf = (category: Counted, jpos: number): OutcomeCount => ({
  projectId: 7,
  keyId: 3,
  category,
  itemType: category === 'error' ? 'event' : category,
  outcome: 'stored',
  reason: 'ok',
  quantity: 1,
  bytes: jpos,
})

/** A refined range of these groups, each line with its word. */
function rangeOf(groups: Rows[]): RefinedRange {
  const range = emptyRange({ job: 1, from: batch.from }, batch.to)
  const texts = new Map<TableName, string>()
  for (const { table = 'events', jpos, lines, outcomes = ['error' as const], part = 'onlyItem', index = 0 } of groups) {
    const from = Buffer.byteLength(texts.get(table) ?? '')
    const text = lines.map((word, place) => `${lineOf(table, jpos, place, word)}\n`).join('')
    texts.set(table, (texts.get(table) ?? '') + text)
    range.groups.push({
      table,
      from,
      to: from + Buffer.byteLength(text),
      window: table === 'events' ? 'events' : 'transactions',
      key: id(jpos),
      projectId: 7,
      receivedMs: 5000 + jpos,
      jpos,
      place: 0,
      index,
      part,
      outcomes: outcomes.map((category) => outcomeOf(category, jpos)),
      effect: { jpos } as never,
    })
  }
  for (const [table, text] of texts) range.lines.set(table, new Uint8Array(Buffer.from(text)))
  return range
}

function world() {
  const events = memoryEvents()
  const sleeps: number[] = []
  const logged: [object, string][] = []
  const heard = (about: object, message: string) => void logged.push([about, message])
  const waiting: unknown[] = []
  const waits = createWaits(systemClock)
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => {
      sleeps.push(ms)
      waiting.push(waits.oldest()?.store)
    },
  }
  const work: Storing = {
    clock,
    observe: { ...silent, warn: heard, error: heard } as Observe,
    events: events.store,
    blobs: openFileBlobs(join(folder, 'blobs')),
    stopped: new AbortController(),
    waits,
    worker: { journalFolder: join(folder, 'journal'), blobSource: { folder: join(folder, 'blobs') } },
    memory: createMemory(),
  }
  const run = (range: RefinedRange, { recovers = false, of = batch } = {}) =>
    store(work, of, range, deduplicate(range, work.memory, nothingStored()), nothingStored(), recovers)
  return { work, events, sleeps, waiting, logged, run }
}

const ended = (outcomes: readonly OutcomeCount[]) =>
  outcomes.map(({ outcome, reason, bytes }) => [bytes, outcome, reason].join(' '))

test('one refused row among four: the others are stored, it becomes a dead letter and may come again', async () => {
  const { work, events, sleeps, waiting, logged, run } = world()
  events.state.bad = 'poison'
  const range = rangeOf([10, 20, 30, 40].map((jpos) => ({ jpos, lines: [jpos === 20 ? 'poison' : 'fine'] })))
  const done = await run(range)
  expect(events.rows.map(({ jpos }) => jpos)).toEqual([10, 30, 40])
  expect(ended(done.outcomes)).toEqual(['10 stored ok', '20 dead failed', '30 stored ok', '40 stored ok'])
  expect(done.events).toEqual([{ jpos: 10 }, { jpos: 30 }, { jpos: 40 }])
  expect(done.dead).toEqual([
    {
      jpos: 20,
      projectId: 7,
      keyId: 3,
      receivedMs: 5020,
      reason: expect.stringContaining('Cannot parse input'),
      bytes: 20,
      blobKey: 'dead/20-0',
    },
  ])
  const known = work.memory.get('events')
  expect([10, 20, 30, 40].map((jpos) => known?.has(7, id(jpos)))).toEqual([true, false, true, true])
  // five tries of all, then one of each group
  expect([events.state.inserts, sleeps]).toEqual([9, [100, 200, 400, 800]])
  // the store answers: nothing waits for it
  expect([...new Set(waiting), work.waits.oldest()]).toEqual([undefined, undefined])
  expect(logged.map(([about]) => about)).toEqual([
    ...[1, 2, 3, 4].map((tries) => ({ table: 'events', from: 0, tries, error: expect.anything() })),
    { table: 'events', from: 0, error: expect.anything() },
  ])
  // no journal has the record: the line itself is kept
  expect((await work.blobs.get('dead/20-0'))?.toString()).toBe(`${lineOf('events', 20, 0, 'poison')}\n`)
})

test.each<[string, Omit<Rows, 'jpos' | 'lines'>, object]>([
  ['an event', {}, { category: 'error', itemType: 'event' }],
  [
    'a transaction with two spans',
    { table: 'spans', outcomes: ['transaction', 'span', 'span'] },
    { category: 'transaction', itemType: 'transaction', spans: 2 },
  ],
  [
    'a list of entries that are no spans',
    { outcomes: ['session', 'session'] },
    { category: 'session', itemType: 'session', spans: 1, of: 'session' },
  ],
])('the dead letter of %s is its record, with how it was counted', async (_name, rows, count) => {
  const { work, events, run } = world()
  const writer = await openJournalWriter({
    folder: work.worker.journalFolder,
    bytesMax: 1e6,
    diskReserveBytes: 0,
    groupMs: 0,
    clock: systemClock,
    observe: silent,
  })
  await writer.append(head(7), Buffer.from('first'))
  const jpos = await writer.append(head(7), Buffer.from('second'))
  const written = { ...batch, to: writer.durable() }
  await writer.close()
  for (const part of ['onlyItem', 'only'] as const) {
    const index = 2
    // an event's rows stand behind its record's position, by its number
    const at = part === 'only' ? jpos + index : jpos
    const refused = { ...rows, jpos: at, part, index, lines: ['poison'] }
    events.state.bad = 'poison'
    events.spans.bad = 'poison'
    const { dead } = await run(rangeOf([refused]), { of: written })
    const [letter] = dead
    expect(letter?.blobKey).toBe(part === 'only' ? `dead/${at}` : `dead/${at}-2`)
    const kept = unpackDeadLetter((await work.blobs.get(letter?.blobKey ?? '')) ?? Buffer.alloc(0))
    expect([kept?.body.toString(), kept?.head[part], kept?.count]).toEqual(['second', index, count])
  }
})

test('a row whose position is behind the last one of the batch does not stop the others', async () => {
  const { events, run } = world()
  events.state.bad = 'poison'
  const done = await run(
    rangeOf([
      { jpos: 10, lines: ['poison'], outcomes: [] },
      { jpos: 20, lines: ['fine'] },
    ]),
  )
  expect([ended(done.outcomes), done.dead]).toEqual([['20 stored ok'], []])
})

test('a store that is down is waited for with growing pauses, however long', async () => {
  const { work, events, sleeps, waiting, run } = world()
  events.state.fail.push(...Array.from({ length: 12 }, () => 'before' as const))
  const done = await run(rangeOf([{ jpos: 10, lines: ['fine'] }]))
  expect(sleeps).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000, 2000, 2000, 2000, 2000])
  expect([...new Set(waiting), work.waits.oldest()]).toEqual(['events', undefined])
  expect([ended(done.outcomes), events.rows.length]).toEqual([['10 stored ok'], 1])
  const tokens = events.state.calls.map(({ token }) => token)
  expect(new Set(tokens)).toContain('journal:0-100000')
  expect(events.rows[0]?.token).toMatch(/^journal:0-100000:[0-9a-f-]{36}$/)
})

test('an error that is no answer of the store has no code, and counts as one of the rows', async () => {
  const { events, sleeps, waiting, run } = world()
  let left = 2
  const insert = events.store.insert
  events.store.insert = async (...given) => {
    if (left-- > 0) throw new MishapError('DATABASE_UNWRITABLE')
    return insert(...given)
  }
  await run(rangeOf([{ jpos: 10, lines: ['fine'] }]))
  expect([events.rows.length, sleeps, waiting]).toEqual([1, [100, 200], [undefined, undefined]])
})

test.each([
  ['in the first try of all', 0, 1],
  ['when the groups go one by one', 5, 6],
])('refining that is stopped %s throws, and nothing is dead', async (_name, after, inserts) => {
  const { work, events, run } = world()
  events.state.bad = 'poison'
  const insert = events.store.insert
  events.store.insert = async (...given) => {
    if (events.state.inserts >= after) work.stopped.abort()
    return insert(...given)
  }
  const range = rangeOf([
    { jpos: 10, lines: ['poison'] },
    { jpos: 20, lines: ['poison'] },
  ])
  await expect(run(range)).rejects.toThrow('Cannot parse input')
  expect([events.state.inserts, range.dead]).toEqual([inserts, []])
})

test('the names of a batch, of its pieces and of a recovery differ, and each is used once', async () => {
  const largest = anyTable('spans').insertBytesMax
  const half = 'x'.repeat(largest / 2 - lineOf('spans', 10, 0, '').length - 1)
  const { events, run } = world()
  const given: [string, number][] = []
  events.store.insert = async (_table, rows, token) => void given.push([token, byteLengthOf(rows)])
  await run(rangeOf([10, 20].map((jpos) => ({ table: 'spans' as const, jpos, lines: [half] }))))
  expect(given.splice(0)).toEqual([['spans:0-100000', largest]])
  await run(
    rangeOf([30, 40].map((jpos) => ({ table: 'spans' as const, jpos, lines: [jpos === 30 ? `${half}x` : half] }))),
  )
  expect(given.splice(0)).toEqual([
    ['spans:0-100000', largest / 2 + 1],
    ['spans:0-100000:1', largest / 2],
  ])
  await run(rangeOf([50, 60, 70, 80].map((jpos) => ({ table: 'spans' as const, jpos, lines: [half] }))))
  expect(given.splice(0).map(([, bytes]) => bytes)).toEqual([largest, largest])
  await run(rangeOf([{ table: 'spans', jpos: 90, lines: ['fine'] }]), { recovers: true })
  const [[token] = ['']] = given
  expect(token).toMatch(/^spans:0-100000:[0-9a-f-]{36}$/)
})

test('a batch of nothing gives what the range brought along', async () => {
  const { events, run } = world()
  const range = rangeOf([])
  range.again.push({ jpos: 5 } as never)
  range.outcomes.push(outcomeOf('error', 1))
  const done = await run(range)
  expect([ended(done.outcomes), done.again, done.events, events.state.calls]).toEqual([
    ['1 stored ok'],
    [{ jpos: 5 }],
    [],
    [],
  ])
})

test('what is asked of the store is the batch, by the name of its insert', async () => {
  const { work, events, run } = world()
  await run(rangeOf([{ jpos: 10, lines: ['fine'] }]))
  const asked: unknown[] = []
  const before = events.store.settle
  events.store.settle = (...given) => {
    asked.push(given)
    return before(...given)
  }
  expect(await settle(work, 'events', batch)).toEqual(new Map([[10, new Set([0])]]))
  expect(asked).toEqual([['events', 'journal:0-100000', 0, 100_000]])
})

test('tables are counted again where a batch has new rows for a table with rollups', () => {
  const range = rangeOf([
    { jpos: 10, lines: ['fine'] },
    { table: 'spans', jpos: 20, lines: ['fine'] },
  ])
  const of = (groups: RangeGroup[], stored = nothingStored()) => tablesToRecount({ groups, outcomes: [] }, stored)
  const all = of(range.groups)
  expect(all).toEqual((['events', 'spans'] as const).filter((name) => anyTable(name).hasRollups))
  expect(all).toContain('events')
  expect(of([])).toEqual([])
  expect(of(range.groups, new Map([['events', new Map([[10, new Set([0])]])]]))).not.toContain('events')
  // its first row is not there
  expect(of(range.groups, new Map([['events', new Map([[10, new Set([1])]])]]))).toContain('events')
})
