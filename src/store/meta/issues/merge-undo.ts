import { fromJson, type Store } from '../database/store.ts'
import type { Issue } from '../meta.ts'
import { type IssueRow, stateColumns } from './issue-state.ts'
import { toIssue } from './issues.ts'

/** What a merge changed about an issue that no longer exists. Its events, counts and texts come from the events. */
type Former = Pick<Issue, 'status' | 'substatus' | 'statusDetails' | 'priority' | 'assigneeUserId'> & {
  stateMs: number
  /** Ids of its activity entries, comments among them. The newest ones only. */
  activity: number[]
}

/** An issue that became part of another issue. */
type MergedIssue = { id: string; shortId: string; title: string; was?: Former }

/** Data of a merge's activity entry: the first merged issues, and their total number. */
export type MergeNote = {
  issues: MergedIssue[]
  count: number
  /** Decisions that the issue had not made itself. */
  took?: { priority: boolean; assignee: boolean }
  undone?: boolean
}

export type MergeUndoStore = {
  /** The entry of a merge in an issue's activity. */
  mergeNoteOf(issueId: number, activityId: number): Promise<MergeNote | undefined>
  /**
   * Gives an issue that was split off again its state, its decisions and its activity from before the merge `activityId`.
   * Returns it.
   */
  restoreMerged(activityId: number, from: { id: number }, to: { id: number }): Promise<Issue | undefined>
  /** Marks the merge as undone and takes back the decisions that the issue took from the merged ones. */
  endMergeUndo(issueId: number, activityId: number): Promise<void>
}

/** Activity entries per issue that a merge notes. Older ones stay with the other issue. */
const activityMax = 200

/** Returns what a merge must note about an issue before it disappears. */
export async function formerOf({ write, dialect: { builder } }: Store, row: IssueRow): Promise<Former> {
  const { status, substatus, statusDetails, priority, assigneeUserId } = toIssue(row)
  const entries = builder.selectFrom('activity').select('id').where('issue_id', '=', row.id)
  const activity = (
    await write.all(entries.where('type', '!=', 'first_seen').orderBy('id', 'desc').limit(activityMax))
  ).map((entry) => entry.id)
  return { status, substatus, statusDetails, stateMs: row.state_ms, priority, assigneeUserId, activity }
}

/** Implements the undo of merges. unmerge.ts splits the events. */
export function mergeUndoPart({ read, write, dialect: { builder } }: Store): MergeUndoStore {
  const entryOf = (id: number) =>
    builder.selectFrom('activity').select(['issue_id', 'data']).where('id', '=', id).where('type', '=', 'merge')
  return {
    mergeNoteOf: async (issueId, activityId) => {
      const entry = await read.get(entryOf(activityId))
      return entry?.issue_id === issueId ? fromJson<MergeNote>(entry.data) : undefined
    },
    restoreMerged: (activityId, from, to) =>
      write.transaction(async () => {
        const entry = await write.get(entryOf(activityId))
        const { was } = (entry && fromJson<MergeNote>(entry.data).issues.find(({ id }) => id === String(to.id))) ?? {}
        const own = builder.selectFrom('issue').selectAll().where('id', '=', to.id)
        const row = await write.get(own)
        if (!was || !row) return row && toIssue(row)
        const moved = await write.all(
          builder
            .selectFrom('activity')
            .select(['id', 'type'])
            .where('issue_id', '=', from.id)
            .where('id', 'in', was.activity),
        )
        const ids = moved.map((item) => item.id)
        if (ids.length > 0)
          await write.run(builder.updateTable('activity').set({ issue_id: to.id }).where('id', 'in', ids))
        const comments = moved.filter((item) => item.type === 'note').length
        const state = stateColumns(was.status, was.substatus, was.statusDetails, was.stateMs)
        await write.run(
          builder
            .updateTable('issue')
            .set({
              ...state,
              priority: was.priority,
              assignee_user_id: was.assigneeUserId,
              comments: row.comments + comments,
              rev: row.rev + 1,
            })
            .where('id', '=', to.id),
        )
        await write.run(
          builder
            .updateTable('issue')
            .set((build) => ({ comments: build('comments', '-', comments) }))
            .where('id', '=', from.id),
        )
        const restored = await write.get(own)
        return restored && toIssue(restored)
      }),
    endMergeUndo: (issueId, activityId) =>
      write.transaction(async () => {
        const entry = await write.get(entryOf(activityId))
        if (entry?.issue_id !== issueId) return
        const note = fromJson<MergeNote>(entry.data)
        const data = JSON.stringify({ ...note, undone: true } satisfies MergeNote)
        await write.run(builder.updateTable('activity').set({ data }).where('id', '=', activityId))
        const taken = {
          ...(note.took?.priority ? { priority: null } : {}),
          ...(note.took?.assignee ? { assignee_user_id: null } : {}),
        }
        if (Object.keys(taken).length > 0)
          await write.run(builder.updateTable('issue').set(taken).where('id', '=', issueId))
      }),
  }
}
