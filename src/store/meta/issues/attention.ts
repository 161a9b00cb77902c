import type { Selectable } from 'kysely'
import { inChunks } from '../database/chunks.ts'
import { number } from '../database/dialect.ts'
import type { DueBy, Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** Why a person follows an issue. */
type SubscriptionReason = 'asked' | 'commented' | 'assigned' | 'mentioned' | 'bookmarked' | 'changed'
export type NoticeKind = 'mention' | 'comment' | 'assigned'
type Notice = {
  id: number
  issueId: number
  userId: string
  activityId: number
  kind: NoticeKind
  /** '' until it is decided, then `email` or a browser such as `push:4`. */
  place: string
  attempts: number
  nextMs: number
}

/** Personal annotations of issues. Absent fields stay. */
export type UserFlags = {
  hasSeen?: boolean | undefined
  isBookmarked?: boolean | undefined
  isSubscribed?: boolean | undefined
}

/** Personal annotations of issues, and mails to people about issues. */
export type AttentionStore = {
  /** Sets annotations in one transaction. Skips issues that do not exist. A bookmark also subscribes to the issue. */
  setUserFlags(issueIds: readonly number[], userId: string, flags: UserFlags, nowMs: number): Promise<void>
  /** The issues among `ids` that the person bookmarked. */
  bookmarkedBy(userId: string, ids: readonly number[]): Promise<Set<number>>
  /** Subscribes a person. The reason `asked` always applies; others only if the person has no subscription row yet. */
  subscribe(issueId: number, userId: string, active: boolean, reason: SubscriptionReason, nowMs: number): Promise<void>
  subscriptionOf(issueId: number, userId: string): Promise<{ active: boolean; reason: SubscriptionReason } | undefined>
  /** Ids of the issue's followers, the longest first. */
  subscribersOf(issueId: number): Promise<string[]>
  /** Who has seen the issue and when, the latest first. */
  viewersOf(issueId: number): Promise<{ userId: string; atMs: number }[]>
  /** Queues mails about an activity. For people mentioned in it, the issue becomes unseen. */
  addNotices(
    notices: readonly { userId: string; kind: NoticeKind }[],
    issueId: number,
    activityId: number,
    nowMs: number,
  ): Promise<void>
  noticesDue(nowMs: number, max: number): Promise<Notice[]>
  /** Replaces a notice by one for each place, so that one that fails does not repeat the others. None: removes it. */
  splitNotice(id: number, places: readonly string[]): Promise<void>
  /** Removes a notice, or schedules its retry at `nextMs`. */
  endNotice(id: number, nextMs?: number): Promise<void>
  /** Lets a notice wait until `nextMs`, without counting an attempt. */
  delayNotice(id: number, nextMs: number): Promise<void>
}

type UserFlagsPart = Pick<AttentionStore, 'setUserFlags' | 'bookmarkedBy'>
type NoticePart = Pick<AttentionStore, 'addNotices' | 'noticesDue' | 'splitNotice' | 'endNotice' | 'delayNotice'>
type SubscriptionPart = Omit<AttentionStore, keyof UserFlagsPart | keyof NoticePart>

/** Statements for the annotations of an issue. Prepared once, because thousands of issues run three each. */
function flagStatements({ write, dialect: { builder } }: Store) {
  type FlagRow = { issueId: number; userId: string; nowMs: number }
  const clearFlag = (table: 'issue_seen' | 'issue_bookmark') =>
    write.prepared<FlagRow, unknown>((slot) =>
      builder.deleteFrom(table).where('issue_id', '=', slot('issueId')).where('user_id', '=', slot('userId')),
    )
  const row = (slot: <K extends keyof FlagRow>(name: K) => FlagRow[K]) => ({
    issue_id: slot('issueId'),
    user_id: slot('userId'),
    at_ms: slot('nowMs'),
  })
  return {
    issue: write.prepared<{ issueId: number }, { id: number }>((slot) =>
      builder.selectFrom('issue').select('id').where('id', '=', slot('issueId')),
    ),
    seen: write.prepared<FlagRow, unknown>((slot) =>
      builder
        .insertInto('issue_seen')
        .values(row(slot))
        .onConflict((conflict) => conflict.columns(['issue_id', 'user_id']).doUpdateSet({ at_ms: slot('nowMs') })),
    ),
    unseen: clearFlag('issue_seen'),
    bookmark: write.prepared<FlagRow, unknown>((slot) =>
      builder
        .insertInto('issue_bookmark')
        .values(row(slot))
        .onConflict((conflict) => conflict.doNothing()),
    ),
    unbookmark: clearFlag('issue_bookmark'),
  }
}

/** Implements personal annotations of issues. */
export function userFlagsPart(store: Store): UserFlagsPart {
  const { write, read, dialect } = store
  const { builder } = dialect
  const statements = flagStatements(store)
  const subscribe = subscriber(store)
  return {
    setUserFlags: (issueIds, userId, { hasSeen, isBookmarked, isSubscribed }, nowMs) =>
      write.transaction(async () => {
        for (const issueId of issueIds) {
          if (!(await statements.issue.get({ issueId }))) continue
          const flag = { issueId, userId, nowMs }
          if (hasSeen !== undefined) await (hasSeen ? statements.seen : statements.unseen).run(flag)
          if (isBookmarked !== undefined) await (isBookmarked ? statements.bookmark : statements.unbookmark).run(flag)
          if (isBookmarked) await subscribe(issueId, userId, true, 'bookmarked', nowMs)
          if (isSubscribed !== undefined) await subscribe(issueId, userId, isSubscribed, 'asked', nowMs)
        }
      }),
    bookmarkedBy: async (userId, ids) => {
      const found = await inChunks(ids, (chunk) =>
        read.all(
          builder
            .selectFrom('issue_bookmark')
            .select('issue_id')
            .where('user_id', '=', userId)
            .where('issue_id', 'in', chunk),
        ),
      )
      return new Set(found.map((row) => row.issue_id))
    },
  }
}

/**
 * Moves bookmarks, subscriptions and pending mails of issues that are merged into another issue and then deleted. The
 * caller opens the transaction.
 */
export async function moveAttention(
  { write, dialect: { builder } }: Store,
  fromIds: readonly number[],
  toId: number,
): Promise<void> {
  // For each person, the entry of the remaining issue wins, else the entry of the oldest issue.
  const tables = { issue_bookmark: [], issue_subscription: ['active', 'reason'] } as const
  for (const table of ['issue_bookmark', 'issue_subscription'] as const) {
    const own = ['user_id', 'at_ms', ...tables[table]] as ('user_id' | 'at_ms')[]
    await write.run(
      builder
        .insertInto(table)
        .columns(['issue_id', ...own])
        .expression(
          builder
            .selectFrom(table)
            .select([number(toId).as('issue_id'), ...own])
            .where('issue_id', 'in', fromIds)
            .orderBy('issue_id'),
        )
        .onConflict((conflict) => conflict.doNothing()),
    )
  }
  await write.run(builder.updateTable('notice').set({ issue_id: toId }).where('issue_id', 'in', fromIds))
}

/** Creates the function `AttentionStore.subscribe`. It can run inside a transaction of the caller. */
export function subscriber({ write, dialect: { builder } }: Store): AttentionStore['subscribe'] {
  type Row = { issueId: number; userId: string; active: number; reason: string; nowMs: number }
  const values = (slot: <K extends keyof Row>(name: K) => Row[K]) => ({
    issue_id: slot('issueId'),
    user_id: slot('userId'),
    active: slot('active'),
    reason: slot('reason'),
    at_ms: slot('nowMs'),
  })
  const first = write.prepared<Row, unknown>((slot) =>
    builder
      .insertInto('issue_subscription')
      .values(values(slot))
      .onConflict((conflict) => conflict.doNothing()),
  )
  const noticeStatement = write.prepared<Row, unknown>((slot) => {
    const { active, reason, at_ms } = values(slot)
    return builder
      .insertInto('issue_subscription')
      .values(values(slot))
      .onConflict((conflict) => conflict.columns(['issue_id', 'user_id']).doUpdateSet({ active, reason, at_ms }))
  })
  return async (issueId, userId, active, reason, nowMs) => {
    await (reason === 'asked' ? noticeStatement : first).run({ issueId, userId, active: Number(active), reason, nowMs })
  }
}

/** Implements the lookups of followers and of people who have seen an issue. */
export function subscriptionPart(store: Store): SubscriptionPart {
  const { read, dialect } = store
  const { builder } = dialect
  const subscription = (issueId: number, userId: string) =>
    builder
      .selectFrom('issue_subscription')
      .select(['active', 'reason'])
      .where('issue_id', '=', issueId)
      .where('user_id', '=', userId)
  return {
    subscribe: subscriber(store),
    subscriptionOf: async (issueId, userId) => {
      const row = await read.get(subscription(issueId, userId))
      return row && { active: row.active === 1, reason: row.reason as SubscriptionReason }
    },
    subscribersOf: async (issueId) =>
      (
        await read.all(
          builder
            .selectFrom('issue_subscription')
            .select('user_id')
            .where('issue_id', '=', issueId)
            .where('active', '=', 1)
            .orderBy('at_ms')
            .orderBy('user_id'),
        )
      ).map((row) => row.user_id),
    viewersOf: async (issueId) =>
      (
        await read.all(
          builder
            .selectFrom('issue_seen')
            .select(['user_id', 'at_ms'])
            .where('issue_id', '=', issueId)
            .orderBy('at_ms', 'desc')
            .orderBy('user_id')
            .limit(50),
        )
      ).map((row) => ({ userId: row.user_id, atMs: row.at_ms })),
  }
}

/** Implements mails to people about issues. */
export function noticePart({ write, dialect: { builder } }: Store): NoticePart {
  // Prepared once, because it runs every few seconds.
  const due = write.prepared<DueBy, Selectable<Tables['notice']>>((slot) =>
    builder
      .selectFrom('notice')
      .selectAll()
      .where('next_ms', '<=', slot('nowMs'))
      .orderBy('next_ms')
      .orderBy('id')
      .limit(slot('max')),
  )
  return {
    addNotices: (notices, issueId, activityId, nowMs) =>
      write.transaction(async () => {
        for (const { userId, kind } of notices) {
          const row = { issue_id: issueId, user_id: userId, activity_id: activityId, kind, next_ms: nowMs }
          await write.run(builder.insertInto('notice').values(row))
          if (kind === 'mention')
            await write.run(
              builder.deleteFrom('issue_seen').where('issue_id', '=', issueId).where('user_id', '=', userId),
            )
        }
      }),
    noticesDue: async (nowMs, max) =>
      (await due.all({ nowMs, max })).map((row) => ({
        id: row.id,
        issueId: row.issue_id,
        userId: row.user_id,
        activityId: row.activity_id,
        kind: row.kind as NoticeKind,
        place: row.place,
        attempts: row.attempts,
        nextMs: row.next_ms,
      })),
    splitNotice: (id, places) =>
      write.transaction(async () => {
        const found = await write.get(builder.selectFrom('notice').selectAll().where('id', '=', id))
        if (!found) return
        const { id: _id, ...row } = found
        // The first one keeps the id, by which mail programs recognize a repeat.
        const [first, ...others] = places
        if (first === undefined) await write.run(builder.deleteFrom('notice').where('id', '=', id))
        else await write.run(builder.updateTable('notice').set({ place: first }).where('id', '=', id))
        for (const place of others) await write.run(builder.insertInto('notice').values({ ...row, place }))
      }),
    delayNotice: async (id, nextMs) => {
      await write.run(builder.updateTable('notice').set({ next_ms: nextMs }).where('id', '=', id))
    },
    endNotice: async (id, nextMs) => {
      if (nextMs === undefined) await write.run(builder.deleteFrom('notice').where('id', '=', id))
      else
        await write.run(
          builder
            .updateTable('notice')
            .set((build) => ({ attempts: build('attempts', '+', 1), next_ms: nextMs }))
            .where('id', '=', id),
        )
    },
  }
}
