import type { SessionGroup } from '../store/events/session-store.ts'
import type { Project } from '../store/meta/meta.ts'
import type { QueryDeps } from './issues/issue.ts'
import { bucketOf, type Range } from './range.ts'

/** Points of the chart. */
const pointsMax = 60
const groupsMax = 1000

/** Shares of sessions over time, 0 to 1 for each start; null where no release had sessions. */
type Adoption = { startsMs: number[]; series: { version: string; shares: (number | null)[] }[] }

/**
 * Returns which share of the sessions of the projects each release had over a range. Undefined without sessions. Throws
 * STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function adoptionOf(
  { events }: Pick<QueryDeps, 'events'>,
  request: { projects: readonly Project[]; environments: readonly string[]; range: Range; versions: readonly string[] },
): Promise<Adoption | undefined> {
  const { projects, environments, range, versions } = request
  const bucketMs = bucketOf(range, pointsMax)
  const { fromMs, toMs } = range
  const scope = { projectIds: projects.map((project) => project.id), environments, fromMs, toMs }
  const [all, own] = await Promise.all([
    events.sessionGroups({ scope, by: [], bucketMs, max: groupsMax }),
    events.sessionGroups({
      scope: { ...scope, filter: { op: 'releases', values: [...versions] } },
      by: ['release'],
      bucketMs,
      max: groupsMax,
    }),
  ])
  if (all.length === 0) return undefined
  const sumsOf = (groups: readonly SessionGroup[]) =>
    new Map(groups.map((group) => [group.startMs, group.sessions.all]))
  const total = sumsOf(all)
  const startsMs: number[] = []
  for (let startMs = Math.floor(fromMs / bucketMs) * bucketMs; startMs < toMs; startMs += bucketMs)
    startsMs.push(startMs)
  return {
    startsMs,
    series: versions.map((version) => {
      const sums = sumsOf(own.filter((group) => group.release === version))
      return {
        version,
        shares: startsMs.map((startMs) => {
          const sessions = total.get(startMs) ?? 0
          return sessions > 0 ? (sums.get(startMs) ?? 0) / sessions : null
        }),
      }
    }),
  }
}
