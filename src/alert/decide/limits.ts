import { alertReasons } from '../../domain/alerts/alert-reasons.ts'
import type { Delivery, DeliveryItem, NewDelivery } from '../../store/meta/issues/alerts.ts'
import { browserOf } from '../person-receivers.ts'
import type { Receiver } from './facts.ts'

/** Maximum single messages of a receiver within `floodMs`. Further ones are collected for a summary. */
const singlesMax = 10
const floodMs = 600_000
/**
 * The first two summaries of a flood are ten minutes apart, the next ones an hour. So ten messages and two summaries
 * reach a receiver in the first hour, however long the flood is.
 */
const summaryPauseMs = 3_600_000
/** Maximum issues listed in a summary. It counts the rest. */
const summaryItemsMax = 20

/** A message before the limits: everything but its place in time. */
export type Content = Pick<
  NewDelivery,
  'organizationId' | 'kind' | 'change' | 'level' | 'ruleId' | 'firingIds' | 'items'
> & {
  /** Why it is sent, for the log. */
  reason: string
  /** A message about an incident: its place among the drafts of the decision. */
  incident: number | null
  /** Sent whatever the limits are. */
  isUrgent: boolean
  /** Only ever told in a summary. */
  isCollected: boolean
  /** Why it is held back; '' if it is not. */
  heldBy: string
}

type Queued = { delivery: NewDelivery; incident: number | null }
type Grown = { id: number; items: DeliveryItem[]; issueIds: number[]; more: number }
type Limited = { deliveries: Queued[]; grown: Grown[] }

type To = Pick<Receiver, 'channelId' | 'userId' | 'place' | 'organizationId'>

const isTo = ({ channelId, userId, recipient, organizationId }: Delivery, receiver: To): boolean =>
  channelId === receiver.channelId &&
  (channelId !== null ||
    (userId === receiver.userId &&
      organizationId === (receiver.organizationId ?? organizationId) &&
      (receiver.place === 'push') === (browserOf(recipient) !== undefined)))

/**
 * The messages of a receiver. A message has one delivery per recipient and counts once. The recipients of one decision
 * are the same; later ones may differ, because browsers come and go.
 */
export function messagesTo(recent: readonly Delivery[], receiver: To): Delivery[] {
  const first = new Map<number, string>()
  return recent.filter((delivery) => {
    if (!isTo(delivery, receiver)) return false
    if (!first.has(delivery.createdMs)) first.set(delivery.createdMs, delivery.recipient)
    return first.get(delivery.createdMs) === delivery.recipient
  })
}

/** When a message left, or leaves. A summary waits long after it was decided. */
const leavesMs = ({ createdMs, sentMs, nextMs }: Delivery): number => Math.max(createdMs, sentMs ?? nextMs)

/** When the next summary of a receiver is due. */
function summaryMs(summaries: readonly Delivery[], nowMs: number): number {
  const lately = summaries.map(leavesMs).filter((atMs) => atMs > nowMs - summaryPauseMs)
  const last = lately.at(-1)
  if (last === undefined) return nowMs
  const nextMs = lately.length > 1 ? (lately[0] ?? last) + summaryPauseMs : last + floodMs
  return Math.max(nowMs, nextMs)
}

const base = (content: Content, receiver: Receiver, recipient: string, nowMs: number): NewDelivery => ({
  organizationId: content.organizationId,
  channelId: receiver.channelId,
  userId: receiver.userId,
  recipient,
  personalKind: receiver.personalKind ?? null,
  kind: content.kind,
  change: content.change,
  level: content.level,
  ruleId: content.ruleId,
  incidentId: null,
  firingIds: content.firingIds,
  items: content.items.slice(0, summaryItemsMax),
  issueIds: content.items.map(({ issueId }) => issueId),
  more: Math.max(0, content.items.length - summaryItemsMax),
  status: 'queued',
  error: '',
  nextMs: content.level === 'critical' && receiver.isOnCall ? nowMs : Math.max(nowMs, receiver.notBeforeMs),
  steps: [{ atMs: nowMs, step: 'evaluated', text: content.reason }],
})

const single = (content: Content, receiver: Receiver, nowMs: number): Queued[] =>
  receiver.recipients.map((recipient) => ({
    delivery: base(content, receiver, recipient, nowMs),
    incident: content.incident,
  }))

/** Rows of the log for messages that are held back: one for each reason, whatever the number of issues. */
function suppressed(contents: readonly Content[], receiver: Receiver, nowMs: number): Queued[] {
  const groups = Map.groupBy(contents, ({ heldBy, incident, ruleId }) => `${incident} ${ruleId} ${heldBy}`)
  return [...groups.values()].flatMap((group) => {
    const [content] = group
    if (!content) return []
    const items = group.flatMap((held) => held.items)
    const merged: Content = { ...content, kind: group.length > 1 ? 'summary' : content.kind, items }
    const delivery = base(merged, receiver, receiver.recipients[0] ?? '', nowMs)
    return [{ delivery: { ...delivery, status: 'suppressed', error: content.heldBy }, incident: content.incident }]
  })
}

/** Adds contents to a summary. Each issue counts once; an incident without an issue counts, too. */
function added(
  summary: Pick<NewDelivery, 'items' | 'issueIds' | 'more'>,
  contents: readonly Content[],
): Pick<NewDelivery, 'items' | 'issueIds' | 'more'> {
  const known = new Set(summary.issueIds)
  const items = contents
    .flatMap((content) => content.items)
    .filter(({ issueId }) => {
      const isNew = !known.has(issueId)
      known.add(issueId)
      return isNew
    })
  const listed = [...summary.items, ...items].slice(0, summaryItemsMax)
  const others = contents.filter((content) => content.items.length === 0).length
  return {
    items: listed,
    issueIds: [...known],
    more: summary.more + items.length - (listed.length - summary.items.length) + others,
  }
}

/**
 * Applies the limits of a receiver: ten single messages in ten minutes, then one summary. While a flood lasts, all goes
 * to summaries. One that waits collects further messages, so a count is complete and no issue is read twice.
 * `recent`: messages of this receiver (messagesTo).
 */
export function limited(
  contents: readonly Content[],
  receiver: Receiver,
  recent: readonly Delivery[],
  nowMs: number,
): Limited {
  const mine = messagesTo(recent, receiver)
  const summaries = mine.filter(({ kind }) => kind === 'summary')
  const waiting = summaries.filter(
    ({ status, attempts, nextMs }) => status === 'queued' && attempts === 0 && nextMs > nowMs,
  )
  const lately = mine.filter(({ createdMs }) => createdMs > nowMs - floodMs)
  const isFlood = waiting.length > 0 || summaries.some((summary) => leavesMs(summary) > nowMs - floodMs)
  let free = isFlood ? 0 : singlesMax - lately.filter(({ kind }) => kind === 'issue' || kind === 'incident').length
  const deliveries = suppressed(
    contents.filter(({ heldBy }) => heldBy !== ''),
    receiver,
    nowMs,
  )
  const overflow: Content[] = []
  for (const content of contents.filter(({ heldBy }) => heldBy === '')) {
    if (content.isUrgent) deliveries.push(...single(content, receiver, nowMs))
    else if (free > 0 && !content.isCollected) {
      free -= 1
      deliveries.push(...single(content, receiver, nowMs))
    } else overflow.push(content)
  }
  const ends = overflow.filter(({ change }) => change === 'end')
  // An end says nothing that a summary could list. The incident page has it.
  deliveries.push(
    ...suppressed(
      ends.map((end) => ({ ...end, heldBy: alertReasons.too_many_messages })),
      receiver,
      nowMs,
    ),
  )
  const collected = overflow.filter(({ change }) => change !== 'end')
  const [first] = collected
  if (!first) return { deliveries, grown: [] }
  const [summary] = waiting
  if (summary) {
    const all = added(summary, collected)
    const same = recent.filter(
      (delivery) => delivery.kind === 'summary' && delivery.createdMs === summary.createdMs && isTo(delivery, receiver),
    )
    return { deliveries, grown: same.map(({ id }) => ({ id, ...all })) }
  }
  const all = added({ items: [], issueIds: [], more: 0 }, collected)
  const firingIds = [...new Set(collected.flatMap((content) => content.firingIds))]
  const isOneRule = collected.every(({ ruleId }) => ruleId === first.ruleId)
  const level = collected.some((content) => content.level === 'critical') ? 'critical' : first.level
  const content: Content = { ...first, kind: 'summary', change: 'start', level, firingIds, items: [] }
  const text = `More than ${singlesMax} messages in ten minutes: one summary.`
  for (const { delivery } of single(
    { ...content, reason: text, ruleId: isOneRule ? first.ruleId : null },
    receiver,
    nowMs,
  ))
    deliveries.push({
      delivery: { ...delivery, ...all, nextMs: Math.max(delivery.nextMs, summaryMs(summaries, nowMs)) },
      incident: null,
    })
  return { deliveries, grown: [] }
}
