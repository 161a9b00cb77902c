import type { Outcome, OutcomeReason } from '../../../base/outcome.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { ended } from '../../pipeline/item-outcome.ts'
import { object, own, type Parsed, parsePayload } from '../../pipeline/value.ts'
import { derivedId, itemKind, type RecordWork } from '../kind.ts'
import { feedbackOf, reportOf } from './feedback.ts'

/** A received feedback. */
type IncomingFeedback = {
  parsed: Parsed
  bytes: number
  itemType: string
  eventId: string | undefined
  index: number
}

/** Refines feedback, either about an event (user_report) or on its own. */
export function refineFeedback(work: RecordWork, incoming: IncomingFeedback): void {
  const { projectId, receivedMs } = work.head
  const { itemType, bytes } = incoming
  const end = (outcome: Outcome, reason: OutcomeReason) => ended(work, itemType, 'feedback', outcome, reason, bytes)
  const item = 'broken' in incoming.parsed ? undefined : object(incoming.parsed.value)
  if (!item) {
    work.out.outcomes.push(end('invalid', 'bad_json'))
    return
  }
  const isReport = itemType === 'user_report'
  // A report has the id of its event, so it gets an id of its own.
  const sentId = isReport ? undefined : (incoming.eventId ?? normalizeId(own(item, 'event_id')))
  const feedbackId = sentId ?? derivedId(work, incoming.index)
  const { settings, tools } = work
  const location = { projectId, feedbackId, eventId: incoming.eventId, receivedMs, settings, tools }
  const row = isReport ? reportOf(item, location) : feedbackOf(item, location)
  // If the id is already stored, the commit counts it as a duplicate.
  if (row) work.out.effects.feedback.push({ row, outcome: end('stored', 'ok') })
  else work.out.outcomes.push(end('invalid', 'bad_item'))
}

export const feedbackKind = itemKind<Parsed>({
  itemTypes: ['feedback', 'user_report'],
  read: ({ item }) => parsePayload(item.payload),
  countsAs: () => 1,
  refine: (work, parsed, { item: { type, payload }, index }) =>
    refineFeedback(work, { parsed, bytes: payload.length, itemType: type, eventId: work.envelope.named, index }),
})
