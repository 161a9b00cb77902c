import { fromJson, type Store } from '../database/store.ts'
import { askOwner, batchStatements } from '../ingest/batch-statements.ts'
import { hashSigns, joinCounts, shiftCounts } from '../ingest/diagnostic-counts.ts'
import type { MissedNotes } from '../ingest/missing-source-maps.ts'
import { moveFailure } from '../issues/error-links.ts'
import { beginIssue, countMoved, type IssueRow, latestTexts, shiftBefore } from '../issues/issue-state.ts'
import { decidedOf, forgetForecast, moveIssues, sourceOf } from '../issues/move-issue.ts'
import type { EventEffect } from '../meta.ts'
import { aroundOf } from '../releases/release-transitions.ts'
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

type Room = {
  store: Store
  statements: ReturnType<typeof batchStatements>
  notes: MissedNotes
  signs: ReturnType<typeof hashSigns>
  issues: Map<number, Work>
  nowMs: number
  regroupingId: number
}

const fresh = (row: IssueRow, isNew: boolean): Work => ({
  row,
  isNew,
  mapped: 0,
  came: 0,
  left: 0,
  regressed: false,
  from: new Set(),
})

function issueOf({ issues, statements }: Room, id: number): Work {
  const known = issues.get(id)
  if (known) return known
  const row = statements.issue.get({ id })
  if (!row) throw new Error(`fingerprint names issue ${id}, which is not there`)
  const made = fresh(row, false)
  issues.set(id, made)
  return made
}

/**
 * Returns whether an issue keeps its events under an unknown hash. The first new hash takes over the issue with its
 * link, people and comments. Events with other new hashes get their own issue.
 */
function takes({ store: { write, dialect } }: Room, issueId: number, hashes: readonly string[]): boolean {
  const { builder } = dialect
  const taken = write.get(builder.selectFrom('taken_issue').select('hash').where('issue_id', '=', issueId))
  if (taken) return hashes.includes(taken.hash)
  write.run(builder.insertInto('taken_issue').values({ issue_id: issueId, hash: hashes[0] ?? '' }))
  return true
}

/** Creates an issue for events that leave an issue. It starts with people's decisions about the old one. */
function splitFrom(room: Room, from: Work, effect: EventEffect): Work {
  const { statements, issues } = room
  const project = statements.project.get({ id: effect.projectId })
  if (!project) throw new Error(`project ${effect.projectId} is gone`)
  const prefix = project.slug.toUpperCase()
  const number = statements.shortId.get({ organizationId: project.organization_id, prefix })?.last
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
  const begun = {
    ...beginIssue(effect, project.organization_id, `${prefix}-${number}`, room.nowMs),
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
  const { lastId: id } = statements.insertIssue.run(begun)
  const data = JSON.stringify({ eventId: effect.eventId })
  statements.activity.run({ issueId: id, type: 'first_seen', createdMs: effect.timestampMs, data })
  const made = fresh({ id, ...begun }, true)
  askOwner(statements, made.row, room.nowMs)
  issues.set(id, made)
  room.store.write.run(
    room.store.dialect.builder
      .insertInto('taken_issue')
      .values({ issue_id: id, hash: effect.hashes[0] ?? '' })
      .onConflict((conflict) => conflict.doNothing()),
  )
  return made
}

/**
 * Keeps events that people merged into an issue in it, even if their new hashes were unknown at the merge. These events
 * do not take over the issue and do not leave it. Copies the note of the old hash to the new hashes, so that an unmerge
 * takes them along.
 */
function keepsMerged({ store, nowMs }: Room, { row }: Work, { fromHash, effect }: ReprocessingMove): boolean {
  const source = sourceOf(store, row, fromHash)
  if (source === undefined) return false
  for (const hash of effect.hashes)
    store.write.run(
      store.dialect.builder
        .insertInto('merged_hash')
        .values({ project_id: row.project_id, hash, from_id: source, merged_ms: nowMs })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'hash']).doUpdateSet({ from_id: source, merged_ms: nowMs }),
        ),
    )
  return true
}

/** Returns the issue of an event by its new hashes. */
function targetOf(room: Room, from: Work, regroupMove: ReprocessingMove): Work {
  const { statements } = room
  const { projectId, hashes } = regroupMove.effect
  const known = hashes
    .map((hash) => statements.fingerprint.get({ projectId, hash })?.issue_id)
    .find((id) => id !== undefined)
  const stays = () => keepsMerged(room, from, regroupMove) || takes(room, from.row.id, hashes)
  const target = known !== undefined ? issueOf(room, known) : stays() ? from : splitFrom(room, from, regroupMove.effect)
  for (const hash of hashes) statements.attachHash.run({ projectId, hash, issueId: target.row.id })
  return target
}

/** Moves the related rows of one event. */
function moveHanging({ store: { write, dialect } }: Room, from: Work, to: Work, effect: EventEffect): void {
  const { builder } = dialect
  const { projectId, eventId } = effect
  write.run(
    builder
      .updateTable('feedback')
      .set({ issue_id: to.row.id })
      .where('project_id', '=', projectId)
      .where('event_id', '=', eventId)
      .where('issue_id', '=', from.row.id),
  )
  if (effect.digest !== '')
    write.run(builder.deleteFrom('digest').where('issue_id', '=', from.row.id).where('event_id', '=', eventId))
}

/** Subtracts an event's old diagnostics from its old hash, and adds the new ones to its new hash. */
function moveSigns({ signs }: Room, from: Work, to: Work, { fromHash, fromSigns, effect }: ReprocessingMove): void {
  const { projectId } = effect
  shiftCounts(from.row, fromSigns, -1)
  shiftCounts(to.row, effect.signs, 1)
  for (const sign of fromSigns ?? []) signs.take({ projectId, hash: fromHash, sign, events: 1 })
  for (const sign of effect.signs ?? []) signs.add({ projectId, hash: effect.hashes[0] ?? '', sign, events: 1 })
}

function move(room: Room, regroupMove: ReprocessingMove): boolean {
  const { statements, notes, nowMs } = room
  const { effect, fromHash } = regroupMove
  const fromId = statements.fingerprint.get({ projectId: effect.projectId, hash: fromHash })?.issue_id
  if (fromId === undefined) throw new Error(`event ${effect.eventId} at ${effect.jpos} belongs to no issue`)
  const from = issueOf(room, fromId)
  const to = targetOf(room, from, regroupMove)
  to.mapped++
  if (effect.timestampMs >= to.row.last_seen_ms) to.latest = effect
  if (to !== from) {
    from.row.count -= 1
    from.left++
    to.came++
    to.from.add(from.row.short_id)
    if (countMoved(to.row, effect, aroundOf(statements, effect.projectId, nowMs))) to.regressed = true
    moveHanging(room, from, to, effect)
  }
  if (effect.digest !== '')
    statements.digest.run({
      projectId: effect.projectId,
      digest: effect.digest,
      issueId: to.row.id,
      eventId: effect.eventId,
      lastMs: effect.timestampMs,
    })
  moveSigns(room, from, to, regroupMove)
  moveFailure(room.store, effect)
  notes.note(effect, nowMs)
  return to !== from
}

type Told = { regrouping: number; events: number; came?: number; from?: string[]; left?: number }

/** Writes one activity per issue and run; later steps of the run extend it. Returns whether this call created it. */
function tell(
  { store, statements, regroupingId, nowMs }: Room,
  issueId: number,
  told: Omit<Told, 'regrouping'>,
): boolean {
  const { write, dialect } = store
  const last = write.get(
    dialect.builder
      .selectFrom('activity')
      .select(['id', 'data'])
      .where('issue_id', '=', issueId)
      .where('type', '=', 'mapped_again')
      .orderBy('id', 'desc')
      .limit(1),
  )
  const before = last && fromJson<Told>(last.data)
  const isSame = before?.regrouping === regroupingId
  const from = [...new Set([...((isSame && before.from) || []), ...(told.from ?? [])])].slice(0, 20)
  const came = (isSame ? (before.came ?? 0) : 0) + (told.came ?? 0)
  const left = (isSame ? (before.left ?? 0) : 0) + (told.left ?? 0)
  const data: Told = {
    regrouping: regroupingId,
    events: (isSame ? before.events : 0) + told.events,
    ...(came > 0 ? { came } : {}),
    ...(left > 0 ? { left } : {}),
    ...(from.length > 0 ? { from } : {}),
  }
  const text = JSON.stringify(data)
  if (last && isSame) write.run(dialect.builder.updateTable('activity').set({ data: text }).where('id', '=', last.id))
  else statements.activity.run({ issueId, type: 'mapped_again', createdMs: nowMs, data: text })
  return !isSame
}

/** Writes the issues of a transaction. Returns the merged issues, and those that lost some of their events. */
function finish(room: Room, targets: Map<number, Work>): { merged: number[]; stale: number[]; told: number } {
  const { statements, issues, nowMs } = room
  const merged: number[] = []
  for (const [id, from] of issues) {
    let to = targets.get(id)
    if (from.row.count > 0 || !to || from.isNew) continue
    while (merged.includes(to.row.id)) {
      const next = targets.get(to.row.id)
      if (!next) throw new Error(`issue ${to.row.id} went nowhere`)
      to = next
    }
    // `first_seen` does not apply to the other issue, and `tell` sums up `mapped_again`.
    moveIssues(room.store, [from.row.id], to.row.id, ['first_seen', 'mapped_again'], nowMs)
    Object.assign(to.row, decidedOf(to.row, from.row))
    to.row.sign_counts = joinCounts(to.row.sign_counts, from.row.sign_counts)
    forgetForecast(room.store, to.row.id)
    merged.push(id)
  }
  let told = 0
  for (const [id, work] of issues) {
    if (merged.includes(id)) continue
    const { row, latest, mapped, came, from, left, regressed } = work
    const status_details = shiftBefore(row.status_details, came - left)
    statements.updateIssue.run({ ...row, ...(latest ? latestTexts(latest) : {}), status_details })
    if (tell(room, id, { events: mapped, came, left, from: [...from] }) && mapped > 0) told++
    if (regressed) statements.activity.run({ issueId: id, type: 'set_regression', createdMs: nowMs, data: '{}' })
  }
  const stale = [...issues].flatMap(([id, item]) => (item.left > 0 && !merged.includes(id) ? [id] : []))
  return { merged, stale, told }
}

/** Implements the transaction that moves events between issues. */
export function reprocessingCommitPart(store: Store, notes: MissedNotes): Pick<ReprocessingMetaStore, 'commitRegroup'> {
  const { write, clock } = store
  const { builder } = store.dialect
  const statements = batchStatements(write, store.dialect)
  const signs = hashSigns(store)

  function commit(stepId: number, moves: readonly ReprocessingMove[]): ReprocessingResult {
    const step = write.get(builder.selectFrom('regroup_step').selectAll().where('id', '=', stepId))
    if (step?.stage !== 'planned') return { organizationId: 0, issues: [], merged: [], moved: 0 }
    const regroupingId = step.regrouping_id
    const room: Room = { store, statements, notes, signs, issues: new Map(), nowMs: clock.now(), regroupingId }
    const targets = new Map<number, Work>()
    let moved = 0
    for (const item of moves) {
      const { projectId } = item.effect
      const fromId = statements.fingerprint.get({ projectId, hash: item.fromHash })?.issue_id ?? 0
      if (!move(room, item)) continue
      moved++
      const toId = statements.fingerprint.get({ projectId, hash: item.effect.hashes[0] ?? '' })?.issue_id ?? 0
      targets.set(fromId, issueOf(room, toId))
    }
    const { merged, stale, told } = finish(room, targets)
    const ids = [...room.issues.keys()].filter((id) => !merged.includes(id))
    const change = { stage: 'counted', stale: JSON.stringify(stale) }
    write.run(builder.updateTable('regroup_step').set(change).where('id', '=', stepId))
    write.run(
      builder
        .updateTable('regrouping')
        .set((build) => ({
          mapped: build('mapped', '+', moves.length),
          moved: build('moved', '+', moved),
          issues: build('issues', '+', told),
        }))
        .where('id', '=', regroupingId),
    )
    const organizationId = [...room.issues.values()][0]?.row.organization_id ?? 0
    return { organizationId, issues: ids, merged, moved }
  }

  return { commitRegroup: (stepId, moves) => write.transaction(() => commit(stepId, moves)) }
}
