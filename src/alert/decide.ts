import type { AlertDue, Channel, Delivery, DeliveryItem, NewDelivery } from '../store/meta/alerts.ts'

/** At most one message about an issue in this time, for each channel. */
const issuePauseMs = 3_600_000
/** Single messages of one channel within `floodMs`; what comes beyond is held and told together. */
const singlesMax = 10
const floodMs = 600_000
/** Issues that a summary names; it counts the rest. */
const summaryItemsMax = 20

type Question = {
  /** Undecided changes, oldest first. */
  due: readonly AlertDue[]
  /** All channels of the organizations concerned; inactive ones get nothing. */
  channels: readonly Channel[]
  /** Deliveries of these channels within the last hour. */
  recent: readonly Delivery[]
  /** Who a channel's messages go to: e-mail addresses, or `['']` for a chat; empty: nobody now. */
  recipientsOf: (channel: Channel) => readonly string[]
  nowMs: number
}

type Decision = {
  deliveries: NewDelivery[]
  /** Changes that are done with; the others wait for a summary. */
  doneIds: number[]
}

const wants = (channel: Channel, due: AlertDue): boolean =>
  channel.active &&
  channel.organizationId === due.organizationId &&
  (channel.projectId === null || channel.projectId === due.projectId)

/** One message stands as a delivery for each of its recipients: counted once. */
function messagesOf(recent: readonly Delivery[], channel: Channel): Delivery[] {
  const mine = recent.filter((one) => one.channelId === channel.id)
  const first = mine[0]?.recipient
  return mine.filter((one) => one.recipient === first)
}

type ChannelDecision = { deliveries: NewDelivery[]; held: AlertDue[] }

function decideChannel(channel: Channel, question: Question): ChannelDecision {
  const { recent, nowMs } = question
  const recipients = question.recipientsOf(channel)
  const wanted = question.due.filter((one) => wants(channel, one))
  if (wanted.length === 0 || recipients.length === 0) return { deliveries: [], held: [] }
  const messages = messagesOf(recent, channel)
  const told = new Set(
    messages
      .filter((one) => one.createdMs > nowMs - issuePauseMs)
      .flatMap((one) => one.items.map(({ issueId }) => issueId)),
  )
  const fresh: AlertDue[] = []
  for (const one of wanted) {
    if (told.has(one.issueId)) continue
    told.add(one.issueId)
    fresh.push(one)
  }
  const lately = messages.filter((one) => one.createdMs > nowMs - floodMs)
  const room = Math.max(0, singlesMax - lately.filter((one) => one.kind === 'issue').length)
  const item = ({ issueId, kind, eventId }: AlertDue): DeliveryItem => ({ issueId, kind, eventId })
  const to = (kind: 'issue' | 'summary', items: DeliveryItem[], more: number): NewDelivery[] =>
    recipients.map((recipient) => ({ channelId: channel.id, recipient, kind, items, more }))

  const deliveries = fresh.slice(0, room).flatMap((one) => to('issue', [item(one)], 0))
  const rest = fresh.slice(room)
  if (rest.length === 0) return { deliveries, held: [] }
  // The first summary goes at once, so that a flood is known as one; the next ones gather what comes.
  if (lately.some((one) => one.kind === 'summary')) return { deliveries, held: rest }
  const items = rest.slice(0, summaryItemsMax).map(item)
  return { deliveries: [...deliveries, ...to('summary', items, rest.length - items.length)], held: [] }
}

/**
 * What is to be sent for the changes that are due: each channel at most one message an issue and hour, ten messages in
 * ten minutes, then one summary in ten minutes. Pure; the same question gives the same answer.
 */
export function decide(question: Question): Decision {
  const decisions = question.channels.map((channel) => decideChannel(channel, question))
  const held = new Set(decisions.flatMap((one) => one.held.map(({ id }) => id)))
  return {
    deliveries: decisions.flatMap((one) => one.deliveries),
    doneIds: question.due.filter((one) => !held.has(one.id)).map(({ id }) => id),
  }
}
