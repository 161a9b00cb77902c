import type { Clock } from '../clock.ts'
import type { Observe } from '../observe.ts'
import { type OwnerRule, ownerRuleOf, readOwnership } from '../protocol/ownership.ts'
import { ownedEventOf } from '../query/owned.ts'
import type { EventStore } from '../store/events/events.ts'
import type { Issue, MetaStore } from '../store/meta/meta.ts'

export type OwnerDeps = {
  clock: Clock
  observe: Pick<Observe, 'warn'>
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

/** Rules of projects, each read once a round. */
function createRules({ meta }: OwnerDeps): (projectId: number) => readonly OwnerRule[] {
  const known = new Map<number, readonly OwnerRule[]>()
  return (projectId) => {
    const { text, autoAssign } = meta.ownershipOf(projectId)
    const rules = known.get(projectId) ?? readOwnership(text).rules
    known.set(projectId, rules)
    return autoAssign ? rules : []
  }
}

/** Assigns one issue by a rule of its project; undefined when none of its owners is there. */
function assign(deps: OwnerDeps, issue: Issue, rule: OwnerRule): Issue | undefined {
  const { meta, clock } = deps
  const person = ownerOf(deps, issue.organizationId, rule.owners)
  if (!person) return undefined
  const why = { reason: 'ownership', rule: rule.text }
  const made = meta.updateIssue(issue.id, { assigneeUserId: person.id }, null, clock.now(), undefined, why)
  meta.subscribe(issue.id, person.id, true, 'assigned', clock.now())
  if (made.activityId !== null)
    meta.addNotices([{ userId: person.id, kind: 'assigned' }], issue.id, made.activityId, clock.now())
  return made.issue
}

/** Assigns new issues, and those that came back, to whom the project's rules name. Who is assigned by then stays. */
export async function runOwners(deps: OwnerDeps): Promise<{ assigned: number }> {
  const { meta, events, clock, observe } = deps
  const assigned: Issue[] = []
  const rulesOf = createRules(deps)
  const over = new Map<number, number>()
  for (const due of meta.ownersDue(dueMax)) {
    const issue = meta.issueById(due.issueId)
    if (issue && issue.assigneeUserId === null) {
      const [event] = await events.byEventId([due.projectId], due.eventId)
      if (!event && clock.now() - due.atMs < hopeMs) continue
      // Read again: a person may have taken it while the event was looked for.
      const now = event && meta.issueById(due.issueId)
      const isFree = event !== undefined && now?.assigneeUserId === null
      const said = isFree ? ownerRuleOf(rulesOf(now.projectId), ownedEventOf(event)) : undefined
      const made = now && said?.rule && assign(deps, now, said.rule)
      if (made) assigned.push(made)
      if (said?.overAt !== undefined) over.set(issue.projectId, said.overAt)
    }
    meta.endOwnerDue([due.issueId])
  }
  for (const [project, line] of over)
    observe.warn({ project, line }, 'rules of ownership take too long: from this line up they were not asked')
  if (assigned.length > 0) deps.changed(assigned)
  return { assigned: assigned.length }
}
