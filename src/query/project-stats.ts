import type { RestPoint } from '../contract/issues.ts'
import type { Project } from '../store/meta/meta.ts'
import { errorSeries } from './issues/error-series.ts'
import type { QueryDeps } from './issues/issue.ts'
import { pointsOf, rangeOf } from './range.ts'
import { releaseVersions } from './releases.ts'

const dayMs = 86_400_000
/** Releases of a project that are put in order to find the newest. */
const releasesMax = 20
const unresolved = { op: 'status', value: 'unresolved' } as const

type ProjectStats = {
  projectId: number
  /** Events by day over 14 days. Undefined: the events store is down. */
  points: RestPoint[] | undefined
  events: number | undefined
  unresolved: number
  newestRelease: string | undefined
}

/** Returns the events of 14 days, the unresolved issues and the newest release of each project. */
export async function projectStats(
  deps: Pick<QueryDeps, 'meta' | 'clock' | 'events'>,
  projects: readonly Project[],
  /** Answers undefined if the events store is down. */
  unlessAway: <Answer>(query: Promise<Answer>) => Promise<Answer | undefined>,
): Promise<ProjectStats[]> {
  const { meta, clock } = deps
  const range = rangeOf({ statsPeriod: '14d' }, clock.now())
  const { fromMs, toMs } = range
  const scope = { projectIds: projects.map((project) => project.id), environments: [], fromMs, toMs }
  const series = await unlessAway(errorSeries(deps, scope, dayMs))
  return await Array.fromAsync(projects, async (project) => {
    const own = series?.filter((point) => point.projectId === project.id)
    return {
      projectId: project.id,
      points: own && pointsOf(range, dayMs, own),
      events: own?.reduce((sum, point) => sum + point.events, 0),
      unresolved: await meta.issues.countIssues({ projectIds: [project.id], filter: unresolved }),
      newestRelease: (await releaseVersions(deps, [project], releasesMax))[0],
    }
  })
}
