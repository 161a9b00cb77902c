import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type { TrackerState } from '../../../domain/alerts/trackers.ts'
import { type DueBy, fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'

/** A state that we set in the tracker, to recognize the webhook that it causes. */
type Pushed = { state: TrackerState; atMs: number }

/** An issue of a tracker that is linked with an issue. */
export type ExternalIssue = {
  id: number
  integrationId: number
  issueId: number
  /** `rule-7` for an issue that a rule created, else unique for each creation and link. */
  origin: string
  /** As the service shows it: `acme/web#12`, `WEB-12`. '' while the tracker was not asked or did not answer yet. */
  key: string
  /** As its API names it. Unique within the connection; several issues can be linked with the same. */
  externalId: string
  title: string
  url: string
  /** The last known state there. */
  state: TrackerState
  createdBy: string | null
  createdMs: number
  pushed: Pushed[]
  attempts: number
  nextMs: number
  /** Why the last attempt failed, in the service's own words. */
  error: string
}

type Named = Pick<ExternalIssue, 'key' | 'externalId' | 'title' | 'url' | 'state'>
type Origin = Pick<ExternalIssue, 'integrationId' | 'issueId' | 'origin' | 'createdBy'>
/** A link whose issue changed: `state` is what the tracker should have. */
export type DueLink = { link: ExternalIssue; wanted: TrackerState }
/** A comment that the tracker does not have yet. */
export type DueComment = { link: ExternalIssue; activityId: number; userId: string | null; text: string }

export type ExternalIssueStore = {
  /** Returns the link of this origin, or creates it without a tracker issue. The database allows one for each origin. */
  reserveExternal(origin: Origin, nowMs: number): Promise<{ link: ExternalIssue; isNew: boolean }>
  /** Stores which tracker issue a link has. Both sides count as settled. Throws CONFLICT if the issue is linked with it. */
  completeExternal(id: number, named: Named): Promise<ExternalIssue>
  deleteExternal(id: number): Promise<void>
  externalById(id: number): Promise<ExternalIssue | undefined>
  /** The links of an issue, oldest first. */
  externalIssuesOf(issueId: number): Promise<ExternalIssue[]>
  /** Whether any issue is linked. While none is, the job runs only this query. */
  hasExternal(): Promise<boolean>
  /** The links with this issue of a tracker. */
  externalLinksOf(integrationId: number, externalId: string): Promise<ExternalIssue[]>
  /** Links whose issue was resolved or reopened since, oldest first, of connections whose token works. */
  linksDueBy(nowMs: number, max: number): Promise<DueLink[]>
  /** Comments that are not copied yet, of connections that copy them. */
  commentsDueBy(nowMs: number, max: number): Promise<DueComment[]>
  /** Notes a state before it is sent, so that its webhook is recognized even if the answer never comes. */
  notePush(id: number, state: TrackerState, nowMs: number): Promise<void>
  /** Removes the note of a push. Returns false if there was none. */
  takePush(integrationId: number, externalId: string, state: TrackerState, sinceMs: number): Promise<boolean>
  /**
   * Stores the state of a tracker issue. `handled`: the link that a push was for, and the state of our issue that it was
   * about; undefined: all of our issues follow `state`. What an issue became meanwhile stays due.
   */
  settleExternal(
    integrationId: number,
    externalId: string,
    state: TrackerState,
    handled?: { linkId: number; state: TrackerState },
  ): Promise<void>
  settleComment(id: number, activityId: number): Promise<void>
  /** Stores a failed attempt. `nextMs`: when to try again. */
  failExternal(id: number, error: string, nextMs: number): Promise<void>
}

/** Notes of pushes per link: more than that are never open. */
const pushedMax = 8
const titleCharactersMax = 300

/** The link of a row. */
export const toExternalIssue = (row: Selectable<Tables['external_issue']>): ExternalIssue => ({
  id: row.id,
  integrationId: row.integration_id,
  issueId: row.issue_id,
  origin: row.origin,
  key: row.external_key,
  externalId: row.external_id,
  title: row.title,
  url: row.url,
  state: row.state as TrackerState,
  createdBy: row.created_by,
  createdMs: row.created_ms,
  pushed: fromJson<Pushed[]>(row.pushed),
  attempts: row.attempts,
  nextMs: row.next_ms,
  error: row.error,
})

const stateOf = (status: string): TrackerState => (status === 'resolved' ? 'closed' : 'open')

/** The row of a link without a tracker issue. Only later comments are copied. */
export const newExternalRow = (origin: Origin, status: string, lastActivityId: number, nowMs: number) => ({
  integration_id: origin.integrationId,
  issue_id: origin.issueId,
  origin: origin.origin,
  external_key: '',
  external_id: '',
  title: '',
  url: '',
  state: 'open',
  issue_state: stateOf(status),
  created_by: origin.createdBy,
  created_ms: nowMs,
  comment_after: lastActivityId,
  pushed: '[]',
  attempts: 0,
  next_ms: 0,
  error: '',
})

type WritePart = Pick<ExternalIssueStore, 'reserveExternal' | 'completeExternal' | 'deleteExternal'>

/** Implements the creation and the ends of links. */
export function externalIssuePart({ write, dialect: { builder } }: Store): WritePart {
  const all = () => builder.selectFrom('external_issue').selectAll()
  const lastActivity = async (issueId: number) =>
    Number(
      (
        await write.get(
          builder
            .selectFrom('activity')
            .select((build) => build.fn.max('id').as('id'))
            .where('issue_id', '=', issueId),
        )
      )?.id ?? 0,
    )
  return {
    reserveExternal: (origin, nowMs) =>
      write.transaction(async () => {
        const { integrationId, issueId } = origin
        const found = await write.get(
          all()
            .where('integration_id', '=', integrationId)
            .where('issue_id', '=', issueId)
            .where((build) =>
              build.or([build('origin', '=', origin.origin), build('origin', 'like', `${origin.origin}/%`)]),
            ),
        )
        if (found) return { link: toExternalIssue(found), isNew: false }
        const issue = await write.get(builder.selectFrom('issue').select('status').where('id', '=', issueId))
        if (!issue) throw new MishapError('NOT_FOUND')
        const row = newExternalRow(origin, issue.status, await lastActivity(issueId), nowMs)
        const id = await insertedId(write, builder.insertInto('external_issue').values(row))
        return { link: toExternalIssue({ id, ...row }), isNew: true }
      }),
    completeExternal: (id, { key, externalId, title, url, state }) =>
      write.transaction(async () => {
        const old = await write.get(all().where('id', '=', id))
        if (!old) throw new MishapError('NOT_FOUND')
        const same = all().where('integration_id', '=', old.integration_id).where('issue_id', '=', old.issue_id)
        if (await write.get(same.where('external_id', '=', externalId).where('id', '!=', id)))
          throw new MishapError('CONFLICT', { detail: `${key} is already linked with this issue.` })
        const change = {
          external_key: key,
          external_id: externalId,
          title: title.slice(0, titleCharactersMax),
          url,
          state,
          attempts: 0,
          next_ms: 0,
          error: '',
        }
        await write.run(builder.updateTable('external_issue').set(change).where('id', '=', id))
        return toExternalIssue({ ...old, ...change })
      }),
    deleteExternal: async (id) => {
      await write.run(builder.deleteFrom('external_issue').where('id', '=', id))
    },
  }
}

type ReadPart = Pick<
  ExternalIssueStore,
  'externalById' | 'externalIssuesOf' | 'externalLinksOf' | 'hasExternal' | 'linksDueBy' | 'commentsDueBy'
>

type Row = Selectable<Tables['external_issue']>

/** Statements for what is due. Prepared once, because they run every few seconds. */
function dueStatements({ write, dialect: { builder } }: Store) {
  const working = (nowMs: number) =>
    builder
      .selectFrom('external_issue')
      .innerJoin('integration', 'integration.id', 'external_issue.integration_id')
      .where('integration.refused_ms', 'is', null)
      .where('external_id', '!=', '')
      .where('next_ms', '<=', nowMs)
  return {
    any: write.prepared<object, { id: number }>(() => builder.selectFrom('external_issue').select('id').limit(1)),
    links: write.prepared<DueBy, Row & Pick<Selectable<Tables['issue']>, 'status'>>((slot) =>
      working(slot('nowMs'))
        .innerJoin('issue', 'issue.id', 'external_issue.issue_id')
        .selectAll('external_issue')
        .select('issue.status')
        .where('integration.sync_state', '=', 1)
        // An archived issue says nothing about the tracker's.
        .where((build) =>
          build.or([
            build.and([build('issue.status', '=', 'resolved'), build('issue_state', '=', 'open')]),
            build.and([build('issue.status', '=', 'unresolved'), build('issue_state', '=', 'closed')]),
          ]),
        )
        .orderBy('external_issue.id')
        .limit(slot('max')),
    ),
    comments: write.prepared<DueBy, Row & { activity_id: number; user_id: string | null; data: string }>((slot) =>
      working(slot('nowMs'))
        .innerJoin('activity', 'activity.issue_id', 'external_issue.issue_id')
        .selectAll('external_issue')
        .select(['activity.id as activity_id', 'activity.user_id', 'activity.data'])
        .where('integration.sync_comments', '=', 1)
        .where('activity.type', '=', 'note')
        .whereRef('activity.id', '>', 'comment_after')
        .orderBy('activity.id')
        .limit(slot('max')),
    ),
  }
}

/** Implements reads of links. */
export function externalReadPart(store: Store): ReadPart {
  const { write, read } = store
  const { builder } = store.dialect
  const due = dueStatements(store)
  const all = () => builder.selectFrom('external_issue').selectAll()
  return {
    externalById: async (id) => {
      const row = await read.get(all().where('id', '=', id))
      return row && toExternalIssue(row)
    },
    externalIssuesOf: async (issueId) =>
      (await read.all(all().where('issue_id', '=', issueId).orderBy('id'))).map(toExternalIssue),
    externalLinksOf: async (integrationId, externalId) =>
      (
        await write.all(
          all().where('integration_id', '=', integrationId).where('external_id', '=', externalId).orderBy('id'),
        )
      ).map(toExternalIssue),
    hasExternal: async () => (await due.any.get({})) !== undefined,
    linksDueBy: async (nowMs, max) =>
      (await due.links.all({ nowMs, max })).map(({ status, ...row }) => ({
        link: toExternalIssue(row),
        wanted: stateOf(status),
      })),
    commentsDueBy: async (nowMs, max) => {
      const rows = await due.comments.all({ nowMs, max })
      return rows.map(({ activity_id, user_id, data, ...row }) => ({
        link: toExternalIssue(row),
        activityId: activity_id,
        userId: user_id,
        text: String(fromJson<{ text?: unknown }>(data).text ?? ''),
      }))
    },
  }
}

type PushPart = Pick<ExternalIssueStore, 'notePush' | 'takePush' | 'settleExternal' | 'settleComment' | 'failExternal'>

/** Implements what keeps both directions from answering each other. */
export function externalPushPart({ write, dialect: { builder } }: Store): PushPart {
  const all = () => builder.selectFrom('external_issue').selectAll()
  const setPushed = (id: number, pushed: readonly Pushed[]) =>
    write.run(
      builder
        .updateTable('external_issue')
        .set({ pushed: JSON.stringify(pushed.slice(-pushedMax)) })
        .where('id', '=', id),
    )
  return {
    settleComment: async (id, activityId) => {
      const change = { comment_after: activityId, attempts: 0, next_ms: 0, error: '' }
      await write.run(builder.updateTable('external_issue').set(change).where('id', '=', id))
    },
    failExternal: (id, error, nextMs) =>
      write.transaction(async () => {
        const row = await write.get(all().where('id', '=', id))
        if (!row) return
        const change = { attempts: row.attempts + 1, next_ms: nextMs, error }
        await write.run(builder.updateTable('external_issue').set(change).where('id', '=', id))
      }),
    notePush: (id, state, nowMs) =>
      write.transaction(async () => {
        const row = await write.get(all().where('id', '=', id))
        if (row) await setPushed(id, [...fromJson<Pushed[]>(row.pushed), { state, atMs: nowMs }])
      }),
    takePush: (integrationId, externalId, state, sinceMs) =>
      write.transaction(async () => {
        const rows = await write.all(
          all().where('integration_id', '=', integrationId).where('external_id', '=', externalId),
        )
        for (const row of rows) {
          const pushed = fromJson<Pushed[]>(row.pushed)
          const at = pushed.findIndex((push) => push.state === state && push.atMs >= sinceMs)
          if (at === -1) continue
          await setPushed(
            row.id,
            pushed.filter((_push, index) => index !== at),
          )
          return true
        }
        return false
      }),
    settleExternal: (integrationId, externalId, state, handled) =>
      write.transaction(async () => {
        const links = builder
          .updateTable('external_issue')
          .where('integration_id', '=', integrationId)
          .where('external_id', '=', externalId)
        await write.run(links.set({ state, attempts: 0, next_ms: 0, error: '' }))
        const settled = handled === undefined ? links : links.where('id', '=', handled.linkId)
        await write.run(settled.set({ issue_state: handled?.state ?? state }))
      }),
  }
}
