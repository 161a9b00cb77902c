import type { Selectable } from 'kysely'
import type { OutcomeCount } from '../../../base/outcome.ts'
import type { FeedbackState } from '../../../domain/feedback-states.ts'
import { rowInsert } from '../database/row-statement.ts'
import type { RowOf } from '../database/rows.ts'
import type { DueBy, Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** User feedback from refine. All texts are untrusted and have bounded lengths. */
export type FeedbackRow = {
  projectId: number
  /** 32 lower-case hex digits: the item's own id, else derived from its position. Screenshots refer to it. */
  feedbackId: string
  /** Id of the event that it is about, or ''. */
  eventId: string
  /** `report`: belongs to an error (user_report, crash-report dialog). `feedback`: from the widget. */
  kind: 'report' | 'feedback'
  name: string
  email: string
  message: string
  url: string
  replayId: string
  environment: string
  release: string
  receivedMs: number
}
/** A row and its outcome. A second row with the same id counts as a duplicate instead. */
export type FeedbackEffect = { row: FeedbackRow; outcome: OutcomeCount }

export type Feedback = FeedbackRow & {
  id: number
  /** null until the event is found, or when there is none. */
  issueId: number | null
  state: FeedbackState
  changedMs: number | null
  changedBy: string | null
}

export type FeedbackStore = {
  /** Newest first. `beforeId`: the last id of the previous page. */
  listFeedback(request: {
    projectIds: number[]
    state?: FeedbackState | undefined
    beforeId?: number | undefined
    max: number
  }): Promise<Feedback[]>
  /** Number of feedbacks in each state. */
  countFeedback(projectIds: number[]): Promise<Record<FeedbackState, number>>
  /** Newest first, without spam. */
  feedbackOfIssue(issueId: number, max: number): Promise<Feedback[]>
  feedbackById(id: number): Promise<Feedback | undefined>
  setFeedbackState(id: number, state: FeedbackState, userId: string | null, nowMs: number): Promise<void>
  /** Deletes a feedback and its attachment rows. Returns the blob keys to delete. */
  deleteFeedback(id: number): Promise<string[]>
  /** Feedback whose issue is still unknown and whose next lookup is due. */
  unlinkedFeedback(
    nowMs: number,
    max: number,
  ): Promise<{ id: number; projectId: number; eventId: string; receivedMs: number }[]>
  /** Stores the issue, or the time of the next lookup (null: never). */
  linkFeedback(id: number, found: { issueId: number } | { nextMs: number | null }): Promise<void>
}

const toFeedback = (row: Selectable<Tables['feedback']>): Feedback => ({
  id: row.id,
  projectId: row.project_id,
  feedbackId: row.feedback_id,
  eventId: row.event_id,
  issueId: row.issue_id,
  kind: row.kind as Feedback['kind'],
  name: row.name,
  email: row.email,
  message: row.message,
  url: row.url,
  replayId: row.replay_id,
  environment: row.environment,
  release: row.release,
  state: row.state as FeedbackState,
  receivedMs: row.received_ms,
  changedMs: row.changed_ms,
  changedBy: row.changed_by,
})

const feedbackColumns = {
  project_id: 'integer',
  feedback_id: 'text',
  event_id: 'text',
  kind: 'text',
  name: 'text',
  email: 'text',
  message: 'text',
  url: 'text',
  replay_id: 'text',
  environment: 'text',
  release: 'text',
  received_ms: 'integer',
  next_ms: 'integer?',
} as const

const toRow = (row: FeedbackRow): RowOf<typeof feedbackColumns> => ({
  project_id: row.projectId,
  feedback_id: row.feedbackId,
  event_id: row.eventId,
  kind: row.kind,
  name: row.name,
  email: row.email,
  message: row.message,
  url: row.url,
  replay_id: row.replayId,
  environment: row.environment,
  release: row.release,
  received_ms: row.receivedMs,
  next_ms: row.eventId === '' ? null : row.receivedMs,
})

/**
 * Creates the writer of a batch's feedback; the caller opens the transaction. It returns the outcomes and the new rows. Feedback counts as
 * discarded unless its project `isStored`.
 */
export function feedbackWriter(
  store: Store,
): (
  effects: readonly FeedbackEffect[],
  isStored: (projectId: number) => boolean,
) => Promise<{ outcomes: OutcomeCount[]; added: FeedbackRow[] }> {
  const insert = rowInsert(store, 'feedback', feedbackColumns, (feedback) =>
    feedback
      .onConflict((conflict) => conflict.columns(['project_id', 'feedback_id']).doNothing())
      .returning(['project_id', 'feedback_id']),
  )
  return async (effects, isStored) => {
    const rows = effects.filter(({ row }) => isStored(row.projectId)).map(({ row }) => toRow(row))
    const added = new Set((await insert.all(rows)).map((row) => `${row.project_id} ${row.feedback_id}`))
    const stored: FeedbackRow[] = []
    const outcomes = effects.map(({ row, outcome }): OutcomeCount => {
      if (!isStored(row.projectId)) return { ...outcome, outcome: 'filtered', reason: 'discarded' }
      // Of several with the same id, the first one is stored.
      const isAdded = added.delete(`${row.projectId} ${row.feedbackId}`)
      if (isAdded) stored.push(row)
      return isAdded ? outcome : { ...outcome, outcome: 'duplicate', reason: 'same_event_id' }
    })
    return { outcomes, added: stored }
  }
}

/** Implements feedback for screens and the API. */
export function feedbackPart({
  write,
  read,
  dialect: { builder },
}: Store): Omit<FeedbackStore, 'unlinkedFeedback' | 'linkFeedback'> {
  return {
    listFeedback: async ({ projectIds, state, beforeId, max }) => {
      if (projectIds.length === 0) return []
      let query = builder.selectFrom('feedback').selectAll().where('project_id', 'in', projectIds)
      if (state !== undefined) query = query.where('state', '=', state)
      if (beforeId !== undefined) query = query.where('id', '<', beforeId)
      return (await read.all(query.orderBy('id', 'desc').limit(max))).map(toFeedback)
    },
    countFeedback: async (projectIds) => {
      const counts: Record<FeedbackState, number> = { new: 0, resolved: 0, spam: 0 }
      if (projectIds.length === 0) return counts
      const rows = await read.all(
        builder
          .selectFrom('feedback')
          .select(['state', (build) => build.fn.countAll<number>().as('n')])
          .where('project_id', 'in', projectIds)
          .groupBy('state'),
      )
      for (const row of rows) counts[row.state as FeedbackState] = Number(row.n)
      return counts
    },
    feedbackOfIssue: async (issueId, max) =>
      (
        await read.all(
          builder
            .selectFrom('feedback')
            .selectAll()
            .where('issue_id', '=', issueId)
            .where('state', '!=', 'spam')
            .orderBy('id', 'desc')
            .limit(max),
        )
      ).map(toFeedback),
    feedbackById: async (id) => {
      const row = await read.get(builder.selectFrom('feedback').selectAll().where('id', '=', id))
      return row && toFeedback(row)
    },
    setFeedbackState: async (id, state, userId, nowMs) => {
      await write.run(
        builder.updateTable('feedback').set({ state, changed_ms: nowMs, changed_by: userId }).where('id', '=', id),
      )
    },
    deleteFeedback: (id) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('feedback').selectAll().where('id', '=', id))
        if (!row) return []
        const attached = builder
          .selectFrom('attachment')
          .where('project_id', '=', row.project_id)
          .where('event_id', '=', row.feedback_id)
        const keys = (await write.all(attached.select('blob_key').distinct())).map((item) => item.blob_key)
        await write.run(
          builder
            .deleteFrom('attachment')
            .where('project_id', '=', row.project_id)
            .where('event_id', '=', row.feedback_id),
        )
        await write.run(builder.deleteFrom('feedback').where('id', '=', id))
        return keys.filter((key) => key !== '')
      }),
  }
}

/** Implements the lookup of a feedback's issue. */
export function feedbackLinkPart({
  write,
  read,
  dialect: { builder },
}: Store): Pick<FeedbackStore, 'unlinkedFeedback' | 'linkFeedback'> {
  type Row = Pick<Selectable<Tables['feedback']>, 'id' | 'project_id' | 'event_id' | 'received_ms'>
  // Prepared once, because it runs every few seconds.
  const due = read.prepared<DueBy, Row>((slot) =>
    builder
      .selectFrom('feedback')
      .select(['id', 'project_id', 'event_id', 'received_ms'])
      .where('next_ms', '<=', slot('nowMs'))
      .orderBy('next_ms')
      .limit(slot('max')),
  )
  return {
    unlinkedFeedback: async (nowMs, max) =>
      (await due.all({ nowMs, max })).map((row) => ({
        id: row.id,
        projectId: row.project_id,
        eventId: row.event_id,
        receivedMs: row.received_ms,
      })),
    linkFeedback: async (id, found) => {
      await write.run(
        builder
          .updateTable('feedback')
          .set('issueId' in found ? { issue_id: found.issueId, next_ms: null } : { next_ms: found.nextMs })
          .where('id', '=', id),
      )
    },
  }
}
