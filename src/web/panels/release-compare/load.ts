import type { RestReleaseCompare } from '../../../contract/release-compare.ts'
import { compareReleases } from '../../../query/release-compare.ts'
import { releaseVersions } from '../../../query/releases.ts'
import type { Organization, Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { unlessAway } from '../../server/unless-away.ts'

/** Releases to choose from, the newest first. */
const versionsMax = 1000

/** The versions of these projects in the order of releases, the newest first. */
export const versionsOf = (projects: readonly Project[]): string[] => releaseVersions(app(), projects, versionsMax)

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
