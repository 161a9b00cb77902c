import { sortReleases } from '../domain/release-order.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

/** Releases of a project among which the latest is looked for: the newest by creation. */
const lookedMax = 1_000

/** The latest release of each project by the order of releases, each once; projects without one are left out. */
export function latestReleases(meta: Pick<MetaStore, 'releaseTimes'>, projectIds: readonly number[]): string[] {
  const found = projectIds.flatMap((id) => {
    const times = meta.releaseTimes({ projectIds: [id], text: '', offset: 0, max: lookedMax })
    return sortReleases(times)[0]?.version ?? []
  })
  return [...new Set(found)]
}

/** Versions of the newest 1,000 releases of each project, each once. */
export function newestReleases(meta: Pick<MetaStore, 'releaseTimes'>, projectIds: readonly number[]): string[] {
  const found = projectIds.flatMap((id) =>
    meta
      .releaseTimes({ projectIds: [id], text: '', offset: 0, max: lookedMax })
      .map((releaseTime) => releaseTime.version),
  )
  return [...new Set(found)]
}
