import { MishapError } from '../../../base/errors.ts'
import type { Store } from '../database/store.ts'
import { type BatchStatements, batchStatements, queueOwnerCheck, takeShortId } from '../ingest/batch-statements.ts'
import { countsOfHashes, countsOfIssue, dropDiagnostics, withVerdict } from '../ingest/diagnostic-counts.ts'
import { edgeColumns } from '../retention/reprocessing.ts'
import { reopenRelated } from './error-links.ts'
import { type IssueRow, shiftBefore, stateColumns } from './issue-state.ts'
import { toIssue } from './issues.ts'
import {
  addDownsampled,
  copyDigests,
  demand,
  demandUnremoved,
  type Leaving,
  type MergeStore,
  withEvents,
} from './merge.ts'
import { deleteForecast, sourceOf } from './move-issue.ts'

/** Maximum ids per statement. */
const chunk = 400

/** The merged issue that brought the hashes. `row`: set if it exists again, because other hashes were split off. */
type MergeSource = { id: number; shortId: string; row?: IssueRow } | undefined

/** Returns the single merged issue that brought all of these hashes, if it redirects here or exists again. */
async function mergeSourceOf(store: Store, row: IssueRow, hashes: readonly string[]): Promise<MergeSource> {
  const { write } = store
  const { builder } = store.dialect
  const [id, ...others] = new Set(await Array.fromAsync(hashes, async (hash) => sourceOf(store, row, hash)))
  if (id === undefined || others.length > 0) return undefined
  const moved = await write.get(
    builder.selectFrom('moved_issue').select('short_id').where('id', '=', id).where('issue_id', '=', row.id),
  )
  if (moved) return { id, shortId: moved.short_id }
  const reopened = await write.get(
    builder.selectFrom('issue').selectAll().where('id', '=', id).where('project_id', '=', row.project_id),
  )
  return reopened && { id, shortId: reopened.short_id, row: reopened }
}

async function detachHashes(
  store: Store,
  row: IssueRow,
  hashes: readonly string[],
  source: MergeSource,
): Promise<void> {
  const { write, dialect } = store
  const { builder } = dialect
  const own = await write.all(builder.selectFrom('fingerprint').select('hash').where('issue_id', '=', row.id))
  const ownHashes = new Set(own.map((item) => item.hash))
  if (hashes.length === 0 || hashes.some((hash) => !ownHashes.has(hash))) throw new MishapError('NOT_FOUND')
  if (new Set(hashes).size >= ownHashes.size) {
    const sentence = 'An issue must keep at least one of its hashes.'
    throw new MishapError('VALIDATION', { detail: sentence, fields: { id: [sentence] } })
  }
  await demandUnremoved(store, [row.id, ...(source ? [source.id] : [])])
  for (let start = 0; start < hashes.length; start += chunk) {
    const some = hashes.slice(start, start + chunk)
    for (const table of ['fingerprint', 'merged_hash'] as const)
      await write.run(builder.deleteFrom(table).where('project_id', '=', row.project_id).where('hash', 'in', some))
    // Otherwise, reprocessing would start a new issue for each new hash of its other events.
    await write.run(builder.deleteFrom('taken_issue').where('issue_id', '=', row.id).where('hash', 'in', some))
    // Two issues now share what belonged to a single issue, so linked ends must be checked, too.
    const ends = builder.selectFrom('failure_side').where('project_id', '=', row.project_id)
    await reopenRelated(store, ends.where('hash', 'in', some), ['several', ''])
  }
}

/** Moves feedback and digests of the leaving events. */
async function moveNamed(store: Store, fromId: number, toId: number, eventIds: readonly string[]): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  for (let start = 0; start < eventIds.length; start += chunk) {
    const some = eventIds.slice(start, start + chunk)
    const feedback = builder.updateTable('feedback').set({ issue_id: toId })
    await write.run(feedback.where('issue_id', '=', fromId).where('event_id', 'in', some))
    await copyDigests(store, [fromId], toId, some)
    await write.run(builder.deleteFrom('digest').where('issue_id', '=', fromId).where('event_id', 'in', some))
  }
}

/** Moves the count of downsampled events. */
async function moveDownsampled(store: Store, fromId: number, toId: number, quantity: number): Promise<void> {
  const { write, dialect } = store
  await write.run(
    dialect.builder
      .updateTable('thinned_issue')
      .set((build) => ({ quantity: build('quantity', '-', quantity) }))
      .where('issue_id', '=', fromId),
  )
  await addDownsampled(store, toId, quantity)
}

/** Returns the issue without the leaving events. */
function without(row: IssueRow, { events, staying }: Leaving): IssueRow {
  const count = Math.max(0, row.count - events)
  // A different count means that another issue was merged into it meanwhile. Then the precomputed values are outdated.
  const { texts, edges } = staying.count === row.count ? staying : {}
  return {
    // The kind comes from the first event and stays.
    ...row,
    ...texts,
    kind: row.kind,
    count,
    rev: row.rev + 1,
    ...(edges ? edgeColumns(edges, count) : {}),
    status_details: shiftBefore(row.status_details, -events),
  }
}

/** Creates or restores the issue for the leaving events: a new row, or the merged issue that brought them. */
async function beginIssue(
  store: Store,
  statements: BatchStatements,
  row: IssueRow,
  leaving: Leaving,
  source: MergeSource,
  nowMs: number,
): Promise<IssueRow> {
  const {
    write,
    dialect: { builder },
  } = store
  const { texts: shown, events, firstMs, lastMs, firstRelease, lastRelease } = leaving
  const created = withVerdict({
    organization_id: row.organization_id,
    project_id: row.project_id,
    ...shown,
    ...stateColumns('unresolved', 'ongoing', {}, nowMs),
    ten_ms: 0,
    ten_counts: '',
    hour_ms: 0,
    hour_count: 0,
    priority: null,
    assignee_user_id: null,
    comments: 0,
    rev: 0,
    count: events,
    first_seen_ms: firstMs,
    last_seen_ms: lastMs,
    first_release: firstRelease,
    last_release: lastRelease,
    short_id: source?.shortId ?? (await takeShortId(statements, row.project_id)).shortId,
    sign_counts: await countsOfHashes(store, row.project_id, leaving.hashes),
    noise: '',
  })
  if (!source) {
    const [id = 0] = await statements.insertIssues([created])
    return { id, ...created }
  }
  if (source.row) {
    const joined = withEvents(source.row, { id: source.id, ...created })
    const rejoined = withVerdict({ ...joined, rev: joined.rev + 1 })
    await statements.updateIssues([rejoined])
    await deleteForecast(store, source.id)
    return rejoined
  }
  await write.run(builder.deleteFrom('moved_issue').where('id', '=', source.id))
  await write.run(builder.insertInto('issue').values({ id: source.id, ...created }))
  return { id: source.id, ...created }
}

/** Implements unmerge. */
export function unmergePart(store: Store): Pick<MergeStore, 'unmergeHashes'> {
  const { write, dialect } = store
  const { builder } = dialect
  const statements = batchStatements(write, dialect)

  return {
    unmergeHashes: (issueId, leaving, userId, nowMs) =>
      write.transaction(async () => {
        const row = await demand(statements, issueId)
        const { hashes, events } = leaving
        const source = await mergeSourceOf(store, row, hashes)
        await detachHashes(store, row, hashes, source)
        const note = (id: number, type: string, data: object) =>
          write.run(
            builder
              .insertInto('activity')
              .values({ issue_id: id, type, created_ms: nowMs, user_id: userId, data: JSON.stringify(data) }),
          )
        let created: IssueRow | null = null
        if (events > 0) {
          created = await beginIssue(store, statements, row, leaving, source, nowMs)
          if (leaving.downsampled > 0) await moveDownsampled(store, issueId, created.id, leaving.downsampled)
          const createdId = created.id
          await statements.attachHashes.run(
            hashes.map((hash) => ({ project_id: row.project_id, hash, issue_id: createdId })),
          )
          await queueOwnerCheck(statements, created, nowMs)
          await moveNamed(store, issueId, created.id, leaving.eventIds)
          if (!source?.row) await note(created.id, 'first_seen', {})
          await note(created.id, 'unmerge', { source: row.short_id, hashes: hashes.length, events })
        } else await dropDiagnostics(store, row.project_id, hashes)
        const left = withVerdict({ ...without(row, leaving), sign_counts: await countsOfIssue(store, issueId) })
        await statements.updateIssues([left])
        await deleteForecast(store, issueId)
        await note(issueId, 'unmerge', { destination: created?.short_id ?? null, hashes: hashes.length, events })
        return { issue: toIssue(left), created: created && toIssue(created) }
      }),
  }
}
