import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/events.ts'
import type { RetentionDays } from '../store/events/table.ts'
import { anyTable, partitionStart, tableNames } from '../store/events/tables.ts'
import type { MetaStore } from '../store/meta/meta.ts'
import { noteEvicted } from './evicted-rows.ts'

const dayMs = 86_400_000

type OwnRetention = {
  nowMs: number
  retention: RetentionDays
  meta: Pick<MetaStore, 'shorterRetentions' | 'dropKept' | 'getValue' | 'setValue'>
  events: Pick<EventStore, 'removeBefore'>
  blobs: Pick<BlobStore, 'delete'>
}

/**
 * Drops what organizations keep for a shorter time than the installation; returns how many files went. Rows leave by whole
 * partitions: events by weeks, as their rollups know no days, spans by days.
 */
export async function keepOwn({ nowMs, retention, meta, events, blobs }: OwnRetention): Promise<number> {
  let removed = 0
  for (const { organizationId, days, projectIds } of meta.shorterRetentions()) {
    if (projectIds.length === 0) continue
    for (const table of tableNames) {
      if (days >= anyTable(table).retentionDays(retention)) continue
      const startMs = partitionStart(table, nowMs - days * dayMs)
      const rows = await events.removeBefore(table, projectIds, startMs)
      if (rows > 0 && anyTable(table).tally) noteEvicted(meta, table)
      if (table !== 'events') continue
      for (const key of meta.dropKept(organizationId, projectIds, startMs)) {
        await blobs.delete(key)
        removed++
      }
    }
  }
  return removed
}
