import type { Store } from './store.ts'

/** Why somebody follows an issue. */
export type SubscriptionReason = 'asked' | 'commented' | 'assigned' | 'mentioned' | 'bookmarked' | 'changed'
export type NoticeKind = 'mention' | 'comment' | 'assigned'
export type Notice = {
  id: number
  issueId: number
  userId: string
  activityId: number
  kind: NoticeKind
  attempts: number
  nextMs: number
}

/** What one person does with issues, and what is mailed to people about them. */
export type AttentionStore = {
  setBookmark(issueId: number, userId: string, bookmarked: boolean, nowMs: number): void
  /** The issues among `ids` that the person has bookmarked. */
  bookmarkedBy(userId: string, ids: readonly number[]): Set<number>
  /** What the person asks for counts; for any other reason only somebody who has never said anything about it follows it. */
  subscribe(issueId: number, userId: string, active: boolean, reason: SubscriptionReason, nowMs: number): void
  subscriptionOf(issueId: number, userId: string): { active: boolean; reason: SubscriptionReason } | undefined
  /** Who follows the issue, the longest first. */
  subscribersOf(issueId: number): string[]
  /** Who has looked at the issue and when, the latest first. */
  lookedAt(issueId: number): { userId: string; atMs: number }[]
  /** Asks for mails about an activity. Who is named in it has not seen the issue any more. */
  addNotices(
    notices: readonly { userId: string; kind: NoticeKind }[],
    issueId: number,
    activityId: number,
    nowMs: number,
  ): void
  noticesDue(nowMs: number, max: number): Notice[]
  /** Takes a notice out (`nextMs` undefined), or lets it be tried again then. */
  endNotice(id: number, nextMs?: number): void
}

type BookmarkPart = Pick<AttentionStore, 'setBookmark' | 'bookmarkedBy'>
type NoticePart = Pick<AttentionStore, 'addNotices' | 'noticesDue' | 'endNotice'>
type FollowPart = Omit<AttentionStore, keyof BookmarkPart | keyof NoticePart>
const idsMax = 500

/** Bookmarks of people. */
export function bookmarkPart({ write, read, dialect: { builder } }: Store): BookmarkPart {
  return {
    setBookmark: (issueId, userId, bookmarked, nowMs) => {
      const row = { issue_id: issueId, user_id: userId, at_ms: nowMs }
      if (bookmarked)
        write.run(
          builder
            .insertInto('issue_bookmark')
            .values(row)
            .onConflict((conflict) => conflict.doNothing()),
        )
      else write.run(builder.deleteFrom('issue_bookmark').where('issue_id', '=', issueId).where('user_id', '=', userId))
    },
    bookmarkedBy: (userId, ids) => {
      const found = new Set<number>()
      for (let start = 0; start < ids.length; start += idsMax)
        for (const row of read.all(
          builder
            .selectFrom('issue_bookmark')
            .select('issue_id')
            .where('user_id', '=', userId)
            .where('issue_id', 'in', ids.slice(start, start + idsMax)),
        ))
          found.add(row.issue_id)
      return found
    },
  }
}

/**
 * Takes bookmarks, subscriptions and mails to come from issues that go into another one and are deleted after it; the caller
 * holds the transaction.
 */
export function moveAttention({ write, dialect: { builder } }: Store, fromIds: readonly number[], toId: number): void {
  // Of one person that of the issue that stays is kept, else that of the oldest.
  write.run(
    builder
      .insertInto('issue_bookmark')
      .columns(['issue_id', 'user_id', 'at_ms'])
      .expression(
        builder
          .selectFrom('issue_bookmark')
          .select(({ val }) => [val(toId).as('issue_id'), 'user_id', 'at_ms'])
          .where('issue_id', 'in', fromIds)
          .orderBy('issue_id'),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  write.run(
    builder
      .insertInto('issue_subscription')
      .columns(['issue_id', 'user_id', 'active', 'reason', 'at_ms'])
      .expression(
        builder
          .selectFrom('issue_subscription')
          .select(({ val }) => [val(toId).as('issue_id'), 'user_id', 'active', 'reason', 'at_ms'])
          .where('issue_id', 'in', fromIds)
          .orderBy('issue_id'),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  write.run(builder.updateTable('notice').set({ issue_id: toId }).where('issue_id', 'in', fromIds))
}

/** Who follows and who has seen an issue. */
export function attentionPart({ write, read, dialect: { builder } }: Store): FollowPart {
  const own = (issueId: number, userId: string) =>
    builder
      .selectFrom('issue_subscription')
      .select(['active', 'reason'])
      .where('issue_id', '=', issueId)
      .where('user_id', '=', userId)
  return {
    subscribe: (issueId, userId, active, reason, nowMs) => {
      const row = { active: Number(active), reason, at_ms: nowMs }
      write.run(
        builder
          .insertInto('issue_subscription')
          .values({ issue_id: issueId, user_id: userId, ...row })
          .onConflict((conflict) =>
            reason === 'asked' ? conflict.columns(['issue_id', 'user_id']).doUpdateSet(row) : conflict.doNothing(),
          ),
      )
    },
    subscriptionOf: (issueId, userId) => {
      const row = read.get(own(issueId, userId))
      return row && { active: row.active === 1, reason: row.reason as SubscriptionReason }
    },
    subscribersOf: (issueId) =>
      read
        .all(
          builder
            .selectFrom('issue_subscription')
            .select('user_id')
            .where('issue_id', '=', issueId)
            .where('active', '=', 1)
            .orderBy('at_ms')
            .orderBy('user_id'),
        )
        .map((row) => row.user_id),
    lookedAt: (issueId) =>
      read
        .all(
          builder
            .selectFrom('issue_seen')
            .select(['user_id', 'at_ms'])
            .where('issue_id', '=', issueId)
            .orderBy('at_ms', 'desc')
            .orderBy('user_id')
            .limit(50),
        )
        .map((row) => ({ userId: row.user_id, atMs: row.at_ms })),
  }
}

/** Mails to people about issues. */
export function noticePart({ write, dialect: { builder } }: Store): NoticePart {
  return {
    addNotices: (notices, issueId, activityId, nowMs) =>
      write.transaction(() => {
        for (const { userId, kind } of notices) {
          const row = { issue_id: issueId, user_id: userId, activity_id: activityId, kind, next_ms: nowMs }
          write.run(builder.insertInto('notice').values(row))
          if (kind === 'mention')
            write.run(builder.deleteFrom('issue_seen').where('issue_id', '=', issueId).where('user_id', '=', userId))
        }
      }),
    noticesDue: (nowMs, max) =>
      write
        .all(
          builder
            .selectFrom('notice')
            .selectAll()
            .where('next_ms', '<=', nowMs)
            .orderBy('next_ms')
            .orderBy('id')
            .limit(max),
        )
        .map((row) => ({
          ...{ id: row.id, issueId: row.issue_id, userId: row.user_id, activityId: row.activity_id },
          ...{ kind: row.kind as NoticeKind, attempts: row.attempts, nextMs: row.next_ms },
        })),
    endNotice: (id, nextMs) => {
      if (nextMs === undefined) write.run(builder.deleteFrom('notice').where('id', '=', id))
      else
        write.run(
          builder
            .updateTable('notice')
            .set((build) => ({ attempts: build('attempts', '+', 1), next_ms: nextMs }))
            .where('id', '=', id),
        )
    },
  }
}
