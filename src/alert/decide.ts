import type { AlertDue, Channel, Delivery, DeliveryItem, NewDelivery } from '../store/meta/issues/alerts.ts'

/** At most one message per issue and channel in this time. */
const issuePauseMs = 3_600_000
/** Age up to which messages matter: a change can wait an hour, then in a flood. Earlier messages must be known. */
export const recentMs = 2 * issuePauseMs
/** Maximum single messages of a channel within `floodMs`. Further ones are collected for a summary. */
const singlesMax = 10
const floodMs = 600_000
/** Maximum issues listed in a summary. It counts the rest. */
const summaryItemsMax = 20

type Question = {
  /** Undecided changes, oldest first. */
  due: readonly AlertDue[]
  /** All channels of these organizations. Inactive ones get nothing. */
  channels: readonly Channel[]
  /** Deliveries of these channels since `recentMs` ago. */
  recent: readonly Delivery[]
  /** Returns the recipients of a channel: e-mail addresses, or `['']` for a chat; empty: none now. */
  recipientsOf: (channel: Channel) => readonly string[]
  nowMs: number
}

type Decision = {
  deliveries: NewDelivery[]
  /** Completed changes. Others wait for a summary unless they are in `deferred`. */
  doneIds: number[]
  /** Changes that a channel gets when its hour is over. */
  deferred: { id: number; untilMs: number }[]
}

const matches = (channel: Channel, due: AlertDue): boolean =>
  channel.active &&
  channel.subscription === 'issues' &&
  channel.organizationId === due.organizationId &&
  (channel.projectId === null || channel.projectId === due.projectId)

/** Returns the messages of a channel. A message has one delivery per recipient and counts once. */
function messagesOf(recent: readonly Delivery[], channel: Channel): Delivery[] {
  const mine = recent.filter((delivery) => delivery.channelId === channel.id)
  const first = mine[0]?.recipient
  return mine.filter((delivery) => delivery.recipient === first)
}

/** `deferred`: for the next summary. `later`: when to report a change, by its id. */
type ChannelDecision = { deliveries: NewDelivery[]; deferred: AlertDue[]; later: Map<number, number> }

function decideChannel(channel: Channel, question: Question): ChannelDecision {
  const { recent, nowMs } = question
  const recipients = question.recipientsOf(channel)
  const matching = question.due.filter((alert) => matches(channel, alert))
  const later = new Map<number, number>()
  if (matching.length === 0 || recipients.length === 0) return { deliveries: [], deferred: [], later }
  const messages = messagesOf(recent, channel)
  const sentMs = new Map<number, number>()
  for (const message of messages)
    for (const { issueId } of message.items) sentMs.set(issueId, Math.max(message.createdMs, sentMs.get(issueId) ?? 0))
  const fresh: AlertDue[] = []
  for (const alert of matching) {
    const lastMs = sentMs.get(alert.issueId)
    // A message after the change already covers it.
    if (lastMs !== undefined && lastMs >= alert.atMs) continue
    // Without the delay, a new issue that regresses within the hour would never be reported.
    if (lastMs !== undefined && lastMs > nowMs - issuePauseMs) later.set(alert.id, lastMs + issuePauseMs)
    else {
      sentMs.set(alert.issueId, Number.POSITIVE_INFINITY)
      fresh.push(alert)
    }
  }
  const lately = messages.filter((message) => message.createdMs > nowMs - floodMs)
  const remaining = Math.max(0, singlesMax - lately.filter((delivery) => delivery.kind === 'issue').length)
  const toItem = ({ issueId, kind, eventId }: AlertDue): DeliveryItem => ({ issueId, kind, eventId })
  const to = (kind: 'issue' | 'summary', items: DeliveryItem[], more: number): NewDelivery[] =>
    recipients.map((recipient) => ({ channelId: channel.id, recipient, kind, items, more }))

  const deliveries = fresh.slice(0, remaining).flatMap((alert) => to('issue', [toItem(alert)], 0))
  const overflow = fresh.slice(remaining)
  if (overflow.length === 0) return { deliveries, deferred: [], later }
  // The first summary is sent at once to announce the flood. The next ones collect further changes.
  if (lately.some((delivery) => delivery.kind === 'summary')) return { deliveries, deferred: overflow, later }
  const items = overflow.slice(0, summaryItemsMax).map(toItem)
  return { deliveries: [...deliveries, ...to('summary', items, overflow.length - items.length)], deferred: [], later }
}

/**
 * Returns the deliveries for due changes. Per channel: at most one message per issue and hour, and ten messages in ten
 * minutes, then one summary in ten minutes. Pure: equal input gives equal output.
 */
export function decide(question: Question): Decision {
  const decisions = question.channels.map((channel) => decideChannel(channel, question))
  const inFlood = new Set(decisions.flatMap((decision) => decision.deferred.map(({ id }) => id)))
  const later = new Map<number, number>()
  for (const [id, untilMs] of decisions.flatMap((decision) => [...decision.later]))
    later.set(id, Math.min(untilMs, later.get(id) ?? untilMs))
  return {
    deliveries: decisions.flatMap((decision) => decision.deliveries),
    doneIds: question.due.filter(({ id }) => !inFlood.has(id) && !later.has(id)).map(({ id }) => id),
    deferred: [...later].filter(([id]) => !inFlood.has(id)).map(([id, untilMs]) => ({ id, untilMs })),
  }
}
