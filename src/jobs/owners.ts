import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import { type OwnerRule, ownerRuleOf, readOwnership } from '../domain/ownership.ts'
import { notifyAssignee } from '../operations/issue-changes.ts'
import { latestEventsOf, ownedEventOf } from '../query/owned.ts'
import type { EventStore, SeenEvent } from '../store/events/events.ts'
import type { Suggestion } from '../store/meta/issues/suggestions.ts'
import type { Issue, MetaStore, Person } from '../store/meta/meta.ts'

export type OwnerDeps = {
  clock: Clock
  observe: Pick<Observe, 'warn'>
  meta: Pick<
    MetaStore,
    | 'ownersDue'
    | 'endOwnerDue'
    | 'ownershipOf'
    | 'issueById'
    | 'issuesByIds'
    | 'hashesOf'
    | 'personByEmail'
    | 'memberOf'
    | 'updateIssue'
    | 'subscribe'
    | 'addNotices'
    | 'suggest'
    | 'suggestionsDue'
    | 'endSuggestionsDue'
  >
  events: Pick<EventStore, 'byEventId' | 'newestPlaces' | 'eventsAt'>
  changed(issues: readonly Issue[]): void
}

const dueMax = 200
/** An event that is not in the store by then does not come. */
const hopeMs = 600_000
/** Rules may take some milliseconds for each, and nothing else runs between them. */
const sweepMax = 20
/** The job runs every two seconds: 50,000 issues whose rules were changed take some minutes. */
const sweepMs = 500

type Rules = { rules: readonly OwnerRule[]; autoAssign: boolean }
/** Whom the rules name for an issue: those who are members, in the order of the rule. */
type Said = { owners: Person[]; rule: OwnerRule | undefined }

/** The rules of projects, each read once. */
function createRules({ meta }: OwnerDeps): (projectId: number) => Rules {
  const known = new Map<number, Rules>()
  return (projectId) => {
    const kept = known.get(projectId)
    if (kept) return kept
    const { text, autoAssign } = meta.ownershipOf(projectId)
    const read = { rules: readOwnership(text).rules, autoAssign }
    known.set(projectId, read)
    return read
  }
}

/** Holds an issue's event against rules. `over` has the line at which those of a project took too long. */
function judge(
  deps: OwnerDeps,
  over: Map<number, number>,
  issue: Issue,
  event: SeenEvent | undefined,
  of: Rules,
): Said {
  const { meta } = deps
  const { rule, overAt } = event ? ownerRuleOf(of.rules, ownedEventOf(event)) : {}
  if (overAt !== undefined) over.set(issue.projectId, overAt)
  const owners = (rule?.owners ?? []).flatMap((email) => {
    const person = meta.personByEmail(email)
    return person && meta.memberOf(issue.organizationId, person.id) ? [person] : []
  })
  return { owners: [...new Map(owners.map((owner) => [owner.id, owner])).values()], rule }
}

const suggestionsOf = ({ owners, rule }: Said): Suggestion[] =>
  owners.map(({ id }) => ({ userId: id, rule: rule?.text ?? '' }))

/** Assigns one issue to the first owner of a rule of its project; undefined when none of them is there. */
function assign(deps: OwnerDeps, issue: Issue, { owners: [person], rule }: Said): Issue | undefined {
  const { meta, clock } = deps
  if (!person || !rule) return undefined
  const why = { reason: 'ownership', rule: rule.text }
  const made = meta.updateIssue(issue.id, { assigneeUserId: person.id }, null, clock.now(), undefined, why)
  notifyAssignee(deps, issue.id, person.id, made.activityId, null)
  return made.issue
}

/** Holds issues against rules that were changed since. Nobody is assigned: what stands was decided under the old ones. */
async function sweep(deps: OwnerDeps, over: Map<number, number>): Promise<number> {
  const { meta, clock } = deps
  let looked = 0
  for (const endMs = clock.now() + sweepMs; clock.now() < endMs; ) {
    const due = meta.suggestionsDue(sweepMax)
    if (!due) break
    const asked = meta.ownershipOf(due.projectId).text === '' ? [] : meta.issuesByIds(due.issueIds)
    const events = await latestEventsOf(deps, due.projectId, asked)
    // Rules and issues as they are now: from here on nothing comes between.
    const rules = createRules(deps)(due.projectId)
    const judged = meta
      .issuesByIds(due.issueIds)
      .map((issue) => [issue.id, judge(deps, over, issue, events.get(issue.id), rules)] as const)
    meta.suggest(new Map(judged.map(([id, said]) => [id, suggestionsOf(said)])))
    meta.endSuggestionsDue(due)
    looked += due.issueIds.length
  }
  return looked
}

/** The event that says whose an issue is: the one that was named, or its latest. */
async function eventOf(deps: OwnerDeps, issue: Issue, eventId: string): Promise<SeenEvent | undefined> {
  if (eventId === '') return (await latestEventsOf(deps, issue.projectId, [issue])).get(issue.id)
  const [event] = await deps.events.byEventId([issue.projectId], eventId)
  return event
}

/**
 * Keeps whom the projects' rules suggest for new issues, those that came back and those whose rules have changed, and
 * assigns the first two. Who is assigned by then stays.
 */
export async function runOwners(deps: OwnerDeps): Promise<{ assigned: number; held: number }> {
  const { meta, clock, observe } = deps
  const told: Issue[] = []
  let assigned = 0
  const rulesOf = createRules(deps)
  const over = new Map<number, number>()
  for (const due of meta.ownersDue(dueMax)) {
    const issue = meta.issueById(due.issueId)
    const event = issue && (await eventOf(deps, issue, due.eventId))
    if (issue && !event && due.eventId !== '' && clock.now() - due.atMs < hopeMs) continue
    // Read again: a person may have taken it while the event was looked for.
    const now = event && meta.issueById(due.issueId)
    if (now) {
      const rules = rulesOf(now.projectId)
      const said = judge(deps, over, now, event, rules)
      const isNews = meta.suggest(new Map([[now.id, suggestionsOf(said)]])).size > 0
      const isFree = now.assigneeUserId === null && rules.autoAssign && due.eventId !== ''
      const made = isFree ? assign(deps, now, said) : undefined
      if (made) assigned++
      if (made || isNews) told.push(made ?? now)
    }
    meta.endOwnerDue([due.issueId])
  }
  const held = await sweep(deps, over)
  for (const [project, line] of over)
    observe.warn({ project, line }, 'rules of ownership take too long: from this line up they were not asked')
  if (told.length > 0) deps.changed(told)
  return { assigned, held }
}
