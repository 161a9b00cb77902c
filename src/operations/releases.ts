import type { Clock } from '../base/clock.ts'
import { filterAsync } from '../base/sequence.ts'
import type { Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { NewCommit, Place, Ref, Repository } from '../store/meta/releases/commits.ts'
import type { Deploy } from '../store/meta/releases/deploys.ts'
import type { ReleaseChange } from '../store/meta/releases/releases.ts'
import { type Announces, announceIssues } from './announce.ts'
import { newFixes, resolveFixed } from './commit-fixes.ts'

type Times = { clock: Pick<Clock, 'now'> }

/** Values of a release in some projects of its organization. */
type ReleaseWrite = Place & { projectIds: readonly number[]; change: ReleaseChange }

/**
 * Creates or changes the release of this version. Issues that were resolved in the next release are resolved in this
 * release if it is new to their project. `isNew`: none of the projects had it.
 */
export async function createRelease(
  deps: Announces & Times & { meta: MetaWith<'releases.releaseOf' | 'releases.makeRelease' | 'issues.settleRelease'> },
  value: ReleaseWrite,
): Promise<{ isNew: boolean }> {
  const { meta, clock } = deps
  const fresh = await filterAsync(value.projectIds, async (id) => !(await meta.releases.releaseOf([id], value.version)))
  const { isNew } = await meta.releases.makeRelease(value, clock.now())
  announceIssues(deps, value.organizationId, await meta.issues.settleRelease(fresh, value.version, clock.now()))
  return { isNew }
}

/** Changes a release in each of these projects that have it. Throws NOT_FOUND. */
export async function updateRelease(
  { meta, clock }: Times & { meta: MetaWith<'releases.changeRelease'> },
  value: ReleaseWrite,
): Promise<void> {
  await meta.releases.changeRelease(value, clock.now())
}

/** Commits and refs from a build; undefined when the request omits them. */
type ReportedCommits = { commits: readonly NewCommit[] | undefined; refs: readonly Ref[] | undefined }

type CommitDeps = Announces &
  Times & {
    meta: MetaWith<
      | 'releases.versionsWithCommit'
      | 'releases.setCommits'
      | 'releases.setRefs'
      | 'issues.settleCommits'
      | 'issues.issueByShortId'
      | 'releases.releaseOf'
      | 'issues.updateIssue'
    >
  }

/**
 * Stores the commits and refs of a release, if any are given. Resolves issues of `projectIds` that wait for one of
 * these commits, and issues of the `fixable` projects that a commit message names as fixed.
 */
export async function setReleaseCommits(
  deps: CommitDeps,
  place: Place,
  { commits, refs }: ReportedCommits,
  { projectIds, fixable }: { projectIds: readonly number[]; fixable: readonly Project[] },
): Promise<void> {
  const { meta, clock } = deps
  const { organizationId, version } = place
  const nowMs = clock.now()
  // Before the commits are stored: only commits that no release has yet can fix an issue.
  const fixes = await newFixes(deps, organizationId, commits ?? [])
  if (commits) await meta.releases.setCommits(place, commits, nowMs)
  // An empty list of refs next to commits means no change. Alone, it clears the refs.
  if (refs && (refs.length > 0 || !commits)) await meta.releases.setRefs(place, refs, nowMs)
  const has = async (repository: string, commit: string) =>
    (await meta.releases.versionsWithCommit(organizationId, repository, commit)).includes(version)
  // Also without commits in the request: a project can have joined a release that already has commits.
  announceIssues(deps, organizationId, await meta.issues.settleCommits(projectIds, version, has, nowMs))
  await resolveFixed(deps, place, fixable, fixes)
}

/** Deletes a release's data from builds in these projects, including the files that were uploaded for it separately. */
export async function deleteRelease(
  deps: {
    artifacts: { removeFiles(projectIds: readonly number[], release: string): Promise<void> }
    meta: MetaWith<'releases.removeRelease'>
  },
  { organizationId, version }: Place,
  projectIds: readonly number[],
): Promise<void> {
  await deps.artifacts.removeFiles(projectIds, version)
  await deps.meta.releases.removeRelease(organizationId, projectIds, version)
}

/** Stores a deploy of a release. */
export const createDeploy = (
  { meta }: { meta: MetaWith<'releases.addDeploy'> },
  value: Omit<Deploy, 'id'> & { organizationId: number },
): Promise<Deploy> => meta.releases.addDeploy(value)

/** Creates a listed repository, or changes the address of the existing one with this name. */
export const createRepository = (
  { meta, clock }: Times & { meta: MetaWith<'releases.putRepository'> },
  value: { organizationId: number; name: string; url: string },
): Promise<Repository> => meta.releases.putRepository(value, clock.now())

/** Removes a repository from the list; the commits of releases stay. Returns false when it was not listed. */
export const deleteRepository = (
  { meta }: { meta: MetaWith<'releases.unlistRepository'> },
  organizationId: number,
  id: number,
): Promise<boolean> => meta.releases.unlistRepository(organizationId, id)
