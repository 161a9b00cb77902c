import { MishapError } from '../../../base/errors.ts'
import { fromJson, type Store } from '../database/store.ts'
import {
  activityRow,
  batchStatements,
  issueOf as issueById,
  queueOwnerCheck,
  takeShortId,
} from '../ingest/batch-statements.ts'
import { changeCounts, diagnosticsOf, hashDiagnostics, joinCounts } from '../ingest/diagnostic-counts.ts'
import type { MissingMapWriter } from '../ingest/missing-source-maps.ts'
import { moveErrorEnd } from '../issues/error-links.ts'
import { beginIssue, countMoved, type IssueRow, latestTexts, shiftBefore } from '../issues/issue-state.ts'
import { decidedOf, deleteForecast, moveIssues, sourceOf } from '../issues/move-issue.ts'
import type { EventEffect } from '../meta.ts'
import { arrivalContext } from '../releases/release-transitions.ts'
import type { ReprocessingMetaStore, ReprocessingMove, ReprocessingResult } from './reprocessing.ts'

/** An issue and its changes in a transaction of moves. */
type Work = {
  row: IssueRow
  /** Number of its reprocessed events, how many came from other issues, and the short ids of these issues. */
  mapped: number
  came: number
  from: Set<string>
  left: number
  regressed: boolean
  isNew: boolean
  latest?: EventEffect
}

type CommitState = {
  store: Store
  statements: ReturnType<typeof batchStatements>
  diagnostics: ReturnType<typeof hashDiagnostics>
  issues: Map<number, Work>
  nowMs: number
  runId: number
}

const newWork = (row: IssueRow, isNew: boolean): Work => ({
  row,
  isNew,
  mapped: 0,
  came: 0,
  left: 0,
  regressed: false,
  from: new Set(),
})

async function issueOf({ issues, statements }: CommitState, id: number): Promise<Work> {
  const cached = issues.get(id)
  if (cached) return cached
  const row = await issueById(statements, id)
  if (!row) throw new Error(`fingerprint names issue ${id}, which is not there`)
  const work = newWork(row, false)
  issues.set(id, work)
  return work
}

/**
 * Returns whether an issue keeps its events under an unknown hash. The first new hash takes over the issue with its
 * link, people and comments. Events with other new hashes get their own issue.
 */
async function claimHash(
  { store: { write, dialect } }: CommitState,
  issueId: number,
  hashes: readonly string[],
): Promise<boolean> {
  const { builder } = dialect
  const claimed = await write.get(builder.selectFrom('taken_issue').select('hash').where('issue_id', '=', issueId))
  if (claimed) return hashes.includes(claimed.hash)
  await write.run(builder.insertInto('taken_issue').values({ issue_id: issueId, hash: hashes[0] ?? '' }))
  return true
}

/** Creates an issue for events that leave an issue. It starts with people's decisions about the old issue. */
async function splitFrom(state: CommitState, from: Work, effect: EventEffect): Promise<Work> {
  const { statements, issues } = state
  const { shortId, organizationId } = await takeShortId(statements, effect.projectId)
  const {
    status,
    substatus,
    status_details,
    resolved_ms,
    assignee_user_id,
    state_ms,
    due_ms,
    awaits_release,
    priority,
  } = from.row
  const newRow = {
    ...beginIssue(effect, organizationId, shortId, state.nowMs),
    status,
    substatus,
    resolved_ms,
    assignee_user_id,
    // It starts without events, so it must count as many as the old issue waited for.
    status_details: shiftBefore(status_details, Number.NEGATIVE_INFINITY),
    state_ms,
    due_ms,
    awaits_release,
    priority,
  }
  const [id = 0] = await statements.insertIssues([newRow])
  const data = JSON.stringify({ eventId: effect.eventId })
  await statements.activities.run([activityRow(id, 'first_seen', effect.timestampMs, data)])
  const created = newWork({ id, ...newRow }, true)
  await queueOwnerCheck(statements, created.row, state.nowMs)
  issues.set(id, created)
  await state.store.write.run(
    state.store.dialect.builder
      .insertInto('taken_issue')
      .values({ issue_id: id, hash: effect.hashes[0] ?? '' })
      .onConflict((conflict) => conflict.doNothing()),
  )
  return created
}

/**
 * Keeps events that people merged into an issue in it, even if their new hashes were unknown at the merge. These events
 * do not take over the issue and do not leave it. Copies the note of the old hash to the new hashes, so that an unmerge
 * takes them along.
 */
async function keepsMerged(
  { store, nowMs }: CommitState,
  { row }: Work,
  { fromHash, effect }: ReprocessingMove,
): Promise<boolean> {
  const source = await sourceOf(store, row, fromHash)
  if (source === undefined) return false
  for (const hash of effect.hashes)
    await store.write.run(
      store.dialect.builder
        .insertInto('merged_hash')
        .values({ project_id: row.project_id, hash, from_id: source, merged_ms: nowMs })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'hash']).doUpdateSet({ from_id: source, merged_ms: nowMs }),
        ),
    )
  return true
}

/** Returns the issues of known hashes, by hash. */
async function fingerprintsOf(
  { statements }: CommitState,
  projectId: number,
  hashes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await statements.fingerprints.all(hashes.map((hash) => ({ project_id: projectId, hash })))
  return new Map(rows.map((row) => [row.hash, row.issue_id]))
}

/** Returns the issue of an event by its new hashes. */
async function targetOf(state: CommitState, from: Work, reprocessMove: ReprocessingMove): Promise<Work> {
  const { statements } = state
  const { projectId, hashes } = reprocessMove.effect
  const known = await fingerprintsOf(state, projectId, hashes)
  const knownId = hashes.map((hash) => known.get(hash)).find((id) => id !== undefined)
  const stays = async () =>
    (await keepsMerged(state, from, reprocessMove)) || (await claimHash(state, from.row.id, hashes))
  const target =
    knownId !== undefined
      ? await issueOf(state, knownId)
      : (await stays())
        ? from
        : await splitFrom(state, from, reprocessMove.effect)
  await statements.attachHashes.run(hashes.map((hash) => ({ project_id: projectId, hash, issue_id: target.row.id })))
  return target
}

/** Moves the related rows of one event. */
async function moveRelatedRows(
  { store: { write, dialect } }: CommitState,
  from: Work,
  to: Work,
  effect: EventEffect,
): Promise<void> {
  const { builder } = dialect
  const { projectId, eventId } = effect
  await write.run(
    builder
      .updateTable('feedback')
      .set({ issue_id: to.row.id })
      .where('project_id', '=', projectId)
      .where('event_id', '=', eventId)
      .where('issue_id', '=', from.row.id),
  )
  if (effect.digest !== '')
    await write.run(builder.deleteFrom('digest').where('issue_id', '=', from.row.id).where('event_id', '=', eventId))
}

/** Subtracts an event's old diagnostics from its old hash, and adds the new ones to its new hash. */
async function moveDiagnostics(
  { diagnostics }: CommitState,
  from: Work,
  to: Work,
  { fromHash, fromDiagnostics, effect }: ReprocessingMove,
): Promise<void> {
  const { projectId } = effect
  changeCounts(from.row, fromDiagnostics, -1)
  changeCounts(to.row, effect.diagnostics, 1)
  await diagnostics.take(
    (fromDiagnostics ?? []).map((sign) => ({ project_id: projectId, hash: fromHash, sign, events: 1 })),
  )
  await diagnostics.add(diagnosticsOf(effect))
}

async function move(state: CommitState, reprocessMove: ReprocessingMove): Promise<boolean> {
  const { statements, nowMs } = state
  const { effect, fromHash } = reprocessMove
  const fromId = (await fingerprintsOf(state, effect.projectId, [fromHash])).get(fromHash)
  if (fromId === undefined) throw new Error(`event ${effect.eventId} at ${effect.jpos} belongs to no issue`)
  const from = await issueOf(state, fromId)
  const to = await targetOf(state, from, reprocessMove)
  to.mapped++
  if (effect.timestampMs >= to.row.last_seen_ms) to.latest = effect
  if (to !== from) {
    from.row.count -= 1
    from.left++
    to.came++
    to.from.add(from.row.short_id)
    if (countMoved(to.row, effect, await arrivalContext(statements, to.row, effect.release, nowMs))) to.regressed = true
    await moveRelatedRows(state, from, to, effect)
  }
  if (effect.digest !== '')
    await statements.digests.run([
      {
        project_id: effect.projectId,
        digest: effect.digest,
        issue_id: to.row.id,
        event_id: effect.eventId,
        last_ms: effect.timestampMs,
      },
    ])
  await moveDiagnostics(state, from, to, reprocessMove)
  await moveErrorEnd(state.store, effect)
  return to !== from
}

type ReprocessedData = { regrouping: number; events: number; came?: number; from?: string[]; left?: number }

/** Writes one activity per issue and run; later steps of the run extend it. Returns whether this call created it. */
async function recordActivity(
  { store, statements, runId, nowMs }: CommitState,
  issueId: number,
  told: Omit<ReprocessedData, 'regrouping'>,
): Promise<boolean> {
  const { write, dialect } = store
  const last = await write.get(
    dialect.builder
      .selectFrom('activity')
      .select(['id', 'data'])
      .where('issue_id', '=', issueId)
      .where('type', '=', 'mapped_again')
      .orderBy('id', 'desc')
      .limit(1),
  )
  const before = last && fromJson<ReprocessedData>(last.data)
  const isSame = before?.regrouping === runId
  const from = [...new Set([...((isSame && before.from) || []), ...(told.from ?? [])])].slice(0, 20)
  const arrived = (isSame ? (before.came ?? 0) : 0) + (told.came ?? 0)
  const left = (isSame ? (before.left ?? 0) : 0) + (told.left ?? 0)
  const data: ReprocessedData = {
    regrouping: runId,
    events: (isSame ? before.events : 0) + told.events,
    ...(arrived > 0 ? { came: arrived } : {}),
    ...(left > 0 ? { left } : {}),
    ...(from.length > 0 ? { from } : {}),
  }
  const text = JSON.stringify(data)
  if (last && isSame)
    await write.run(dialect.builder.updateTable('activity').set({ data: text }).where('id', '=', last.id))
  else await statements.activities.run([activityRow(issueId, 'mapped_again', nowMs, text)])
  return !isSame
}

/** Writes the issues of a transaction. Returns the merged issues, and those that lost some of their events. */
async function finish(
  state: CommitState,
  targets: Map<number, Work>,
): Promise<{ merged: number[]; stale: number[]; issueCount: number }> {
  const { statements, issues, nowMs } = state
  const merged: number[] = []
  for (const [id, from] of issues) {
    let to = targets.get(id)
    if (from.row.count > 0 || !to || from.isNew) continue
    while (merged.includes(to.row.id)) {
      const next = targets.get(to.row.id)
      if (!next) throw new Error(`issue ${to.row.id} went nowhere`)
      to = next
    }
    // `first_seen` does not apply to the other issue, and `recordActivity` sums up `mapped_again`.
    await moveIssues(state.store, [from.row.id], to.row.id, ['first_seen', 'mapped_again'], nowMs)
    Object.assign(to.row, decidedOf(to.row, from.row))
    to.row.sign_counts = joinCounts(to.row.sign_counts, from.row.sign_counts)
    await deleteForecast(state.store, to.row.id)
    merged.push(id)
  }
  let issueCount = 0
  for (const [id, work] of issues) {
    if (merged.includes(id)) continue
    const { row, latest, mapped, came: arrived, from, left, regressed } = work
    const status_details = shiftBefore(row.status_details, arrived - left)
    await statements.updateIssues([{ ...row, ...(latest ? latestTexts(latest) : {}), status_details }])
    if ((await recordActivity(state, id, { events: mapped, came: arrived, left, from: [...from] })) && mapped > 0)
      issueCount++
    if (regressed) await statements.activities.run([activityRow(id, 'set_regression', nowMs, '{}')])
  }
  const stale = [...issues].flatMap(([id, item]) => (item.left > 0 && !merged.includes(id) ? [id] : []))
  return { merged, stale, issueCount }
}

/** Whether a removal of the project, of one of its issues or of an organization has not ended. */
async function isBeingRemoved({ write, dialect: { builder } }: Store, projectId: number): Promise<boolean> {
  const open = builder.selectFrom('removal').select('id').where('ended_ms', 'is', null)
  return (await write.get(open.where('project_id', 'in', [projectId, 0]).limit(1))) !== undefined
}

/** Implements the transaction that moves events between issues. */
export function reprocessCommitPart(
  store: Store,
  missingMaps: MissingMapWriter,
): Pick<ReprocessingMetaStore, 'commitReprocessStep'> {
  const { write, clock } = store
  const { builder } = store.dialect
  const statements = batchStatements(write, store.dialect)
  const diagnostics = hashDiagnostics(store)

  type Committed = { result: ReprocessingResult; cacheWritten?: () => void }
  async function commit(stepId: number, moves: readonly ReprocessingMove[]): Promise<Committed> {
    const step = await write.get(builder.selectFrom('regroup_step').selectAll().where('id', '=', stepId))
    if (step?.stage !== 'planned') return { result: { organizationId: 0, issues: [], merged: [], moved: 0 } }
    // Events to be removed must not move to an issue that stays.
    const [first] = moves
    if (first && (await isBeingRemoved(store, first.effect.projectId))) throw new MishapError('CONFLICT')
    const runId = step.regrouping_id
    const state: CommitState = {
      store,
      statements,
      diagnostics,
      issues: new Map(),
      nowMs: clock.now(),
      runId,
    }
    const targets = new Map<number, Work>()
    let movedCount = 0
    for (const item of moves) {
      const { projectId } = item.effect
      const fromId = (await fingerprintsOf(state, projectId, [item.fromHash])).get(item.fromHash) ?? 0
      if (!(await move(state, item))) continue
      movedCount++
      const [hash = ''] = item.effect.hashes
      targets.set(fromId, await issueOf(state, (await fingerprintsOf(state, projectId, [hash])).get(hash) ?? 0))
    }
    const effects = moves.map((item) => item.effect)
    const cacheWritten = await missingMaps.record(effects, state.nowMs)
    const { merged, stale, issueCount } = await finish(state, targets)
    const ids = [...state.issues.keys()].filter((id) => !merged.includes(id))
    const change = { stage: 'counted', stale: JSON.stringify(stale) }
    await write.run(builder.updateTable('regroup_step').set(change).where('id', '=', stepId))
    await write.run(
      builder
        .updateTable('regrouping')
        .set((build) => ({
          mapped: build('mapped', '+', moves.length),
          moved: build('moved', '+', movedCount),
          issues: build('issues', '+', issueCount),
        }))
        .where('id', '=', runId),
    )
    const organizationId = [...state.issues.values()][0]?.row.organization_id ?? 0
    return { result: { organizationId, issues: ids, merged, moved: movedCount }, cacheWritten }
  }

  return {
    commitReprocessStep: async (stepId, moves) => {
      const { result, cacheWritten } = await write.transaction(() => commit(stepId, moves))
      cacheWritten?.()
      return result
    },
  }
}
