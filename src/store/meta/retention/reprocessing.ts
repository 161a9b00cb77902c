import type { Selectable } from 'kysely'
import type { SignKey } from '../../../domain/noise.ts'
import { fromJson, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { EventEffect } from '../meta.ts'

/** Rows that are written again together; the events store says how it is read. */
export type ReprocessingRewrite = {
  projectId: number
  week: string
  gen: number
  positions: number[]
  from: string[]
  to: string[]
  hours: number[]
  token: string
}

/**
 * Rows on their way. `planned`: the new ones may stand and are not counted; `counted`: issues count the new ones, and the
 * old ones are going; `cut`: they are, which is asked for once more after a while.
 */
export type ReprocessingStep = {
  id: number
  regroupingId: number
  rewrite: ReprocessingRewrite
  /** Issues that lost some of their events: when they were first and last seen has to be looked up. */
  stale: number[]
  stage: 'planned' | 'counted' | 'cut'
  madeMs: number
}

/** One run over the events of a project. `upload`: files came; `late`: maps that events did not wait for. */
export type Regrouping = {
  id: number
  projectId: number
  cause: 'upload' | 'late'
  createdMs: number
  endedMs: number | null
  /** Events that were looked at, of `total`; those that were mapped, and those of them that belong to another issue now. */
  looked: number
  total: number
  mapped: number
  moved: number
  /** Issues that have events which were mapped. */
  issues: number
  error: string
}

/** An event that is written again: the group that it was in and the signs that it had there, and what it is now. */
export type ReprocessingMove = { fromHash: string; fromSigns?: SignKey[] | undefined; effect: EventEffect }

/** What a transaction of moves changed. `merged`: issues that are gone, all of their events belong to another one now. */
export type ReprocessingResult = { organizationId: number; issues: number[]; merged: number[]; moved: number }

/** When an issue's events were, as far as they stand. */
export type IssueEdges = { firstMs: number; lastMs: number; firstRelease: string; lastRelease: string; events: number }

export type ReprocessingMetaStore = {
  /**
   * The open run of a project for this cause, or a new run. It begins anew: events that are mapped already stay as
   * is.
   */
  beginRegrouping(projectId: number, cause: Regrouping['cause'], total: number): Regrouping
  setRegrouping(id: number, change: { looked?: number; total?: number; error?: string }): void
  endRegrouping(id: number): void
  openRegroupings(): Regrouping[]
  /** Newest first. */
  regroupings(max: number, projectIds?: readonly number[]): Regrouping[]
  planRegroup(regroupingId: number, rewrite: ReprocessingRewrite): ReprocessingStep
  /** `open`: that are not cut; or those that are, and were made further than `apartMs` from a time. All without either. */
  reprocessingSteps(only?: 'open' | { fromMs: number; apartMs: number }): ReprocessingStep[]
  /** Moves events between issues in one transaction; the step is `counted` then. A step that is counted stays as it is. */
  commitRegroup(stepId: number, moves: readonly ReprocessingMove[]): ReprocessingResult
  setRegroupStep(id: number, stage: 'cut'): void
  dropRegroupStep(id: number): void
  /**
   * Says when the events of an issue were, where all of them stand; where some are gone its beginning stays. Does nothing
   * and returns false where the issue has another count than `count`: an event came while the edges were asked for.
   */
  setIssueEdges(issueId: number, edges: IssueEdges, count: number): boolean
}

const toStep = (row: Selectable<Tables['regroup_step']>): ReprocessingStep => ({
  id: row.id,
  regroupingId: row.regrouping_id,
  rewrite: fromJson<ReprocessingRewrite>(row.rewrite),
  stale: fromJson<number[]>(row.stale),
  stage: row.stage as ReprocessingStep['stage'],
  madeMs: row.made_ms,
})

const toRun = (row: Selectable<Tables['regrouping']>): Regrouping => ({
  id: row.id,
  projectId: row.project_id,
  cause: row.cause as Regrouping['cause'],
  createdMs: row.created_ms,
  endedMs: row.ended_ms,
  looked: row.looked,
  total: row.total,
  mapped: row.mapped,
  moved: row.moved,
  issues: row.issues,
  error: row.error,
})

type RunPart = Pick<
  ReprocessingMetaStore,
  'beginRegrouping' | 'setRegrouping' | 'endRegrouping' | 'openRegroupings' | 'regroupings'
>

/** Runs, as they are told of. */
export function reprocessingRunPart({ write, read, clock, dialect: { builder } }: Store): RunPart {
  const runs = () => builder.selectFrom('regrouping').selectAll()
  return {
    beginRegrouping: (projectId, cause, total) =>
      write.transaction(() => {
        const open = write.get(
          runs().where('project_id', '=', projectId).where('cause', '=', cause).where('ended_ms', 'is', null),
        )
        if (open) {
          const row = { total, looked: 0 }
          write.run(builder.updateTable('regrouping').set(row).where('id', '=', open.id))
          return toRun({ ...open, ...row })
        }
        const row = { project_id: projectId, cause, created_ms: clock.now(), ended_ms: null, total }
        const { lastId: id } = write.run(builder.insertInto('regrouping').values(row))
        return toRun({ id, ...row, looked: 0, mapped: 0, moved: 0, issues: 0, error: '' })
      }),
    setRegrouping: (id, change) => void write.run(builder.updateTable('regrouping').set(change).where('id', '=', id)),
    endRegrouping: (id) =>
      void write.run(builder.updateTable('regrouping').set({ ended_ms: clock.now(), error: '' }).where('id', '=', id)),
    openRegroupings: () => write.all(runs().where('ended_ms', 'is', null).orderBy('id')).map(toRun),
    regroupings: (max, projectIds) => {
      if (projectIds?.length === 0) return []
      const query = runs().orderBy('id', 'desc').limit(max)
      return read.all(projectIds ? query.where('project_id', 'in', projectIds) : query).map(toRun)
    },
  }
}

type StepPart = Pick<ReprocessingMetaStore, 'planRegroup' | 'reprocessingSteps' | 'setRegroupStep' | 'dropRegroupStep'>

/** Rows on their way. */
export function reprocessingStepPart({ write, clock, dialect: { builder } }: Store): StepPart {
  return {
    planRegroup: (regroupingId, rewrite) => {
      const row = {
        regrouping_id: regroupingId,
        project_id: rewrite.projectId,
        rewrite: JSON.stringify(rewrite),
        stale: '[]',
        stage: 'planned',
        made_ms: clock.now(),
      }
      return toStep({ id: write.run(builder.insertInto('regroup_step').values(row)).lastId, ...row })
    },
    reprocessingSteps: (only) => {
      const all = builder.selectFrom('regroup_step').selectAll().orderBy('id')
      if (!only) return write.all(all).map(toStep)
      if (only === 'open') return write.all(all.where('stage', '!=', 'cut')).map(toStep)
      const { fromMs, apartMs } = only
      const isDue = all
        .where('stage', '=', 'cut')
        .where((build) =>
          build.or([build('made_ms', '<=', fromMs - apartMs), build('made_ms', '>=', fromMs + apartMs)]),
        )
      return write.all(isDue).map(toStep)
    },
    setRegroupStep: (id, stage) =>
      void write.run(builder.updateTable('regroup_step').set({ stage }).where('id', '=', id)),
    dropRegroupStep: (id) => void write.run(builder.deleteFrom('regroup_step').where('id', '=', id)),
  }
}

/**
 * Columns that say when the `count` events of an issue were. Where some of them are gone its beginning is left out: it is not
 * known from the others.
 */
export const edgeColumns = ({ firstMs, lastMs, firstRelease, lastRelease, events }: IssueEdges, count: number) => ({
  last_seen_ms: lastMs,
  last_release: lastRelease,
  ...(count <= events ? { first_seen_ms: firstMs, first_release: firstRelease } : {}),
})

/** When issues were first and last seen, after some of their events have left. */
export function reprocessingEdgePart({
  write,
  dialect: { builder },
}: Store): Pick<ReprocessingMetaStore, 'setIssueEdges'> {
  return {
    setIssueEdges: (issueId, edges, count) =>
      write.transaction(() => {
        const row = write.get(builder.selectFrom('issue').select('count').where('id', '=', issueId))
        if (row?.count !== count) return false
        write.run(builder.updateTable('issue').set(edgeColumns(edges, count)).where('id', '=', issueId))
        return true
      }),
  }
}
