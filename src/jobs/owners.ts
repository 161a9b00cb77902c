import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import { type OwnerRule, ownerRuleOf, readOwnership } from '../domain/ownership.ts'
import { notifyAssignee } from '../operations/issue-changes.ts'
import { latestEventsOf, ownedEventOf } from '../query/issues/owned.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { SeenEvent } from '../store/events/events.ts'
import type { Suggestion } from '../store/meta/issues/suggestions.ts'
import type { Issue, Person } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type OwnerDeps = {
  clock: Clock
  observe: Pick<Observe, 'warn'>
  meta: MetaWith<
    | 'projects.ownersDue'
    | 'projects.endOwnerDue'
    | 'projects.ownershipOf'
    | 'issues.issueById'
    | 'issues.issuesByIds'
    | 'issues.hashesOf'
    | 'people.personByEmail'
    | 'organizations.memberOf'
    | 'issues.updateIssue'
    | 'issues.subscribe'
    | 'issues.addNotices'
    | 'issues.suggest'
    | 'issues.suggestionsDue'
    | 'issues.endSuggestionsDue'
  >
  events: Pick<EventStore, 'byEventId' | 'newestPlaces' | 'eventsAt'>
  changed(issues: readonly Issue[]): void
}

const dueMax = 200
/** An event that is not stored after this time will not arrive. */
const eventWaitMs = 600_000
/** Rules can take some milliseconds per issue, and nothing else runs between these issues. */
const sweepMax = 20
/** The job runs every two seconds. Changed rules of 50,000 issues take some minutes. */
const sweepMs = 500

type Rules = { rules: readonly OwnerRule[]; autoAssign: boolean }
/** Owners of an issue by the rules: only members, in the order of the rule. */
type OwnerMatch = { owners: Person[]; rule: OwnerRule | undefined }

/** Returns a reader of project rules that reads each project once. */
function createRules({ meta }: OwnerDeps): (projectId: number) => Promise<Rules> {
  const cache = new Map<number, Rules>()
  return async (projectId) => {
    const cached = cache.get(projectId)
    if (cached) return cached
    const { text, autoAssign } = await meta.projects.ownershipOf(projectId)
    const read = { rules: readOwnership(text).rules, autoAssign }
    cache.set(projectId, read)
    return read
  }
}

/** Matches the event of an issue against rules. `over` gets the line at which a project's rules took too long. */
async function matchOwners(
  deps: OwnerDeps,
  over: Map<number, number>,
  issue: Issue,
  event: SeenEvent | undefined,
  of: Rules,
): Promise<OwnerMatch> {
  const { meta } = deps
  const { rule, overAt } = event ? ownerRuleOf(of.rules, ownedEventOf(event)) : {}
  if (overAt !== undefined) over.set(issue.projectId, overAt)
  const owners = (
    await Array.fromAsync(rule?.owners ?? [], async (email) => {
      const person = await meta.people.personByEmail(email)
      return person && (await meta.organizations.memberOf(issue.organizationId, person.id)) ? [person] : []
    })
  ).flat()
  return { owners: [...new Map(owners.map((owner) => [owner.id, owner])).values()], rule }
}

const suggestionsOf = ({ owners, rule }: OwnerMatch): Suggestion[] =>
  owners.map(({ id }) => ({ userId: id, rule: rule?.text ?? '' }))

/**
 * Assigns an issue to the first owner of the matched rule. Returns undefined if there is no such owner, and `changed` if
 * the issue has changed since it was read: a person who assigned it meanwhile comes first.
 */
async function assign(
  deps: OwnerDeps,
  issue: Issue,
  { owners: [person], rule }: OwnerMatch,
): Promise<Issue | 'changed' | undefined> {
  const { meta, clock } = deps
  if (!person || !rule) return undefined
  const details = { reason: 'ownership', rule: rule.text }
  const change = { assigneeUserId: person.id }
  try {
    const updated = await meta.issues.updateIssue(issue.id, change, null, clock.now(), issue.rev, details)
    await notifyAssignee(deps, issue.id, person.id, updated.activityId, null)
    return updated.issue
  } catch (error) {
    if (error instanceof MishapError && error.code === 'CONFLICT') return 'changed'
    throw error
  }
}

/** Matches issues against changed rules. Assigns nobody: existing assignments were decided under the old rules. */
async function sweep(deps: OwnerDeps, over: Map<number, number>): Promise<number> {
  const { meta, clock } = deps
  let checked = 0
  for (const endMs = clock.now() + sweepMs; clock.now() < endMs; ) {
    const due = await meta.issues.suggestionsDue(sweepMax)
    if (!due) break
    const issues =
      (await meta.projects.ownershipOf(due.projectId)).text === '' ? [] : await meta.issues.issuesByIds(due.issueIds)
    const events = await latestEventsOf(deps, due.projectId, issues)
    // Read rules and issues again. If the rules change from here on, the check of these issues starts again.
    const rules = await createRules(deps)(due.projectId)
    const matches = await Array.fromAsync(
      await meta.issues.issuesByIds(due.issueIds),
      async (issue) => [issue.id, await matchOwners(deps, over, issue, events.get(issue.id), rules)] as const,
    )
    await meta.issues.suggest(new Map(matches.map(([id, match]) => [id, suggestionsOf(match)])))
    await meta.issues.endSuggestionsDue(due)
    checked += due.issueIds.length
  }
  return checked
}

/** Returns the event that determines the owners: the named event, or the latest one of the issue. */
async function eventOf(deps: OwnerDeps, issue: Issue, eventId: string): Promise<SeenEvent | undefined> {
  if (eventId === '') return (await latestEventsOf(deps, issue.projectId, [issue])).get(issue.id)
  const [event] = await deps.events.byEventId([issue.projectId], eventId)
  return event
}

/**
 * Stores suggested owners of new issues, reopened issues and issues with changed rules. Assigns owners to the first
 * two. Existing assignees stay.
 */
export async function runOwners(deps: OwnerDeps): Promise<{ assigned: number; checked: number }> {
  const { meta, clock, observe } = deps
  const changedIssues: Issue[] = []
  let assigned = 0
  const rulesOf = createRules(deps)
  const over = new Map<number, number>()
  for (const due of await meta.projects.ownersDue(dueMax)) {
    const issue = await meta.issues.issueById(due.issueId)
    const event = issue && (await eventOf(deps, issue, due.eventId))
    if (issue && !event && due.eventId !== '' && clock.now() - due.atMs < eventWaitMs) continue
    // Read again: a person can have been assigned while the event was queried.
    const now = event && (await meta.issues.issueById(due.issueId))
    if (now) {
      const rules = await rulesOf(now.projectId)
      const match = await matchOwners(deps, over, now, event, rules)
      const hasChanged = (await meta.issues.suggest(new Map([[now.id, suggestionsOf(match)]]))).size > 0
      const isFree = now.assigneeUserId === null && rules.autoAssign && due.eventId !== ''
      const updated = isFree ? await assign(deps, now, match) : undefined
      // It stays due: the next run reads it again.
      if (updated === 'changed') continue
      if (updated) assigned++
      if (updated || hasChanged) changedIssues.push(updated ?? now)
    }
    await meta.projects.endOwnerDue([due.issueId])
  }
  const checked = await sweep(deps, over)
  for (const [project, line] of over)
    observe.warn({ project, line }, 'ownership rules take too long; rules above this line were skipped')
  if (changedIssues.length > 0) deps.changed(changedIssues)
  return { assigned, checked }
}
