import type { CompileDeps } from '../issues/issue.ts'
import { latestReleases, newestReleases } from '../latest.ts'
import type { TextPattern } from './ast.ts'
import { fits, type ReleaseParts, splitRelease } from './release-parts.ts'

/** Facts about the user who searches and about the searched projects that a plan needs. */
export type SearchContext = {
  nowMs: number
  meUserId: string | undefined
  userIdOf(email: string): Promise<string | undefined>
  /** Ids of the searched projects by slug; empty if no slug matches. */
  projectIdsOf(slug: TextPattern): number[]
  projectIds: number[]
  /** The latest release of each project, each release once. */
  latestReleases(): Promise<string[]>
  /** The newest 1,000 releases of each project. */
  releases(): Promise<readonly ReleaseParts[]>
  /** The listed objects. Some keys have another source when events are listed (`eventSource` of a key). */
  lists: 'issues' | 'events'
}

/** Calls `load` at most once, however many terms of a query need the value. */
function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}

/** Returns the context of a search in these projects. `meUserId` is the user who searches, if any. */
export function searchContextOf(
  deps: CompileDeps,
  projects: readonly { id: number; slug: string }[],
  meUserId: string | undefined,
  lists: 'issues' | 'events',
): SearchContext {
  const projectIds = projects.map((project) => project.id)
  return {
    nowMs: deps.clock.now(),
    meUserId,
    userIdOf: async (email) => (await deps.auth.personByEmail(email))?.id,
    projectIdsOf: (slug) => projects.filter((project) => fits(project.slug, slug)).map((project) => project.id),
    projectIds,
    latestReleases: once(() => latestReleases(deps.meta, projectIds)),
    releases: once(async () => (await newestReleases(deps.meta, projectIds)).map(splitRelease)),
    lists,
  }
}
