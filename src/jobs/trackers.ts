import type { Clock } from '../base/clock.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** How long commits stay that no release has. A build that comes later sends its commits itself. */
const pushedRetentionMs = 90 * 86_400_000

/** Deletes old notes of webhooks, and commits that webhooks reported and no release has. */
export async function pruneTrackers({
  meta,
  clock,
}: {
  meta: MetaWith<'trackers.pruneHooks' | 'releases.prunePushed'>
  clock: Pick<Clock, 'now'>
}): Promise<Record<string, unknown>> {
  await meta.trackers.pruneHooks(clock.now())
  return { commits: await meta.releases.prunePushed(clock.now() - pushedRetentionMs) }
}
