import { alertReasons } from '../domain/alerts/alert-reasons.ts'
import type { Incident } from '../store/meta/alerts/incidents.ts'
import type { AlertRule } from '../store/meta/alerts/rules.ts'
import type { AttemptEnd, Channel, Delivery } from '../store/meta/issues/alerts.ts'
import { acknowledgeLink } from './acknowledge.ts'
import { configOf } from './channel.ts'
import { isPager } from './decide/facts.ts'
import type { AlertDeps } from './deps.ts'
import { ruleMessage } from './message/incident.ts'
import { type AlertedIssue, builtInMessage, line, type Message } from './message/message.ts'
import { browserOf, kindFor } from './person-receivers.ts'
import { unsubscribeLink } from './personal.ts'
import { recipientsIn } from './recipients.ts'
import type { Mailer } from './send/mailer.ts'
import { DeliveryRefused, type PushDeps, type Sent } from './send/transport.ts'
import { sendVia } from './send/transports.ts'

/** Delays in ms after each failed attempt. After the last one the delivery has failed: 7 h in total. */
export const retryMs = [10_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const
/** Attempts run in parallel, so that one slow channel does not delay the others. */
const atOnce = 4
/** Members of an incident that its message reads: all groups of a rule, and some of other rules. */
const membersMax = 120
/** Earlier messages about an incident that are read to find the kind of the last one. */
const earlierMax = 20

export type Wired = AlertDeps & { mailer: Mailer; push: PushDeps }

/** The issues of a delivery that still exist, each once. */
async function alertedIssues({ meta }: AlertDeps, delivery: Delivery): Promise<AlertedIssue[]> {
  const seen = new Set<number>()
  const found: AlertedIssue[] = []
  for (const { issueId, kind, eventId } of delivery.items) {
    const issue = await meta.issues.issueById(issueId)
    const project = issue && (await meta.projects.projectById(issue.projectId))
    // Report issues that were merged since only once.
    if (!issue || !project || seen.has(issue.id)) continue
    seen.add(issue.id)
    found.push({ issue, project, kind, eventId })
  }
  return found
}

/** Returns the content of a delivery; undefined if all of its objects are gone. */
async function messageOf(deps: AlertDeps, delivery: Delivery): Promise<Message | undefined> {
  const { meta, url } = deps
  const organization = await meta.organizations.organizationById(delivery.organizationId)
  if (!organization) return undefined
  const alerts = await alertedIssues(deps, delivery)
  const { id, kind, more, ruleId, incidentId } = delivery
  const isBuiltIn = ruleId === null && incidentId === null && delivery.level === ''
  if (isBuiltIn && (kind === 'issue' || kind === 'summary' || kind === 'test')) {
    if (alerts.length === 0 && kind !== 'test') return undefined
    return builtInMessage({ id: `delivery-${id}`, organization, url, kind, alerts, more })
  }
  const incident = incidentId === null ? undefined : await meta.incidents.incidentById(incidentId)
  if (!incident && alerts.length === 0 && more === 0) return undefined
  const { members, open } = incident
    ? await meta.incidents.incidentMembersOf(incident.id, membersMax)
    : { members: [], open: 0 }
  const rule = ruleId === null ? undefined : await meta.alertRules.alertRuleById(ruleId)
  const isOpen = incident !== undefined && incident.endedMs === null && delivery.change !== 'end'
  const acknowledge = isOpen
    ? acknowledgeLink(deps, {
        id,
        organizationId: organization.id,
        incidentId: incident.id,
        createdMs: Math.max(delivery.createdMs, lastSentAgainMs(delivery)),
      })
    : undefined
  const message = ruleMessage({
    delivery,
    organization,
    url,
    alerts,
    incident,
    members,
    open,
    ruleName: rule?.name,
    windowMinutes: rule?.definition.metric?.windowMinutes ?? 0,
    acknowledge,
  })
  const unsubscribe = await unsubscribeOf(deps, delivery, rule)
  return {
    ...message,
    ...(await acknowledgedBy(deps, delivery, incident)),
    links: { ...message.links, ...(unsubscribe === undefined ? {} : { unsubscribe }) },
  }
}

/** Who works on the incident of a change, for on-call services. An attempt that comes late tells them, too. */
async function acknowledgedBy({ meta }: AlertDeps, { change }: Delivery, incident: Incident | undefined) {
  if (change !== 'change' || incident?.state !== 'acknowledged') return {}
  const [person] = incident.acknowledgedBy === null ? [] : await meta.people.people([incident.acknowledgedBy])
  // Whoever follows a signed link has no name.
  return { acknowledgedBy: person ? line(person.name || person.email, 100) : 'Mishap' }
}

/** The kind by which a person heard of an incident last. Its end reaches everybody who heard, by whichever kind. */
async function lastKindOf({ meta }: AlertDeps, { organizationId, incidentId, userId, id }: Delivery) {
  if (incidentId === null || userId === null) return undefined
  const filter = { organizationId, incidentId, userId, beforeId: id }
  const earlier = await meta.alerts.listDeliveries(filter, earlierMax)
  return earlier.find(({ personalKind }) => personalKind !== null)?.personalKind
}

/** The link that ends messages of this kind; undefined for a channel. */
async function unsubscribeOf(deps: AlertDeps, delivery: Delivery, rule: AlertRule | undefined) {
  const { userId, organizationId } = delivery
  if (userId === null) return undefined
  // Messages from before the kind was stored have only their rule.
  const kind =
    delivery.personalKind ?? (await lastKindOf(deps, delivery)) ?? kindFor(rule?.definition.actions ?? [], userId)
  return unsubscribeLink({ seal: deps, url: deps.url }, { organizationId, userId, kind })
}

/** A message that somebody sends again has a link that works for another day. */
const lastSentAgainMs = ({ steps }: Delivery): number => steps.findLast(({ step }) => step === 'sent_again')?.atMs ?? 0

/** Sends a delivery and returns what the service said; undefined if its objects or its channel are gone. */
async function send(deps: Wired, delivery: Delivery, channel: Channel | null | undefined): Promise<Sent | undefined> {
  if (channel === undefined) return undefined
  const plain = await messageOf(deps, delivery)
  if (!plain) return undefined
  const { message, note } = await deps.facts(plain)
  const sent = await sendMessage(deps, delivery, message, channel)
  return { ...sent, answer: [sent.answer, note].filter(Boolean).join(' ') }
}

async function sendMessage(deps: Wired, delivery: Delivery, message: Message, channel: Channel | null): Promise<Sent> {
  const outbound = { message, deliveryId: delivery.id, recipient: delivery.recipient }
  const browser = channel === null ? browserOf(delivery.recipient) : undefined
  if (browser !== undefined) return sendVia('push', deps, {}, { ...outbound, recipient: String(browser) })
  if (channel !== null && isPager(channel) && (await isOver(deps, delivery)))
    return { answer: alertReasons.incident_over }
  return channel === null
    ? sendVia('email', deps, { target: delivery.recipient }, outbound)
    : sendVia(channel.kind, deps, configOf(deps, channel), outbound)
}

/** Whether the incident of a message ended while the message waited for another attempt. */
async function isOver({ meta }: Wired, { incidentId, change }: Delivery): Promise<boolean> {
  if (incidentId === null || change === 'end') return false
  return (await meta.incidents.incidentById(incidentId))?.endedMs != null
}

/**
 * Why a message may no longer go where it was queued for; '' if it may. Hours can be between: a summary waits, a failed
 * attempt is repeated for 7 h, and a person can send a message again. A test of a channel that is off is what they asked for.
 */
async function suppressedBy(deps: Wired, delivery: Delivery, channel: Channel | null): Promise<string> {
  if (channel && !channel.active && delivery.kind !== 'test') return alertReasons.channel_off
  if (await hasLeft(deps, delivery, channel)) return alertReasons.person_left
  if (channel?.kind !== 'email') return ''
  const address = delivery.recipient.toLowerCase()
  const isOne = (await recipientsIn(deps, channel)).some(
    (recipient) => recipient.state !== 'unconfirmed' && recipient.address.toLowerCase() === address,
  )
  return isOne ? '' : alertReasons.address_gone
}

/** Whether a message is for a person who has left since it was queued. Quiet hours and retries take most of a day. */
async function hasLeft({ meta }: Wired, delivery: Delivery, channel: Channel | null): Promise<boolean> {
  const { organizationId, recipient } = delivery
  if (channel !== null && channel.kind !== 'push') return false
  const browser = channel === null ? undefined : await meta.pushBrowsers.browserById(Number(recipient))
  const userId = channel === null ? delivery.userId : browser?.userId
  // A browser that signed off has its own answer.
  return typeof userId === 'string' && (await meta.organizations.memberOf(organizationId, userId)) === undefined
}

/** Returns the result of a failed attempt. Tests are not retried: a user is waiting for the result. */
function failureOf(delivery: Delivery, thrown: unknown, nowMs: number): AttemptEnd {
  const error = line(thrown instanceof Error ? thrown.message : String(thrown), 400)
  const askedMs = thrown instanceof DeliveryRefused ? thrown.retryAfterMs : undefined
  const paused = askedMs === undefined ? {} : { pausedUntilMs: nowMs + askedMs }
  const pause = delivery.kind === 'test' ? undefined : retryMs[delivery.attempts]
  if (pause === undefined) return { status: 'failed', error, ...paused }
  return { status: 'queued', error, nextMs: nowMs + Math.max(pause, askedMs ?? 0), ...paused }
}

/** Makes one attempt and records the result. */
async function attempt(deps: Wired, delivery: Delivery): Promise<void> {
  const { meta, clock } = deps
  try {
    const channel = delivery.channelId === null ? null : await meta.alerts.channelById(delivery.channelId)
    // Another message of this batch has just been told to wait. This one waits with it, and loses no attempt.
    if (channel && delivery.kind !== 'test' && channel.pausedUntilMs > clock.now()) return
    const error = channel === undefined ? '' : await suppressedBy(deps, delivery, channel)
    if (error !== '') return await meta.alerts.recordDelivery(delivery.id, { status: 'suppressed', error }, clock.now())
    const sent = await send(deps, delivery, channel)
    const paused = sent?.pauseMs === undefined ? {} : { pausedUntilMs: clock.now() + sent.pauseMs }
    const end: AttemptEnd = {
      status: 'sent',
      answer: line(sent ? sent.answer : alertReasons.subject_gone, 400),
      ...paused,
    }
    await meta.alerts.recordDelivery(delivery.id, end, clock.now())
  } catch (thrown) {
    const end = failureOf(delivery, thrown, clock.now())
    await meta.alerts.recordDelivery(delivery.id, end, clock.now())
    deps.observe.warn(
      { channel: delivery.channelId, delivery: delivery.id, status: end.status },
      'a notification was not delivered',
    )
  }
}

/** Makes one attempt for each delivery, a few at a time. */
export async function attemptAll(deps: Wired, deliveries: readonly Delivery[]): Promise<void> {
  const waiting = [...deliveries]
  const lane = async () => {
    for (let delivery = waiting.shift(); delivery; delivery = waiting.shift()) await attempt(deps, delivery)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}
