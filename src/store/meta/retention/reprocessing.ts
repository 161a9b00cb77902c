import type { Selectable } from 'kysely'
import type { SignKey } from '../../../domain/noise.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { EventEffect } from '../meta.ts'

/** Rows that are rewritten together. The events store defines their selection. */
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
 * Rows being rewritten. `planned`: new rows can exist and are not counted. `counted`: issues count the new rows, and
 * old ones are being deleted. `cut`: they are deleted, and a later check deletes rows that a power cut brought back.
 */
export type ReprocessingStep = {
  id: number
  runId: number
  rewrite: ReprocessingRewrite
  /** Issues that lost some events. Their first and last event must be looked up. */
  stale: number[]
  stage: 'planned' | 'counted' | 'cut'
  madeMs: number
}

/** One run over a project's events. `upload`: new files arrived. `late`: source maps arrived after their events. */
export type ReprocessingRun = {
  id: number
  projectId: number
  cause: 'upload' | 'late'
  createdMs: number
  endedMs: number | null
  /** Checked events, out of `total`; reprocessed events; and how many of those moved to another issue. */
  looked: number
  total: number
  mapped: number
  moved: number
  /** Number of issues with reprocessed events. */
  issues: number
  error: string
}

/** A rewritten event: its old group and diagnostics, and its new effect. */
export type ReprocessingMove = { fromHash: string; fromDiagnostics?: SignKey[] | undefined; effect: EventEffect }

/** Changes by a transaction of moves. `merged`: deleted issues, whose events all moved to another issue. */
export type ReprocessingResult = { organizationId: number; issues: number[]; merged: number[]; moved: number }

/** First and last event of an issue, among its stored events. */
export type IssueEdges = { firstMs: number; lastMs: number; firstRelease: string; lastRelease: string; events: number }

export type ReprocessingMetaStore = {
  /**
   * Returns the open run of a project for this cause, or creates a run. It starts from the beginning; reprocessed events
   * stay unchanged.
   */
  beginReprocessing(projectId: number, cause: ReprocessingRun['cause'], total: number): Promise<ReprocessingRun>
  updateReprocessing(id: number, change: { looked?: number; total?: number; error?: string }): Promise<void>
  endReprocessing(id: number): Promise<void>
  openReprocessingRuns(): Promise<ReprocessingRun[]>
  /** Newest first. */
  reprocessingRuns(max: number, projectIds?: readonly number[]): Promise<ReprocessingRun[]>
  planReprocessStep(runId: number, rewrite: ReprocessingRewrite): Promise<ReprocessingStep>
  /** `open`: steps not yet cut. A time: cut steps created at least `apartMs` before or after `fromMs`. Default: all. */
  reprocessingSteps(only?: 'open' | { fromMs: number; apartMs: number }): Promise<ReprocessingStep[]>
  /**
   * Moves events between issues in one transaction and sets the step to `counted`. A counted step stays as it is. Throws
   * CONFLICT while a removal in the project is open.
   */
  commitReprocessStep(stepId: number, moves: readonly ReprocessingMove[]): Promise<ReprocessingResult>
  setReprocessStep(id: number, stage: 'cut'): Promise<void>
  dropReprocessStep(id: number): Promise<void>
  /**
   * Sets the first and last event of an issue; the first only if all events are still stored. Returns false and changes
   * nothing when the issue's count differs from `count`: an event arrived during the lookup.
   */
  setIssueEdges(issueId: number, edges: IssueEdges, count: number): Promise<boolean>
}

const toStep = (row: Selectable<Tables['regroup_step']>): ReprocessingStep => ({
  id: row.id,
  runId: row.regrouping_id,
  rewrite: fromJson<ReprocessingRewrite>(row.rewrite),
  stale: fromJson<number[]>(row.stale),
  stage: row.stage as ReprocessingStep['stage'],
  madeMs: row.made_ms,
})

const toRun = (row: Selectable<Tables['regrouping']>): ReprocessingRun => ({
  id: row.id,
  projectId: row.project_id,
  cause: row.cause as ReprocessingRun['cause'],
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
  'beginReprocessing' | 'updateReprocessing' | 'endReprocessing' | 'openReprocessingRuns' | 'reprocessingRuns'
>

/** Implements runs. */
export function reprocessingRunPart({ write, read, clock, dialect: { builder } }: Store): RunPart {
  const runs = () => builder.selectFrom('regrouping').selectAll()
  return {
    beginReprocessing: (projectId, cause, total) =>
      write.transaction(async () => {
        const open = await write.get(
          runs().where('project_id', '=', projectId).where('cause', '=', cause).where('ended_ms', 'is', null),
        )
        if (open) {
          const row = { total, looked: 0 }
          await write.run(builder.updateTable('regrouping').set(row).where('id', '=', open.id))
          return toRun({ ...open, ...row })
        }
        const row = { project_id: projectId, cause, created_ms: clock.now(), ended_ms: null, total }
        const id = await insertedId(write, builder.insertInto('regrouping').values(row))
        return toRun({ id, ...row, looked: 0, mapped: 0, moved: 0, issues: 0, error: '' })
      }),
    updateReprocessing: async (id, change) => {
      await write.run(builder.updateTable('regrouping').set(change).where('id', '=', id))
    },
    endReprocessing: async (id) => {
      await write.run(builder.updateTable('regrouping').set({ ended_ms: clock.now(), error: '' }).where('id', '=', id))
    },
    openReprocessingRuns: async () => (await write.all(runs().where('ended_ms', 'is', null).orderBy('id'))).map(toRun),
    reprocessingRuns: async (max, projectIds) => {
      if (projectIds?.length === 0) return []
      const query = runs().orderBy('id', 'desc').limit(max)
      return (await read.all(projectIds ? query.where('project_id', 'in', projectIds) : query)).map(toRun)
    },
  }
}

type StepPart = Pick<
  ReprocessingMetaStore,
  'planReprocessStep' | 'reprocessingSteps' | 'setReprocessStep' | 'dropReprocessStep'
>

/** Implements the steps of a run. */
export function reprocessingStepPart({ write, clock, dialect: { builder } }: Store): StepPart {
  return {
    planReprocessStep: async (runId, rewrite) => {
      const row = {
        regrouping_id: runId,
        project_id: rewrite.projectId,
        rewrite: JSON.stringify(rewrite),
        stale: '[]',
        stage: 'planned',
        made_ms: clock.now(),
      }
      return toStep({ id: await insertedId(write, builder.insertInto('regroup_step').values(row)), ...row })
    },
    reprocessingSteps: async (only) => {
      const all = builder.selectFrom('regroup_step').selectAll().orderBy('id')
      if (!only) return (await write.all(all)).map(toStep)
      if (only === 'open') return (await write.all(all.where('stage', '!=', 'cut'))).map(toStep)
      const { fromMs, apartMs } = only
      const isDue = all
        .where('stage', '=', 'cut')
        .where((build) =>
          build.or([build('made_ms', '<=', fromMs - apartMs), build('made_ms', '>=', fromMs + apartMs)]),
        )
      return (await write.all(isDue)).map(toStep)
    },
    setReprocessStep: async (id, stage) => {
      await write.run(builder.updateTable('regroup_step').set({ stage }).where('id', '=', id))
    },
    dropReprocessStep: async (id) => {
      await write.run(builder.deleteFrom('regroup_step').where('id', '=', id))
    },
  }
}

/**
 * Returns the columns for the first and last of the `count` events of an issue. Omits the first when some events are no
 * longer stored, because the others do not tell it.
 */
export const edgeColumns = ({ firstMs, lastMs, firstRelease, lastRelease, events }: IssueEdges, count: number) => ({
  last_seen_ms: lastMs,
  last_release: lastRelease,
  ...(count <= events ? { first_seen_ms: firstMs, first_release: firstRelease } : {}),
})

/** Implements the update of first and last events, after some events have left an issue. */
export function reprocessingEdgePart({
  write,
  dialect: { builder },
}: Store): Pick<ReprocessingMetaStore, 'setIssueEdges'> {
  return {
    setIssueEdges: (issueId, edges, count) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('issue').select('count').where('id', '=', issueId))
        if (row?.count !== count) return false
        await write.run(builder.updateTable('issue').set(edgeColumns(edges, count)).where('id', '=', issueId))
        return true
      }),
  }
}
