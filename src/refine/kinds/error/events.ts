import type { DataCategory, Outcome, OutcomeReason } from '../../../base/outcome.ts'
import type { NormalEvent } from '../../../domain/event.ts'
import type { RecordHead } from '../../../journal/journal.ts'
import type { EventStore } from '../../../store/events/event-store.ts'
import type { EventRow } from '../../../store/events/events.ts'
import type { EventEffect } from '../../../store/meta/meta.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { filtered, sampleOf } from '../../filter/filter.ts'
import type { Context } from '../../pipeline/context.ts'
import { newDraft } from '../../pipeline/draft.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import type { Forms } from '../../pipeline/lines.ts'
import { eventSteps, firstSteps } from '../../pipeline/step.ts'
import { object, own, type Parsed, parsePayload } from '../../pipeline/value.ts'
import { withScrapes } from '../../symbolicate/scrapes.ts'
import { refineFeedback } from '../feedback/items.ts'
import { bodyKind, derivedId, isStored, itemKind, type RecordWork, type RepeatWindow } from '../kind.ts'
import { eventOfDump, withFields } from '../minidump/event.ts'
import { countOfTransaction, refineTransaction } from '../span/spans.ts'
import { makeEffect, rowOf } from './row.ts'

/** Ids that a start reads back. A million rows would delay the start by seconds. */
const idsAtStart = 200_000

/** 3 minutes at 4,000 events/s or an hour at 200; 16 MB. An SDK without an answer retries within seconds. */
export const eventWindow: RepeatWindow = {
  name: 'events',
  max: 750_000,
  recent: async (events: EventStore, sinceMs) =>
    (await events.recentIds(sinceMs, idsAtStart)).map(({ projectId, eventId }) => ({ projectId, key: eventId })),
}

/** A received event. `head` and `category` replace those of the record and the event. */
type IncomingEvent = {
  parsed: Parsed
  bytes: number
  itemType: string
  eventId: string | undefined
  index: number
  sentMs: number | undefined
  head?: RecordHead
  category?: DataCategory
}

const typeOf = (parsed: Parsed): unknown => {
  const received = 'broken' in parsed ? undefined : object(parsed.value)
  return received && own(received, 'type')
}

/** How many items an event counts as: 1, or more for a transaction that was sent as an event. */
export const countOfEvent = (parsed: Parsed): number =>
  typeOf(parsed) === 'transaction' ? countOfTransaction(parsed) : 1

/** Refines an item that was sent as an event but has the `type` of another kind. Returns whether it did. */
function takenAsOther(work: RecordWork, incoming: IncomingEvent): boolean {
  const { itemType, bytes, index } = incoming
  const type = typeOf(incoming.parsed)
  if (type === 'replay_event')
    work.out.outcomes.push(ended(work, itemType, 'replay', 'filtered', 'not_stored_yet', bytes))
  else if (type === 'transaction')
    refineTransaction(work, { ...incoming, eventId: incoming.eventId ?? derivedId(work, index) })
  else if (type === 'feedback') refineFeedback(work, { ...incoming, itemType: 'feedback' })
  else return false
  return true
}

/** Runs one event through all steps to its row. Further events of a record get the positions after the first. */
export function refineEvent(work: RecordWork, incoming: IncomingEvent): void {
  let received = 'broken' in incoming.parsed ? undefined : object(incoming.parsed.value)
  const bad = (category: DataCategory, outcome: Outcome, reason: OutcomeReason) =>
    work.out.outcomes.push(ended(work, incoming.itemType, category, outcome, reason, incoming.bytes))
  if (!received) {
    bad('error', 'invalid', 'bad_json')
    return
  }
  if (takenAsOther(work, incoming)) return
  const place = work.made++
  const jpos = work.record.jpos + place
  // Its row would get the next record's position. A spooled body can contain hundreds of reports.
  if (jpos >= work.record.end) {
    bad('error', 'invalid', 'too_many_items')
    return
  }
  const dump = incoming.itemType === 'event' ? work.dump : undefined
  if (dump) received = eventOfDump(withFields(received, dump.fields), dump.dump, dump.why)
  const head = incoming.head ?? work.head
  const eventId = incoming.eventId ?? normalizeId(own(received, 'event_id')) ?? derivedId(work, incoming.index)
  const { settings, tools, maps } = work
  const context: Context = { head, eventId, sentMs: incoming.sentMs, settings, tools, maps }
  const draft = newDraft(received, eventId)
  if ('sent' in incoming.parsed && !dump) draft.sent = incoming.parsed.sent
  if ('repaired' in incoming.parsed && incoming.parsed.repaired)
    draft.metaNotes.errors.push({ type: 'invalid_data', reason: 'lone surrogates or NUL replaced' })
  const category = () =>
    incoming.category ?? (draft.event.csp ? 'security' : draft.event.type === 'error' ? 'error' : 'default')
  const drop = (reason: OutcomeReason) => {
    work.discarded.set(eventId, reason)
    work.discardedAt.set(place, reason)
    bad(category(), 'filtered', reason)
  }
  for (const step of firstSteps) step.run(draft, context)
  const stored = isStored(work, 'events', jpos)
  const dropped = stored ? undefined : filtered(draft, settings, tools, head)
  if (dropped) {
    const sample = sampleOf(draft, context, dropped, jpos)
    if (sample) work.out.effects.samples.push(sample)
    drop(dropped.reason)
    return
  }
  for (const step of eventSteps.slice(firstSteps.length)) step.run(draft, context)
  const { event, metaNotes } = draft
  if (Object.keys(metaNotes.meta).length) event._meta = metaNotes.meta
  const forms: Forms = {
    normal: JSON.stringify(event),
    received: draft.sent?.text ?? JSON.stringify(received),
    sent: draft.sent?.bytes,
  }
  const row = rowOf(event, forms, { projectId: head.projectId, jpos, receivedMs: head.receivedMs })
  if (!stored && settings.discardedHashes?.some((hash) => row.hashes.includes(hash))) {
    drop('discarded')
    return
  }
  const outcome = ended(work, incoming.itemType, category(), 'stored', 'ok', incoming.bytes)
  const effect = withScrapes(makeEffect(event, row, head.keyId), event, settings)
  work.out.groups.push({ ...groupOf(row, place), outcomes: [outcome], effect, forms })
}

/** The group of an event's row. */
export const groupOf = (row: EventRow, index: number) => ({
  table: 'events' as const,
  rows: [row],
  window: eventWindow.name,
  key: row.eventId,
  projectId: row.projectId,
  receivedMs: row.receivedMs,
  jpos: row.jpos,
  place: 0,
  index,
  part: 'only' as const,
})

/** Builds the effect of a stored row from its payload, for rows that a recovery finds before the commit. */
export function effectOf(row: EventRow, keyId: number): EventEffect {
  const end = row.payload.indexOf('\n')
  const event = JSON.parse(end < 0 ? row.payload : row.payload.slice(0, end)) as NormalEvent
  return makeEffect(event, row, keyId)
}

export const eventKind = itemKind<Parsed>({
  itemTypes: ['event'],
  read: ({ item }) => parsePayload(item.payload),
  countsAs: countOfEvent,
  refine: (work, parsed, { item, index }) => {
    const { named, sentMs } = work.envelope
    const { type, payload } = item
    refineEvent(work, { parsed, bytes: payload.length, itemType: type, eventId: named, index, sentMs })
  },
})

/** The body of the store endpoint: one event. */
export const storeBody = bodyKind<Parsed>({
  record: 'store',
  read: (_work, body) => parsePayload(body),
  countsAs: countOfEvent,
  refine: (work, parsed, body) => {
    const eventId = normalizeId(work.head.eventId)
    refineEvent(work, { parsed, bytes: body.length, itemType: 'event', eventId, index: 0, sentMs: undefined })
  },
})
