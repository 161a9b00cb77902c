import type { Store } from '../database/store.ts'

/** A click on a button of a Slack message. `sealed`: who clicked what, and where the answer goes. */
export type SlackClick = {
  id: number
  organizationId: number
  sealed: string
  /** What was done, for the person who clicked; '' until it was. */
  sentence: string
  attempts: number
  createdMs: number
}

export type SlackClickStore = {
  /** Stores a click. Returns false if it is known: Slack repeats a call whose answer it did not get. */
  addSlackClick(click: { organizationId: number; click: string; sealed: string }, nowMs: number): Promise<boolean>
  /** Clicks that are not done, oldest first. */
  slackClicksDue(nowMs: number, max: number): Promise<SlackClick[]>
  /** Takes a click that is due until `untilMs`, so that no other run does it, too. Returns false if another one has it. */
  claimSlackClick(id: number, nowMs: number, untilMs: number): Promise<boolean>
  /** Notes that a click was acted on. Only its answer is left. */
  noteSlackClick(id: number, sentence: string): Promise<void>
  /** Ends a click, or counts an attempt and schedules the next one at `nextMs`. */
  endSlackClick(id: number, end: { doneMs: number } | { nextMs: number }): Promise<void>
}

/** Implements clicks on the buttons of Slack messages. */
export function slackClickPart({ write, dialect: { builder } }: Store): SlackClickStore {
  return {
    addSlackClick: async ({ organizationId, click, sealed }, nowMs) => {
      const row = { organization_id: organizationId, click, sealed, next_ms: nowMs, created_ms: nowMs }
      const { changes } = await write.run(
        builder
          .insertInto('slack_click')
          .values(row)
          .onConflict((conflict) => conflict.columns(['organization_id', 'click']).doNothing()),
      )
      return changes > 0
    },
    slackClicksDue: async (nowMs, max) =>
      (
        await write.all(
          builder
            .selectFrom('slack_click')
            .selectAll()
            .where('done_ms', 'is', null)
            .where('next_ms', '<=', nowMs)
            .orderBy('id')
            .limit(max),
        )
      ).map((row) => ({
        id: row.id,
        organizationId: row.organization_id,
        sealed: row.sealed,
        sentence: row.sentence,
        attempts: row.attempts,
        createdMs: row.created_ms,
      })),
    claimSlackClick: async (id, nowMs, untilMs) => {
      const due = builder.updateTable('slack_click').where('id', '=', id).where('done_ms', 'is', null)
      return (await write.run(due.where('next_ms', '<=', nowMs).set({ next_ms: untilMs }))).changes > 0
    },
    noteSlackClick: async (id, sentence) => {
      await write.run(builder.updateTable('slack_click').set({ sentence }).where('id', '=', id))
    },
    endSlackClick: async (id, end) => {
      const row = builder.updateTable('slack_click').where('id', '=', id)
      // What was done is in the history of the issue. The address of the answer is of no more use.
      if ('doneMs' in end) await write.run(row.set({ done_ms: end.doneMs, sealed: '' }))
      else await write.run(row.set((build) => ({ attempts: build('attempts', '+', 1), next_ms: end.nextMs })))
    },
  }
}
