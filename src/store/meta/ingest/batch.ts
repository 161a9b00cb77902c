import { type Lane, lanes } from '../../../base/lane.ts'
import type { Store } from '../database/store.ts'
import { errorEndWriter } from '../issues/error-links.ts'
import { feedbackWriter } from '../issues/feedback.ts'
import type { Batch, BatchEffects, BatchResult, BatchStore, FinishedTo } from '../meta.ts'
import { sampleWriter } from '../projects/inbound-filters.ts'
import { scrapeWriter } from '../projects/scrape.ts'
import { loadBatch } from './batch-load.ts'
import { batchStatements } from './batch-statements.ts'
import { type Work, workOf } from './batch-work.ts'
import { removeReplayed, writeItems, writeTriggers, writeWork } from './batch-write.ts'
import { outcomeWriter } from './counts.ts'
import { diagnosticsOf, hashDiagnostics } from './diagnostic-counts.ts'
import type { MissingMapWriter } from './missing-source-maps.ts'

/** The result of a transaction, and what to do after its commit. */
type Committed = { result: BatchResult; cacheWritten: (() => void)[] }

function seqOf(row: { seq: number } | undefined): number {
  if (!row) throw new Error('an insert returned no row')
  return row.seq
}

const resultOf = ({ issues }: Work): BatchResult => ({
  issues: [...issues.values()].map(({ row, events, isNew, regressed }) => ({
    id: row.id,
    projectId: row.project_id,
    organizationId: row.organization_id,
    events,
    isNew,
    regressed,
  })),
})

/**
 * Creates the commit of a batch for one transaction, which can run again. It loads all state that the batch needs,
 * computes the changes in memory, and writes each table with one statement.
 */
function batchCommit(store: Store, missingMaps: MissingMapWriter) {
  const statements = batchStatements(store.write, store.dialect)
  const writeOutcomes = outcomeWriter(store)
  const writeFeedback = feedbackWriter(store)
  const scrapes = scrapeWriter(store)
  const writeSamples = sampleWriter(store)
  const writeEnds = errorEndWriter(store)
  const diagnostics = hashDiagnostics(store)
  return async (effects: BatchEffects, nowMs: number): Promise<Committed> => {
    const loaded = await loadBatch(statements, effects, nowMs)
    const { assigned } = loaded
    const { projects } = loaded.loaded
    const work = workOf(loaded.loaded, assigned, effects.releases ?? [])
    await writeWork(statements, work, loaded)
    const events = assigned.map(({ effect }) => effect)
    const cacheWritten = [await missingMaps.record(events, nowMs), await scrapes.record(events, nowMs)]
    await diagnostics.add(events.flatMap(diagnosticsOf))
    await writeEnds(assigned.map(({ effect, project }) => ({ effect, organizationId: project.organization_id })))
    await writeItems(statements, effects)
    // A project that was deleted meanwhile has no row to refer to.
    await writeSamples((effects.samples ?? []).filter((sample) => projects.has(sample.projectId)))
    const replayed = await removeReplayed(statements, effects.again ?? [])
    const feedback = await writeFeedback(effects.feedback ?? [], (id) => projects.has(id))
    const feedbackTriggers = feedback.added.flatMap(({ projectId, feedbackId, environment, release }) => {
      const project = projects.get(projectId)
      const about = { eventId: feedbackId, environment, release }
      return project ? [{ kind: 'feedback' as const, project, issue: undefined, ...about }] : []
    })
    await writeTriggers(statements, { triggers: feedbackTriggers }, nowMs)
    await writeOutcomes([...effects.outcomes, ...replayed, ...feedback.outcomes], nowMs)
    return { result: resultOf(work), cacheWritten }
  }
}

/** The row of each lane's cursor. */
const cursorIds: Record<Lane, number> = { events: 1, bulk: 2 }

/** Statements of open batches and the cursors. They are compiled once, because each batch needs all of them. */
function cursorStatements({ write, dialect: { builder } }: Store) {
  return {
    cursors: write.prepared<object, { id: number; jpos: number }>(() =>
      builder.selectFrom('cursor').select(['id', 'jpos']).orderBy('id'),
    ),
    open: write.prepared<object, { seq: number; from_jpos: number; to_jpos: number; lane: Lane }>(() =>
      builder.selectFrom('batch').selectAll().orderBy('seq'),
    ),
    begin: write.prepared<{ from: number; to: number; lane: Lane }, { seq: number }>((slot) =>
      builder
        .insertInto('batch')
        .values({ from_jpos: slot('from'), to_jpos: slot('to'), lane: slot('lane') })
        .returning('seq'),
    ),
    advance: write.prepared<{ id: number; to: number }, unknown>((slot) =>
      builder
        .updateTable('cursor')
        .set({ jpos: slot('to') })
        .where('id', '=', slot('id'))
        // A slot has one use: PostgreSQL would need two of them to have one type.
        .where('jpos', '<', slot('to')),
    ),
    close: write.prepared<{ seq: number }, unknown>((slot) =>
      builder.deleteFrom('batch').where('seq', '=', slot('seq')),
    ),
  }
}

/** The part for refine: batches, and the single transaction that commits a batch. */
export function batchPart(store: Store, missingMaps: MissingMapWriter): Omit<BatchStore, 'projectSettings'> {
  const statements = cursorStatements(store)
  const commitEffects = batchCommit(store, missingMaps)
  const cursorOf = async (lane: Lane) =>
    (await statements.cursors.all({})).find(({ id }) => id === cursorIds[lane])?.jpos ?? 0
  const open = async () =>
    (await statements.open.all({})).map(
      (row): Batch => ({ seq: row.seq, from: row.from_jpos, to: row.to_jpos, lane: row.lane }),
    )

  const commit = async (
    batch: Batch,
    effects: BatchEffects,
    nowMs: number,
    finished: FinishedTo,
  ): Promise<Committed> => {
    const oldest = (await open()).find(({ lane }) => lane === batch.lane)
    if (oldest?.seq !== batch.seq)
      throw new Error(
        `batch ${batch.seq} commits out of order: ${oldest ? `batch ${oldest.seq} is open` : 'no batch is open'}`,
      )
    const jpos = await cursorOf(batch.lane)
    if (batch.to < jpos) throw new Error(`batch ${batch.seq} ends at ${batch.to}, before the cursor ${jpos}`)
    const committed = await commitEffects(effects, nowMs)
    for (const lane of lanes) {
      const to = Math.max(lane === batch.lane ? batch.to : 0, finished[lane] ?? 0)
      if (to > 0) await statements.advance.run({ id: cursorIds[lane], to })
    }
    await statements.close.run({ seq: batch.seq })
    return committed
  }

  return {
    cursor: async (lane) =>
      lane ? cursorOf(lane) : Math.min(...(await statements.cursors.all({})).map(({ jpos }) => jpos)),
    openBatches: open,
    openBatch: async (from, to, lane = 'events') => ({
      seq: seqOf(await statements.begin.get({ from, to, lane })),
      from,
      to,
      lane,
    }),
    commitBatch: async (batch, effects, nowMs, finished = {}) => {
      const { result, cacheWritten } = await store.write.transaction(() => commit(batch, effects, nowMs, finished))
      for (const cache of cacheWritten) cache()
      return result
    },
  }
}
