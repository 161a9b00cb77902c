import { hash } from 'node:crypto'
import type { OutcomeReason } from '../../../base/outcome.ts'
import type { SpanRow } from '../../../store/events/span-store.ts'
import type { EnvelopeItem } from '../../../wire/envelope.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { claimedCount } from '../../../wire/item-types.ts'
import { filtered } from '../../filter/filter.ts'
import type { Context } from '../../pipeline/context.ts'
import { newDraft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { firstSteps } from '../../pipeline/step.ts'
import { object, own, type Parsed, parsePayload } from '../../pipeline/value.ts'
import { userAgent } from '../error/user-agent.ts'
import {
  derivedId,
  isStoredAt,
  itemKind,
  nextPlace,
  type RecordWork,
  type RepeatWindow,
  type RowGroup,
  skipPlaces,
} from '../kind.ts'
import { draftOf, itemRows, type SpanItem, spanItem } from './items.ts'
import { spansMax } from './parts.ts'
import { childrenOf, type SpansOfItem, transactionRows } from './transaction.ts'

/** The dedup key of a transaction. Span ids are random within a trace. */
const transactionKey = ({ spanId, traceId }: Pick<SpanRow, 'spanId' | 'traceId'>): string =>
  `${spanId}${traceId.slice(16)}`

/**
 * The dedup key of a span item: the ids of all of its spans. An SDK resends an envelope unchanged. An item that has
 * some of these spans and others too is a different item.
 */
export const spanItemKey = (rows: readonly Pick<SpanRow, 'spanId' | 'traceId'>[]): string =>
  hash('md5', rows.map((row) => row.traceId + row.spanId).join(), 'hex')

const hourlyMax = 200_000
const transactionsAtStart = 50_000

/** Ten times the hourly rate of a small machine; 8 MB. */
export const transactionWindow: RepeatWindow = {
  name: 'transactions',
  max: hourlyMax,
  recent: async (events, sinceMs) =>
    (await events.recentTransactions(sinceMs, transactionsAtStart)).map((recent) => ({
      projectId: recent.projectId,
      key: transactionKey(recent),
    })),
}

/**
 * Separate from transactions, so that many span items do not evict those. An SDK sends an item every few seconds, with
 * any number of spans. A start reads nothing back.
 */
export const spanItemWindow: RepeatWindow = { name: 'spanItems', max: hourlyMax }

/** Adds the rows of one item. They are stored, counted and refused together. */
export function addRows(
  work: RecordWork,
  rows: readonly SpanRow[],
  { window, key, index, outcomes }: Pick<RowGroup, 'window' | 'key' | 'index' | 'outcomes'>,
): void {
  const { projectId, receivedMs } = work.head
  const { jpos } = work.record
  const place = rows[0]?.place ?? 0
  work.out.groups.push({
    table: 'spans',
    window,
    key,
    projectId,
    receivedMs,
    jpos,
    place,
    index,
    part: 'onlyItem',
    outcomes,
    rows,
  })
}

/** Rows repeat the item's name and release. This limits their total size relative to the item. */
const growthMax = 4
const growthFree = 16_384
/** Bytes of a row's numbers and ids. */
const plainBytes = 200

/** Characters of the attributes, about as encoded. */
function attributesLength(attributes: SpanRow['attributes']): number {
  let sum = 0
  for (const key in attributes) {
    const value = attributes[key]
    sum += key.length + 6 + (typeof value === 'string' ? value.length : typeof value === 'object' ? 256 : 8)
  }
  return sum
}

/** How many rows fit into the size allowed for an item of `bytes` bytes. The first row always fits. */
export function fittingCount(rows: readonly SpanRow[], bytes: number): number {
  let left = bytes * growthMax + growthFree
  for (const [at, row] of rows.entries()) {
    const texts = [row.transaction, row.route, row.name, row.description, row.statement, row.release, row.environment]
    left -= plainBytes + attributesLength(row.attributes) + row.links.length + row.events.length
    left -= texts.reduce((sum, text) => sum + text.length, row.op.length + row.origin.length)
    if (left < 0) return Math.max(1, at)
  }
  return rows.length
}

/** Adds outcomes for an item's spans that become no rows. Returns the rows to store. */
function acceptedRows(
  work: RecordWork,
  itemType: string,
  { rows, excess, broken }: SpansOfItem,
  bytes: number,
): SpanRow[] {
  const fitCount = fittingCount(rows, bytes)
  for (const [quantity, reason] of [
    [excess, 'too_many_items'],
    [broken, 'bad_item'],
    [rows.length - fitCount, 'too_large'],
  ] as const)
    if (quantity > 0) work.out.outcomes.push(ended(work, itemType, 'span', 'invalid', reason, 0, quantity))
  return rows.slice(0, fitCount)
}

/**
 * Refines a transaction: one outcome for itself and one for each child span. `eventId`: 32 hex digits that replace
 * missing ids.
 */
export function refineTransaction(
  work: RecordWork,
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
  // Stored rows already passed the filters in the previous run.
  const [first, childCount] = [nextPlace(work, 'spans'), childrenOf(received).length]
  const count = 1 + Math.min(childCount, spansMax)
  const dropped = isStoredAt(work, 'spans', first, count) ? undefined : filtered(draft, settings, tools, head)
  if (dropped) {
    skipPlaces(work, 'spans', count)
    out.outcomes.push(ended(work, itemType, 'transaction', 'filtered', dropped.reason, bytes))
    filteredSpans(work, itemType, childCount, dropped.reason, 0)
    return
  }
  const sampleRate = own(object(work.envelope.trace) ?? {}, 'sample_rate')
  const place = { jpos: record.jpos, first, sampleRate }
  const rows = acceptedRows(work, itemType, transactionRows(draft, context, place), bytes)
  const [segment] = rows
  if (!segment) return
  const children = rows.length - 1
  addRows(work, rows, {
    window: transactionWindow.name,
    key: transactionKey(segment),
    index,
    outcomes: [
      ended(work, itemType, 'transaction', 'stored', 'ok', bytes),
      ...(children > 0 ? [ended(work, itemType, 'span', 'stored', 'ok', 0, children)] : []),
    ],
  })
}

/** How many items a transaction counts as: itself and each of its children. */
export function countOfTransaction(parsed: Parsed): number {
  const received = 'broken' in parsed ? undefined : object(parsed.value)
  return received ? 1 + childrenOf(received).length : 1
}

export const transactionKind = itemKind<Parsed>({
  itemTypes: ['transaction'],
  read: ({ item }) => parsePayload(item.payload),
  countsAs: countOfTransaction,
  refine: (work, parsed, { item, index }) => {
    const { named, sentMs } = work.envelope
    const eventId = named ?? derivedId(work, index)
    refineTransaction(work, { parsed, bytes: item.payload.length, itemType: item.type, eventId, index, sentMs })
  },
})

function filteredSpans(
  work: RecordWork,
  itemType: string,
  quantity: number,
  reason: OutcomeReason,
  bytes: number,
): void {
  if (quantity > 0) work.out.outcomes.push({ ...ended(work, itemType, 'span', 'filtered', reason, bytes), quantity })
}

/** A parsed span item. `item` is undefined if the payload has neither form. */
type ReadSpans = { parsed: Parsed; item: SpanItem | undefined; claimed: number }

function readSpans({ type, headers, payload }: EnvelopeItem, trace: unknown): ReadSpans {
  const parsed = parsePayload(payload)
  // An unreadable payload counts as the number of spans in its header.
  const claimed = claimedCount({ type, headers, bytes: payload.length })
  const item = 'broken' in parsed ? undefined : spanItem(parsed.value, headers['content_type'], trace, parsed.sent)
  return { parsed, item, claimed }
}

/** A span item of either form. Each of its spans has its own outcome. */
export const spanKind = itemKind<ReadSpans>({
  itemTypes: ['span'],
  read: ({ item }, { trace }) => readSpans(item, trace),
  countsAs: ({ item, claimed }) => (item ? Math.max(1, item.spans.length) : claimed),
  refine: (work, { parsed, item, claimed }, { item: { payload }, index }) => {
    const { head, settings, tools, record, out } = work
    const { sentMs } = work.envelope
    const invalid = (reason: OutcomeReason, quantity: number) =>
      out.outcomes.push(ended(work, 'span', 'span', 'invalid', reason, payload.length, quantity))
    if ('broken' in parsed) {
      invalid('bad_json', claimed)
      return
    }
    if (!item || item.spans.length === 0) {
      invalid('bad_item', item ? 1 : claimed)
      return
    }
    const context: Context = { head, eventId: derivedId(work, index), sentMs, settings, tools, maps: undefined }
    const [first, count] = [nextPlace(work, 'spans'), Math.min(item.spans.length, spansMax)]
    if (settings.filters && !isStoredAt(work, 'spans', first, count)) {
      const draft = draftOf(item, context)
      userAgent(draft, context)
      const dropped = filtered(draft, settings, tools, head)
      if (dropped) {
        skipPlaces(work, 'spans', count)
        filteredSpans(work, 'span', item.spans.length, dropped.reason, payload.length)
        return
      }
    }
    const rows = acceptedRows(work, 'span', itemRows(item, context, record.jpos, first), payload.length)
    if (rows.length === 0) return
    const outcomes = [ended(work, 'span', 'span', 'stored', 'ok', payload.length, rows.length)]
    addRows(work, rows, { window: spanItemWindow.name, key: spanItemKey(rows), index, outcomes })
  },
})
