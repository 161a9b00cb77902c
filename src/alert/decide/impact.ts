import { reasonData, reasonText, type StepReason } from '../../domain/alerts/step-reasons.ts'
import type { Incident, IncidentMember, Notified } from '../../store/meta/alerts/incidents.ts'
import type { Mute } from '../../store/meta/alerts/mutes.ts'
import type { AlertLevel, DeliveryItem, MessageChange } from '../../store/meta/issues/alerts.ts'
import { mergedReceiver, type Question, type Receiver, type RuleFacts } from './facts.ts'
import type { Draft } from './join.ts'

/** Issues whose people a decision resolves for one rule and incident. An incident can have thousands. */
const issuesOfReceiversMax = 50

/** A message that a receiver should get about an incident. The limits of the receiver decide how. */
export type Wanted = {
  draft: Draft
  receiver: Receiver
  change: MessageChange
  level: AlertLevel
  /** null: all of its rules were deleted. */
  ruleId: number | null
  /** Why, for the log. */
  reason: string
  firingIds: number[]
  /** Issues that the receiver has not heard of in this incident. */
  items: DeliveryItem[]
  /** Sent whatever the limits are: an escalation, and what an on-call service must know. */
  isUrgent: boolean
  /** The mute or snooze that holds it back. */
  heldBy: StepReason | undefined
}

const nothing: Notified = { atMs: 0, level: 'ok', impact: 0, held: 0 }
const kinds = ['new', 'regression', 'escalation'] as const

/** Why messages about an incident are held back for a rule; undefined if they are not. */
export function holdOf(
  incident: Incident,
  members: readonly IncidentMember[],
  rule: RuleFacts,
  question: Question,
): StepReason | undefined {
  const { nowMs, mutes } = question
  if ((incident.snoozedUntilMs ?? 0) > nowMs) return { why: 'snoozed' }
  if ((rule.mutedUntilMs ?? 0) > nowMs) return { why: 'rule_muted' }
  const mine = mutes.filter((mute) => mute.organizationId === incident.organizationId)
  const targets = (kind: Mute['kind']) =>
    new Set(mine.filter((mute) => mute.kind === kind).map((mute) => mute.targetId))
  const [projects, issues] = [targets('project'), targets('issue')]
  // One project or issue that is not muted is enough for a message. Several mutes can cover an incident together.
  const coversProjects = incident.projectIds.length > 0 && incident.projectIds.every((id) => projects.has(id))
  const coversIssues = members.length > 0 && members.every(({ issueId }) => issues.has(issueId))
  const found = mine.find(
    ({ kind, targetId }) =>
      kind === 'organization' ||
      (kind === 'rule' && targetId === rule.id) ||
      (kind === 'project' && coversProjects && incident.projectIds.includes(targetId)) ||
      (kind === 'issue' && coversIssues && members.some(({ issueId }) => issueId === targetId)),
  )
  return found && { why: 'muted', mute: found.name }
}

type Heard = { receiver: Receiver; rules: RuleFacts[] }

/** The receivers of an incident, each with the rules that name it, by their key. */
function receiversOf(members: readonly IncidentMember[], question: Question): Map<string, Heard> {
  const heard = new Map<string, Heard>()
  for (const [ruleId, ofRule] of Map.groupBy(members, (member) => member.ruleId)) {
    const rule = question.rules.get(ruleId)
    if (!rule) continue
    const issueIds = [...new Set(ofRule.flatMap(({ issueId, causes }) => (issueId === 0 ? causes : [issueId])))]
    for (const receiver of question.receiversOf(ruleId, issueIds.slice(0, issuesOfReceiversMax))) {
      if (receiver.recipients.length === 0) continue
      const known = heard.get(receiver.key)
      if (known) {
        known.rules.push(rule)
        known.receiver = mergedReceiver(known.receiver, receiver)
      } else heard.set(receiver.key, { receiver, rules: [rule] })
    }
  }
  return heard
}

/** Issues that joined the incident after this impact: the receiver's last message knew no more. */
function itemsOf(draft: Draft, members: readonly IncidentMember[], impact: number): DeliveryItem[] {
  const fresh = members.filter((member) => member.issueId !== 0 && member.impact > impact)
  return [...new Set(fresh.map((member) => member.issueId))].map((issueId) => {
    const firing = draft.firings.find(({ cause }) => cause.issueIds.includes(issueId))
    return {
      issueId,
      kind: kinds.find((kind) => kind === firing?.trigger) ?? 'alert',
      eventId: firing?.eventId ?? '',
    }
  })
}

const measureOf = ({ value, threshold }: IncidentMember): string =>
  value === null || threshold === null ? '' : ` ${value} at a threshold of ${threshold}.`

function reasonOf(draft: Draft, rule: RuleFacts, what: string): string {
  const member = draft.members.find(({ ruleId, endedMs }) => ruleId === rule.id && endedMs === null)
  return `${rule.name}: ${what}.${member ? measureOf(member) : ''}`
}

const changeOf = ({ endsSnooze }: Draft): string => (endsSnooze ? 'the snooze is over' : 'the impact changed')

function openMessage(draft: Draft, { receiver, rules }: Heard, question: Question): Wanted | undefined {
  const { incident } = draft
  const { nowMs } = question
  const [rule] = rules
  const notified = incident.notified[receiver.key] ?? nothing
  if (!rule || notified.impact >= incident.impact) return undefined
  const members = draft.members.filter((member) => member.endedMs === null)
  const isStart = notified.level === 'ok'
  const rises = notified.level === 'warning' && incident.level === 'critical'
  const wanted: Wanted = {
    draft,
    receiver,
    change: isStart ? 'start' : 'change',
    level: incident.level,
    ruleId: rule.id,
    reason: reasonOf(draft, rule, isStart ? incident.level : `${changeOf(draft)}, ${incident.level}`),
    firingIds: draft.firings.filter((firing) => rules.some(({ id }) => id === firing.ruleId)).map(({ id }) => id),
    items: itemsOf(draft, members, notified.impact),
    isUrgent: false,
    heldBy: undefined,
  }
  const holds = rules.map((ofReceiver) => holdOf(incident, members, ofReceiver, question))
  if (holds.every((hold) => hold !== undefined))
    return notified.held >= incident.impact ? undefined : { ...wanted, heldBy: holds[0] }
  if (incident.state === 'acknowledged') return undefined
  const intervalMs = Math.min(...rules.map((ofReceiver) => ofReceiver.intervalMinutes)) * 60_000
  // A rise is told at once, everything else once per interval. Summaries have a limit of their own.
  const waits = notified.atMs > 0 && notified.atMs > nowMs - intervalMs && !rises && !incident.isBurst
  return waits ? undefined : wanted
}

/**
 * Messages of the end, for everybody who heard of the incident, if a rule of it wants them. On-call services hear of
 * each end: their alert would stay open, and go on calling people. So no mute, limit or rule holds it back.
 */
function endMessages(draft: Draft, question: Question): Wanted[] {
  const { incident, members } = draft
  const rules = [...new Set(members.map(({ ruleId }) => ruleId))].flatMap((id) => question.rules.get(id) ?? [])
  const teller = draft.endsSilently ? undefined : rules.find((ofMember) => ofMember.resolveMessage)
  return Object.entries(incident.notified).flatMap(([key, { level }]): Wanted[] => {
    const receiver = level === 'ok' ? undefined : question.receiverOf(key, incident.organizationId)
    if (!receiver || receiver.recipients.length === 0) return []
    const isPager = receiver.isPager === true
    const rule = teller ?? (isPager ? rules[0] : undefined)
    if (!rule && !isPager) return []
    return [
      {
        draft,
        receiver,
        change: 'end',
        level: incident.level,
        ruleId: rule?.id ?? null,
        reason: rule ? `${rule.name}: it ended.` : 'It ended: its rules were deleted.',
        firingIds: draft.firings.filter((firing) => firing.change === 'end').map(({ id }) => id),
        items: itemsOf(draft, members, 0),
        isUrgent: isPager,
        heldBy: rule && !isPager ? holdOf(incident, members, rule, question) : undefined,
      },
    ]
  })
}

/** Tells on-call services that somebody works on an incident, so that they stop calling. Once each. */
function acknowledgements(draft: Draft, question: Question): Wanted[] {
  const { incident, members } = draft
  if (incident.state !== 'acknowledged') return []
  return Object.entries(incident.notified).flatMap(([key, { level, isAcknowledged }]): Wanted[] => {
    const receiver = level === 'ok' || isAcknowledged ? undefined : question.receiverOf(key, incident.organizationId)
    if (!receiver?.isPager || receiver.recipients.length === 0) return []
    return [
      {
        draft,
        receiver,
        change: 'change',
        level: incident.level,
        ruleId: members.find(({ endedMs, ruleId }) => endedMs === null && question.rules.has(ruleId))?.ruleId ?? null,
        reason: 'Somebody acknowledged the incident.',
        firingIds: [],
        items: [],
        isUrgent: true,
        heldBy: undefined,
      },
    ]
  })
}

/** Rules with an on-call order, by their oldest open member. */
function ordersOf(members: readonly IncidentMember[], { rules }: Question): RuleFacts[] {
  const oldest = members.toSorted((a, b) => a.openedMs - b.openedMs)
  const found = oldest.flatMap((member) => rules.get(member.ruleId) ?? [])
  return [...new Set(found)].filter((rule) => rule.escalation.length > 0)
}

const minuteMs = 60_000
const waitMs = ({ escalation }: RuleFacts, step: number): number => (escalation[step]?.afterMinutes ?? 0) * minuteMs

/**
 * Returns the rule whose on-call order an incident follows, until the order is finished, or the rule is muted or sees the
 * incident no more. Then the order of the next rule begins. An order also begins if its rule told nobody: the person on
 * call may have left. What a mute or snooze holds back does not begin.
 */
function followed(draft: Draft, members: readonly IncidentMember[], question: Question): RuleFacts | undefined {
  const { incident } = draft
  const orders = ordersOf(members, question)
  const { step = 0, ruleId = orders[0]?.id, finished = [] } = incident.escalation ?? {}
  const goesOn = (rule: RuleFacts) =>
    !finished.includes(rule.id) && !(rule.id === ruleId && step >= rule.escalation.length)
  const isHeld = (rule: RuleFacts) => holdOf(incident, members, rule, question) !== undefined
  const current = incident.escalation ? orders.find((rule) => rule.id === ruleId && goesOn(rule)) : undefined
  if (current && !isHeld(current)) return current
  const next = orders.find((rule) => rule !== current && goesOn(rule) && !isHeld(rule))
  if (!next) return undefined
  incident.escalation = { ruleId: next.id, step: 0, dueMs: question.nowMs + waitMs(next, 0), finished }
  return next
}

/** Begins the on-call order of a rule, and takes its next step when it is due. */
function escalate(draft: Draft, question: Question): Wanted | undefined {
  const { incident, members } = draft
  const { nowMs } = question
  if (incident.state === 'acknowledged') return undefined
  const openMembers = members.filter((member) => member.endedMs === null)
  const rule = followed(draft, openMembers, question)
  if (!rule || incident.escalation === null) return undefined
  const { step, dueMs } = incident.escalation
  const target = rule.escalation[step]
  if (dueMs > nowMs || !target) return undefined
  const { finished = [] } = incident.escalation
  const isLast = step + 1 >= rule.escalation.length
  incident.escalation = {
    ruleId: rule.id,
    step: step + 1,
    dueMs: isLast ? Number.MAX_SAFE_INTEGER : nowMs + waitMs(rule, step + 1),
    // It does not begin again, also if the rule leaves the incident and comes back.
    finished: isLast ? [...finished, rule.id] : finished,
  }
  const earlier = rule.escalation.slice(0, step).filter(({ schedule }) => schedule === target.schedule).length
  const order = question.onCall(target.schedule, incident.organizationId)
  const place = earlier + (rule.onCallSchedules.includes(target.schedule) ? 1 : 0)
  const receiver = order.length > 0 ? order[place % order.length] : undefined
  draft.activities.push({
    kind: 'escalated',
    userId: null,
    data: { step: step + 1, to: receiver?.userId ?? null, schedule: target.schedule },
  })
  if (!receiver || receiver.recipients.length === 0) return undefined
  return {
    draft,
    receiver,
    change: 'change',
    level: incident.level,
    ruleId: rule.id,
    reason: `${rule.name}: nobody acknowledged within ${target.afterMinutes} minutes.`,
    firingIds: [],
    items: itemsOf(draft, members, 0),
    isUrgent: true,
    heldBy: undefined,
  }
}

/** Marks what a receiver hears, or what is held back. */
function mark({ draft: { incident }, receiver, change, heldBy }: Wanted, nowMs: number): void {
  const before = incident.notified[receiver.key] ?? nothing
  const isEnd = change === 'end'
  incident.notified[receiver.key] =
    heldBy && !isEnd
      ? { ...before, held: incident.impact }
      : { atMs: heldBy ? before.atMs : nowMs, level: isEnd ? 'ok' : incident.level, impact: incident.impact, held: 0 }
}

/**
 * Ends a snooze whose time has come. Everybody hears of the state once, as of a change, though nothing changed: nobody
 * may remember an incident that was silent for days.
 */
function endSnooze({ incident }: Draft, nowMs: number): boolean {
  if (incident.snoozedUntilMs === null || incident.snoozedUntilMs > nowMs) return false
  incident.snoozedUntilMs = null
  incident.impact += 1
  return true
}

/** Returns the messages about an incident that are due now, and marks them in the incident. */
export function messagesOf(draft: Draft, question: Question): Wanted[] {
  const { incident } = draft
  const isOpen = incident.endedMs === null
  draft.endsSnooze = isOpen && endSnooze(draft, question.nowMs)
  const members = draft.members.filter((member) => member.endedMs === null)
  const wanted = isOpen
    ? [...receiversOf(members, question).values()].flatMap((heard) => openMessage(draft, heard, question) ?? [])
    : endMessages(draft, question)
  for (const message of wanted) mark(message, question.nowMs)
  for (const told of isOpen ? acknowledgements(draft, question) : []) {
    wanted.push(told)
    const before = incident.notified[told.receiver.key] ?? nothing
    incident.notified[told.receiver.key] = { ...before, isAcknowledged: true }
  }
  if (isOpen) {
    const step = escalate(draft, question)
    if (step) {
      wanted.push(step)
      mark(step, question.nowMs)
    }
  } else
    for (const [key, notified] of Object.entries(incident.notified))
      if (notified.level !== 'ok') incident.notified[key] = { ...notified, level: 'ok' }
  const held = new Map(wanted.flatMap(({ heldBy }) => (heldBy ? [[reasonText(heldBy), heldBy] as const] : [])))
  for (const reason of held.values())
    draft.activities.push({ kind: 'suppressed', userId: null, data: reasonData(reason) })
  return wanted
}
