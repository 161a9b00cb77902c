import type { Clock } from '../base/clock.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { RowRef } from '../store/events/reprocess.ts'
import { lateMapName, type MissingMapGroup } from '../store/meta/ingest/missing-source-maps.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { ReprocessingRun } from '../store/meta/retention/reprocessing.ts'

export type ReprocessCandidateDeps = {
  clock: Clock
  meta: MetaWith<
    | 'batches.cursor'
    | 'artifacts.arrivals'
    | 'artifacts.dropArrivals'
    | 'artifacts.missingMapsInBundles'
    | 'artifacts.missingMapsOf'
    | 'artifacts.lateProjects'
  >
  events: Pick<EventStore, 'rowRefsOf'>
  /** Rows per query; default 100,000. */
  rowRefsMax?: number
}

/** Maximum age of reprocessed events, in ms. */
export const reprocessBackMs = 30 * 86_400_000
/** Late maps have arrived by then, or never will. */
const lateMapMs = 30_000
/** Rows per search. */
const rowRefsDefaultMax = 100_000
/** Each id needs two search terms: with dashes and without. */
const debugIdsMax = 120

/** A week and a generation, whose rows are written together. */
export type WeekGeneration = { week: string; gen: number }

/** A reprocessing of a project. `groups` reads the groups that can have missed the new files. */
export type RunRequest = { projectId: number; cause: ReprocessingRun['cause']; groups(): Promise<MissingMapGroup[]> }

/** Yields rows of the groups that can have missed the new files, in pages: a project can have millions. */
export async function* rowRefsOf(
  { events, meta, clock, rowRefsMax = rowRefsDefaultMax }: ReprocessCandidateDeps,
  { projectId, cause }: RunRequest,
  groups: MissingMapGroup[],
): AsyncGenerator<RowRef[]> {
  const names = [...new Set(groups.flatMap((group) => group.names))]
  const hashes = groups.map((group) => group.groupHash)
  const debugIds = names.flatMap((name) => (name.startsWith('d:') ? [name.slice(2)] : []))
  const releases = names.flatMap((name) => (name.startsWith('r:') ? [name.slice(2, name.indexOf('\n'))] : []))
  // Above the limit of one search, all rows of the groups are checked.
  const isSelective = cause === 'upload' && debugIds.length <= debugIdsMax
  const query = {
    projectId,
    hashes,
    before: await meta.batches.cursor('events'),
    sinceMs: clock.now() - reprocessBackMs,
    max: rowRefsMax,
    ...(isSelective ? { debugIds, releases: [...new Set(releases)] } : { debugIds: [], releases: [] }),
  }
  for (let fromJpos = Math.min(...groups.map((group) => group.fromJpos)); ; ) {
    const found = await events.rowRefsOf({ ...query, fromJpos })
    if (found.length > 0) yield found
    const last = found.at(-1)
    if (!last || found.length < rowRefsMax) return
    fromJpos = last.jpos + 1
  }
}

/** Groups rows by week and generation, because those are written together. */
export function byGeneration(
  rowRefs: readonly RowRef[],
): Map<string, { generation: WeekGeneration; positions: number[] }> {
  const generations = new Map<string, { generation: WeekGeneration; positions: number[] }>()
  for (const { week, gen, jpos } of rowRefs) {
    const existing = generations.get(`${week} ${gen}`)
    if (existing) existing.positions.push(jpos)
    else generations.set(`${week} ${gen}`, { generation: { week, gen }, positions: [jpos] })
  }
  return generations
}

/** Returns the reprocessing that is due now. */
export async function pendingRequests({
  meta,
  clock,
}: ReprocessCandidateDeps): Promise<{ request: RunRequest; done(): Promise<void> }[]> {
  const nowMs = clock.now()
  const uploads = (await meta.artifacts.arrivals()).map(({ projectId, bundleIds }) => ({
    request: {
      projectId,
      cause: 'upload' as const,
      groups: () => meta.artifacts.missingMapsInBundles(projectId, bundleIds),
    },
    done: () => meta.artifacts.dropArrivals(projectId, bundleIds, nowMs),
  }))
  const lateMaps = (await meta.artifacts.lateProjects(nowMs - lateMapMs)).map((projectId) => ({
    request: {
      projectId,
      cause: 'late' as const,
      groups: () => meta.artifacts.missingMapsOf(projectId, [lateMapName]),
    },
    done: async () => {},
  }))
  return [...uploads, ...lateMaps]
}
