import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { EventRow, EventStore } from '../../store/events/events.ts'
import type { Batch, BatchEffects, EventEffect } from '../../store/meta/meta.ts'
import { deadKey, recordOf } from './dead-letters.ts'
import type { Seen } from './dedup-window.ts'
import { patiently, type Waits } from './retry.ts'
import { siftSpans, storeSpans } from './store-spans.ts'
import type { RangeSpans, RefinedRange, WorkerSetup } from './worker.ts'

/** What came within the last hour: events by their ids, transactions by their segments, span items by their spans. */
export type Memory = { seen: Seen; transactions: Seen; spanItems: Seen }

/** What a batch's rows are brought into the events store with. */
export type Storing = Memory & {
  clock: Clock
  observe: Observe
  events: EventStore
  blobs: BlobStore
  worker: WorkerSetup
  stopped: AbortController
  waits: Waits
}

/** What stands of a batch already: events by position, spans by their record's position and their place there. */
export type Stored = { events: ReadonlySet<number>; spans: ReadonlyMap<number, ReadonlySet<number>> }
export const nothingStored: Stored = { events: new Set(), spans: new Map() }

/** Rows of a range without those that count as duplicates, and the outcomes of all; those of `spans` stand in them. */
export type Sifted = { effects: EventEffect[]; tsv: Uint8Array; outcomes: OutcomeCount[]; spans: RangeSpans[] }

/** The name of a batch's insert. */
export const token = (from: number, to: number) => `journal:${from}-${to}`

/**
 * A name for rows that go in once more, after it was asked what stands. Never one that was used before: the engine
 * writes a token down before the rows, and where a crash kept the token without them it would drop them silently.
 */
export const tokenAgain = (batch: Batch) => `${token(batch.from, batch.to)}:${randomUUID()}`

/** Takes repeated event ids out: one id a project within the hour is stored once and counted as duplicate after that. */
export function sift(range: RefinedRange, memory: Memory, stored: Stored): Sifted {
  const { seen } = memory
  const parts: Uint8Array[] = []
  const effects: EventEffect[] = []
  const outcomes = [...range.outcomes]
  for (const event of range.events) {
    const { projectId, eventId, receivedMs, jpos } = event.effect
    // a row that already stands was judged in the run before
    if (!stored.events.has(jpos) && seen.has(projectId, eventId)) {
      outcomes.push({ ...event.outcome, outcome: 'duplicate', reason: 'same_event_id' })
      continue
    }
    seen.add(projectId, eventId, receivedMs)
    outcomes.push(event.outcome)
    effects.push(event.effect)
    if (!stored.events.has(jpos)) parts.push(range.tsv.subarray(event.tsvFrom, event.tsvTo))
  }
  const whole = parts.length === range.events.length
  const spans = siftSpans(range.spans, memory, stored.spans)
  return {
    effects,
    outcomes: [...outcomes, ...spans.repeated],
    tsv: whole ? range.tsv : Buffer.concat(parts),
    spans: spans.kept,
  }
}

/** Tries of rows that the store refuses for their content: some of the engine's reasons pass. */
export const triesMax = 5

/**
 * Inserts until it is certain that each row stands once. It waits as long as the store is away. After an unclear answer it
 * asks what stands and inserts only what is missing, under a new token: a token stands for identical rows only.
 */
async function insertSurely(
  work: Storing,
  batch: Batch,
  range: RefinedRange,
  sifted: Pick<Sifted, 'effects' | 'tsv'>,
  name: string,
  contentTriesMax = triesMax,
): Promise<void> {
  let tsv = sifted.tsv
  for (let tries = 1; tsv.length > 0; tries++) {
    try {
      await work.events.insert('events', Buffer.from(tsv.buffer, tsv.byteOffset, tsv.byteLength), name)
      break
    } catch (error) {
      if (work.stopped.signal.aborted) throw error
      const away = error instanceof MishapError && error.code === 'STORE_UNAVAILABLE'
      if (away) work.waits.begin('events')
      // it answers: what it was given is at fault
      else work.waits.end('events')
      if (!away && tries >= contentTriesMax) throw error
      work.observe.warn({ from: batch.from, tries, error: faultOf(error) }, 'the insert of a batch is unclear')
      await work.clock.sleep(Math.min(2000, 50 * 2 ** Math.min(tries, 8)), work.stopped.signal)
      const there = new Set((await settleSurely(work, batch)).map((row) => row.jpos))
      const wanted = new Set(sifted.effects)
      const missing = range.events.filter((event) => wanted.has(event.effect) && !there.has(event.effect.jpos))
      tsv = Buffer.concat(missing.map((event) => range.tsv.subarray(event.tsvFrom, event.tsvTo)))
      name = tokenAgain(batch)
    }
  }
  work.waits.end('events')
}

/** What stands of a batch once nothing of it runs any more; waits for the engine as long as it takes. */
export const settleSurely = (work: Storing, batch: Batch): Promise<EventRow[]> =>
  patiently(work, 'events', async () => {
    await work.events.settle('events', token(batch.from, batch.to), batch.from, batch.to)
    return work.events.eventsBetween(batch.from, batch.to)
  })

/** An insert that the store refuses for its content is tried row by row; a row that fails alone is a dead item. */
async function insertByOne(work: Storing, batch: Batch, range: RefinedRange, sifted: Sifted): Promise<EventEffect[]> {
  const kept: EventEffect[] = []
  const there = new Set((await settleSurely(work, batch)).map((row) => row.jpos))
  for (const event of range.events) {
    const { effect } = event
    if (!sifted.effects.includes(effect)) continue
    const tsv = Buffer.from(range.tsv.subarray(event.tsvFrom, event.tsvTo))
    try {
      if (!there.has(effect.jpos))
        await insertSurely(work, batch, range, { effects: [effect], tsv }, tokenAgain(batch), 1)
      kept.push(effect)
    } catch (error) {
      if (work.stopped.signal.aborted) throw error
      const { projectId, keyId, receivedMs, jpos } = effect
      const { bytes, category, itemType } = event.outcome
      const blobKey = deadKey(jpos)
      const from = { jpos: jpos - event.index, index: event.index, part: 'only' } as const
      const record = (await recordOf(work, batch, from, { category, itemType })) ?? tsv
      await patiently(work, 'files', () => work.blobs.put(blobKey, record))
      // it is not stored: the id may come again
      work.seen.forget(projectId, effect.eventId)
      range.dead.push({ jpos, projectId, keyId, receivedMs, reason: faultOf(error), bytes, blobKey })
      const index = sifted.outcomes.indexOf(event.outcome)
      sifted.outcomes[index] = { ...event.outcome, outcome: 'dead', reason: 'failed' }
    }
  }
  return kept
}

/**
 * Inserts what was sifted under the names of the batch (`again`: under new ones) and returns what is to be committed.
 * Events and spans go side by side: neither waits for the other.
 */
export async function store(
  work: Storing,
  batch: Batch,
  range: RefinedRange,
  sifted: Sifted,
  stored: Stored,
  again = false,
): Promise<BatchEffects> {
  const [effects, spans] = await Promise.all([
    storeEvents(work, batch, range, sifted, again ? tokenAgain(batch) : token(batch.from, batch.to)),
    storeSpans(work, batch, range, sifted.spans, stored.spans, again),
  ])
  const { attachments, dead, feedback, samples } = range
  const outcomes = [...sifted.outcomes, ...spans]
  return { events: effects, attachments, feedback, samples, outcomes, dead, again: range.again }
}

async function storeEvents(
  work: Storing,
  batch: Batch,
  range: RefinedRange,
  sifted: Sifted,
  name: string,
): Promise<EventEffect[]> {
  try {
    await insertSurely(work, batch, range, sifted, name)
    return sifted.effects
  } catch (error) {
    if (work.stopped.signal.aborted) throw error
    return insertByOne(work, batch, range, sifted)
  }
}
