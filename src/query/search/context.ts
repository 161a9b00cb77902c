import type { CompileDeps } from '../issues/issue.ts'
import { latestReleases, newestReleases } from '../latest.ts'
import { releaseStages, type StagedRelease } from '../release-stages.ts'
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
  /** The adoption stages of releases by project, those with the most sessions first. */
  releaseStages(): Promise<readonly StagedRelease[]>
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

/** Where and by whom is searched: `environments` together (empty: all), `meUserId`: the user, if any. */
export type SearchView = {
  projects: readonly { id: number; slug: string }[]
  environments: readonly string[]
  meUserId?: string | undefined
}

/** Returns the context of a search. */
export function searchContextOf(
  deps: CompileDeps,
  { projects, environments, meUserId }: SearchView,
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
    releaseStages: once(() => releaseStages(deps, { projectIds, environments }, deps.releaseStages)),
    lists,
  }
}
