import type { Clock } from '../clock.ts'
import { type OwnedEvent, ownerRuleOf, readOwnership } from '../protocol/ownership.ts'
import { ownedEventOf } from '../query/owned.ts'
import type { EventStore } from '../store/events/events.ts'
import type { Issue, MetaStore } from '../store/meta/meta.ts'

export type OwnerDeps = {
  clock: Clock
  meta: Pick<
    MetaStore,
    | 'ownersDue'
    | 'endOwnerDue'
    | 'ownershipOf'
    | 'issueById'
    | 'personByEmail'
    | 'memberOf'
    | 'updateIssue'
    | 'subscribe'
    | 'addNotices'
  >
  events: Pick<EventStore, 'byEventId'>
  changed(issues: readonly Issue[]): void
}

const dueMax = 200
/** An event that is not in the store by then does not come. */
const hopeMs = 600_000

/** The first owner of a rule who is a member and may be assigned to. */
function ownerOf({ meta }: OwnerDeps, organizationId: number, owners: readonly string[]) {
  for (const email of owners) {
    const person = meta.personByEmail(email)
    if (person && meta.memberOf(organizationId, person.id)) return person
  }
  return undefined
}

/** Assigns one issue by its project's rules; undefined when no rule says so. */
function assign(deps: OwnerDeps, issue: Issue, event: OwnedEvent): Issue | undefined {
  const { meta, clock } = deps
  const { text, autoAssign } = meta.ownershipOf(issue.projectId)
  const rule = autoAssign ? ownerRuleOf(readOwnership(text).rules, event) : undefined
  const person = rule && ownerOf(deps, issue.organizationId, rule.owners)
  if (!rule || !person) return undefined
  const why = { reason: 'ownership', rule: rule.text }
  const made = meta.updateIssue(issue.id, { assigneeUserId: person.id }, null, clock.now(), undefined, why)
  meta.subscribe(issue.id, person.id, true, 'assigned', clock.now())
  if (made.activityId !== null)
    meta.addNotices([{ userId: person.id, kind: 'assigned' }], issue.id, made.activityId, clock.now())
  return made.issue
}

/** Assigns new issues, and those that came back, to whom the project's rules name. Who is assigned by then stays. */
export async function runOwners(deps: OwnerDeps): Promise<{ assigned: number }> {
  const { meta, events, clock } = deps
  const assigned: Issue[] = []
  for (const due of meta.ownersDue(dueMax)) {
    const issue = meta.issueById(due.issueId)
    if (issue && issue.assigneeUserId === null) {
      const [event] = await events.byEventId([due.projectId], due.eventId)
      if (!event && clock.now() - due.atMs < hopeMs) continue
      // Read again: a person may have taken it while the event was looked for.
      const now = event && meta.issueById(due.issueId)
      const made = event && now?.assigneeUserId === null ? assign(deps, now, ownedEventOf(event)) : undefined
      if (made) assigned.push(made)
    }
    meta.endOwnerDue([due.issueId])
  }
  if (assigned.length > 0) deps.changed(assigned)
  return { assigned: assigned.length }
}
