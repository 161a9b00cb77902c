import type { Store } from '../database/store.ts'
import { errorEndWriter } from '../issues/error-links.ts'
import { feedbackWriter } from '../issues/feedback.ts'
import type { Batch, BatchEffects, BatchResult, BatchStore } from '../meta.ts'
import { sampleWriter } from '../projects/inbound-filters.ts'
import { scrapeWriter } from '../projects/scrape.ts'
import { loadBatch } from './batch-load.ts'
import { batchStatements } from './batch-statements.ts'
import { type Work, workOf } from './batch-work.ts'
import { removeReplayed, writeItems, writeWork } from './batch-write.ts'
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
    await writeOutcomes([...effects.outcomes, ...replayed, ...feedback], nowMs)
    return { result: resultOf(work), cacheWritten }
  }
}

/** Statements of open batches and the cursor. They are compiled once, because each batch needs all of them. */
function cursorStatements({ write, dialect: { builder } }: Store) {
  return {
    cursor: write.prepared<object, { jpos: number }>(() =>
      builder.selectFrom('cursor').select('jpos').where('id', '=', 1),
    ),
    open: write.prepared<object, { seq: number; from_jpos: number; to_jpos: number }>(() =>
      builder.selectFrom('batch').selectAll().orderBy('seq'),
    ),
    begin: write.prepared<{ from: number; to: number }, { seq: number }>((slot) =>
      builder
        .insertInto('batch')
        .values({ from_jpos: slot('from'), to_jpos: slot('to') })
        .returning('seq'),
    ),
    advance: write.prepared<{ to: number }, unknown>((slot) =>
      builder
        .updateTable('cursor')
        .set({ jpos: slot('to') })
        .where('id', '=', 1),
    ),
    close: write.prepared<{ seq: number }, unknown>((slot) =>
      builder.deleteFrom('batch').where('seq', '<=', slot('seq')),
    ),
  }
}

/** The part for refine: batches, and the single transaction that commits a batch. */
export function batchPart(store: Store, missingMaps: MissingMapWriter): Omit<BatchStore, 'projectSettings'> {
  const statements = cursorStatements(store)
  const commitEffects = batchCommit(store, missingMaps)
  const cursor = async () => (await statements.cursor.get({}))?.jpos ?? 0
  const open = async () =>
    (await statements.open.all({})).map((row): Batch => ({ seq: row.seq, from: row.from_jpos, to: row.to_jpos }))

  const commit = async (batch: Batch, effects: BatchEffects, nowMs: number): Promise<Committed> => {
    const [oldest] = await open()
    if (oldest?.seq !== batch.seq)
      throw new Error(
        `batch ${batch.seq} commits out of order: ${oldest ? `batch ${oldest.seq} is open` : 'no batch is open'}`,
      )
    const jpos = await cursor()
    if (batch.to < jpos) throw new Error(`batch ${batch.seq} ends at ${batch.to}, before the cursor ${jpos}`)
    const committed = await commitEffects(effects, nowMs)
    await statements.advance.run({ to: batch.to })
    await statements.close.run({ seq: batch.seq })
    return committed
  }

  return {
    cursor,
    openBatches: open,
    openBatch: async (from, to) => ({ seq: seqOf(await statements.begin.get({ from, to })), from, to }),
    commitBatch: async (batch, effects, nowMs) => {
      const { result, cacheWritten } = await store.write.transaction(() => commit(batch, effects, nowMs))
      for (const cache of cacheWritten) cache()
      return result
    },
  }
}
