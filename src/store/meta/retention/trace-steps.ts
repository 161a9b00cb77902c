import type { Selectable } from 'kysely'
import type { OutcomeCount } from '../../../base/outcome.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { outcomeWriter } from '../ingest/counts.ts'

/**
 * Downsampling of the traces of a day. `planned`: nothing is counted yet. `counted`: the ledger counts the spans as
 * removed, and the day is replaced. `cut`: it is replaced, and a later check removes what a power cut brought back.
 */
export type TraceStep = {
  id: number
  runId: number
  /** Day of arrival. */
  day: string
  level: number
  before: number
  stage: 'planned' | 'counted' | 'cut' | 'done'
  /** Spans of the day before the step. */
  rowsBefore: number
  madeMs: number
}

/** A day of arrival whose traces were downsampled: its last level, and the number of removed spans. */
type DownsampledDay = { day: string; level: number; spans: number }

export type TraceStepStore = {
  planTraceStep(runId: number, step: { day: string; level: number; before: number }): Promise<TraceStep>
  /** All steps that run or are not yet verified, oldest first. */
  traceSteps(): Promise<TraceStep[]>
  /**
   * Counts these spans as downsampled in one transaction: in the ledger and the run. The step is `counted` afterwards. A
   * step that is already counted stays as it is.
   */
  countTraceStep(
    id: number,
    rowsBefore: number,
    removed: readonly { projectId: number; category: 'span' | 'transaction'; rows: number }[],
  ): Promise<void>
  setTraceStep(id: number, stage: 'cut' | 'done'): Promise<void>
  /** Deletes a step that counted nothing. */
  dropTraceStep(id: number): Promise<void>
  /** Returns the days with steps that are counted, oldest first. */
  downsampledDays(): Promise<DownsampledDay[]>
  /** Forgets the days before this one: retention has deleted their spans. */
  forgetTraceDays(day: string): Promise<void>
}

const toStep = (row: Selectable<Tables['trace_step']>): TraceStep => ({
  id: row.id,
  runId: row.run_id,
  day: row.day,
  level: row.level,
  before: row.before_jpos,
  stage: row.stage as TraceStep['stage'],
  rowsBefore: row.rows_before,
  madeMs: row.made_ms,
})

/** Implements the steps of the downsampling of traces. */
export function traceStepPart(store: Store): TraceStepStore {
  const { write, read, clock } = store
  const { builder } = store.dialect
  const writeOutcomes = outcomeWriter(store)
  return {
    planTraceStep: async (runId, { day, level, before }) => {
      const row = { run_id: runId, day, level, before_jpos: before, stage: 'planned', made_ms: clock.now() }
      const id = await insertedId(write, builder.insertInto('trace_step').values(row))
      return toStep({ id, ...row, rows_before: 0, rows_removed: 0 })
    },
    traceSteps: async () =>
      (await write.all(builder.selectFrom('trace_step').selectAll().where('stage', '!=', 'done').orderBy('id'))).map(
        toStep,
      ),
    countTraceStep: (id, rowsBefore, removed) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('trace_step').selectAll().where('id', '=', id))
        if (row?.stage !== 'planned') return
        const counts = removed.map(
          ({ projectId, category, rows }): OutcomeCount => ({
            projectId,
            keyId: 0,
            category,
            outcome: 'thinned',
            reason: 'disk_budget',
            itemType: category,
            quantity: rows,
            bytes: 0,
          }),
        )
        await writeOutcomes(counts, clock.now())
        const spans = removed.reduce((sum, { rows }) => sum + rows, 0)
        await write.run(
          builder
            .updateTable('thin_run')
            .set((build) => ({ spans: build('spans', '+', spans) }))
            .where('id', '=', row.run_id),
        )
        await write.run(
          builder
            .updateTable('trace_step')
            .set({ stage: 'counted', rows_before: rowsBefore, rows_removed: spans })
            .where('id', '=', id),
        )
      }),
    setTraceStep: async (id, stage) => {
      await write.run(builder.updateTable('trace_step').set({ stage }).where('id', '=', id))
    },
    dropTraceStep: async (id) => {
      await write.run(builder.deleteFrom('trace_step').where('id', '=', id).where('stage', '=', 'planned'))
    },
    downsampledDays: async () => {
      const rows = await read.all(
        builder
          .selectFrom('trace_step')
          .select('day')
          .select((build) => [build.fn.max('level').as('level'), build.fn.sum<number>('rows_removed').as('spans')])
          .where('stage', '!=', 'planned')
          .groupBy('day')
          .orderBy('day'),
      )
      return rows.map(({ day, level, spans }) => ({ day, level: Number(level), spans: Number(spans) }))
    },
    forgetTraceDays: async (day) => {
      await write.run(builder.deleteFrom('trace_step').where('day', '<', day).where('stage', '=', 'done'))
    },
  }
}
