import type { Selectable } from 'kysely'
import type { DataCategory, OutcomeCount } from '../../../base/outcome.ts'
import { isPerformanceKind } from '../../../domain/detectors/detectors.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { outcomeWriter } from '../ingest/counts.ts'
import type { Issue } from '../meta.ts'

/** Rows of one project and week that are deleted together. The events store defines their selection. */
export type DownsampleCut = { week: string; before: number; projectId: number; hashes: string[]; keep: string[] }

/**
 * A deletion in progress. `planned`: nothing is counted yet. `counted`: ledger and issues count the rows as deleted,
 * and the deletion runs. `cut`: the rows are deleted, and a later check deletes rows that a power cut brought back.
 */
export type DownsampleStep = {
  id: number
  runId: number
  cut: DownsampleCut
  /** Average bytes of one event on disk. */
  rowBytes: number
  stage: 'planned' | 'counted' | 'cut'
  madeMs: number
}

/** One run after the budget was exceeded. `bytesAfter` and `endedMs` are null while it runs or when it was aborted. */
type DownsampleRun = {
  id: number
  startedMs: number
  endedMs: number | null
  budgetBytes: number
  bytesBefore: number
  bytesAfter: number | null
  events: number
  attachments: number
  /** Spans of traces that were downsampled. */
  spans: number
  /** Whether the budget was reached. */
  reached: boolean
}

export type DownsamplingStore = {
  beginDownsampleRun(value: { budgetBytes: number; bytesBefore: number }): Promise<number>
  endDownsampleRun(id: number, value: { bytesAfter: number; reached: boolean }): Promise<void>
  /** Newest first. */
  downsampleRuns(max: number): Promise<DownsampleRun[]>
  planDownsampleStep(runId: number, cut: DownsampleCut, rowBytes: number): Promise<DownsampleStep>
  /** All steps that run or are not yet verified, oldest first. */
  downsampleSteps(): Promise<DownsampleStep[]>
  /**
   * Counts these events as downsampled in one transaction: in their issues, the ledger and the run. The step is
   * `counted` afterwards. A step that is already counted stays as it is.
   */
  countDownsampled(stepId: number, events: readonly { groupHash: string; rows: number }[]): Promise<void>
  setDownsampleStep(id: number, stage: 'cut'): Promise<void>
  /** Deletes a verified step. */
  dropDownsampleStep(id: number): Promise<void>
  /** Attachments of a project in a time range, by id, after the id `after`. */
  attachedBetween(
    projectId: number,
    fromMs: number,
    toMs: number,
    after: number,
    max: number,
  ): Promise<{ id: number; eventId: string }[]>
  /** Deletes the attachments of these events, counts them as downsampled, and queues their blobs under removal 0. */
  downsampleAttachments(runId: number, projectId: number, eventIds: readonly string[]): Promise<void>
  /** Number of downsampled events per issue. Issues without any are absent. */
  downsampledOf(issueIds: readonly number[]): Promise<Map<number, number>>
  /**
   * Checks the next `max` issues after an id. Returns those that can have more than `retainedMax` stored events by their
   * counters. `last`: the last checked id, undefined at the end.
   */
  issuesOver(
    retainedMax: number,
    after: number,
    max: number,
  ): Promise<{ last?: number; issues: { id: number; projectId: number }[] }>
}

/** Pseudo removal for blobs of downsampled events: no person requested it. */
export const downsampledRemovalId = 0
/** Maximum ids per statement. */
const chunk = 500

const toStep = (row: Selectable<Tables['thin_step']>): DownsampleStep => ({
  id: row.id,
  runId: row.run_id,
  cut: fromJson<DownsampleCut>(row.cut),
  rowBytes: row.row_bytes,
  stage: row.stage as DownsampleStep['stage'],
  madeMs: row.made_ms,
})

const toRun = (row: Selectable<Tables['thin_run']>): DownsampleRun => ({
  id: row.id,
  startedMs: row.started_ms,
  endedMs: row.ended_ms,
  budgetBytes: row.budget_bytes,
  bytesBefore: row.bytes_before,
  bytesAfter: row.bytes_after,
  events: row.events,
  attachments: row.attachments,
  spans: row.spans,
  reached: row.reached === 1,
})

const categoryOf = (kind: Issue['kind']): DataCategory =>
  isPerformanceKind(kind)
    ? 'performance_issue'
    : ({ error: 'error', message: 'default', csp: 'security' } as const)[kind]

const downsampledOutcome = (
  projectId: number,
  category: DataCategory,
  quantity: number,
  bytes: number,
): OutcomeCount => ({
  projectId,
  keyId: 0,
  category,
  outcome: 'thinned',
  reason: 'disk_budget',
  itemType: category === 'attachment' ? 'attachment' : 'event',
  quantity,
  bytes,
})

type RunPart = Pick<
  DownsamplingStore,
  'beginDownsampleRun' | 'endDownsampleRun' | 'downsampleRuns' | 'downsampledOf' | 'issuesOver'
>
type StepPart = Pick<
  DownsamplingStore,
  'planDownsampleStep' | 'downsampleSteps' | 'setDownsampleStep' | 'dropDownsampleStep'
>
type CountPart = Pick<DownsamplingStore, 'countDownsampled'>
type FilePart = Pick<DownsamplingStore, 'attachedBetween' | 'downsampleAttachments'>

/** Implements runs of downsampling. */
export function downsampleRunPart({ write, read, clock, dialect: { builder } }: Store): RunPart {
  return {
    beginDownsampleRun: ({ budgetBytes, bytesBefore }) =>
      insertedId(
        write,
        builder.insertInto('thin_run').values({
          started_ms: clock.now(),
          ended_ms: null,
          budget_bytes: budgetBytes,
          bytes_before: bytesBefore,
          bytes_after: null,
        }),
      ),
    endDownsampleRun: async (id, { bytesAfter, reached }) => {
      await write.run(
        builder
          .updateTable('thin_run')
          .set({ ended_ms: clock.now(), bytes_after: bytesAfter, reached: reached ? 1 : 0 })
          .where('id', '=', id),
      )
    },
    downsampleRuns: async (max) =>
      (await read.all(builder.selectFrom('thin_run').selectAll().orderBy('id', 'desc').limit(max))).map(toRun),
    downsampledOf: async (issueIds) => {
      const found = new Map<number, number>()
      for (let start = 0; start < issueIds.length; start += chunk) {
        const ids = issueIds.slice(start, start + chunk)
        for (const row of await read.all(builder.selectFrom('thinned_issue').selectAll().where('issue_id', 'in', ids)))
          found.set(row.issue_id, row.quantity)
      }
      return found
    },
    issuesOver: async (retainedMax, after, max) => {
      const rows = await read.all(
        builder
          .selectFrom('issue')
          .leftJoin('thinned_issue', 'thinned_issue.issue_id', 'issue.id')
          .select(['issue.id', 'issue.project_id', 'issue.count', 'thinned_issue.quantity'])
          .where('issue.id', '>', after)
          .orderBy('issue.id')
          .limit(max),
      )
      const last = rows.at(-1)?.id
      const over = rows.filter((row) => row.count - (row.quantity ?? 0) > retainedMax)
      const issues = over.map((row) => ({ id: row.id, projectId: row.project_id }))
      return { issues, ...(last === undefined ? {} : { last }) }
    },
  }
}

/** Implements deletions in progress. */
export function downsampleStepPart({ write, clock, dialect: { builder } }: Store): StepPart {
  return {
    planDownsampleStep: async (runId, cut, rowBytes) => {
      const planned = { stage: 'planned', made_ms: clock.now() }
      const row = { run_id: runId, cut: JSON.stringify(cut), row_bytes: Math.round(rowBytes), ...planned }
      return toStep({ id: await insertedId(write, builder.insertInto('thin_step').values(row)), ...row })
    },
    downsampleSteps: async () =>
      (await write.all(builder.selectFrom('thin_step').selectAll().orderBy('id'))).map(toStep),
    setDownsampleStep: async (id, stage) => {
      await write.run(builder.updateTable('thin_step').set({ stage }).where('id', '=', id))
    },
    dropDownsampleStep: async (id) => {
      await write.run(builder.deleteFrom('thin_step').where('id', '=', id))
    },
  }
}

/** Counts downsampled events in one issue. Returns its kind, or undefined for a group without an issue. */
async function addDownsampled(
  { write, dialect: { builder } }: Store,
  projectId: number,
  hash: string,
  quantity: number,
) {
  const issue = await write.get(
    builder
      .selectFrom('fingerprint')
      .innerJoin('issue', 'issue.id', 'fingerprint.issue_id')
      .select(['issue.id', 'issue.kind'])
      .where('fingerprint.project_id', '=', projectId)
      .where('fingerprint.hash', '=', hash),
  )
  if (!issue) return undefined
  await write.run(
    builder
      .insertInto('thinned_issue')
      .values({ issue_id: issue.id, quantity })
      .onConflict((conflict) =>
        conflict
          .column('issue_id')
          .doUpdateSet((build) => ({ quantity: build('thinned_issue.quantity', '+', quantity) })),
      ),
  )
  return issue.kind as Issue['kind']
}

/** Adds to a counter of a run. The caller opens the transaction. */
async function addToRun(
  { write, dialect: { builder } }: Store,
  runId: number,
  column: 'events' | 'attachments',
  quantity: number,
): Promise<void> {
  const sum = builder.updateTable('thin_run').set((build) => ({ [column]: build(column, '+', quantity) }))
  await write.run(sum.where('id', '=', runId))
}

/** Implements the transaction that counts events as downsampled. */
export function downsampleCountPart(store: Store): CountPart {
  const { write, clock } = store
  const { builder } = store.dialect
  const writeOutcomes = outcomeWriter(store)
  return {
    countDownsampled: (stepId, events) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('thin_step').selectAll().where('id', '=', stepId))
        if (row?.stage !== 'planned') return
        const { runId, cut, rowBytes } = toStep(row)
        const counts = await Array.fromAsync(events, async ({ groupHash, rows }) => {
          const kind = (await addDownsampled(store, cut.projectId, groupHash, rows)) ?? 'error'
          return downsampledOutcome(cut.projectId, categoryOf(kind), rows, rows * rowBytes)
        })
        await writeOutcomes(counts, clock.now())
        const quantity = events.reduce((sum, event) => sum + event.rows, 0)
        await addToRun(store, runId, 'events', quantity)
        await write.run(builder.updateTable('thin_step').set({ stage: 'counted' }).where('id', '=', stepId))
      }),
  }
}

/** Implements the deletion of attachments. */
export function downsampleFilePart(store: Store): FilePart {
  const { write, clock } = store
  const { builder } = store.dialect
  const writeOutcomes = outcomeWriter(store)
  const queueBlobDeletion = async (key: string) => {
    const row = { blob_key: key, removal_id: downsampledRemovalId }
    await write.run(
      builder
        .insertInto('doomed_blob')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    )
  }
  return {
    attachedBetween: async (projectId, fromMs, toMs, after, max) => {
      const found = builder
        .selectFrom('attachment')
        .select(['id', 'event_id'])
        .where('project_id', '=', projectId)
        .where('received_ms', '>=', fromMs)
        .where('received_ms', '<', toMs)
        .where('id', '>', after)
        .orderBy('id')
        .limit(max)
      return (await write.all(found)).map((row) => ({ id: row.id, eventId: row.event_id }))
    },
    downsampleAttachments: (runId, projectId, eventIds) =>
      write.transaction(async () => {
        for (let start = 0; start < eventIds.length; start += chunk) {
          const ids = eventIds.slice(start, start + chunk)
          const own = builder.selectFrom('attachment').where('project_id', '=', projectId).where('event_id', 'in', ids)
          const rows = await write.all(own.select(['blob_key', 'bytes']))
          if (rows.length === 0) continue
          for (const row of rows) await queueBlobDeletion(row.blob_key)
          await write.run(
            builder.deleteFrom('attachment').where('project_id', '=', projectId).where('event_id', 'in', ids),
          )
          const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
          await writeOutcomes([downsampledOutcome(projectId, 'attachment', rows.length, bytes)], clock.now())
          await addToRun(store, runId, 'attachments', rows.length)
        }
      }),
  }
}
