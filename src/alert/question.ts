import { filterAsync } from '../base/sequence.ts'
import type { Firing } from '../store/meta/alerts/firings.ts'
import type { OpenIncident } from '../store/meta/alerts/incidents.ts'
import type { AlertRule } from '../store/meta/alerts/rules.ts'
import type { AlertDue } from '../store/meta/issues/alerts.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Question, type RuleFacts, recentMs } from './decide/facts.ts'
import { decide } from './decide.ts'
import type { AlertDeps } from './deps.ts'
import { line } from './message/message.ts'
import { type Authors, readReceivers } from './receivers.ts'
import { settleSkew } from './skew.ts'

const dueMax = 1000
/** Ended incidents that a firing can open again, and whose end may still have to be told. */
const endedMs = 86_400_000
/** Pause between two looks at open incidents without anything new: for intervals, snoozes and escalations. */
const tickMs = 15_000
/** Issues of which a decision reads the people. */
const peopleMax = 200

/** What a process remembers between decisions. */
type DecisionState = { lastTickMs: number; authors: Authors }

/** Returns whether a delayed change is obsolete because somebody has triaged the issue since. */
async function isOver(meta: MetaStore, { kind, issueId }: AlertDue): Promise<boolean> {
  return kind !== 'new' && ((await meta.issues.issueById(issueId))?.status ?? 'unresolved') !== 'unresolved'
}

/** Changes of issues that are due, and those that need no message any more. */
async function dueChanges(deps: AlertDeps): Promise<{ due: AlertDue[]; goneIds: number[] }> {
  const pending = await deps.meta.alerts.alertsDue(dueMax, deps.clock.now())
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

/** All rules of these organizations: an incident that a person ends meanwhile shows members of further rules. */
async function readRules(meta: MetaStore, organizationIds: Iterable<number>): Promise<AlertRule[]> {
  const rules: AlertRule[] = []
  for (const id of organizationIds) rules.push(...(await meta.alertRules.listAlertRules(id)))
  return rules
}

const closedWords: Record<string, string> = { resolved: 'resolved', ignored: 'archived' }

/** Issues of these firings and incidents, and why members of closed ones end. */
async function readIssues(meta: MetaStore, firings: readonly Firing[], incidents: readonly OpenIncident[]) {
  const members = incidents.flatMap((open) => open.members.filter((member) => member.endedMs === null))
  const asked = [
    ...firings.flatMap(({ cause }) => cause.issueIds),
    ...members.flatMap(({ issueId, causes }) => [issueId, ...causes]),
  ]
  const ids = [...new Set(asked)].filter((id) => id !== 0)
  const issues = ids.length > 0 ? await meta.issues.issuesByIds(ids) : []
  const byId = new Map(issues.map((issue) => [issue.id, issue]))
  const closed = new Map<number, string>()
  for (const id of ids) {
    const issue = byId.get(id)
    const word = issue ? closedWords[issue.status] : 'deleted or merged'
    if (word) closed.set(id, issue ? `${issue.shortId} was ${word}.` : `The issue was ${word}.`)
  }
  return { issues, closed }
}

const titlesOf = (issues: readonly Issue[]): Map<number, string> =>
  new Map(issues.map(({ id, shortId, title }) => [id, `${shortId}: ${line(title, 150)}`]))

/** Incidents of these organizations that can change now. */
async function readIncidents(
  meta: MetaStore,
  organizationIds: readonly number[],
  firings: readonly Firing[],
  nowMs: number,
): Promise<OpenIncident[]> {
  if (organizationIds.length === 0) return []
  const ruleIds = [...new Set(firings.flatMap(({ ruleId }) => ruleId ?? []))]
  return meta.incidents.incidentsToDecide([...organizationIds], nowMs - endedMs, ruleIds)
}

/**
 * Decides what is due and stores it: changes of issues, firings, and what time brings to open incidents. Returns the
 * number of decided changes and firings.
 */
export async function decideDue(deps: AlertDeps, state: DecisionState): Promise<number> {
  const { meta, clock } = deps
  const { due, goneIds } = await dueChanges(deps)
  const firings = await meta.alertRules.firingsUndecided(dueMax)
  const nowMs = clock.now()
  // A clock that was set back must not stop escalations until it is where it was.
  const isTick = nowMs >= state.lastTickMs + tickMs || nowMs < state.lastTickMs
  if (isTick) state.lastTickMs = nowMs
  const withIncidents = new Set([
    ...firings.map(({ organizationId }) => organizationId),
    ...(isTick ? await meta.incidents.organizationsWithOpenIncidents(nowMs - endedMs) : []),
  ])
  const organizationIds = [...new Set([...withIncidents, ...due.map((alert) => alert.organizationId)])]
  if (organizationIds.length === 0 && goneIds.length === 0) return 0
  const incidents = await readIncidents(meta, [...withIncidents], firings, nowMs)
  const rules = await readRules(meta, withIncidents)
  const involved = new Set([
    ...firings.flatMap(({ ruleId }) => ruleId ?? []),
    ...incidents.flatMap(({ members }) => members.map(({ ruleId }) => ruleId)),
  ])
  const { issues, closed } = await readIssues(meta, firings, incidents)
  const receivers = await readReceivers(
    deps,
    state.authors,
    { rules: rules.filter(({ id }) => involved.has(id)), issues: issues.slice(0, peopleMax), organizationIds },
    nowMs,
  )
  const question: Omit<Question, 'incidents'> = {
    nowMs,
    due,
    firings,
    rules: new Map(rules.map((rule) => [rule.id, factsOf(rule)])),
    closedIssues: closed,
    titles: titlesOf(issues),
    mutes: await meta.incidents.mutesAt(organizationIds, nowMs),
    recent: await meta.alerts.deliveriesSince(
      receivers.channels.map((channel) => channel.id),
      nowMs - recentMs,
      rules.length > 0 ? receivers.userIds : [],
    ),
    ...receivers,
  }
  // Look-ups take seconds. The incidents are read once more, so that nobody's acknowledgement is overwritten.
  const decided = await meta.incidents.storeDecision(
    (current) => {
      const decision = decide({ ...question, incidents: current })
      return { ...decision, dueIds: [...decision.dueIds, ...goneIds] }
    },
    nowMs,
    incidents,
  )
  return decided.dueIds.length + decided.postponed.length + decided.firingIds.length
}
