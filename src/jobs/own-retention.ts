import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { RetentionDays } from '../store/events/table.ts'
import { anyTable, partitionStart, tableNames } from '../store/events/tables.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { recordEvicted } from './evicted-rows.ts'

const dayMs = 86_400_000

type OrganizationRetention = {
  nowMs: number
  retention: RetentionDays
  meta: MetaWith<
    'organizations.shorterRetentions' | 'organizations.dropExpired' | 'values.getValue' | 'values.setValue'
  >
  events: Pick<EventStore, 'removeBefore'>
  blobs: Pick<BlobStore, 'delete'>
}

/**
 * Applies shorter retentions of organizations and returns the number of deleted files. Rows are removed in whole
 * partitions: events by week, because their rollups have no days, spans by day.
 */
export async function applyOwnRetention({
  nowMs,
  retention,
  meta,
  events,
  blobs,
}: OrganizationRetention): Promise<number> {
  let removed = 0
  for (const { organizationId, days, projectIds } of await meta.organizations.shorterRetentions()) {
    if (projectIds.length === 0) continue
    for (const table of tableNames) {
      if (days >= anyTable(table).retentionDays(retention)) continue
      const startMs = partitionStart(table, nowMs - days * dayMs)
      const rows = await events.removeBefore(table, projectIds, startMs)
      if (rows > 0 && anyTable(table).tally) await recordEvicted(meta, table)
      if (table !== 'events') continue
      for (const key of await meta.organizations.dropExpired(organizationId, projectIds, startMs)) {
        await blobs.delete(key)
        removed++
      }
    }
  }
  return removed
}
