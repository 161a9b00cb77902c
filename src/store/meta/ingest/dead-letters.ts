import type { Selectable } from 'kysely'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { DeadLetter } from '../meta.ts'
import { outcomeWriter } from './counts.ts'

/** Dead letters, and blob sizes by project. */
export type DeadLetterStore = {
  /** Newest first. */
  deadLetters(max: number, projectIds?: number[]): Promise<(DeadLetter & { id: number })[]>
  deadLetterById(id: number): Promise<(DeadLetter & { id: number }) | undefined>
  /**
   * Deletes a dead letter and counts it as deleted. `quantity`: how many outcomes it counted as, 1 unless it has spans.
   * Returns the key of the blob to delete, or undefined when the dead letter did not exist.
   */
  deleteDeadLetter(id: number, quantity: number, nowMs: number): Promise<string | undefined>
  /** Blob sizes of attachments, dead letters and bundles, by project. */
  bytesByProject(): Promise<
    {
      projectId: number
      attachments: { count: number; bytes: number }
      dead: { count: number; bytes: number }
      /** Uploaded bundles. A shared bundle counts for its oldest project. */
      bundles: { count: number; bytes: number }
    }[]
  >
}

const toDeadLetter = (row: Selectable<Tables['dead_item']>): DeadLetter & { id: number } => ({
  id: row.id,
  jpos: row.jpos,
  projectId: row.project_id,
  keyId: row.key_id,
  receivedMs: row.received_ms,
  reason: row.reason,
  bytes: row.bytes,
  blobKey: row.blob_key,
})

/** Sizes of bundles. A shared bundle counts for its oldest project. */
async function bundleSizes({ read, dialect: { builder } }: Store) {
  const oldest = builder
    .selectFrom('artifact_link')
    .select(['bundle_id', (build) => build.fn.min<number>('project_id').as('project_id')])
    .groupBy('bundle_id')
  return read.all(
    builder
      .selectFrom('artifact_bundle')
      .innerJoin(oldest.as('owner'), 'owner.bundle_id', 'artifact_bundle.id')
      .select((build) => [
        'owner.project_id',
        build.fn.countAll<number>().as('count'),
        build.fn.sum<number>('bytes').as('bytes'),
      ])
      .groupBy('owner.project_id'),
  )
}

/** Implements dead letters, and blob sizes by project. */
export function deadLetterPart(store: Store): DeadLetterStore {
  const {
    write,
    read,
    dialect: { builder },
  } = store
  const writeOutcomes = outcomeWriter(store)
  const sizes = (table: 'attachment' | 'dead_item') =>
    read.all(
      builder
        .selectFrom(table)
        .select((build) => [
          'project_id',
          build.fn.countAll<number>().as('count'),
          build.fn.sum<number>('bytes').as('bytes'),
        ])
        .groupBy('project_id'),
    )

  return {
    deadLetters: async (max, projectIds) => {
      if (projectIds?.length === 0) return []
      const newest = builder.selectFrom('dead_item').selectAll().orderBy('id', 'desc').limit(max)
      return (await read.all(projectIds ? newest.where('project_id', 'in', projectIds) : newest)).map(toDeadLetter)
    },
    deadLetterById: async (id) => {
      const row = await read.get(builder.selectFrom('dead_item').selectAll().where('id', '=', id))
      return row && toDeadLetter(row)
    },
    deleteDeadLetter: (id, quantity, nowMs) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('dead_item').selectAll().where('id', '=', id))
        if (!row) return undefined
        await write.run(builder.deleteFrom('dead_item').where('id', '=', id))
        // The outcome stays `dead`, because the item was received. Only the reason changes.
        const count = { projectId: row.project_id, keyId: row.key_id, category: 'default', itemType: '' } as const
        const deadLetterOutcome = { ...count, outcome: 'dead' } as const
        await writeOutcomes(
          [
            { ...deadLetterOutcome, reason: 'failed', quantity: -quantity, bytes: -row.bytes },
            { ...deadLetterOutcome, reason: 'deleted', quantity, bytes: row.bytes },
          ],
          nowMs,
        )
        return row.blob_key
      }),
    bytesByProject: async () => {
      const none = { count: 0, bytes: 0 }
      const nothing = { attachments: none, dead: none, bundles: none }
      const found = new Map<number, Awaited<ReturnType<DeadLetterStore['bytesByProject']>>[number]>()
      for (const [kind, rows] of [
        ['attachments', await sizes('attachment')],
        ['dead', await sizes('dead_item')],
        ['bundles', await bundleSizes(store)],
      ] as const)
        for (const row of rows) {
          const item = found.get(row.project_id) ?? { projectId: row.project_id, ...nothing }
          found.set(row.project_id, { ...item, [kind]: { count: Number(row.count), bytes: Number(row.bytes) } })
        }
      return [...found.values()].sort((a, b) => a.projectId - b.projectId)
    },
  }
}
