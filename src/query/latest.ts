import { sortReleases } from '../domain/release-order.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Limit of a project's releases, the newest by creation, among which the latest is searched. */
const scannedMax = 1_000

/** Returns the latest release of each project by release order, without duplicates. Projects may have none. */
export async function latestReleases(
  meta: MetaWith<'releases.releaseTimes'>,
  projectIds: readonly number[],
): Promise<string[]> {
  const found = (
    await Array.fromAsync(projectIds, async (id) => {
      const times = await meta.releases.releaseTimes({ projectIds: [id], text: '', offset: 0, max: scannedMax })
      return sortReleases(times)[0]?.version ?? []
    })
  ).flat()
  return [...new Set(found)]
}

/** Returns the versions of the newest 1,000 releases of each project, without duplicates. */
export async function newestReleases(
  meta: MetaWith<'releases.releaseTimes'>,
  projectIds: readonly number[],
): Promise<string[]> {
  const found = (
    await Array.fromAsync(projectIds, async (id) =>
      (
        await meta.releases.releaseTimes({ projectIds: [id], text: '', offset: 0, max: scannedMax })
      ).map((releaseTime) => releaseTime.version),
    )
  ).flat()
  return [...new Set(found)]
}
