import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

import { noteSpansGone } from './evicted-spans.ts'

const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** 1970 began on a Thursday: the first Monday was four days later. */
const mondayMs = 4 * dayMs

/** The last Monday at midnight (UTC) up to `atMs`: events leave by whole weeks, as their rollups know no days. */
export const mondayBefore = (atMs: number): number => Math.floor((atMs - mondayMs) / weekMs) * weekMs + mondayMs

/** Drops what organizations keep for a shorter time than the installation; returns how many files went. */
export async function keepOwn({
  nowMs,
  meta,
  events,
  blobs,
  retentionErrorsDays,
  retentionSpansDays,
}: {
  nowMs: number
  meta: Pick<MetaStore, 'shorterRetentions' | 'dropKept' | 'getValue' | 'setValue'>
  events: Pick<EventStore, 'removeBefore' | 'removeSpansBefore'>
  blobs: Pick<BlobStore, 'delete'>
  retentionErrorsDays: number
  retentionSpansDays: number
}): Promise<number> {
  let removed = 0
  for (const { organizationId, days, projectIds } of meta.shorterRetentions()) {
    if (projectIds.length === 0) continue
    // Spans leave by days, and never later than the errors beside them.
    const spansBeforeMs = Math.floor((nowMs - days * dayMs) / dayMs) * dayMs
    if (days < retentionSpansDays && (await events.removeSpansBefore(projectIds, spansBeforeMs)) > 0)
      noteSpansGone(meta)
    if (days >= retentionErrorsDays) continue
    const beforeMs = mondayBefore(nowMs - days * dayMs)
    await events.removeBefore(projectIds, beforeMs)
    for (const key of meta.dropKept(organizationId, projectIds, beforeMs)) {
      await blobs.delete(key)
      removed++
    }
  }
  return removed
}
