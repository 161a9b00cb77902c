import type { EventStore } from '../../store/events/event-store.ts'
import type { Scope } from '../../store/events/events.ts'
import { performanceGroups } from '../performance/groups.ts'

type SeriesDeps = {
  events: Pick<EventStore, 'projectSeries' | 'series'>
  meta: Parameters<typeof performanceGroups>[0]
}

/**
 * Events of each project by bucket, in time order, without those of performance issues: they are no errors. The rollup of
 * projects counts all events, so those of performance issues are counted by themselves and subtracted. Throws MishapError
 * QUERY_TIMEOUT or STORE_UNAVAILABLE.
 */
export async function errorSeries({ events, meta }: SeriesDeps, scope: Scope, bucketMs: number) {
  const all = await events.projectSeries(scope, bucketMs)
  const pairs = await performanceGroups(meta, scope)
  if (pairs.length === 0) return all
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
