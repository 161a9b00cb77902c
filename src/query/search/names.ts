import type { QueryDeps } from '../issue.ts'
import { latestReleases, newestReleases } from '../latest.ts'
import type { Names } from './plan.ts'
import { cutRelease, fits } from './release-parts.ts'

/** Asked at most once, however many terms of a query want to know. */
function once<Value>(ask: () => Value): () => Value {
  let kept: { value: Value } | undefined
  return () => {
    kept ??= { value: ask() }
    return kept.value
  }
}

/** What names in a query stand for within these projects, for the one who asks. */
export function namesOf(
  deps: QueryDeps,
  projects: readonly { id: number; slug: string }[],
  meUserId: string | undefined,
  over?: 'events',
): Names {
  const projectIds = projects.map((project) => project.id)
  return {
    nowMs: deps.clock.now(),
    meUserId,
    userIdOf: (email) => deps.auth.personByEmail(email)?.id,
    projectIdsOf: (wanted) => projects.filter((project) => fits(project.slug, wanted)).map((project) => project.id),
    projectIds,
    latestReleases: once(() => latestReleases(deps.meta, projectIds)),
    releases: once(() => newestReleases(deps.meta, projectIds).map(cutRelease)),
    ...(over ? { over } : {}),
  }
}
