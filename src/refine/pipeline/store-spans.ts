import { randomUUID } from 'node:crypto'
import { MishapError } from '../../base/errors.ts'
import { faultOf } from '../../base/observe.ts'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { Batch } from '../../store/meta/meta.ts'
import { deadKey, recordOf } from './dead-letters.ts'
import type { Seen } from './dedup-window.ts'
import { patiently } from './retry.ts'
import { type Memory, type Stored, type Storing, triesMax } from './store-events.ts'
import type { RangeSpans, RefinedRange } from './worker.ts'

/** A batch's spans are one insert, unless somebody sends very many: what the engine holds of one is bounded. */
const pieceBytesMax = 16 * 1024 * 1024

/** Beside the events' name, not below it: who ends the inserts of one must not end the other's. */
const spanToken = ({ from, to }: Batch) => `spans:${from}-${to}`

const standsOf = ({ jpos, firstPlace }: RangeSpans, stored: Stored['spans']) =>
  stored.get(jpos)?.has(firstPlace) === true

type SpanMemory = Pick<Memory, 'transactions' | 'spanItems'>

/** Apart from each other: many of the one must not push the others out. */
const memoryOf = ({ transactions, spanItems }: SpanMemory, { item }: RangeSpans): Seen =>
  item === 'transaction' ? transactions : spanItems

/** Takes transactions and span items out that came within the last hour already, and gives their ends. */
export function siftSpans(
  spans: readonly RangeSpans[],
  memory: SpanMemory,
  stored: Stored['spans'],
): { kept: RangeSpans[]; repeated: OutcomeCount[] } {
  const kept: RangeSpans[] = []
  const repeated: OutcomeCount[] = []
  for (const span of spans) {
    const { projectId, key, receivedMs, outcomes } = span
    const known = memoryOf(memory, span)
    // a row that already stands was judged in the run before
    if (!standsOf(span, stored) && known.has(projectId, key)) {
      for (const end of outcomes) repeated.push({ ...end, outcome: 'duplicate', reason: 'same_event_id' })
      continue
    }
    known.add(projectId, key, receivedMs)
    kept.push(span)
  }
  return { kept, repeated }
}

/** What stands of a batch's spans once no insert of them runs any more; waits for the engine as long as it takes. */
export const settleSpansSurely = (work: Storing, batch: Batch): Promise<Stored['spans']> =>
  patiently(work, 'events', () => work.events.settle('spans', spanToken(batch), batch.from, batch.to))

/** Rows of these items that do not stand: all of an item, or those behind a line break whose place is missing. */
function missingLines(range: RefinedRange, spans: readonly RangeSpans[], stored: Stored['spans']): Buffer[] {
  const whole = Buffer.from(range.spanTsv.buffer, range.spanTsv.byteOffset, range.spanTsv.byteLength)
  return spans.flatMap((span): Buffer[] => {
    const places = stored.get(span.jpos)
    const tsv = whole.subarray(span.tsvFrom, span.tsvTo)
    if (!places) return [tsv]
    const lines: Buffer[] = []
    for (let [at, place] = [0, span.firstPlace]; at < tsv.length; place++) {
      const end = tsv.indexOf(10, at) + 1 || tsv.length
      if (!places.has(place)) lines.push(tsv.subarray(at, end))
      at = end
    }
    return lines
  })
}

/** Items in order, together of no more than what is inserted at once; one that is larger goes alone. */
function piecesOf(lines: readonly Buffer[]): Buffer[] {
  const pieces: Buffer[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const line of lines) {
    if (bytes + line.length > pieceBytesMax) {
      pieces.push([])
      bytes = 0
    }
    pieces.at(-1)?.push(line)
    bytes += line.length
  }
  return pieces.map((piece) => Buffer.concat(piece))
}

/** Inserts until it is certain that the rows stand once, as events are. Throws what the store refuses for good. */
async function insertSurely(
  work: Storing,
  batch: Batch,
  range: RefinedRange,
  spans: readonly RangeSpans[],
  stored: Stored['spans'],
  again: boolean,
  contentTriesMax = triesMax,
): Promise<void> {
  let name = again ? `${spanToken(batch)}:${randomUUID()}` : spanToken(batch)
  let pieces = piecesOf(missingLines(range, spans, stored))
  for (let tries = 1; pieces.length > 0; tries++) {
    try {
      for (const [at, piece] of pieces.entries())
        await work.events.insert('spans', piece, at === 0 ? name : `${name}:${at}`)
      work.waits.end('events')
      return
    } catch (error) {
      if (work.stopped.signal.aborted) throw error
      const away = error instanceof MishapError && error.code === 'STORE_UNAVAILABLE'
      if (away) work.waits.begin('events')
      else work.waits.end('events')
      if (!away && tries >= contentTriesMax) throw error
      work.observe.warn({ from: batch.from, tries, error: faultOf(error) }, 'the insert of a batch of spans is unclear')
      await work.clock.sleep(Math.min(2000, 50 * 2 ** Math.min(tries, 8)), work.stopped.signal)
      pieces = piecesOf(missingLines(range, spans, await settleSpansSurely(work, batch)))
      name = `${spanToken(batch)}:${randomUUID()}`
    }
  }
}

/** Keeps an item whose rows the store refuses, whole, so that it can be looked at and sent again. Gives its ends. */
async function buryItem(
  work: Storing,
  batch: Batch,
  range: RefinedRange,
  entry: RangeSpans,
  error: unknown,
): Promise<OutcomeCount[]> {
  const { projectId, jpos, index, receivedMs, outcomes } = entry
  const [first] = outcomes
  if (!first) return []
  const { keyId, bytes, category, itemType } = first
  const blobKey = deadKey(jpos, index)
  const spans = outcomes.reduce((sum, end) => sum + end.quantity, -1)
  const from = { jpos, index, part: 'onlyItem' } as const
  const kept = await recordOf(work, batch, from, { category, itemType, spans })
  const record = kept ?? range.spanTsv.subarray(entry.tsvFrom, entry.tsvTo)
  await patiently(work, 'files', () => work.blobs.put(blobKey, record))
  // it is not stored: it may come again
  memoryOf(work, entry).forget(projectId, entry.key)
  range.dead.push({ jpos, projectId, keyId, receivedMs, reason: faultOf(error), bytes, blobKey })
  return outcomes.map((end) => ({ ...end, outcome: 'dead', reason: 'failed' }))
}

/**
 * Inserts the spans of a batch and returns their ends. What the store refuses for its content is tried item by item; one
 * that fails alone is a dead item: events must not wait for spans.
 */
export async function storeSpans(
  work: Storing,
  batch: Batch,
  range: RefinedRange,
  spans: readonly RangeSpans[],
  stored: Stored['spans'],
  again: boolean,
): Promise<OutcomeCount[]> {
  if (spans.length === 0) return []
  try {
    await insertSurely(work, batch, range, spans, stored, again)
    return spans.flatMap((span) => span.outcomes)
  } catch (error) {
    if (work.stopped.signal.aborted) throw error
    work.observe.error({ from: batch.from, error: faultOf(error) }, 'the events store refuses spans')
  }
  const there = await settleSpansSurely(work, batch)
  const ends: OutcomeCount[] = []
  for (const span of spans) {
    try {
      await insertSurely(work, batch, range, [span], there, true, 1)
      ends.push(...span.outcomes)
    } catch (error) {
      if (work.stopped.signal.aborted) throw error
      ends.push(...(await buryItem(work, batch, range, span, error)))
    }
  }
  return ends
}
