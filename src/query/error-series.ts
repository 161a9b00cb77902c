import type { EventStore } from '../store/events/event-store.ts'
import type { Scope } from '../store/events/events.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

type SeriesDeps = {
  events: Pick<EventStore, 'projectSeries' | 'series'>
  meta: MetaWith<'issues.listIssues' | 'issues.hashesOf'>
}

/** Performance issues that are subtracted. A project has some hundred at most: one for each statement and route. */
const issuesMax = 2000

/**
 * Events of each project by bucket, in time order, without those of performance issues: they are no errors. The rollup of
 * projects counts all events, so those of performance issues are counted by themselves and subtracted. Throws MishapError
 * QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
export async function errorSeries({ events, meta }: SeriesDeps, scope: Scope, bucketMs: number) {
  const { projectIds, fromMs } = scope
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
  const all = await events.projectSeries(scope, bucketMs)
  if (issues.length === 0) return all
  const hashes = await meta.issues.hashesOf(issues.map(({ id }) => id))
  const pairs = issues.flatMap(({ id, projectId }) =>
    (hashes.get(id) ?? []).map((groupHash) => ({ projectId, groupHash })),
  )
  const less = new Map<string, number>()
  for (const { projectId, startMs, events: count } of await events.series(scope, bucketMs, pairs)) {
    const key = `${projectId} ${startMs}`
    less.set(key, (less.get(key) ?? 0) + count)
  }
  return all.flatMap((row) => {
    const left = row.events - (less.get(`${row.projectId} ${row.startMs}`) ?? 0)
    return left > 0 ? [{ ...row, events: left }] : []
  })
}
