import type { Scope } from '../../store/events/events.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'

/** Performance issues that are left out of errors. A project has some hundred at most: one for each statement and route. */
const issuesMax = 2000

/** The groups of the performance issues that were seen in a scope. Their events are no errors. */
export async function performanceGroups(
  meta: MetaWith<'issues.listIssues' | 'issues.hashesOf'>,
  { projectIds, fromMs }: Pick<Scope, 'projectIds' | 'fromMs'>,
): Promise<{ projectId: number; groupHash: string }[]> {
  const issues = await meta.issues.listIssues({
    projectIds,
    filter: {
      op: 'and',
      of: [
        { op: 'field', field: 'kind', match: 'like', value: 'performance_*' },
        { op: 'number', field: 'lastSeen', compare: '>=', value: fromMs },
      ],
    },
    sort: 'last',
    max: issuesMax,
  })
  if (issues.length === 0) return []
  const hashes = await meta.issues.hashesOf(issues.map(({ id }) => id))
  return issues.flatMap(({ id, projectId }) => (hashes.get(id) ?? []).map((groupHash) => ({ projectId, groupHash })))
}
