import type { Clock } from '../../base/clock.ts'
import type { Asked } from '../../store/events/question.ts'
import type { RetentionDays } from '../../store/events/table.ts'
import { anyTable, partitionStart, tableNames } from '../../store/events/tables.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'

const dayMs = 86_400_000

type StoredDeps = { clock: Clock; config: RetentionDays; meta: MetaWith<'organizations.shorterRetentions'> }

/**
 * The time from which rows of a dataset are still stored. Retention deletes whole partitions, so the rows of a started one
 * are there. The ledger has its own retention and is never too short for a range of its rows: 0.
 */
export async function storedSince(
  { clock, config, meta }: StoredDeps,
  from: Asked,
  projectIds: readonly number[],
): Promise<number> {
  const table = tableNames.find((name) => name === from)
  if (table === undefined) return 0
  const own = (await meta.organizations.shorterRetentions()).filter((organization) =>
    organization.projectIds.some((id) => projectIds.includes(id)),
  )
  const days = Math.min(anyTable(table).retentionDays(config), ...own.map((organization) => organization.days))
  return partitionStart(table, clock.now() - days * dayMs)
}
