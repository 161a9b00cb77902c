import { z } from 'zod'
import type { RestReleaseWithHealth } from '../../contract/release-health.ts'
import type { RestRelease } from '../../contract/releases.ts'
import { rangeOf } from '../../query/range.ts'
import { healthData } from '../../query/release-health.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { Call } from '../route.ts'

/** Query parameters for release health. */
export const healthQuery = {
  health: z.enum(['0', '1']).optional().describe('1: each project of a release has healthData.'),
  summaryStatsPeriod: z.string().max(10).optional().describe('Range of the totals of healthData: 14d (the default).'),
}
type HealthQuery = { health?: string | undefined; summaryStatsPeriod?: string | undefined; environment?: string[] }

/** Adds health data to releases if the call asks for it. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export async function withHealth(
  call: Call<unknown, unknown>,
  query: HealthQuery,
  projects: readonly Project[],
  releases: readonly RestRelease[],
): Promise<RestReleaseWithHealth[]> {
  if (query.health !== '1' || releases.length === 0) return [...releases]
  const { app } = call
  const range = rangeOf({ statsPeriod: query.summaryStatsPeriod || undefined }, app.clock.now())
  const environments = (query.environment ?? []).filter((name) => name !== '')
  const versions = releases.map((release) => release.version)
  const healthOf = await healthData(app, { projects, environments, range }, versions)
  return releases.map((release) => ({
    ...release,
    projects: release.projects.map((project) => ({ ...project, healthData: healthOf(release.version, project.id) })),
  }))
}
