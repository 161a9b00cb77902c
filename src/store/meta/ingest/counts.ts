import type { Selectable } from 'kysely'
import type { OutcomeCount } from '../../../base/outcome.ts'
import { pruneAlerts } from '../alerts/prune.ts'
import { rowInsert } from '../database/row-statement.ts'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { pruneErrorLinks } from '../issues/error-links.ts'
import type { AttachmentRow, OutcomeRow } from '../meta.ts'
import { sampleDays } from '../projects/inbound-filters.ts'
import { unusedBlobs } from '../retention/unused-blobs.ts'

const hourMs = 3_600_000
const outcomeMonths = 13
/** Events are deleted by weeks of their arrival, some days after their retention ends. */
const ledgerMarginMs = 31 * 24 * 3_600_000

/** Sums counts of the same row, so that each row is written once. */
function sumOutcomes(counts: OutcomeCount[]): OutcomeCount[] {
  const sums = new Map<string, OutcomeCount>()
  for (const count of counts) {
    const key = `${count.projectId} ${count.keyId} ${count.category} ${count.outcome} ${count.reason} ${count.itemType}`
    const sum = sums.get(key)
    if (!sum) sums.set(key, { ...count })
    else {
      sum.quantity += count.quantity
      sum.bytes += count.bytes
    }
  }
  return [...sums.values()]
}

/** Returns the writer of outcomes. The caller opens the transaction. */
export function outcomeWriter(store: Store): (counts: OutcomeCount[], atMs: number) => Promise<void> {
  const add = rowInsert(
    store,
    'outcome',
    {
      hour_ms: 'integer',
      project_id: 'integer',
      key_id: 'integer',
      category: 'text',
      outcome: 'text',
      reason: 'text',
      item_type: 'text',
      quantity: 'integer',
      bytes: 'integer',
    },
    (insert) =>
      insert.onConflict((conflict) =>
        conflict
          .columns(['hour_ms', 'project_id', 'key_id', 'category', 'outcome', 'reason', 'item_type'])
          .doUpdateSet((build) => ({
            quantity: build('outcome.quantity', '+', build.ref('excluded.quantity')),
            bytes: build('outcome.bytes', '+', build.ref('excluded.bytes')),
          })),
      ),
  )
  return async (counts, atMs) => {
    const hour = Math.floor(atMs / hourMs) * hourMs
    await add.run(
      sumOutcomes(counts).map(({ projectId, keyId, itemType, ...count }) => ({
        hour_ms: hour,
        project_id: projectId,
        key_id: keyId,
        category: count.category,
        outcome: count.outcome,
        reason: count.reason,
        item_type: itemType,
        quantity: count.quantity,
        bytes: count.bytes,
      })),
    )
  }
}

const toAttachment = (row: Selectable<Tables['attachment']>): AttachmentRow & { id: number } => ({
  id: row.id,
  projectId: row.project_id,
  eventId: row.event_id,
  name: row.name,
  type: row.type,
  contentType: row.content_type,
  bytes: row.bytes,
  blobKey: row.blob_key,
  receivedMs: row.received_ms,
})

/** Outcomes of items, and when keys were last used. */
export type OutcomeStore = {
  /** Adds counts to the hour of `atMs`. */
  addOutcomes(counts: OutcomeCount[], atMs: number): Promise<void>
  outcomesSince(request: { projectIds?: number[]; fromMs: number }): Promise<OutcomeRow[]>
  /** Sums since the hour of `fromMs`, by project, key, category, outcome and reason. */
  outcomeSums(request: { projectIds?: number[]; fromMs: number }): Promise<Omit<OutcomeCount, 'itemType'>[]>
  /** Stores when ingest last saw keys, also in refused requests. Skips unknown ids. */
  touchKeys(uses: { keyId: number; atMs: number }[]): Promise<void>
}
/** Rows of attachments. */
export type AttachmentStore = {
  attachmentsOf(projectId: number, eventId: string): Promise<(AttachmentRow & { id: number })[]>
  attachmentById(id: number): Promise<(AttachmentRow & { id: number }) | undefined>
}
/** Values of the installation by name. */
export type ValueStore = {
  getValue(name: string): Promise<string | undefined>
  setValue(name: string, value: string): Promise<void>
}
/** Retention of rows. */
export type RetentionStore = {
  /** Deletes expired rows. Returns blob keys to delete. Outcomes stay 13 months and outlive the rows they count. */
  prune(
    nowMs: number,
    attachmentsBeforeMs: number,
    deadLettersBeforeMs: number,
    rowsBeforeMs?: number,
  ): Promise<string[]>
}

/** Returns outcomes by hour, in the order of the primary key. */
async function outcomesSince(
  { read, dialect: { builder } }: Store,
  { projectIds, fromMs }: { projectIds?: number[]; fromMs: number },
): Promise<OutcomeRow[]> {
  if (projectIds?.length === 0) return []
  const since = builder
    .selectFrom('outcome')
    .selectAll()
    .where('hour_ms', '>=', Math.floor(fromMs / hourMs) * hourMs)
    // The primary key, so that each database answers in the same order.
    .orderBy('hour_ms')
    .orderBy('project_id')
    .orderBy('key_id')
    .orderBy('category')
    .orderBy('outcome')
    .orderBy('reason')
    .orderBy('item_type')
  const rows = await read.all(projectIds ? since.where('project_id', 'in', projectIds) : since)
  return rows.map(
    (row): OutcomeRow => ({
      hourMs: row.hour_ms,
      projectId: row.project_id,
      keyId: row.key_id,
      category: row.category as OutcomeRow['category'],
      outcome: row.outcome as OutcomeRow['outcome'],
      reason: row.reason as OutcomeRow['reason'],
      itemType: row.item_type,
      quantity: row.quantity,
      bytes: row.bytes,
    }),
  )
}

/** Implements outcomes and the last use of keys. */
export function outcomePart(store: Store): OutcomeStore {
  const {
    write,
    read,
    dialect: { builder },
  } = store
  const writeOutcomes = outcomeWriter(store)
  const touch = write.prepared<{ id: number; ms: number }, unknown>((slot) =>
    builder
      .updateTable('project_key')
      .set({ last_used_ms: slot('ms') })
      .where('id', '=', slot('id'))
      .where((build) => build.or([build('last_used_ms', 'is', null), build('last_used_ms', '<', slot('ms'))])),
  )

  return {
    addOutcomes: async (counts, atMs) => {
      if (counts.length > 0) await write.transaction(async () => writeOutcomes(counts, atMs))
    },
    outcomesSince: (request) => outcomesSince(store, request),
    outcomeSums: async ({ projectIds, fromMs }) => {
      if (projectIds?.length === 0) return []
      const sums = builder
        .selectFrom('outcome')
        .select(['project_id', 'key_id', 'category', 'outcome', 'reason'])
        .select((build) => [build.fn.sum<number>('quantity').as('quantity'), build.fn.sum<number>('bytes').as('bytes')])
        .where('hour_ms', '>=', Math.floor(fromMs / hourMs) * hourMs)
        .groupBy(['project_id', 'key_id', 'category', 'outcome', 'reason'])
        .orderBy('project_id')
        .orderBy('key_id')
        .orderBy('category')
        .orderBy('outcome')
        .orderBy('reason')
      return (await read.all(projectIds ? sums.where('project_id', 'in', projectIds) : sums)).map((row) => ({
        projectId: row.project_id,
        keyId: row.key_id,
        category: row.category as OutcomeRow['category'],
        outcome: row.outcome as OutcomeRow['outcome'],
        reason: row.reason as OutcomeRow['reason'],
        quantity: Number(row.quantity),
        bytes: Number(row.bytes),
      }))
    },
    touchKeys: async (uses) => {
      if (uses.length > 0)
        await write.transaction(async () => {
          for (const { keyId, atMs } of uses) await touch.run({ id: keyId, ms: atMs })
        })
    },
  }
}

/** Implements retention. */
export function prunePart(store: Store): RetentionStore {
  const { write } = store
  const { builder } = store.dialect
  return {
    prune: async (nowMs, attachmentsBeforeMs, deadLettersBeforeMs, rowsBeforeMs = attachmentsBeforeMs) => {
      const before = new Date(nowMs)
      before.setUTCMonth(before.getUTCMonth() - outcomeMonths)
      return write.transaction(async () => {
        // `verify` compares the ledger with the rows. Rows are deleted by weeks, so the ledger must outlive them.
        const outcomesBeforeMs = Math.min(before.getTime(), rowsBeforeMs - ledgerMarginMs)
        await write.run(builder.deleteFrom('outcome').where('hour_ms', '<', outcomesBeforeMs))
        const attachments = await write.all(
          builder.selectFrom('attachment').select('blob_key').distinct().where('received_ms', '<', attachmentsBeforeMs),
        )
        const deadRows = await write.all(
          builder.selectFrom('dead_item').select('blob_key').distinct().where('received_ms', '<', deadLettersBeforeMs),
        )
        await write.run(builder.deleteFrom('attachment').where('received_ms', '<', attachmentsBeforeMs))
        await write.run(builder.deleteFrom('dead_item').where('received_ms', '<', deadLettersBeforeMs))
        await write.run(builder.deleteFrom('feedback').where('received_ms', '<', attachmentsBeforeMs))
        await pruneErrorLinks(store, attachmentsBeforeMs)
        await pruneAlerts(store, nowMs)
        await write.run(
          builder.deleteFrom('filtered_event').where('received_ms', '<', nowMs - sampleDays * 24 * hourMs),
        )
        return unusedBlobs(
          store,
          [...attachments, ...deadRows].map((row) => row.blob_key),
        )
      })
    },
  }
}

/** Implements values by name. */
export function valuePart({ write, read, dialect: { builder } }: Store): ValueStore {
  return {
    getValue: async (name) =>
      (await read.get(builder.selectFrom('value').select('text').where('name', '=', name)))?.text,
    setValue: async (name, text) => {
      await write.run(
        builder
          .insertInto('value')
          .values({ name, text })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ text })),
      )
    },
  }
}

/** Implements reads of attachment rows. */
export function attachmentPart({ read, dialect: { builder } }: Store): AttachmentStore {
  return {
    attachmentsOf: async (projectId, eventId) =>
      (
        await read.all(
          builder
            .selectFrom('attachment')
            .selectAll()
            .where('project_id', '=', projectId)
            .where('event_id', '=', eventId)
            .orderBy('id'),
        )
      ).map(toAttachment),
    attachmentById: async (id) => {
      const row = await read.get(builder.selectFrom('attachment').selectAll().where('id', '=', id))
      return row && toAttachment(row)
    },
  }
}
