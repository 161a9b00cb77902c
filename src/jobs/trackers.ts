import type { MetaWith } from '../store/meta/meta-store.ts'

/** How long commits stay that no release has. A build that comes later sends its commits itself. */
const pushedRetentionMs = 90 * 86_400_000

/** Deletes old notes of webhooks, and commits that webhooks reported and no release has. `nowMs`: the trusted time. */
export async function pruneTrackers(
  { meta }: { meta: MetaWith<'trackers.pruneHooks' | 'releases.prunePushed'> },
  nowMs: number,
): Promise<Record<string, unknown>> {
  await meta.trackers.pruneHooks(nowMs)
  return { commits: await meta.releases.prunePushed(nowMs - pushedRetentionMs) }
}
