import { MishapError } from '../../../base/errors.ts'
import { isPerformanceKind } from '../../../domain/detectors/detectors.ts'
import { number } from '../database/dialect.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import { type BatchStatements, batchStatements, issueOf, laterDigest } from '../ingest/batch-statements.ts'
import { joinCounts, withVerdict } from '../ingest/diagnostic-counts.ts'
import type { Issue } from '../meta.ts'
import type { IssueEdges } from '../retention/reprocessing.ts'
import { reopenRelated } from './error-links.ts'
import { type IssueRow, shiftBefore, textColumns } from './issue-state.ts'
import { toIssue } from './issues.ts'
import { formerOf, type MergeNote } from './merge-undo.ts'
import { decidedOf, deleteForecast, moveIssues } from './move-issue.ts'

/** A hash of an issue, and the issue it was merged from, if any. */
type IssueHash = { hash: string; mergedFrom: string | null }

/** Columns from the newest event of an issue, and whether any event was unhandled. */
type Texts = Pick<IssueRow, 'kind' | 'unhandled' | (typeof textColumns)[number]>

/** The events that leave an issue with their hashes, and those that stay. Computed before the transaction. */
export type Leaving = {
  hashes: string[]
  /** Events of these hashes since the issue began, and how many of them were downsampled. */
  events: number
  downsampled: number
  firstMs: number
  lastMs: number
  firstRelease: string
  lastRelease: string
  texts: Texts
  /** The issue without these events, from its stored events. Valid while the issue has `count` events. */
  staying: { texts: Texts | undefined; edges: IssueEdges | undefined; count: number }
  /** Leaving events that feedback or a digest refers to. */
  eventIds: string[]
}

export type MergeStore = {
  /** Hashes of an issue, in order, with the issue they came from. */
  issueHashes(issueId: number): Promise<IssueHash[]>
  /**
   * Merges several issues of a project in one transaction: hashes with their events, counts, comments, feedback and
   * links move to `intoId`. Returns the ids of the merged issues and the id of the activity entry. Throws NOT_FOUND, VALIDATION for issues of other
   * projects, and CONFLICT while one of them is being deleted.
   */
  mergeIssues(
    intoId: number,
    fromIds: readonly number[],
    userId: string | null,
    nowMs: number,
  ): Promise<{ issue: Issue; merged: number[]; activityId: number | null }>
  /**
   * Splits hashes and their events from an issue. If one merged issue brought all of them, it is restored under its old
   * short id. Its other hashes join it when they are split off later. Otherwise a new issue is created, or none if the
   * hashes have no events. Throws NOT_FOUND for hashes of other issues, VALIDATION when no hash would stay, CONFLICT
   * while one of the issues is being deleted.
   */
  unmergeHashes(
    issueId: number,
    leaving: Leaving,
    userId: string | null,
    nowMs: number,
  ): Promise<{ issue: Issue; created: Issue | null }>
  /**
   * Issues of the same project that can be similar: first those with the same error type, culprit or title, then the
   * others, each the latest first.
   */
  similarCandidates(issueId: number, max: number): Promise<Issue[]>
  /** Ids of events that an issue's digests and feedback refer to, at most `max`. */
  namedEvents(issueId: number, max: number): Promise<string[]>
}

/** Maximum ids per statement. */
const chunk = 400

export async function demand(statements: BatchStatements, id: number): Promise<IssueRow> {
  const row = await issueOf(statements, id)
  if (!row) throw new MishapError('NOT_FOUND')
  return row
}

const unmergeable = (sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { merge: [sentence] } })

/**
 * Returns the issues of a merge. Throws NOT_FOUND, VALIDATION for issues of other projects or for errors with performance
 * issues, and CONFLICT while one of
 * them is being deleted.
 */
export async function demandMergeable(
  store: Store,
  statements: BatchStatements,
  { intoId, fromIds }: { intoId: number; fromIds: readonly number[] },
): Promise<{ into: IssueRow; from: IssueRow[] }> {
  const into = await demand(statements, intoId)
  const from = await Array.fromAsync(fromIds, async (id) => demand(statements, id))
  if (from.some((item) => item.project_id !== into.project_id))
    throw unmergeable('Only issues of one project can be merged.')
  // The counts of errors tell by the kind of an issue whether its events are errors.
  if (from.some((item) => isPerformanceKind(item.kind) !== isPerformanceKind(into.kind)))
    throw unmergeable('An error and a performance issue cannot be merged.')
  await demandUnremoved(store, [intoId, ...fromIds])
  return { into, from }
}

export async function demandUnremoved({ write, dialect: { builder } }: Store, ids: readonly number[]): Promise<void> {
  const open = await write.get(
    builder.selectFrom('removal').select('id').where('issue_id', 'in', ids).where('ended_ms', 'is', null),
  )
  if (open) throw new MishapError('CONFLICT', { detail: 'One of these issues is being deleted.' })
}

/** Returns an issue with the events of another one added. */
export function withEvents(to: IssueRow, from: IssueRow): IssueRow {
  const isOlder = from.first_seen_ms < to.first_seen_ms
  const isNewer = from.last_seen_ms > to.last_seen_ms
  const shown = isNewer ? Object.fromEntries(textColumns.map((name) => [name, from[name]])) : {}
  return {
    ...to,
    ...shown,
    count: to.count + from.count,
    sign_counts: joinCounts(to.sign_counts, from.sign_counts),
    unhandled: Math.max(to.unhandled, from.unhandled),
    first_seen_ms: Math.min(to.first_seen_ms, from.first_seen_ms),
    last_seen_ms: Math.max(to.last_seen_ms, from.last_seen_ms),
    first_release: isOlder ? from.first_release || to.first_release : to.first_release || from.first_release,
    last_release: isNewer ? from.last_release || to.last_release : to.last_release || from.last_release,
    status_details: shiftBefore(to.status_details, from.count),
    ...decidedOf(to, from),
  }
}

/** Copies the digests of issues to another issue, all or those of some events. Of equal digests, the later wins. */
export async function copyDigests(
  { write, dialect: { builder } }: Store,
  fromIds: readonly number[],
  toId: number,
  eventIds?: readonly string[],
): Promise<void> {
  const all = builder.selectFrom('digest').where('issue_id', 'in', fromIds)
  const own = eventIds ? all.where('event_id', 'in', eventIds) : all
  // A statement of PostgreSQL refuses to write the same row twice.
  const ranked = own.selectAll().select(({ fn }) =>
    fn
      .agg<number>('row_number')
      .over((over) => over.partitionBy(['project_id', 'digest']).orderBy('last_ms', 'desc').orderBy('event_id', 'desc'))
      .as('rank'),
  )
  await write.run(
    builder
      .insertInto('digest')
      .columns(['project_id', 'digest', 'issue_id', 'event_id', 'last_ms'])
      .expression(
        builder
          .selectFrom(ranked.as('latest'))
          .select(['project_id', 'digest', number(toId).as('issue_id'), 'event_id', 'last_ms'])
          .where('rank', '=', 1),
      )
      .onConflict(laterDigest),
  )
}

export async function addDownsampled(
  { write, dialect: { builder } }: Store,
  issueId: number,
  quantity: number,
): Promise<void> {
  await write.run(
    builder
      .insertInto('thinned_issue')
      .values({ issue_id: issueId, quantity })
      .onConflict((conflict) =>
        conflict
          .column('issue_id')
          .doUpdateSet((build) => ({ quantity: build('thinned_issue.quantity', '+', quantity) })),
      ),
  )
}

/**
 * Moves the related rows of issues to another issue, and leaves redirects behind. Each statement covers all issues: one
 * statement per issue blocked the process for a second with a thousand issues.
 */
async function moveAll(
  store: Store,
  ids: readonly number[],
  { id: toId, project_id }: IssueRow,
  nowMs: number,
): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  const hashes = builder.selectFrom('fingerprint').where('issue_id', 'in', ids)
  // Notes of an issue that no longer exists are useless.
  await write.run(
    builder
      .deleteFrom('merged_hash')
      .where('project_id', '=', project_id)
      .where('hash', 'in', hashes.select('hash'))
      .where('from_id', 'not in', builder.selectFrom('moved_issue').select('id')),
  )
  await write.run(
    builder
      .insertInto('merged_hash')
      .columns(['project_id', 'hash', 'from_id', 'merged_ms'])
      .expression(hashes.select(['project_id', 'hash', 'issue_id', number(nowMs).as('merged_ms')]))
      // A hash of an earlier merge keeps its original issue.
      .onConflict((conflict) => conflict.doNothing()),
  )
  const ends = builder.selectFrom('failure_side').where('project_id', '=', project_id)
  await reopenRelated(store, ends.where('hash', 'in', hashes.select('hash')), ['several'])
  await copyDigests(store, ids, toId)
  const downsampledRow = await write.get(
    builder
      .selectFrom('thinned_issue')
      .select(({ fn }) => fn.sum<number | null>('quantity').as('n'))
      .where('issue_id', 'in', ids),
  )
  if (downsampledRow?.n) await addDownsampled(store, toId, downsampledRow.n)
  await moveIssues(store, ids, toId, ['first_seen'], nowMs)
}

/** Maximum issues that a merge's entry lists, and that can be undone together. */
const namedMax = 20

/**
 * Merges issues into `into`, in the caller's transaction. `noted`: the activity entry of the previous step of the same
 * merge, which this step continues. Returns it for the next step.
 */
export async function mergeRows(
  store: Store,
  statements: BatchStatements,
  into: IssueRow,
  from: readonly IssueRow[],
  by: { userId: string | null; nowMs: number; noted: number | null },
): Promise<{ row: IssueRow; noted: number }> {
  const { write } = store
  const { builder } = store.dialect
  const ids = from.map((item) => item.id)
  const mergedIssues = await Array.fromAsync(from.slice(0, namedMax), async (item) => ({
    id: String(item.id),
    shortId: item.short_id,
    title: item.title,
    was: await formerOf(store, item),
  }))
  for (let start = 0; start < ids.length; start += chunk)
    await moveAll(store, ids.slice(start, start + chunk), into, by.nowMs)
  const row = withVerdict(from.reduce(withEvents, { ...into, rev: into.rev + 1 }))
  await statements.updateIssues([row])
  await deleteForecast(store, into.id)
  const entry = builder.selectFrom('activity').select(['id', 'data']).where('id', '=', by.noted)
  const before = by.noted === null ? undefined : await write.get(entry)
  const old = before ? fromJson<MergeNote>(before.data) : { issues: [], count: 0 }
  const note: MergeNote = {
    issues: [...old.issues, ...mergedIssues].slice(0, namedMax),
    count: old.count + from.length,
    took: {
      priority: old.took?.priority || (into.priority === null && row.priority !== null),
      assignee: old.took?.assignee || (into.assignee_user_id === null && row.assignee_user_id !== null),
    },
  }
  const data = JSON.stringify(note)
  if (before) {
    await write.run(builder.updateTable('activity').set({ data }).where('id', '=', before.id))
    return { row, noted: before.id }
  }
  const values = { issue_id: into.id, type: 'merge', created_ms: by.nowMs, user_id: by.userId, data }
  return { row, noted: await insertedId(write, builder.insertInto('activity').values(values)) }
}

/** Implements the search for similar issues. */
export function similarPart({ read, dialect: { builder } }: Store): Pick<MergeStore, 'similarCandidates'> {
  return {
    similarCandidates: async (issueId, max) => {
      const row = await read.get(builder.selectFrom('issue').selectAll().where('id', '=', issueId))
      if (!row) return []
      const others = () =>
        builder
          .selectFrom('issue')
          .selectAll()
          .where('project_id', '=', row.project_id)
          .where('id', '!=', row.id)
          .where('kind', '=', row.kind)
          .orderBy('last_seen_ms', 'desc')
          .limit(max)
      const likely = await read.all(
        others().where((build) =>
          build.or([
            ...(row.error_type === '' ? [] : [build('error_type', '=', row.error_type)]),
            ...(row.culprit === '' ? [] : [build('culprit', '=', row.culprit)]),
            build('title', '=', row.title),
          ]),
        ),
      )
      const nearIds = new Set(likely.map((item) => item.id))
      const unlikely = likely.length < max ? (await read.all(others())).filter((item) => !nearIds.has(item.id)) : []
      return [...likely, ...unlikely].slice(0, max).map(toIssue)
    },
  }
}

/** Implements merges. */
export function mergePart(store: Store): Pick<MergeStore, 'mergeIssues' | 'issueHashes' | 'namedEvents'> {
  const { write, read, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)
  return {
    issueHashes: async (issueId) =>
      (
        await read.all(
          builder
            .selectFrom('fingerprint')
            .leftJoin('merged_hash', (join) =>
              join
                .onRef('merged_hash.project_id', '=', 'fingerprint.project_id')
                .onRef('merged_hash.hash', '=', 'fingerprint.hash'),
            )
            .leftJoin('moved_issue', 'moved_issue.id', 'merged_hash.from_id')
            // The source issue can exist again while this hash is still here.
            .leftJoin('issue', (join) =>
              join.onRef('issue.id', '=', 'merged_hash.from_id').onRef('issue.id', '!=', 'fingerprint.issue_id'),
            )
            .select(['fingerprint.hash', 'moved_issue.short_id as moved', 'issue.short_id as standing'])
            .where('fingerprint.issue_id', '=', issueId)
            .orderBy('fingerprint.hash'),
        )
      ).map((row) => ({ hash: row.hash, mergedFrom: row.moved ?? row.standing })),
    namedEvents: async (issueId, max) => {
      const named = (table: 'digest' | 'feedback') =>
        read.all(builder.selectFrom(table).select('event_id').distinct().where('issue_id', '=', issueId).limit(max))
      return [...new Set([...(await named('feedback')), ...(await named('digest'))].map((row) => row.event_id))].slice(
        0,
        max,
      )
    },
    mergeIssues: (intoId, fromIds, userId, nowMs) =>
      write.transaction(async () => {
        const merge = { intoId, fromIds: [...new Set(fromIds)].filter((id) => id !== intoId) }
        const { into, from } = await demandMergeable(store, statements, merge)
        if (from.length === 0) return { issue: toIssue(into), merged: [], activityId: null }
        const { row, noted } = await mergeRows(store, statements, into, from, { userId, nowMs, noted: null })
        return { issue: toIssue(row), merged: merge.fromIds, activityId: noted }
      }),
  }
}
