import { MishapError } from '../../../base/errors.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Activity } from '../meta.ts'
import { toActivity } from './issues.ts'

const commentCharactersMax = 10_000

export type CommentStore = {
  /** `mentions`: ids of the mentioned people. Throws VALIDATION for an empty or too long text, NOT_FOUND. */
  addComment(
    issueId: number,
    userId: string | null,
    text: string,
    nowMs: number,
    mentions?: readonly string[],
    more?: Record<string, unknown>,
  ): Promise<Activity>
  /** Throws like addComment. */
  changeComment(id: number, text: string, mentions: readonly string[], nowMs: number): Promise<Activity>
  deleteComment(id: number): Promise<void>
  activityById(id: number): Promise<Activity | undefined>
}

async function demandIssue({ write, dialect: { builder } }: Store, id: number): Promise<{ comments: number }> {
  const row = await write.get(builder.selectFrom('issue').select('comments').where('id', '=', id))
  if (!row) throw new MishapError('NOT_FOUND')
  return row
}

function commentText(text: string): string {
  const trimmed = text.trim()
  if (trimmed !== '' && trimmed.length <= commentCharactersMax) return trimmed
  const sentence = `Use 1 to ${commentCharactersMax} characters.`
  throw new MishapError('VALIDATION', { detail: sentence, fields: { text: [sentence] } })
}

/** Stores a comment. The caller opens the transaction. Throws VALIDATION, NOT_FOUND. */
export async function insertComment(
  store: Store,
  comment: { issueId: number; userId: string | null; text: string; more?: Record<string, unknown> },
  nowMs: number,
): Promise<Activity> {
  const { write, dialect } = store
  const { issueId, userId, text, more } = comment
  const trimmed = commentText(text)
  const issue = await demandIssue(store, issueId)
  const data = JSON.stringify({ text: trimmed, ...more })
  const row = { issue_id: issueId, type: 'note', created_ms: nowMs, user_id: userId, data }
  const lastId = await insertedId(write, dialect.builder.insertInto('activity').values(row))
  // No new revision: a person who resolves an issue does not have to read the last comment first.
  const counted = { comments: issue.comments + 1 }
  await write.run(dialect.builder.updateTable('issue').set(counted).where('id', '=', issueId))
  return toActivity({ id: lastId, ...row })
}

/** Implements comments of people on an issue. */
export function commentPart(store: Store): CommentStore {
  const {
    write,
    dialect: { builder },
  } = store
  const demandComment = async (id: number) => {
    const row = await write.get(
      builder.selectFrom('activity').selectAll().where('id', '=', id).where('type', '=', 'note'),
    )
    if (!row) throw new MishapError('NOT_FOUND')
    return row
  }
  return {
    activityById: async (id) => {
      const row = await write.get(builder.selectFrom('activity').selectAll().where('id', '=', id))
      return row && toActivity(row)
    },
    changeComment: (id, text, mentions, nowMs) =>
      write.transaction(async () => {
        const row = await demandComment(id)
        const data = JSON.stringify({
          text: commentText(text),
          ...(mentions.length ? { mentions } : {}),
          editedMs: nowMs,
        })
        await write.run(builder.updateTable('activity').set({ data }).where('id', '=', id))
        return toActivity({ ...row, data })
      }),
    deleteComment: (id) =>
      write.transaction(async () => {
        const row = await demandComment(id)
        await write.run(builder.deleteFrom('activity').where('id', '=', id))
        await write.run(
          builder
            .updateTable('issue')
            .set((build) => ({ comments: build('comments', '-', 1) }))
            .where('id', '=', row.issue_id),
        )
      }),
    addComment: async (issueId, userId, text, nowMs, mentions = [], more = {}) => {
      const all = { ...(mentions.length ? { mentions } : {}), ...more }
      return write.transaction(() => insertComment(store, { issueId, userId, text, more: all }, nowMs))
    },
  }
}
