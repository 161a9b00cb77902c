import { filterAsync } from '../base/sequence.ts'
import type { StepReason } from '../domain/alerts/step-reasons.ts'
import type { Firing } from '../store/meta/alerts/firings.ts'
import type { Decided, OpenIncident } from '../store/meta/alerts/incidents.ts'
import type { Mute } from '../store/meta/alerts/mutes.ts'
import type { AlertRule } from '../store/meta/alerts/rules.ts'
import type { AlertDue } from '../store/meta/issues/alerts.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Question, type RuleFacts, recentMs } from './decide/facts.ts'
import { releaseJoinMs } from './decide/join.ts'
import { decide } from './decide.ts'
import type { AlertDeps } from './deps.ts'
import { line } from './message/message.ts'
import { type Authors, type Directories, readReceivers } from './receivers.ts'
import { settleSkew } from './skew.ts'

const dueMax = 1000
/** Ended incidents that a firing can open again, and whose end may still have to be told. */
const endedMs = 86_400_000
/** Pause between two looks at open incidents without anything new: for intervals, snoozes and escalations. */
const tickMs = 15_000
/** Incidents that a look without firings decides at once. */
const incidentsMax = 500
/** Issues of which the decisions about an organization read the people. Each can be a query of the events store. */
const peopleMax = 200

/** What a process remembers between decisions. */
type DecisionState = { lastTickMs: number; authors: Authors }

/** Returns whether a delayed change is obsolete because somebody has triaged the issue since. */
async function isOver(meta: MetaStore, { kind, issueId }: AlertDue): Promise<boolean> {
  return kind !== 'new' && ((await meta.issues.issueById(issueId))?.status ?? 'unresolved') !== 'unresolved'
}

/** Changes of issues of an organization that are due, and those that need no message any more. */
async function dueChanges(deps: AlertDeps, organizationId: number): Promise<{ due: AlertDue[]; goneIds: number[] }> {
  const pending = await deps.meta.alerts.alertsDue(dueMax, deps.clock.now(), organizationId)
  const over = await filterAsync(pending, (alert) => isOver(deps.meta, alert))
  const { due, expiredIds } = await settleSkew(
    deps,
    pending.filter((alert) => !over.includes(alert)),
  )
  return { due, goneIds: [...expiredIds, ...over.map((alert) => alert.id)] }
}

const factsOf = ({ id, name, kind, active, mutedUntilMs, definition }: AlertRule): RuleFacts => ({
  id,
  name,
  kind,
  isActive: active,
  mutedUntilMs,
  intervalMinutes: definition.intervalMinutes,
  resolveMessage: definition.resolveMessage,
  escalation: definition.escalation,
  trackers: definition.actions.flatMap((action) => (action.type === 'tracker' ? [Number(action.tracker)] : [])),
  onCallSchedules: definition.actions.flatMap((action) => (action.type === 'on_call' ? [action.schedule] : [])),
})

const closedReasons = { resolved: 'issue_resolved', ignored: 'issue_archived' } as const

/** Why a member ends whose issue is closed or gone; undefined if it goes on. */
function closedBy(issue: Pick<Issue, 'status' | 'shortId'> | undefined): StepReason | undefined {
  if (!issue) return { why: 'issue_gone' }
  return issue.status === 'unresolved' ? undefined : { why: closedReasons[issue.status], issue: issue.shortId }
}

/** Whether a receiver has not heard of the latest change of an incident, or nobody has heard of it. */
function hasNews({ incident: { notified, impact } }: OpenIncident): boolean {
  const known = Object.values(notified)
  return known.length === 0 || known.some((heard) => heard.impact < impact)
}

const openIssues = ({ members }: OpenIncident): number[] =>
  members.flatMap(({ endedMs: ended, issueId, causes }) => (ended === null ? [issueId, ...causes] : []))

/** What a decision must know of the issues of its firings and incidents. `people`: how many of them it reads whole. */
async function readIssues(
  meta: MetaStore,
  { firings, incidents }: Pick<Part, 'firings' | 'incidents'>,
  people: number,
) {
  const ofFirings = firings.flatMap(({ cause }) => cause.issueIds)
  // Those with news come first: only so many can be looked up.
  const inOrder = [...incidents.filter(hasNews), ...incidents.filter((open) => !hasNews(open))]
  const ids = [...new Set([...ofFirings, ...inOrder.flatMap(openIssues)])].filter((id) => id !== 0)
  const states = await meta.issues.issueStates(ids)
  const closed = new Map<number, StepReason>()
  for (const id of ids) {
    const reason = closedBy(states.get(id))
    if (reason) closed.set(id, reason)
  }
  const titles = new Map<number, string>()
  for (const id of ofFirings) {
    const issue = states.get(id)
    if (issue) titles.set(id, `${issue.shortId}: ${line(issue.title, 150)}`)
  }
  const whole = ids.slice(0, Math.max(0, people))
  return {
    issues: whole.length > 0 ? await meta.issues.issuesByIds(whole) : [],
    projects: new Map([...states].map(([id, { projectId }]) => [id, projectId])),
    closed,
    titles,
  }
}

/** Incidents that these firings can join, end or open again. */
async function readCandidates(
  meta: MetaStore,
  organizationId: number,
  firings: readonly Firing[],
  rules: readonly AlertRule[],
  nowMs: number,
): Promise<OpenIncident[]> {
  if (firings.length === 0) return []
  const ruleIds = [...new Set(firings.flatMap(({ ruleId }) => ruleId ?? []))]
  const metrics = new Set(rules.flatMap(({ id, kind }) => (kind === 'metric' ? [id] : [])))
  const causes = firings.map(({ cause }) => cause)
  const times = firings.map(({ atMs }) => atMs)
  const ids = await meta.incidents.incidentsToJoin({
    organizationId,
    ruleIds,
    metricRuleIds: ruleIds.filter((id) => metrics.has(id)),
    issueIds: [...new Set(causes.flatMap(({ issueIds }) => issueIds))].filter((id) => id !== 0),
    deployIds: [...new Set(causes.flatMap(({ deployId }) => deployId ?? []))],
    releases: [...new Set(causes.map(({ release }) => release).filter(Boolean))],
    startedFromMs: Math.min(...times) - releaseJoinMs,
    startedToMs: Math.max(...times) + releaseJoinMs,
    endedFromMs: nowMs - endedMs,
  })
  return meta.incidents.incidentsToDecide(ids, ruleIds)
}

/** What one decision is about. */
type Part = { due: AlertDue[]; goneIds: number[]; firings: Firing[]; incidents: OpenIncident[] }

/** What the decisions about one organization share. `people`: how many issues may still be read whole. */
type Shared = {
  organizationId: number
  nowMs: number
  rules: AlertRule[]
  mutes: Mute[]
  directories: Directories
  people: number
}

/** Decides about a part and stores the decision. Returns the number of decided changes and firings. */
async function decidePart(deps: AlertDeps, authors: Authors, shared: Shared, part: Part): Promise<number> {
  const { meta } = deps
  const { organizationId, nowMs, rules, mutes, directories } = shared
  const { due, goneIds, firings, incidents } = part
  const involved = new Set([
    ...firings.flatMap(({ ruleId }) => ruleId ?? []),
    ...incidents.flatMap(({ members }) => members.map(({ ruleId }) => ruleId)),
  ])
  const { issues, projects, closed, titles } = await readIssues(meta, part, shared.people)
  shared.people -= issues.length
  const receivers = await readReceivers(
    deps,
    authors,
    {
      rules: rules.filter(({ id }) => involved.has(id)),
      issues,
      projects,
      directories,
      organizationIds: [organizationId],
    },
    nowMs,
  )
  const question: Omit<Question, 'incidents'> = {
    nowMs,
    due,
    firings,
    // All of them: an incident that a person ends meanwhile shows members of further rules.
    rules: new Map(rules.map((rule) => [rule.id, factsOf(rule)])),
    closedIssues: closed,
    titles,
    mutes,
    recent: await meta.alerts.deliveriesSince(
      receivers.channels.map((channel) => channel.id),
      nowMs - recentMs,
      rules.length > 0 ? receivers.userIds : [],
    ),
    ...receivers,
  }
  const answer = (current: OpenIncident[]) => {
    const decision = decide({ ...question, incidents: current })
    return { ...decision, dueIds: [...decision.dueIds, ...goneIds] }
  }
  // Most looks without news change nothing. They open no transaction.
  const isLook = due.length + goneIds.length + firings.length === 0
  if (isLook && isEmpty(answer(incidents))) return 0
  // Look-ups take seconds. The incidents are read once more, so that nobody's acknowledgement is overwritten.
  const { dueIds, postponed, firingIds } = await meta.incidents.storeDecision(answer, nowMs, incidents)
  return dueIds.length + postponed.length + firingIds.length
}

const isEmpty = (decided: Decided): boolean => Object.values(decided).every((rows) => rows.length === 0)

/** Decides all that is due of one organization. Returns the number of decided changes and firings. */
async function decideOrganization(
  deps: AlertDeps,
  authors: Authors,
  { organizationId, nowMs, isTick }: { organizationId: number; nowMs: number; isTick: boolean },
): Promise<number> {
  const { meta } = deps
  const { due, goneIds } = await dueChanges(deps, organizationId)
  const firings = await meta.alertRules.firingsUndecided(dueMax, organizationId)
  const ids = isTick ? await meta.incidents.incidentsToLookAt(organizationId, nowMs - endedMs) : []
  const hasDue = due.length + goneIds.length + firings.length > 0
  if (!hasDue && ids.length === 0) return 0
  const shared: Shared = {
    organizationId,
    nowMs,
    rules: firings.length + ids.length > 0 ? await meta.alertRules.listAlertRules(organizationId) : [],
    mutes: await meta.incidents.mutesAt([organizationId], nowMs),
    directories: new Map(),
    people: peopleMax,
  }
  let decided = 0
  if (hasDue) {
    const incidents = await readCandidates(meta, organizationId, firings, shared.rules, nowMs)
    decided += await decidePart(deps, authors, shared, { due, goneIds, firings, incidents })
  }
  for (let at = 0; at < ids.length; at += incidentsMax) {
    const incidents = await meta.incidents.incidentsToDecide(ids.slice(at, at + incidentsMax), [])
    await decidePart(deps, authors, shared, { due: [], goneIds: [], firings: [], incidents })
  }
  return decided
}

/**
 * Decides what is due and stores it: changes of issues, firings, and what time brings to open incidents. Returns the
 * number of decided changes and firings, and what failed: the decisions about one organization do not stop the others.
 */
export async function decideDue(
  deps: AlertDeps,
  state: DecisionState,
): Promise<{ decided: number; failures: unknown[] }> {
  const { meta, clock, observe } = deps
  const nowMs = clock.now()
  // A clock that was set back must not stop escalations until it is where it was.
  const isTick = nowMs >= state.lastTickMs + tickMs || nowMs < state.lastTickMs
  if (isTick) state.lastTickMs = nowMs
  const organizations = new Set([
    ...(await meta.incidents.organizationsDue(nowMs)),
    ...(isTick ? await meta.incidents.organizationsToLookAt(nowMs - endedMs) : []),
  ])
  const failures: unknown[] = []
  let decided = 0
  for (const organizationId of organizations)
    try {
      decided += await decideOrganization(deps, state.authors, { organizationId, nowMs, isTick })
    } catch (error) {
      failures.push(error)
      observe.error({ organization: organizationId, error: String(error).slice(0, 300) }, 'a decision failed')
    }
  return { decided, failures }
}
