import { hash } from 'node:crypto'
import type { OutcomeCount, OutcomeReason } from '../../../base/outcome.ts'
import type { JournalRecord, RecordHead } from '../../../journal/journal.ts'
import type { SpanRow } from '../../../store/events/span-store.ts'
import type { ProjectSettings } from '../../../store/meta/meta.ts'
import type { EnvelopeItem } from '../../../wire/envelope.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { claimedCount } from '../../../wire/item-types.ts'
import { filtered } from '../../filter/filter.ts'
import type { Context, Tools } from '../../pipeline/context.ts'
import { newDraft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { firstSteps } from '../../pipeline/step.ts'
import { object, own, type Parsed, parsePayload } from '../../pipeline/value.ts'
import { userAgent } from '../error/user-agent.ts'
import { draftOf, itemRows, spanItem } from './items.ts'
import { childrenOf, type SpansOfItem, transactionRows } from './transaction.ts'

/** The spans of one item. `outcomes` are their ends (stored), which the loop turns into duplicate when `key` is known already. */
export type RefinedSpans = {
  item: 'transaction' | 'span'
  /** By what it is known when it comes again, 32 hex: see `transactionKey` and `spanItemKey`. */
  key: string
  /** Which item of its record it is. */
  index: number
  rows: SpanRow[]
  outcomes: OutcomeCount[]
}

/** What one call works with. */
type SpanWork = {
  record: JournalRecord
  head: RecordHead
  settings: ProjectSettings
  tools: Tools
  out: { spans: RefinedSpans[]; outcomes: OutcomeCount[] }
  standing: { spans: ReadonlySet<number> } | undefined
}

/** By what a transaction is known that comes again: span ids are drawn within a trace. */
export const transactionKey = ({ spanId, traceId }: Pick<SpanRow, 'spanId' | 'traceId'>): string =>
  `${spanId}${traceId.slice(16)}`

/**
 * By what a span item is known that comes again: the ids of all of its spans. An SDK sends an envelope again as it was; one
 * that holds some of these spans beside others is another item.
 */
const spanItemKey = (rows: readonly Pick<SpanRow, 'spanId' | 'traceId'>[]): string =>
  hash('md5', rows.map((row) => row.traceId + row.spanId).join(), 'hex')

/** Spans of the record so far: places of one record are told apart. */
const placeOf = ({ out }: SpanWork): number => out.spans.reduce((sum, span) => sum + span.rows.length, 0)

/** Rows repeat what their item says once (its name, release): what SDKs send becomes no larger than it was. */
const growthMax = 4
const growthFree = 16_384
/** Bytes of a row's numbers and ids. */
const plainBytes = 200

/** How many of the rows fit into what an item of so many bytes may become; the first always does. */
function fitting(rows: readonly SpanRow[], bytes: number): number {
  let left = bytes * growthMax + growthFree
  for (const [at, row] of rows.entries()) {
    left -= plainBytes + row.transaction.length + row.release.length + row.environment.length + row.name.length
    left -= row.description.length + row.attributes.length + row.links.length + row.op.length + row.origin.length
    if (left < 0) return Math.max(1, at)
  }
  return rows.length
}

/** What became of an item's spans that are no rows, and those rows that are kept. */
function kept(work: SpanWork, itemType: string, { rows, excess, broken }: SpansOfItem, bytes: number): SpanRow[] {
  const fits = fitting(rows, bytes)
  for (const [quantity, reason] of [
    [excess, 'too_many_items'],
    [broken, 'bad_item'],
    [rows.length - fits, 'too_large'],
  ] as const)
    if (quantity > 0) work.out.outcomes.push(ended(work, itemType, 'span', 'invalid', reason, 0, quantity))
  return rows.slice(0, fits)
}

/**
 * A transaction: one end for itself, and one for each of its child spans. `eventId`: 32 hex, which stand for its ids where
 * it has none.
 */
export function refineTransaction(
  work: SpanWork,
  {
    parsed,
    bytes,
    itemType,
    eventId,
    index,
    sentMs,
  }: { parsed: Parsed; bytes: number; itemType: string; eventId: string; index: number; sentMs: number | undefined },
): void {
  const { head, settings, tools, record, out } = work
  const received = 'broken' in parsed ? undefined : object(parsed.value)
  if (!received) {
    out.outcomes.push(ended(work, itemType, 'transaction', 'invalid', 'bad_json', bytes))
    return
  }
  const id = normalizeId(own(received, 'event_id')) ?? eventId
  const context: Context = { head, eventId: id, sentMs, settings, tools, maps: undefined }
  const draft = newDraft(received, id)
  if ('sent' in parsed) draft.sent = parsed.sent
  for (const step of firstSteps) step.run(draft, context)
  // what stands was judged in the run before
  const dropped = work.standing?.spans.has(record.jpos) ? undefined : filtered(draft, settings, tools, head)
  if (dropped) {
    out.outcomes.push(ended(work, itemType, 'transaction', 'filtered', dropped.reason, bytes))
    filteredSpans(work, itemType, childrenOf(received).length, dropped.reason, 0)
    return
  }
  const rows = kept(work, itemType, transactionRows(draft, context, record.jpos, placeOf(work)), bytes)
  const [segment] = rows
  if (!segment) return
  const children = rows.length - 1
  out.spans.push({
    item: 'transaction',
    key: transactionKey(segment),
    index,
    rows,
    outcomes: [
      ended(work, itemType, 'transaction', 'stored', 'ok', bytes),
      ...(children > 0 ? [{ ...ended(work, itemType, 'span', 'stored', 'ok', 0), quantity: children }] : []),
    ],
  })
}

function filteredSpans(work: SpanWork, itemType: string, quantity: number, reason: OutcomeReason, bytes: number): void {
  if (quantity > 0) work.out.outcomes.push({ ...ended(work, itemType, 'span', 'filtered', reason, bytes), quantity })
}

/** A span item of either form: each of its spans ends for itself. `trace` is the envelope's header of that name. */
export function refineSpans(
  work: SpanWork,
  {
    item: { type, payload, headers },
    eventId,
    index,
    sentMs,
    trace,
  }: { item: EnvelopeItem; eventId: string; index: number; sentMs: number | undefined; trace: unknown },
): void {
  const { head, settings, tools, record, out } = work
  const parsed = parsePayload(payload)
  // what cannot be read counts as many spans as its header says
  const claimed = claimedCount({ type, headers, bytes: payload.length })
  const invalid = (reason: OutcomeReason, quantity: number) =>
    out.outcomes.push(ended(work, 'span', 'span', 'invalid', reason, payload.length, quantity))
  if ('broken' in parsed) {
    invalid('bad_json', claimed)
    return
  }
  const item = spanItem(parsed.value, headers['content_type'], trace, parsed.sent)
  if (!item || item.spans.length === 0) {
    invalid('bad_item', item ? 1 : claimed)
    return
  }
  const context: Context = { head, eventId, sentMs, settings, tools, maps: undefined }
  if (settings.filters && !work.standing?.spans.has(record.jpos)) {
    const draft = draftOf(item, context)
    userAgent(draft, context)
    const dropped = filtered(draft, settings, tools, head)
    if (dropped) {
      filteredSpans(work, 'span', item.spans.length, dropped.reason, payload.length)
      return
    }
  }
  const rows = kept(work, 'span', itemRows(item, context, record.jpos, placeOf(work)), payload.length)
  if (rows.length > 0) {
    const outcome = { ...ended(work, 'span', 'span', 'stored', 'ok', payload.length), quantity: rows.length }
    out.spans.push({ item: 'span', key: spanItemKey(rows), index, rows, outcomes: [outcome] })
  }
}
