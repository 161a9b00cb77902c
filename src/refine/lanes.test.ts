import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock, testClock } from '../base/clock.ts'
import type { Lane } from '../base/lane.ts'
import { silent } from '../base/observe.ts'
import { createReaders } from '../serve/readers.ts'
import { streamedType } from './kinds/span/items.ts'
import { createInserting } from './pipeline/lane.ts'
import type { Refine } from './pipeline/refine.ts'
import { createWorkerPool } from './pipeline/worker-pool.ts'
import { type Bench, bench, envelope, head, newId, outcome, send, settled, stored, until } from './rig.cases.ts'

const bulkHead = (entry: Bench) => ({ ...head(entry.projectId), lane: 'bulk' as const })
const atS = Date.now() / 1000

/** An item of spans with these ids, of one trace. */
const spanItem = (ids: readonly string[]): string => {
  const trace = '7'.repeat(32)
  const times = { start_timestamp: atS - 1, end_timestamp: atS }
  const items = ids.map((id) => ({ trace_id: trace, span_id: id, name: `span ${id}`, ...times }))
  return `${JSON.stringify({ type: 'span', content_type: streamedType })}\n${JSON.stringify({ items })}\n`
}
const newSpan = () => randomBytes(8).toString('hex')
const sendSpans = (entry: Bench, ids: readonly string[]) =>
  entry.writer.append(bulkHead(entry), Buffer.from(`{}\n${spanItem(ids)}`))
/** An envelope with an event and spans: it is in lane `events`. */
const sendMixed = (entry: Bench, ids: readonly string[]) =>
  entry.writer.append(head(entry.projectId), Buffer.concat([envelope(newId()), Buffer.from(spanItem(ids))]))
const spanIds = (entry: Bench) => entry.events.spans.lines.map((line) => entry.events.spanField(line, 'span_id'))
const cursors = async (entry: Bench): Promise<Record<Lane, number>> => ({
  events: await entry.meta.batches.cursor('events'),
  bulk: await entry.meta.batches.cursor('bulk'),
})

/** Ends refine when its batches cannot commit any more: their rows are stored, their intents are open. */
async function endBeforeCommits(entry: Bench, batches: number): Promise<void> {
  const { commitBatch } = entry.meta.batches
  let tries = 0
  const held = Promise.withResolvers<never>()
  held.promise.catch(() => undefined)
  entry.meta.batches.commitBatch = async () => {
    tries++
    return held.promise
  }
  const refine = entry.open()
  await refine.start()
  refine.advance(entry.writer.durable())
  await until(async () => tries >= batches, 'all batches stored')
  await refine.stop(0)
  held.reject(new Error('power cut'))
  entry.meta.batches.commitBatch = commitBatch
  entry.failures.splice(0)
}

test('events are stored while the spans before them wait for the store, and the journal is kept for those', async () => {
  const entry = await bench()
  const gate = Promise.withResolvers<void>()
  entry.events.spans.gate = () => gate.promise
  const refine = entry.open()
  await refine.start()
  const first = await sendSpans(entry, [newSpan(), newSpan()])
  for (let n = 0; n < 20; n++) await sendSpans(entry, [newSpan()])
  await send(entry, 5)
  refine.advance(entry.writer.durable())
  await until(async () => (await stored(entry)) === 5, 'the events')
  expect(await cursors(entry)).toEqual({ events: entry.writer.durable(), bulk: 0 })
  expect(entry.trims.every(({ before }) => before <= first)).toBe(true)
  expect((await refine.lanes()).events.waiting).toBe(0)
  expect([(await refine.lanes()).bulk.waiting, await refine.waiting()]).toEqual([21, 21])
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => (await stored(entry)) === 7, 'more events')
  gate.resolve()
  await settled(entry, 7 + 22)
  expect([entry.events.rows.length, entry.events.spans.lines.length, await outcome(entry, 'duplicate')]).toEqual([
    7, 22, 0,
  ])
  expect(await cursors(entry)).toEqual({ events: entry.writer.durable(), bulk: entry.writer.durable() })
  expect(entry.trims.at(-1)?.before).toBe(entry.writer.durable())
  expect(entry.failures).toEqual([])
})

test('the processed time is that of the oldest record that waits, less the time of its arrival', async () => {
  const entry = await bench()
  const gate = Promise.withResolvers<void>()
  entry.events.spans.gate = () => gate.promise
  const refine = entry.open()
  expect(await refine.processedTo()).toEqual({ events: 0, bulk: 0 })
  await refine.start()
  const waitingMs = systemClock.now() - 600_000
  await entry.writer.append({ ...bulkHead(entry), receivedMs: waitingMs }, Buffer.from(`{}\n${spanItem([newSpan()])}`))
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => (await stored(entry)) === 2, 'the events')
  const behind = await refine.processedTo()
  expect(behind.bulk).toBe(waitingMs - 5000)
  expect(systemClock.now() - behind.events).toBeLessThan(60_000)
  gate.resolve()
  await until(async () => (await refine.processedTo()).bulk > waitingMs, 'the spans')
})

test('after a standstill, the processed time is that of the last report, until the next one is read', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  await send(entry, 1)
  const knownMs = systemClock.now() - 600_000
  refine.advance(entry.writer.durable(), knownMs)
  await until(async () => (await stored(entry)) === 1, 'the event')
  await until(async () => (await refine.processedTo()).events === knownMs - 5000, 'the last report')
  // Nothing new came: that is news, too.
  refine.advance(entry.writer.durable(), systemClock.now())
  expect(systemClock.now() - (await refine.processedTo()).events).toBeLessThan(60_000)
})

test('a program waits for its errors, and not for a backlog of spans', async () => {
  const entry = await bench()
  const gate = Promise.withResolvers<void>()
  entry.events.spans.gate = () => gate.promise
  const refine = entry.open()
  await refine.start()
  const noise = Buffer.concat([
    Buffer.from(`{}\n${spanItem([newSpan()])}`),
    Buffer.from(`{"type":"span"}\n"${'x'.repeat(900_000)}"\n`),
  ])
  for (let n = 0; n < 4; n++) await entry.writer.append(bulkHead(entry), noise)
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  const waited: string = await Promise.race([
    refine.caughtUp(60_000).then(() => 'caught up'),
    systemClock.sleep(20_000).then(() => 'late'),
  ])
  expect([waited, await stored(entry)]).toEqual(['caught up', 3])
  gate.resolve()
})

test('the first request after a pause is answered once what waits is stored', async () => {
  const entry = await bench()
  const clock = testClock()
  const readers = createReaders(
    clock,
    () => false,
    (_ms, durable) => refine.caughtUp(60_000, durable),
  )
  const refine = entry.open(undefined, undefined, { readers })
  await refine.start()
  // The first event is stored at once, then the loop waits for 3 s.
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  await until(async () => (await stored(entry)) === 1, 'the first event')
  await send(entry, 1)
  await systemClock.sleep(400)
  expect(await stored(entry)).toBe(1)
  // The request overtakes the report of main.
  const answered = readers.arrive(entry.writer.durable())
  refine.advance(entry.writer.durable())
  await answered
  expect([await stored(entry), (await refine.lanes()).events.waiting]).toEqual([2, 0])
})

test.each([
  ['the first request after a pause waits for 6 MiB of events', true],
  ['a request after another one does not', false],
])('%s', async (_name, idle) => {
  const entry = await bench()
  const readers = {
    present: () => false,
    isIdle: () => idle,
    arrivedMs: () => 0,
    onArrival: () => () => undefined,
  }
  const refine = entry.open(undefined, undefined, { readers })
  await refine.start()
  const filler = Buffer.from(`{"type":"attachment","length":900000,"filename":"a"}\n${'x'.repeat(900_000)}\n`)
  for (let n = 0; n < 7; n++)
    await entry.writer.append(head(entry.projectId), Buffer.concat([envelope(newId()), filler]))
  refine.advance(entry.writer.durable())
  let isAnswered = false
  const answered = refine.caughtUp(60_000).then(() => {
    isAnswered = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isAnswered).toBe(!idle)
  await answered
  if (idle) expect((await refine.lanes()).events.waiting).toBe(0)
})

test('nobody waits for events while a store is away', async () => {
  const entry = await bench()
  entry.events.state.fail.push(...Array<'before'>(1000).fill('before'))
  const refine = entry.open()
  await refine.start()
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  await until(async () => refine.waitsFor() !== undefined, 'the store is away')
  const caughtUp: string = await Promise.race([
    refine.caughtUp(60_000, entry.writer.durable()).then(() => 'at once'),
    systemClock.sleep(1000).then(() => 'late'),
  ])
  expect(caughtUp).toBe('at once')
})

test.each([
  ['before it is started', async () => undefined],
  [
    'while no batch may begin',
    async (refine: Refine) => {
      await refine.start()
      await refine.pause()
    },
  ],
])('nobody waits for events %s', async (_name, before) => {
  const entry = await bench()
  const refine = entry.open()
  await before(refine)
  await send(entry, 1)
  refine.advance(entry.writer.durable())
  const caughtUp: string = await Promise.race([
    refine.caughtUp(60_000, entry.writer.durable()).then(() => 'at once'),
    systemClock.sleep(1000).then(() => 'late'),
  ])
  expect([caughtUp, await stored(entry)]).toEqual(['at once', 0])
})

test('no batch begins in a pause that came while the positions were checked', async () => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  const { cursor } = entry.meta.batches
  const gate = Promise.withResolvers<void>()
  entry.meta.batches.cursor = async (lane) => {
    await gate.promise
    return cursor(lane)
  }
  await sendSpans(entry, [newSpan()])
  refine.advance(entry.writer.durable())
  await systemClock.sleep(20)
  const resume = await refine.pause()
  gate.resolve()
  await systemClock.sleep(500)
  expect(spanIds(entry)).toEqual([])
  resume()
  await settled(entry, 1)
  expect(spanIds(entry)).toHaveLength(1)
})

test.each(['events', 'bulk'] as const)('a lane without records keeps up: only lane %s has some', async (lane) => {
  const entry = await bench()
  const refine = entry.open()
  await refine.start()
  for (let n = 1; n <= 3; n++) {
    if (lane === 'bulk') await sendSpans(entry, [newSpan()])
    else await send(entry, 1)
    refine.advance(entry.writer.durable())
    await settled(entry, n)
    expect(await cursors(entry)).toEqual({ events: entry.writer.durable(), bulk: entry.writer.durable() })
  }
  await refine.stop(500)
  expect(entry.failures).toEqual([])
})

test('batches of both lanes with the same positions do not take each other for a repeat', async () => {
  const entry = await bench()
  const tokens: string[] = []
  entry.events.spans.gate = async (token) => void tokens.push(token)
  await sendSpans(entry, [newSpan()])
  await sendMixed(entry, [newSpan()])
  const refine = entry.open()
  await refine.start()
  refine.advance(entry.writer.durable())
  await settled(entry, 3)
  const positions = tokens.map((token) => token.split(':').at(-1))
  expect([tokens.length, new Set(tokens).size, new Set(positions).size]).toEqual([2, 2, 1])
  expect(entry.events.spans.lines.length).toBe(2)
})

test.each<[string, (entry: Bench) => void]>([
  ['none', (_entry: Bench): void => undefined],
  ['the spans', (entry: Bench) => void entry.events.spans.lines.splice(0)],
  [
    'half of all',
    (entry: Bench) => {
      entry.events.spans.lines.splice(1, 3)
      entry.events.rows.splice(0, 2)
    },
  ],
  [
    'all',
    (entry: Bench) => {
      entry.events.spans.lines.splice(0)
      entry.events.rows.splice(0)
    },
  ],
])('a kill with batches of both lanes open: each row once, whatever the power cut lost: %s', async (_name, lose) => {
  const entry = await bench()
  for (let n = 0; n < 4; n++) {
    await sendSpans(entry, [newSpan(), newSpan()])
    await send(entry, 1)
    await sendMixed(entry, [newSpan()])
  }
  await endBeforeCommits(entry, 2)
  expect((await entry.meta.batches.openBatches()).map(({ lane }) => lane).sort()).toEqual(['bulk', 'events'])
  expect([await stored(entry), entry.events.rows.length, entry.events.spans.lines.length]).toEqual([0, 8, 12])
  lose(entry)
  const again = entry.open()
  await again.start()
  again.advance(entry.writer.durable())
  await settled(entry, 20)
  expect([entry.events.rows.length, new Set(spanIds(entry)).size, entry.events.spans.lines.length]).toEqual([8, 12, 12])
  expect([await stored(entry), await outcome(entry, 'received'), await outcome(entry, 'duplicate')]).toEqual([
    20, 20, 0,
  ])
  expect(await entry.meta.batches.openBatches()).toEqual([])
})

test.each<[string, Lane, Lane]>([
  ['bulk was first', 'bulk', 'events'],
  ['events was first', 'events', 'bulk'],
])('the same spans in both lanes stay one after a kill: %s', async (_name, first, second) => {
  const entry = await bench()
  const ids = [newSpan(), newSpan()]
  const sendIn = { events: () => sendMixed(entry, ids), bulk: () => sendSpans(entry, ids) }
  const gates = { first: Promise.withResolvers<void>() }
  await sendIn[first]()
  // The batch of the first lane has its spans in the store before the second lane begins.
  const { commitBatch } = entry.meta.batches
  const held = Promise.withResolvers<never>()
  held.promise.catch(() => undefined)
  const tried: Lane[] = []
  entry.meta.batches.commitBatch = async (batch) => {
    tried.push(batch.lane)
    if (batch.lane === first) gates.first.resolve()
    return held.promise
  }
  const refine = entry.open()
  await refine.start()
  refine.advance(entry.writer.durable())
  await gates.first.promise
  await sendIn[second]()
  refine.advance(entry.writer.durable())
  await until(async () => tried.length === 2, 'both lanes')
  await refine.stop(0)
  held.reject(new Error('power cut'))
  entry.meta.batches.commitBatch = commitBatch
  entry.failures.splice(0)
  expect([tried, spanIds(entry).length]).toEqual([[first, second], 2])
  const again = entry.open()
  await again.start()
  again.advance(entry.writer.durable())
  await settled(entry, 3)
  expect([spanIds(entry).length, new Set(spanIds(entry)).size, await outcome(entry, 'duplicate')]).toEqual([2, 2, 2])
  expect(await outcome(entry, 'received')).toBe(5)
})

test('a failed batch of one lane does not let the other move its cursor', async () => {
  const entry = await bench()
  const gate = Promise.withResolvers<void>()
  entry.events.state.gate = () => gate.promise
  const { openBatch } = entry.meta.batches
  const refine = entry.open()
  await refine.start()
  await send(entry, 2)
  refine.advance(entry.writer.durable())
  await until(async () => (await entry.meta.batches.openBatches()).length === 1, 'the batch of events')
  entry.meta.batches.openBatch = async (from, to, lane) => {
    if (lane === 'bulk') throw new Error('the file is no database')
    return openBatch(from, to, lane)
  }
  await sendSpans(entry, [newSpan()])
  refine.advance(entry.writer.durable())
  await until(async () => entry.failures.length > 0, 'the failure')
  gate.resolve()
  await systemClock.sleep(200)
  await refine.stop(100)
  entry.meta.batches.openBatch = openBatch
  expect((await cursors(entry)).bulk).toBe(0)
  entry.failures.splice(0)
  const again = entry.open()
  await again.start()
  again.advance(entry.writer.durable())
  await settled(entry, 3)
  expect([entry.events.rows.length, entry.events.spans.lines.length]).toEqual([2, 1])
})

test('a journal that ends below the cursor of one lane is found', async () => {
  const entry = await bench()
  const never = Promise.withResolvers<void>()
  entry.events.spans.gate = () => never.promise
  const refine = entry.open()
  await refine.start()
  await sendSpans(entry, [newSpan()])
  await send(entry, 3)
  refine.advance(entry.writer.durable())
  await until(async () => (await stored(entry)) === 3, 'the events')
  const end = (await cursors(entry)).events
  await refine.stop(0)
  entry.failures.splice(0)
  entry.events.spans.gate = undefined
  const again = entry.open()
  await again.start()
  again.advance(end - 1)
  await expect.poll(() => entry.failures, { timeout: 10_000 }).toMatchObject([{ code: 'START_JOURNAL_BEHIND' }])
})

test('a worker refines events between the records of a bulk range, and bulk ranges one after the other', async () => {
  const entry = await bench()
  const many = Array.from({ length: 50 }, newSpan)
  for (let n = 0; n < 400; n++) await sendSpans(entry, many)
  await send(entry, 20)
  const pool = createWorkerPool({
    size: 1,
    setup: { journalFolder: join(entry.folder, 'journal'), blobSource: { folder: join(entry.folder, 'blobs') } },
    observe: silent,
    settingsOf: entry.meta.projects.projectSettings,
  })
  const range = { from: 0, durable: entry.writer.durable(), recordsMax: 1e9, bytesMax: 1e9 }
  const done: string[] = []
  const bulk = ['first bulk', 'second bulk'].map((name) =>
    pool.refine({ ...range, lane: 'bulk' }).then(({ records }) => void done.push(`${name}: ${records}`)),
  )
  const events = pool.refine({ ...range, lane: 'events' }).then(({ records }) => void done.push(`events: ${records}`))
  await Promise.all([...bulk, events])
  expect(done).toEqual(['events: 20', 'first bulk: 400', 'second bulk: 400'])
  await pool.close()
})

test('bulk inserts wait for those of events, but not for ever', async () => {
  const stopped = new AbortController()
  const clock = testClock()
  const { run } = createInserting(clock, stopped.signal)
  const done: string[] = []
  const begin = (lane: Lane, name: string) => {
    const insert = Promise.withResolvers<void>()
    const ended = run(lane, async () => {
      done.push(name)
      await insert.promise
    })
    return { end: async () => (insert.resolve(), ended) }
  }
  const running = begin('bulk', 'bulk 1')
  const first = begin('events', 'events 1')
  const second = begin('events', 'events 2')
  const late = begin('bulk', 'bulk 2')
  expect(done).toEqual(['bulk 1', 'events 1', 'events 2'])
  await first.end()
  expect(done.length).toBe(3)
  await second.end()
  await expect.poll(() => done).toEqual(['bulk 1', 'events 1', 'events 2', 'bulk 2'])
  const third = begin('events', 'events 3')
  const patient = begin('bulk', 'bulk 3')
  clock.advance(500)
  await expect.poll(() => done.at(-1)).toBe('bulk 3')
  await Promise.all([running.end(), late.end(), third.end(), patient.end()])
})
