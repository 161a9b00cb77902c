import { reasonData, reasonText, type StepReason } from '../../domain/alerts/step-reasons.ts'
import type { Firing } from '../../store/meta/alerts/firings.ts'
import type { Incident, IncidentMember, NewActivity, OpenIncident } from '../../store/meta/alerts/incidents.ts'
import type { AlertLevel } from '../../store/meta/issues/alerts.ts'
import type { Question, RuleFacts } from './facts.ts'

/**
 * Firings of one release join within this time after the incident began. A release that runs for weeks would collect
 * unrelated errors otherwise.
 */
export const releaseJoinMs = 3_600_000
/** New incidents of one rule within `burstMs`. Further ones join a single incident, which is told in summaries. */
const startsMax = 10
const burstMs = 600_000
/** An issue whose rule found nothing for so long no longer counts. Nobody has to resolve it for the incident to end. */
const quietMs = 86_400_000
const titleMax = 200
/**
 * Groups of one rule join the incident of another group that began so long before. A cause reaches its groups within
 * minutes; a group that fires later is news, and news must not wait for the interval.
 */
export const groupJoinMs = 300_000

/** An incident while a decision works on it. */
export type Draft = {
  incident: Incident
  members: IncidentMember[]
  changed: Set<IncidentMember>
  activities: NewActivity[]
  /** Firings of this decision that belong to it. */
  firings: Firing[]
  isNew: boolean
  /** It ended without news: nothing happened for a day, or its rule is gone. */
  endsSilently: boolean
  /** Its snooze is over just now. */
  endsSnooze: boolean
}

const open = (draft: Draft): boolean => draft.incident.endedMs === null
const openMembers = (draft: Draft): IncidentMember[] => draft.members.filter((member) => member.endedMs === null)
const worst = (levels: readonly AlertLevel[]): AlertLevel => (levels.includes('critical') ? 'critical' : 'warning')

const draftOf = ({ incident, members }: OpenIncident): Draft => ({
  incident: { ...incident, projectIds: [...incident.projectIds], notified: { ...incident.notified } },
  members: members.map((member) => ({ ...member })),
  changed: new Set(),
  activities: [],
  firings: [],
  isNew: false,
  endsSilently: false,
  endsSnooze: false,
})

/** Whether a member is what a firing is about: the issue, or the group of a metric. */
const isMember = (member: IncidentMember, { ruleId, group }: Firing, issueId: number): boolean =>
  member.ruleId === ruleId && member.issueId === issueId && (member.group?.key ?? '') === (group?.key ?? '')

/** Whether another group of the same rule began the incident just now. */
const isNewByGroups = ({ incident, members }: Draft, { ruleId, atMs }: Firing): boolean =>
  atMs - incident.startedMs <= groupJoinMs && members.some((member) => member.ruleId === ruleId && member.group)

/** The title of an incident of one rule by groups: the first of them, and how many more there are. */
function titleGroups({ incident, members }: Draft, rule: RuleFacts): void {
  const names = members.flatMap(({ group }) => group?.name ?? [])
  if (names.length === 0 || members.some(({ ruleId }) => ruleId !== rule.id)) return
  const more = names.length > 1 ? ` and ${names.length - 1} more` : ''
  incident.title = `${rule.name.slice(0, 90)}: ${[...(names[0] ?? '')].slice(0, 90).join('')}${more}`.slice(0, titleMax)
}

/** Finds the incident that a firing about an issue (0: a metric) belongs to; undefined if it is new. */
function findDraft(drafts: readonly Draft[], firing: Firing, issueId: number, rule: RuleFacts): Draft | undefined {
  const mine = drafts.filter((draft) => draft.incident.organizationId === firing.organizationId)
  const same = (draft: Draft) => draft.members.some((member) => isMember(member, firing, issueId))
  const endedSinceMs = firing.atMs - rule.intervalMinutes * 60_000
  // What ended within the interval goes on, so that a value around the threshold does not flap.
  const known = mine.findLast((draft) => same(draft) && (open(draft) || (draft.incident.endedMs ?? 0) > endedSinceMs))
  if (known) return known
  const { deployId, release, projectIds } = firing.cause
  return mine.find((draft) => {
    if (!open(draft)) return false
    const { incident } = draft
    if (firing.group && isNewByGroups(draft, firing)) return true
    const about = new Set(issueId === 0 ? firing.cause.issueIds : [issueId])
    if (openMembers(draft).some((member) => about.has(member.issueId) || member.causes.some((id) => about.has(id))))
      return true
    if (deployId !== null && incident.deployId === deployId) return true
    return (
      release !== '' &&
      incident.release === release &&
      incident.projectIds.some((id) => projectIds.includes(id)) &&
      Math.abs(firing.atMs - incident.startedMs) <= releaseJoinMs
    )
  })
}

/** In a flood: the incident that collects the rest. A new one if the rule has just started many. */
function burstOf(drafts: readonly Draft[], firing: Firing, rule: RuleFacts): { joins?: Draft; begins: boolean } {
  const lately = drafts.filter(
    (draft) =>
      open(draft) &&
      draft.incident.startedMs > firing.atMs - burstMs &&
      draft.members.some((member) => member.ruleId === rule.id),
  )
  const burst = lately.find((draft) => draft.incident.isBurst)
  if (burst) return { joins: burst, begins: false }
  return { begins: lately.length >= startsMax }
}

function newDraft(firing: Firing, rule: RuleFacts, title: string, isBurst: boolean): Draft {
  const { cause, level, atMs } = firing
  return {
    incident: {
      id: 0,
      organizationId: firing.organizationId,
      title: (isBurst ? `Many issues: ${rule.name}` : title).slice(0, titleMax),
      state: level,
      level,
      peak: level,
      startedMs: atMs,
      changedMs: atMs,
      endedMs: null,
      acknowledgedBy: null,
      acknowledgedMs: null,
      snoozedUntilMs: null,
      impact: 0,
      isBurst,
      release: isBurst ? '' : cause.release,
      deployId: isBurst ? null : cause.deployId,
      projectIds: [...cause.projectIds],
      notified: {},
      escalation: null,
    },
    members: [],
    changed: new Set(),
    activities: [{ kind: 'started', userId: null, data: { rule: rule.name, ruleId: rule.id, level } }],
    firings: [],
    isNew: true,
    endsSilently: false,
    endsSnooze: false,
  }
}

/** Sets level, peak and state after a change of members. A rise above the acknowledged level needs a new answer. */
function settle(draft: Draft, atMs: number): void {
  const { incident, activities } = draft
  const levels = openMembers(draft).map((member) => member.level)
  if (levels.length === 0) return
  const level = worst(levels)
  const before = incident.level
  if (level !== before) {
    incident.level = level
    incident.impact += 1
    incident.changedMs = atMs
    activities.push({ kind: 'level', userId: null, data: { from: before, to: level } })
  }
  incident.peak = worst([incident.peak, level])
  const rose = level === 'critical' && before === 'warning'
  if (incident.state !== 'acknowledged') incident.state = level
  else if (rose) {
    incident.state = level
    incident.acknowledgedBy = null
    incident.acknowledgedMs = null
  }
}

function reopen(draft: Draft, firing: Firing): void {
  const { incident } = draft
  incident.endedMs = null
  incident.acknowledgedBy = null
  incident.acknowledgedMs = null
  incident.level = firing.level
  incident.state = firing.level
  incident.impact += 1
  incident.changedMs = firing.atMs
  draft.activities.push({ kind: 'reopened', userId: null, data: {} })
}

/** Adds a firing about one issue (0: a metric) to the incident of its cause. */
function startMember(drafts: Draft[], firing: Firing, issueId: number, rule: RuleFacts, title: string): void {
  const found = findDraft(drafts, firing, issueId, rule)
  const burst = found || issueId === 0 ? undefined : burstOf(drafts, firing, rule)
  const draft = found ?? burst?.joins ?? newDraft(firing, rule, title, burst?.begins ?? false)
  if (!drafts.includes(draft)) drafts.push(draft)
  if (!draft.firings.includes(firing)) draft.firings.push(firing)
  const { incident, members, changed, activities } = draft
  if (incident.endedMs !== null) reopen(draft, firing)
  for (const id of firing.cause.projectIds) if (!incident.projectIds.includes(id)) incident.projectIds.push(id)
  const { level, value, threshold, sentence, atMs } = firing
  const known = members.find((member) => isMember(member, firing, issueId))
  const isOpen = known?.endedMs === null
  const causes = issueId === 0 ? firing.cause.issueIds : []
  const measure = { level, value, threshold, sentence, causes, group: firing.group ?? null }
  const member = known ?? { ruleId: rule.id, issueId, openedMs: atMs, endedMs: null, impact: 0, ...measure }
  if (!known) members.push(member)
  // An issue rule that finds an open issue once more has something new to say; a metric only if its level changed.
  const isNews = !isOpen || (issueId !== 0 && firing.change === 'start')
  Object.assign(member, measure, { endedMs: null, openedMs: isNews ? atMs : member.openedMs })
  changed.add(member)
  if (isNews) {
    incident.impact += 1
    member.impact = incident.impact
    incident.changedMs = atMs
    // A burst would write its history thousands of times.
    if (!draft.isNew && !incident.isBurst)
      activities.push({ kind: 'joined', userId: null, data: { rule: rule.name, ruleId: rule.id, issueId, level } })
  }
  if (firing.group) titleGroups(draft, rule)
  settle(draft, atMs)
}

/** Ends members. Ends the incident with the last of them. `why`: what the history says of the reason. */
function endMembers(draft: Draft, gone: readonly IncidentMember[], atMs: number, why: NewActivity['data']): void {
  const { incident, activities, changed } = draft
  if (gone.length === 0) return
  for (const member of gone) {
    member.endedMs = atMs
    changed.add(member)
  }
  if (openMembers(draft).length > 0) {
    activities.push({ kind: 'left', userId: null, data: { members: gone.length, ...why } })
    settle(draft, atMs)
    return
  }
  incident.endedMs = atMs
  incident.changedMs = atMs
  incident.state = 'resolved'
  incident.escalation = null
  activities.push({ kind: 'ended', userId: null, data: why })
}

/** Why a member ends without a firing; undefined if it goes on. */
function reasonOf(
  member: IncidentMember,
  { closedIssues, rules, nowMs }: Question,
): { reason: StepReason; isSilent: boolean } | undefined {
  const closed = closedIssues.get(member.issueId)
  if (closed !== undefined) return { reason: closed, isSilent: false }
  if (!rules.get(member.ruleId)?.isActive) return { reason: { why: 'rule_gone' }, isSilent: true }
  const isQuiet = member.issueId !== 0 && member.openedMs <= nowMs - quietMs
  return isQuiet ? { reason: { why: 'quiet' }, isSilent: true } : undefined
}

/** Ends members whose issue is closed, that were quiet for a day, or whose rule is gone or switched off. */
function closeMembers(draft: Draft, question: Question): void {
  const groups = new Map<string, { reason: StepReason; isSilent: boolean; gone: IncidentMember[] }>()
  for (const member of openMembers(draft)) {
    const found = reasonOf(member, question)
    if (!found) continue
    const text = reasonText(found.reason)
    const group = groups.get(text) ?? { ...found, gone: [] }
    groups.set(text, group)
    group.gone.push(member)
  }
  for (const { reason, isSilent, gone } of groups.values()) {
    endMembers(draft, gone, question.nowMs, reasonData(reason))
    draft.endsSilently = !open(draft) && isSilent
  }
}

/**
 * Joins firings to incidents: one incident per cause. Firings of deleted rules have no effect, and neither have those
 * of the built-in notifications.
 */
export function joinFirings(question: Question): Draft[] {
  const drafts = question.incidents.map(draftOf)
  for (const firing of question.firings) {
    const rule = firing.ruleId === null ? undefined : question.rules.get(firing.ruleId)
    if (!rule) continue
    const issueIds = firing.cause.issueIds.length > 0 && rule.kind === 'issue' ? firing.cause.issueIds : [0]
    if (firing.change !== 'end') {
      for (const issueId of issueIds)
        startMember(drafts, firing, issueId, rule, question.titles.get(issueId) ?? rule.name)
      continue
    }
    for (const draft of drafts.filter(open)) {
      // A changed rule ends all of its groups.
      const gone = openMembers(draft).filter(
        (member) =>
          member.ruleId === rule.id &&
          issueIds.includes(member.issueId) &&
          (!firing.group || member.group?.key === firing.group.key),
      )
      if (gone.length > 0) draft.firings.push(firing)
      endMembers(draft, gone, firing.atMs, { reason: firing.sentence, ...firing.why })
    }
  }
  for (const draft of drafts.filter(open)) closeMembers(draft, question)
  return drafts
}
