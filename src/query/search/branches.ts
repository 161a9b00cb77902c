import { MishapError } from '../../base/errors.ts'
import type { EventFilter } from '../../store/events/events.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'

/** Conditions that must hold together; an absent condition holds for everything. */
export type Branch = { issue?: IssueFilter; event?: EventFilter; projectIds?: number[]; fromMs?: number; toMs?: number }

const branchesMax = 16

/** A condition that always holds (one empty branch) or never holds (no branch). */
export const constantBranch = (value: boolean): Branch[] => (value ? [{}] : [])

/** A condition on issues as a branch. */
export const issueIs = (filter: IssueFilter, negate: boolean): Branch[] => [
  { issue: negate ? { op: 'not', of: filter } : filter },
]

/** A condition on events as a branch. */
export const eventIs = (filter: EventFilter, negate: boolean): Branch[] => [
  { event: negate ? { op: 'not', of: filter } : filter },
]

/** Any of these filters on issues. No filters match nothing. */
export const anyIssueIs = (filters: IssueFilter[], negate: boolean): Branch[] =>
  filters.length === 0 ? constantBranch(negate) : issueIs(firstOr(filters, { op: 'or', of: filters }), negate)

/** Any of these filters on events. No filters match nothing. */
export const anyEventIs = (filters: EventFilter[], negate: boolean): Branch[] =>
  filters.length === 0 ? constantBranch(negate) : eventIs(anyEvent(filters), negate)

/** Joins at least one filter on events to one filter. */
export const anyEvent = (filters: EventFilter[]): EventFilter => firstOr(filters, { op: 'or', of: filters })

const firstOr = <Filter>(filters: Filter[], joined: Filter): Filter =>
  filters.length === 1 && filters[0] ? filters[0] : joined

/** Combines each branch on the left with each on the right. Throws QUERY_TOO_LONG for more than 16. */
export function both(left: Branch[], right: Branch[]): Branch[] {
  const pairs = left.flatMap((a) => right.map((b) => join(a, b)))
  return limited(pairs.filter((pair): pair is Branch => pair !== undefined))
}

function join(a: Branch, b: Branch): Branch | undefined {
  const joined: Branch = { ...a, ...b }
  if (a.issue && b.issue) joined.issue = { op: 'and', of: [...flat(a.issue, 'and'), ...flat(b.issue, 'and')] }
  if (a.event && b.event) joined.event = { op: 'and', of: [...flatEvent(a.event, 'and'), ...flatEvent(b.event, 'and')] }
  if (a.projectIds && b.projectIds) {
    const allowed = new Set(b.projectIds)
    joined.projectIds = a.projectIds.filter((id) => allowed.has(id))
  }
  if (a.fromMs !== undefined && b.fromMs !== undefined) joined.fromMs = Math.max(a.fromMs, b.fromMs)
  if (a.toMs !== undefined && b.toMs !== undefined) joined.toMs = Math.min(a.toMs, b.toMs)
  return joined.projectIds?.length === 0 ? undefined : joined
}

const flat = (filter: IssueFilter, op: 'and' | 'or'): IssueFilter[] => (filter.op === op ? filter.of : [filter])
const flatEvent = (filter: EventFilter, op: 'and' | 'or'): EventFilter[] => (filter.op === op ? filter.of : [filter])
const onlyIssue = (branch: Branch): IssueFilter | undefined =>
  branch.issue && Object.keys(branch).length === 1 ? branch.issue : undefined
const onlyEvent = (branch: Branch): EventFilter | undefined =>
  branch.event && Object.keys(branch).length === 1 ? branch.event : undefined

/**
 * Merges branches of which any must hold. Branches with only issue conditions become one branch, and so do branches
 * with only event conditions, so that a store answers them with one query. Throws QUERY_TOO_LONG for more than 16.
 */
export function either(branches: Branch[]): Branch[] {
  if (branches.some((branch) => Object.keys(branch).length === 0)) return [{}]
  const issues = branches.map(onlyIssue).filter((filter): filter is IssueFilter => filter !== undefined)
  const events = branches.map(onlyEvent).filter((filter): filter is EventFilter => filter !== undefined)
  const folded = branches.filter((branch) => !onlyIssue(branch) && !onlyEvent(branch))
  const [issue] = issues
  const [event] = events
  if (issue)
    folded.push({
      issue: issues.length === 1 ? issue : { op: 'or', of: issues.flatMap((filter) => flat(filter, 'or')) },
    })
  if (event)
    folded.push({
      event: events.length === 1 ? event : { op: 'or', of: events.flatMap((filter) => flatEvent(filter, 'or')) },
    })
  return limited(folded)
}

function limited(branches: Branch[]): Branch[] {
  if (branches.length > branchesMax)
    throw new MishapError('QUERY_TOO_LONG', {
      detail: `Invalid query: it combines issue and event conditions in more than ${branchesMax} ways.`,
    })
  return branches
}
