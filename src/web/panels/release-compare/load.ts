import type { RestReleaseCompare } from '../../../contract/release-compare.ts'
import type { RestHealth, RestShare } from '../../../contract/release-health.ts'
import { compareReleases } from '../../../query/release-compare.ts'
import { releaseHealth } from '../../../query/release-health.ts'
import { releaseVersions } from '../../../query/releases.ts'
import type { Organization, Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { unlessAway } from '../../server/unless-away.ts'
import { chosenVersions } from './chosen.ts'

/** Releases to choose from, the newest first. */
const versionsMax = 1000

/** The versions of these projects in the order of releases, the newest first. */
export const versionsOf = (projects: readonly Project[]): Promise<string[]> =>
  releaseVersions(app(), projects, versionsMax)

/** The comparison. `missing`: one of the releases is not there. `away`: the events store is down. */
export async function loadComparison(request: {
  organization: Organization
  projects: Project[]
  environments: string[]
  a: string
  b: string
}): Promise<RestReleaseCompare | 'missing' | 'away'> {
  const found = await unlessAway(compareReleases(app(), request).then((compared) => compared ?? ('missing' as const)))
  return found ?? 'away'
}

/** What the head of a release's page says. */
export type ReleaseJudgement = {
  /** Undefined: there is no release to compare with. */
  compared: RestReleaseCompare | undefined
  /** The release and at most two before it that have sessions. */
  shares: { version: string; share: RestShare }[]
  own: RestHealth | undefined
}

/**
 * Compares a release with `against`, else with the nearest earlier one that has sessions, else with the nearest earlier
 * one. `away`: the events store is down.
 */
export async function judgeRelease(request: {
  organization: Organization
  projects: Project[]
  environments: string[]
  version: string
  against: string
}): Promise<ReleaseJudgement | 'away'> {
  const { version, against } = request
  const health = await unlessAway(releaseHealth(app(), request).then((found) => ({ found })))
  if (!health) return 'away'
  const own = health.found?.own
  const before = health.found?.before ?? []
  const previous =
    against || before[0]?.version || chosenVersions(await versionsOf(request.projects), { a: '', b: version }).a
  const compared =
    previous && previous !== version ? await loadComparison({ ...request, a: previous, b: version }) : undefined
  if (compared === 'away') return 'away'
  const known = compared === 'missing' ? undefined : compared
  const other = known?.a.health?.crashFreeSessions
  const others = [
    ...(known && other ? [{ version: known.a.version, share: other }] : []),
    ...before
      .filter((release) => release.version !== known?.a.version)
      .map((release) => ({ version: release.version, share: release.crashFreeSessions })),
  ].slice(0, 2)
  return {
    compared: known,
    shares: own?.crashFreeSessions ? [{ version, share: own.crashFreeSessions }, ...others] : [],
    own,
  }
}
