import type { Clock } from '../base/clock.ts'
import type { Project } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { NewCommit, Place, Ref, Repository } from '../store/meta/releases/commits.ts'
import type { Deploy } from '../store/meta/releases/deploys.ts'
import type { ReleaseChange } from '../store/meta/releases/releases.ts'
import { type Announces, announceIssues } from './announce.ts'
import { newFixes, resolveFixed } from './commit-fixes.ts'

type Times = { clock: Pick<Clock, 'now'> }

/** What is said of a release in some of its organization's projects. */
type ReleaseWrite = Place & { projectIds: readonly number[]; change: ReleaseChange }

/**
 * Makes a release, or changes the release of this version. Issues that were resolved in the next release are resolved
 * in this release, if their project is new to it. `isNew`: none of the projects had it.
 */
export function createRelease(
  parts: Announces & Times & { meta: Pick<MetaStore, 'releaseOf' | 'makeRelease' | 'settleRelease'> },
  value: ReleaseWrite,
): { isNew: boolean } {
  const { meta, clock } = parts
  const fresh = value.projectIds.filter((id) => !meta.releaseOf([id], value.version))
  const { isNew } = meta.makeRelease(value, clock.now())
  announceIssues(parts, value.organizationId, meta.settleRelease(fresh, value.version, clock.now()))
  return { isNew }
}

/** Changes a release in each of these projects that has it. Throws NOT_FOUND. */
export function updateRelease(
  { meta, clock }: Times & { meta: Pick<MetaStore, 'changeRelease'> },
  value: ReleaseWrite,
): void {
  meta.changeRelease(value, clock.now())
}

/** Commits and refs as a build tells them; undefined: it says nothing. */
type ToldCommits = { commits: readonly NewCommit[] | undefined; refs: readonly Ref[] | undefined }

type CommitParts = Announces &
  Times & {
    meta: Pick<
      MetaStore,
      'versionsWithCommit' | 'setCommits' | 'setRefs' | 'settleCommits' | 'issueByShortId' | 'releaseOf' | 'updateIssue'
    >
  }

/**
 * Writes the commits and refs of a release, if any are told. What waits in `projectIds` for one of them is resolved here,
 * and so are issues of the `fixable` projects that a commit says it fixes.
 */
export function setReleaseCommits(
  parts: CommitParts,
  place: Place,
  { commits, refs }: ToldCommits,
  { projectIds, fixable }: { projectIds: readonly number[]; fixable: readonly Project[] },
): void {
  const { meta, clock } = parts
  const { organizationId, version } = place
  const nowMs = clock.now()
  // Before the commits are stored: only those that no release has yet fix anything.
  const fixes = newFixes(parts, organizationId, commits ?? [])
  if (commits) meta.setCommits(place, commits, nowMs)
  // No refs beside commits say nothing: alone they ask for none.
  if (refs && (refs.length > 0 || !commits)) meta.setRefs(place, refs, nowMs)
  const has = (repository: string, commit: string) =>
    meta.versionsWithCommit(organizationId, repository, commit).includes(version)
  // Also without any told: a project may have joined a release that has commits.
  announceIssues(parts, organizationId, meta.settleCommits(projectIds, version, has, nowMs))
  resolveFixed(parts, place, fixable, fixes)
}

/** Deletes what builds said of a release in these projects, with the files that were uploaded for it separately. */
export async function deleteRelease(
  parts: {
    artifacts: { removeFiles(projectIds: readonly number[], release: string): Promise<void> }
    meta: Pick<MetaStore, 'removeRelease'>
  },
  { organizationId, version }: Place,
  projectIds: readonly number[],
): Promise<void> {
  await parts.artifacts.removeFiles(projectIds, version)
  parts.meta.removeRelease(organizationId, projectIds, version)
}

/** Notes a deploy of a release. */
export const createDeploy = (
  { meta }: { meta: Pick<MetaStore, 'addDeploy'> },
  value: Omit<Deploy, 'id'> & { organizationId: number },
): Deploy => meta.addDeploy(value)

/** Makes a repository that people see in the list, or changes the address of the one of this name. */
export const createRepository = (
  { meta, clock }: Times & { meta: Pick<MetaStore, 'putRepository'> },
  value: { organizationId: number; name: string; url: string },
): Repository => meta.putRepository(value, clock.now())

/** Takes a repository out of the list; commits of releases stay. False when it was not in it. */
export const deleteRepository = (
  { meta }: { meta: Pick<MetaStore, 'unlistRepository'> },
  organizationId: number,
  id: number,
): boolean => meta.unlistRepository(organizationId, id)
