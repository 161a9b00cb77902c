import type { QueryDeps } from '../issue.ts'
import { latestReleases, newestReleases } from '../latest.ts'
import type { Wanted } from './ast.ts'
import { type CutRelease, cutRelease, fits } from './release-parts.ts'

/** What a plan needs to know about the person who searches and the projects that are searched. */
export type SearchContext = {
  nowMs: number
  meUserId: string | undefined
  userIdOf(email: string): string | undefined
  /** Ids of the searched projects by slug; empty when no slug fits. */
  projectIdsOf(slug: Wanted): number[]
  projectIds: number[]
  /** The latest release of each project, each release once. */
  latestReleases(): string[]
  /** The newest 1,000 releases of each project. */
  releases(): readonly CutRelease[]
  /** What is listed. Some keys live in another place when events are listed (`eventSource` of a key). */
  lists: 'issues' | 'events'
}

/** Calls `load` at most once, however many terms of a query need the value. */
function once<Value>(load: () => Value): () => Value {
  let loaded: { value: Value } | undefined
  return () => {
    loaded ??= { value: load() }
    return loaded.value
  }
}

/** The context of a search in these projects; `meUserId` is the searcher, if the searcher is a person. */
export function searchContextOf(
  deps: QueryDeps,
  projects: readonly { id: number; slug: string }[],
  meUserId: string | undefined,
  lists: 'issues' | 'events',
): SearchContext {
  const projectIds = projects.map((project) => project.id)
  return {
    nowMs: deps.clock.now(),
    meUserId,
    userIdOf: (email) => deps.auth.personByEmail(email)?.id,
    projectIdsOf: (slug) => projects.filter((project) => fits(project.slug, slug)).map((project) => project.id),
    projectIds,
    latestReleases: once(() => latestReleases(deps.meta, projectIds)),
    releases: once(() => newestReleases(deps.meta, projectIds).map(cutRelease)),
    lists,
  }
}
