import type { Clock } from '../base/clock.ts'
import { fixedIssues } from '../domain/alerts/commit-fixes.ts'
import type { Project } from '../store/meta/meta.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { NewCommit } from '../store/meta/releases/commits.ts'
import { type Announces, announceIssues } from './announce.ts'

/** Maximum issues that the commits of one call can resolve. */
const issuesMax = 1_000

/** A commit whose message names the issues that it fixes. */
type Fix = { commit: NewCommit; shortIds: string[] }

/**
 * Returns the commits that fix issues and that no release has yet. Builds often send the same commits again. Only the
 * first time counts, so that an issue that reappeared stays open. Call this before the commits are stored.
 */
export async function newFixes(
  { meta }: { meta: MetaWith<'releases.versionsWithCommit'> },
  organizationId: number,
  commits: readonly NewCommit[],
): Promise<Fix[]> {
  let left = issuesMax
  const fixes: Fix[] = []
  for (const commit of commits) {
    const shortIds = fixedIssues(commit.message).slice(0, left)
    if (shortIds.length === 0) continue
    if ((await meta.releases.versionsWithCommit(organizationId, commit.repository, commit.sha)).length > 0) continue
    left -= shortIds.length
    fixes.push({ commit, shortIds })
  }
  return fixes
}

type Deps = Announces & {
  meta: MetaWith<'issues.issueByShortId' | 'releases.releaseOf' | 'issues.updateIssue'>
  clock: Pick<Clock, 'now'>
}

/**
 * Resolves the issues that commits of a release fix: in the release if the issue's project has it, else in the commit,
 * until a release of that project contains it. Changes only unresolved issues of `projects`, which the caller can
 * change. The activity names the commit and its author, but no member: anybody can put a name into a commit.
 */
export async function resolveFixed(
  deps: Deps,
  { organizationId, version }: { organizationId: number; version: string },
  projects: readonly Project[],
  fixes: readonly Fix[],
): Promise<void> {
  const { meta, clock } = deps
  const allowed = new Set(projects.map((project) => project.id))
  for (const { commit, shortIds } of fixes) {
    const { repository, sha } = commit
    for (const shortId of shortIds) {
      const issue = await meta.issues.issueByShortId(organizationId, shortId)
      if (!issue || issue.status === 'resolved' || !allowed.has(issue.projectId)) continue
      const inRelease = (await meta.releases.releaseOf([issue.projectId], version)) ? { inRelease: version } : {}
      const statusDetails = { ...inRelease, inCommit: { repository, commit: sha } }
      const change = { status: 'resolved', substatus: null, statusDetails } as const
      const activityData = { reason: 'commit', commit: sha, author: commit.authorName }
      const { activityId } = await meta.issues.updateIssue(issue.id, change, null, clock.now(), undefined, activityData)
      if (activityId !== null) announceIssues(deps, organizationId, [issue.id])
    }
  }
}
