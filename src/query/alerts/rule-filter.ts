import { MishapError } from '../../base/errors.ts'
import type { Filter } from '../../store/events/question.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'
import type { CompileDeps } from '../issues/issue.ts'
import { type SearchView, searchContextOf } from '../search/context.ts'
import { parseSearch } from '../search/parse.ts'
import { planOf } from '../search/plan.ts'

/** A way to meet the filter of an issue rule: conditions on the issue and on its event. Absent ones hold. */
export type RuleBranch = { issue: IssueFilter | undefined; event: Filter | undefined; projectIds: number[] }

/**
 * Compiles the filter of an issue rule; any branch is enough, and without branches nothing meets it. Throws QUERY_*,
 * VALIDATION for a range of time (a rule is about what comes), and for stages of releases QUERY_TIMEOUT and
 * STORE_UNAVAILABLE.
 */
export async function ruleBranches(
  deps: CompileDeps,
  { projects, environments }: Pick<SearchView, 'projects' | 'environments'>,
  filter: string,
): Promise<RuleBranch[]> {
  const context = searchContextOf(deps, { projects, environments }, 'issues')
  const { branches } = await planOf(parseSearch(filter), context)
  if (branches.some(({ fromMs, toMs }) => fromMs !== undefined || toMs !== undefined))
    throw new MishapError('VALIDATION', { fields: { filter: ['A rule has no range of time.'] } })
  return branches.map(({ issue, event, projectIds }) => ({
    issue,
    event: event && { op: 'event', of: event },
    projectIds: projectIds ?? projects.map(({ id }) => id),
  }))
}
