import type { Store } from '../database/store.ts'

const dayMs = 86_400_000
/** Deliveries answer people who ask whether they were notified. The log and its screen promise 30 days. */
const deliveryRetentionMs = 30 * dayMs
/** Ended incidents, decided firings, and mutes and overrides that ended. The report and the list look back less. */
const historyRetentionMs = 90 * dayMs
/** Slack repeats a click within minutes. */
const clickRetentionMs = 7 * dayMs
/** How long a deletion of a rule can be taken back. */
export const deletedRuleMs = dayMs
/** Rows of one statement, so that a first run over a million rows holds nobody up for long. */
const rowsMax = 5_000

/**
 * Deletes what alerting keeps for a time. `nowMs` is the trusted time of the retention: a clock that was set far ahead
 * must not delete the whole history. Each run deletes a part; there is one each hour. The caller opens the transaction.
 */
export async function pruneAlerts({ write, dialect: { builder } }: Store, nowMs: number): Promise<void> {
  const endedMs = nowMs - historyRetentionMs
  const deliveries = builder
    .selectFrom('delivery')
    .select('id')
    .where('created_ms', '<', nowMs - deliveryRetentionMs)
    .limit(rowsMax)
  await write.run(builder.deleteFrom('delivery').where('id', 'in', deliveries))
  const incidents = builder.selectFrom('incident').select('id').where('ended_ms', '<', endedMs).limit(rowsMax)
  await write.run(builder.deleteFrom('incident').where('id', 'in', incidents))
  const firings = builder
    .selectFrom('alert_firing')
    .select('id')
    .where('at_ms', '<', endedMs)
    .where('decided_ms', 'is not', null)
    .limit(rowsMax)
  await write.run(builder.deleteFrom('alert_firing').where('id', 'in', firings))
  await write.run(builder.deleteFrom('deleted_alert_rule').where('deleted_ms', '<', nowMs - deletedRuleMs))
  await write.run(builder.deleteFrom('mute').where('to_ms', '<', endedMs))
  await write.run(builder.deleteFrom('on_call_override').where('to_ms', '<', endedMs))
  await write.run(
    builder
      .deleteFrom('slack_click')
      .where('created_ms', '<', nowMs - clickRetentionMs)
      .where('done_ms', 'is not', null),
  )
}
