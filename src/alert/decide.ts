import { places } from '../domain/alerts/personal.ts'
import { reasonText } from '../domain/alerts/step-reasons.ts'
import type { Decided } from '../store/meta/alerts/incidents.ts'
import type { Mute } from '../store/meta/alerts/mutes.ts'
import type { AlertDue, Channel } from '../store/meta/issues/alerts.ts'
import { channelReceiver, type Question, type Receiver } from './decide/facts.ts'
import { messagesOf, type Wanted } from './decide/impact.ts'
import { type Draft, joinFirings } from './decide/join.ts'
import { type Content, limited, messagesTo } from './decide/limits.ts'
import { trackerIssuesOf } from './decide/trackers.ts'
import { atPlace } from './person-receivers.ts'

/** At most one message of the built-in notifications per issue and channel in this time. */
const issuePauseMs = 3_600_000

const matches = (channel: Channel, due: AlertDue): boolean =>
  channel.active &&
  channel.subscription === 'issues' &&
  channel.organizationId === due.organizationId &&
  (channel.projectId === null || channel.projectId === due.projectId)

/** Why a mute holds a change of an issue back; '' if none does. */
function muteOf(due: AlertDue, mutes: readonly Mute[]): string {
  const found = mutes.find(
    ({ kind, targetId, organizationId }) =>
      organizationId === due.organizationId &&
      (kind === 'organization' ||
        (kind === 'project' && targetId === due.projectId) ||
        (kind === 'issue' && targetId === due.issueId)),
  )
  return found ? `Muted: ${found.name}` : ''
}

const triggerWords = { new: 'New issue', regression: 'Regression', escalation: 'Escalation', alert: 'Alert' } as const

const builtIn = (due: AlertDue, heldBy: string): Content => ({
  organizationId: due.organizationId,
  kind: 'issue',
  change: 'start',
  level: '',
  ruleId: null,
  firingIds: [],
  items: [{ issueId: due.issueId, kind: due.kind, eventId: due.eventId }],
  reason: `Built-in notifications: ${triggerWords[due.kind]}.`,
  incident: null,
  isUrgent: false,
  isCollected: false,
  heldBy,
})

/** The time of a receiver's last message about each issue. */
function lastMessages(question: Question, receiver: Receiver): Map<number, number> {
  const sentMs = new Map<number, number>()
  for (const message of messagesTo(question.recent, receiver))
    for (const issueId of [...message.issueIds, ...message.items.map((item) => item.issueId)])
      sentMs.set(issueId, Math.max(message.createdMs, sentMs.get(issueId) ?? 0))
  return sentMs
}

/**
 * What the built-in notifications tell a channel: at most one message per issue and hour. `sentMs`: the last message
 * about each issue; a rule's message of this decision counts. `later`: changes that wait, by id.
 */
function builtInOf(channel: Channel, sentMs: Map<number, number>, question: Question, later: Map<number, number>) {
  const { nowMs } = question
  return question.due
    .filter((alert) => matches(channel, alert))
    .flatMap((alert): Content[] => {
      const lastMs = sentMs.get(alert.issueId)
      // A message after the change already covers it.
      if (lastMs !== undefined && lastMs >= alert.atMs) return []
      // Without the delay, a new issue that regresses within the hour would never be reported.
      if (lastMs !== undefined && lastMs > nowMs - issuePauseMs) {
        later.set(alert.id, Math.min(lastMs + issuePauseMs, later.get(alert.id) ?? Number.POSITIVE_INFINITY))
        return []
      }
      const heldBy = muteOf(alert, question.mutes)
      if (heldBy === '') sentMs.set(alert.issueId, Number.POSITIVE_INFINITY)
      return [builtIn(alert, heldBy)]
    })
}

const contentOf = (wanted: Wanted, place: number): Content => ({
  organizationId: wanted.draft.incident.organizationId,
  kind: wanted.change === 'start' && !wanted.isUrgent && wanted.items.length === 1 ? 'issue' : 'incident',
  change: wanted.change,
  level: wanted.level,
  ruleId: wanted.ruleId,
  firingIds: wanted.firingIds,
  items: wanted.items,
  reason: wanted.reason,
  incident: place,
  isUrgent: wanted.isUrgent,
  isCollected: wanted.draft.incident.isBurst,
  heldBy: wanted.heldBy ? reasonText(wanted.heldBy) : '',
})

/** Whether the built-in notifications have just told the receiver the same: one fact is one message. */
const isCovered = (wanted: Wanted, sentMs: ReadonlyMap<number, number>): boolean =>
  wanted.change !== 'end' &&
  !wanted.isUrgent &&
  wanted.items.length > 0 &&
  wanted.items.every(({ issueId, kind }) => {
    const firing = wanted.draft.firings.find(({ cause }) => cause.issueIds.includes(issueId))
    return kind !== 'alert' && firing !== undefined && (sentMs.get(issueId) ?? 0) >= firing.atMs
  })

type ToReceiver = { receiver: Receiver; wanted: Wanted[]; channel: Channel | undefined }

/** A receiver by its places. A flood of mails must not hold push messages back, and a kind can have places of its own. */
const partsOf = (receiver: Receiver, organizationId: number): Receiver[] =>
  receiver.userId === null
    ? [receiver]
    : places
        .map((place) => ({ ...atPlace(receiver, place), organizationId }))
        .filter(({ recipients }) => recipients.length > 0)

/** All receivers of this decision, each with its messages. Whoever is on call for one of them is woken by a critical message. */
function byReceiver(wanted: readonly Wanted[], question: Question): ToReceiver[] {
  const all = new Map<string, ToReceiver>()
  for (const channel of question.channels) {
    const recipients = question.recipientsOf(channel)
    const receiver = channelReceiver(channel, recipients)
    if (recipients.length > 0) all.set(receiver.key, { receiver, wanted: [], channel })
  }
  for (const message of wanted) {
    const { organizationId } = message.draft.incident
    for (const receiver of partsOf(message.receiver, organizationId)) {
      const key = receiver.place ? `${receiver.key} ${organizationId} ${receiver.place}` : receiver.key
      const known = all.get(key)
      if (known) {
        known.wanted.push(message)
        if (receiver.isOnCall) known.receiver = { ...known.receiver, isOnCall: true }
      } else all.set(key, { receiver, wanted: [message], channel: undefined })
    }
  }
  return [...all.values()]
}

const hasChanged = (draft: Draft, wanted: readonly Wanted[], before: string | undefined): boolean =>
  draft.isNew ||
  draft.changed.size > 0 ||
  draft.activities.length > 0 ||
  wanted.some((message) => message.draft === draft) ||
  before !== JSON.stringify(draft.incident)

/**
 * Decides who hears of what. Firings join incidents, one per cause. Each receiver hears of the start of an incident, of
 * each change of its impact, and of its end, at most once per interval and within its own limits. Changes of issues
 * reach channels as the built-in notifications do. What a mute, a snooze or a limit holds back is stored with the
 * reason. Pure: equal questions have equal answers.
 */
export function decide(question: Question): Decided {
  const { nowMs } = question
  const drafts = joinFirings(question)
  const before = question.incidents.map(({ incident }) => JSON.stringify(incident))
  const wanted = drafts.flatMap((draft) => messagesOf(draft, question))
  const trackerIssues = drafts.flatMap((draft) => trackerIssuesOf(draft, question))
  const stored = drafts.filter((draft, place) => hasChanged(draft, wanted, before[place]))
  const later = new Map<number, number>()
  const decided: Decided = {
    incidents: stored.map(({ incident, changed, activities }) => ({ incident, members: [...changed], activities })),
    deliveries: [],
    grown: [],
    trackerIssues,
    dueIds: [],
    firingIds: question.firings.map(({ id }) => id),
    postponed: [],
  }
  for (const { receiver, wanted: messages, channel } of byReceiver(wanted, question)) {
    const sentMs = lastMessages(question, receiver)
    const told = messages.filter((message) => !isCovered(message, sentMs))
    for (const { items, heldBy } of told) if (!heldBy) for (const { issueId } of items) sentMs.set(issueId, nowMs)
    const contents = told.map((message) => contentOf(message, stored.indexOf(message.draft)))
    if (channel) contents.push(...builtInOf(channel, sentMs, question, later))
    if (contents.length === 0) continue
    const { deliveries, grown } = limited(contents, receiver, question.recent, nowMs)
    decided.deliveries.push(...deliveries)
    decided.grown.push(...grown)
  }
  decided.dueIds = question.due.filter(({ id }) => !later.has(id)).map(({ id }) => id)
  decided.postponed = [...later].map(([id, untilMs]) => ({ id, untilMs }))
  return decided
}
