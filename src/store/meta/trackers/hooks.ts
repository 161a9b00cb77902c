import type { HookOutcome } from '../../../domain/alerts/trackers.ts'
import type { Store } from '../database/store.ts'
import { insertComment } from '../issues/comments.ts'

/** Deliveries of a connection with the same outcome. */
export type HookCount = { integrationId: number; outcome: HookOutcome; quantity: number }

/** A comment of a tracker for one of our issues. `more`: where it comes from. */
type CopiedComment = { issueId: number; text: string; more: Record<string, unknown> }

export type HookStore = {
  isDelivered(integrationId: number, delivery: string): Promise<boolean>
  /** Notes a delivery, or a part of it such as a comment. Returns false if it is noted already. */
  addDelivery(integrationId: number, delivery: string, nowMs: number): Promise<boolean>
  /**
   * Stores a comment of a tracker in the issues that are linked with it, with the note that it was. Returns false, and
   * stores nothing, if it is noted already. One transaction: a kill in between would lose the comment for good.
   */
  copyComment(
    integrationId: number,
    commentId: string,
    comments: readonly CopiedComment[],
    nowMs: number,
  ): Promise<boolean>
  /** Adds to the counts of today, in one transaction. Counts of connections that do not exist are ignored. */
  countHooks(counts: readonly HookCount[], nowMs: number): Promise<void>
  /** Deliveries of the connections of an organization by outcome, in the last 30 days. */
  hookCountsOf(organizationId: number, nowMs: number): Promise<HookCount[]>
  /** Deletes old notes and counts. */
  pruneHooks(nowMs: number): Promise<void>
}

const dayMs = 86_400_000
/** Services repeat a delivery within hours; people do it by hand within days. */
const deliveryRetentionMs = 30 * dayMs
const countRetentionMs = 90 * dayMs
const countedMs = 30 * dayMs
/** Ids of one look-up: databases limit the parameters of a statement. */
const lookUpMax = 500

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Implements the counts of received webhooks. */
function countPart({ write, read, dialect: { builder } }: Store): Pick<HookStore, 'countHooks' | 'hookCountsOf'> {
  const existing = async (ids: readonly number[]) => {
    const found = new Set<number>()
    for (let from = 0; from < ids.length; from += lookUpMax) {
      const some = builder
        .selectFrom('integration')
        .select('id')
        .where('id', 'in', ids.slice(from, from + lookUpMax))
      for (const { id } of await write.all(some)) found.add(id)
    }
    return found
  }
  return {
    countHooks: (counts, nowMs) =>
      write.transaction(async () => {
        const ids = await existing([...new Set(counts.map(({ integrationId }) => integrationId))])
        for (const { integrationId, outcome, quantity } of counts.filter((count) => ids.has(count.integrationId)))
          await write.run(
            builder
              .insertInto('tracker_outcome')
              .values({ integration_id: integrationId, day: dayOf(nowMs), outcome, quantity })
              .onConflict((conflict) =>
                conflict
                  .columns(['integration_id', 'day', 'outcome'])
                  .doUpdateSet({ quantity: (build) => build('tracker_outcome.quantity', '+', quantity) }),
              ),
          )
      }),
    hookCountsOf: async (organizationId, nowMs) =>
      (
        await read.all(
          builder
            .selectFrom('tracker_outcome')
            .innerJoin('integration', 'integration.id', 'integration_id')
            .select(['integration_id', 'outcome'])
            .select((build) => build.fn.sum<number>('quantity').as('quantity'))
            .where('organization_id', '=', organizationId)
            .where('day', '>=', dayOf(nowMs - countedMs))
            .groupBy(['integration_id', 'outcome'])
            .orderBy('integration_id')
            .orderBy('outcome'),
        )
      ).map((row) => ({
        integrationId: row.integration_id,
        outcome: row.outcome as HookOutcome,
        quantity: Number(row.quantity),
      })),
  }
}

/** Implements what is stored about received webhooks. */
export function hookPart(store: Store): HookStore {
  const { write } = store
  const { builder } = store.dialect
  const addDelivery: HookStore['addDelivery'] = async (integrationId, delivery, nowMs) => {
    const row = { integration_id: integrationId, delivery, at_ms: nowMs }
    const { changes } = await write.run(
      builder
        .insertInto('tracker_delivery')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    )
    return changes > 0
  }
  return {
    isDelivered: async (integrationId, delivery) =>
      (await write.get(
        builder
          .selectFrom('tracker_delivery')
          .select('at_ms')
          .where('integration_id', '=', integrationId)
          .where('delivery', '=', delivery),
      )) !== undefined,
    addDelivery,
    copyComment: (integrationId, commentId, comments, nowMs) =>
      write.transaction(async () => {
        if (!(await addDelivery(integrationId, `comment-${commentId}`, nowMs))) return false
        for (const { issueId, text, more } of comments) {
          const issue = await write.get(builder.selectFrom('issue').select('id').where('id', '=', issueId))
          if (issue) await insertComment(store, { issueId, userId: null, text, more }, nowMs)
        }
        return true
      }),
    ...countPart(store),
    pruneHooks: async (nowMs) => {
      await write.run(builder.deleteFrom('tracker_delivery').where('at_ms', '<', nowMs - deliveryRetentionMs))
      await write.run(builder.deleteFrom('tracker_outcome').where('day', '<', dayOf(nowMs - countRetentionMs)))
    },
  }
}
