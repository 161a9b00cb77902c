import { faultOf } from '../base/observe.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { evictedFirst } from '../store/events/tables.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type DownsampleCut, type DownsampleStep, downsampledRemovalId } from '../store/meta/retention/downsampling.ts'
import type { DiskState } from './disk.ts'
import { type CandidateDeps, cutOf, downsampleCandidates, groupsOf, type Unit } from './downsample-candidates.ts'
import { droppedName, recordEvicted } from './evicted-rows.ts'
import { runExclusive } from './lock.ts'
import { retryStep, verifyAfterMs } from './step-retry.ts'
import { createTraceDownsampling, type TraceDownsamplingDeps, type TraceRun } from './trace-downsampling.ts'

export type DownsamplingDeps = TraceDownsamplingDeps & {
  meta: MetaWith<
    | 'retention.planDownsampleStep'
    | 'retention.downsampleSteps'
    | 'retention.countDownsampled'
    | 'retention.setDownsampleStep'
    | 'retention.dropDownsampleStep'
    | 'retention.attachedBetween'
    | 'retention.downsampleAttachments'
    | 'retention.doomedBlobs'
    | 'retention.forgetDoomed'
  > &
    CandidateDeps['meta']
  events: Pick<
    EventStore,
    'rowsOfCut' | 'quantileOfCut' | 'eventsInCut' | 'countCutRows' | 'deleteCut' | 'rewriteWeeks' | 'dropOldest'
  > &
    CandidateDeps['events']
  blobs: Pick<BlobStore, 'delete'>
}

/** Enforces the disk budget: downsamples traces, evicts the oldest days of spans, then the most repeated events. */
export type Downsampling = {
  /**
   * Completes steps that a crash interrupted. Waits for the events store without limit and never rejects. Call it
   * before refining starts, because recounted rollups rely on it.
   */
  resume(): Promise<void>
  /** Checks the budget and downsamples until it is met. For the jobs table. */
  run(): Promise<Record<string, unknown>>
  /** Starts no further step. */
  stop(): void
}

/** Downsampling starts above the budget and ends slightly below it, so that it does not run for every event. */
const targetShare = 0.95
/** Units to downsample before the next measurement. */
const unitsMax = 200
/** Events of one cut. Refining pauses for it. */
const rowsMax = 500_000
const roundsMax = 50
/** Attachments per query. */
const idsMax = 1000
const dayMs = 86_400_000
const weekMs = 7 * dayMs

const startOf = (week: string) => Date.parse(`${week}T00:00:00Z`)

/** Marks files of evicted events while the events exist. Attachments come within a day of the event's week. */
async function downsampleAttachments(
  { meta, events }: DownsamplingDeps,
  { runId, cut }: DownsampleStep,
): Promise<void> {
  const [fromMs, toMs] = [startOf(cut.week) - dayMs, startOf(cut.week) + weekMs + dayMs]
  for (let after = 0; ; ) {
    const some = await meta.retention.attachedBetween(cut.projectId, fromMs, toMs, after, idsMax)
    const last = some.at(-1)
    if (!last) return
    const ids = await events.eventsInCut(cut, [...new Set(some.map((item) => item.eventId))])
    if (ids.length > 0) await meta.retention.downsampleAttachments(runId, cut.projectId, ids)
    after = last.id
  }
}

/** Deletes the recorded files. After a crash, the next run deletes the rest. */
async function deleteFiles({ meta, blobs }: DownsamplingDeps): Promise<void> {
  for (
    let keys = await meta.retention.doomedBlobs(downsampledRemovalId, idsMax);
    keys.length > 0;
    keys = await meta.retention.doomedBlobs(downsampledRemovalId, idsMax)
  ) {
    for (const key of keys) await blobs.delete(key)
    await meta.retention.forgetDoomed(keys)
  }
}

/** Completes one cut from its current stage. `counted` receives the number of evicted events. */
async function finish(deps: DownsamplingDeps, step: DownsampleStep, counted: (rows: number) => void): Promise<void> {
  const { meta, events } = deps
  if (step.stage === 'planned') {
    const found = await events.rowsOfCut(step.cut)
    await events.countCutRows(step.id, step.cut)
    await downsampleAttachments(deps, step)
    await meta.retention.countDownsampled(step.id, found)
    counted(found.reduce((sum, item) => sum + item.rows, 0))
  }
  await events.deleteCut(step.cut)
  await meta.retention.setDownsampleStep(step.id, 'cut')
}

const outageCodes: readonly string[] = ['STORE_UNAVAILABLE', 'QUERY_TIMEOUT', 'DATABASE_UNAVAILABLE']

/**
 * Completes a cut and returns the number of counted events. Retries through any outage of the events store: rollups
 * that are recounted meanwhile would count a counted cut twice if its rows remained. Throws other errors after some
 * attempts.
 */
async function finishWithRetry(deps: DownsamplingDeps, step: DownsampleStep, stopped: AbortSignal): Promise<number> {
  let removedRows = 0
  await retryStep(deps, { id: step.id, outageCodes, stopped }, async () => {
    const now = (await deps.meta.retention.downsampleSteps()).find((downsampleStep) => downsampleStep.id === step.id)
    if (now?.stage === 'cut') await repeatCut(deps, now)
    else if (now)
      await finish(deps, now, (rows) => {
        removedRows = rows
      })
  })
  return removedRows
}

/** What a run of traces did, for the result of the job. */
const spansOf = ({ spans }: TraceRun): Record<string, number> => (spans > 0 ? { downsampledSpans: spans } : {})

/**
 * Drops whole partitions of ranked tables (days of spans) before any event, the oldest first: no issue depends on them.
 * Their traces are downsampled before that. The last two days stay because recent traces need them. Returns the remaining
 * usage and the dropped partitions.
 */
async function dropPartitions(
  deps: DownsamplingDeps,
  run: TraceRun,
): Promise<{ disk: DiskState; dropped: Record<string, readonly string[] | number> }> {
  const { events, meta, clock, measure } = deps
  const first = run.disk
  const { budget } = first
  if (budget === null || first.stored <= budget) return { disk: first, dropped: spansOf(run) }
  const dropped: Record<string, string[]> = {}
  let disk = first
  const release = await deps.lock()
  try {
    for (const table of evictedFirst) {
      const days: string[] = []
      while (disk.tables[table].bytes > 0 && disk.stored > budget * targetShare) {
        const day = await events.dropOldest(table, clock.now() - dayMs)
        if (day === undefined) break
        await recordEvicted(meta, table)
        days.push(day)
        disk = await measure()
      }
      if (days.length === 0) continue
      dropped[droppedName(table)] = days
      deps.observe.info(
        { table, days, before: first.stored, after: disk.stored },
        'partitions were dropped for the disk budget',
      )
    }
  } finally {
    release()
  }
  return { disk, dropped: { ...dropped, ...spansOf(run) } }
}

/** Evicts rows again that a power cut restored. Returns whether there were any. */
async function repeatCut({ events, observe }: DownsamplingDeps, { id, cut }: DownsampleStep): Promise<boolean> {
  const left = (await events.rowsOfCut(cut)).reduce((sum, row) => sum + row.rows, 0)
  if (left === 0) return false
  observe.warn({ step: id, left }, 'downsampled events came back; they are deleted again')
  await events.deleteCut(cut)
  return true
}

/** Verifies older cuts and drops their steps once no rows are left. */
async function verifyCuts(deps: DownsamplingDeps, masked: (week: string) => void): Promise<void> {
  for (const step of await deps.meta.retention.downsampleSteps()) {
    if (step.stage !== 'cut' || Math.abs(deps.clock.now() - step.madeMs) < verifyAfterMs) continue
    if (await runExclusive(deps, () => repeatCut(deps, step))) masked(step.cut.week)
    else await deps.meta.retention.dropDownsampleStep(step.id)
  }
}

/** `rowsLeft`: events still to evict. `isBlocked`: a batch from before a crash must be recovered first. */
type Round = {
  runId: number
  rowsLeft: number
  rowBytes: number
  weeks: Set<string>
  removed: number
  units: number
  isBlocked: boolean
  stopped: AbortSignal
}

function createRound(runId: number, disk: DiskState, target: number, stopped: AbortSignal): Round {
  const { rows, bytes } = disk.tables.events
  const rowBytes = bytes / Math.max(1, rows)
  const rowsLeft = Math.ceil((disk.stored - target) / Math.max(1, rowBytes))
  return { runId, rowsLeft, rowBytes, stopped, weeks: new Set(), removed: 0, units: 0, isBlocked: false }
}

const isOver = (round: Round): boolean => round.rowsLeft <= 0 || round.isBlocked || round.stopped.aborted

/** Evicts rows of a cut, oldest first, up to the wanted number and half a million at a time. */
async function downsampleCut(deps: DownsamplingDeps, whole: DownsampleCut, round: Round): Promise<void> {
  const { events, meta } = deps
  for (let isWhole = false; !isWhole && !isOver(round); ) {
    const rows = (await events.rowsOfCut(whole)).reduce((sum, row) => sum + row.rows, 0)
    const most = Math.min(rowsMax, round.rowsLeft)
    if (rows === 0) return
    isWhole = rows <= most
    const before = isWhole ? whole.before : Math.min(whole.before, await events.quantileOfCut(whole, most / rows))
    const removedRows = await runExclusive(deps, async () => {
      round.isBlocked = (await meta.batches.openBatches()).length > 0
      if (round.isBlocked) return 0
      const step = await meta.retention.planDownsampleStep(round.runId, { ...whole, before }, round.rowBytes)
      return finishWithRetry(deps, step, round.stopped)
    })
    if (removedRows === 0) return
    round.weeks.add(whole.week)
    round.rowsLeft -= removedRows
    round.removed += removedRows
  }
}

/** Returns enough units for the wanted number. Kept events do not count. */
function unitsFor(units: readonly Unit[], rowsLeft: number): Unit[] {
  let rows = 0
  const first = units.findIndex((unit) => {
    rows += unit.rows
    return rows >= rowsLeft
  })
  return first < 0 ? [...units] : units.slice(0, first + 1)
}

/** Evicts the first of these units. Returns the units that can still have rows. */
async function downsampleUnits(deps: DownsamplingDeps, units: Unit[], before: number, round: Round): Promise<Unit[]> {
  const some = unitsFor(units, round.rowsLeft)
  const groups = [...groupsOf(some).values()]
  for (const [at, group] of groups.entries()) {
    await downsampleCut(deps, cutOf(group, before), round)
    if (isOver(round)) return [...groups.slice(at).flat(), ...units.slice(some.length)]
    round.units += group.length
  }
  return units.slice(some.length)
}

/** Candidates of one run. Each round continues where the previous one ended. */
async function createCandidateQueue(deps: DownsamplingDeps) {
  const before = await deps.meta.batches.cursor('events')
  const list = downsampleCandidates(deps, before)
  const state: { units: Unit[]; isEmpty: boolean } = { units: [], isEmpty: false }
  return {
    isEmpty: () => state.isEmpty,
    /** Evicts about `round.rowsLeft` events. */
    async downsample(round: Round): Promise<void> {
      while (!isOver(round) && round.units < unitsMax) {
        if (state.units.length === 0) {
          const next = await list.next()
          state.isEmpty = next.done === true
          if (next.done) return
          state.units = next.value
        }
        state.units = await downsampleUnits(deps, state.units, before, round)
      }
    },
  }
}

/** Ends the steps that a crash interrupted. A step that fails is logged. */
async function resumeSteps(
  { meta, observe }: DownsamplingDeps,
  end: (step: DownsampleStep) => Promise<void>,
): Promise<void> {
  for (const step of await meta.retention.downsampleSteps()) {
    try {
      await end(step)
    } catch (error) {
      // The job retries it. Events must not wait for it.
      observe.error({ step: step.id, error: faultOf(error) }, 'a downsampling step could not be finished')
    }
  }
}

/** Creates the downsampling of the app process. Nothing runs before `resume` or `run`. */
export function createDownsampling(deps: DownsamplingDeps): Downsampling {
  const { meta, events, observe } = deps
  const stopping = new AbortController()
  const stopped = stopping.signal
  // Weeks with rows masked outside of a run. They use disk space until they are rewritten.
  const state = { floorRows: -1, masked: new Set<string>() }
  const traces = createTraceDownsampling(deps, stopped)

  async function end(step: DownsampleStep): Promise<void> {
    await finishWithRetry(deps, step, stopped)
    state.masked.add(step.cut.week)
  }

  /** Cleans up after crashes: completes and verifies steps, rewrites weeks, deletes files. */
  async function clear(): Promise<void> {
    for (const step of await meta.retention.downsampleSteps())
      if (step.stage !== 'cut') await runExclusive(deps, () => end(step))
    await verifyCuts(deps, (week) => state.masked.add(week))
    await traces.check()
    await events.rewriteWeeks([...state.masked])
    state.masked.clear()
    await deleteFiles(deps)
  }

  async function downsample(first: DiskState, budget: number): Promise<Record<string, unknown>> {
    const runId = await meta.retention.beginDownsampleRun({ budgetBytes: budget, bytesBefore: first.stored })
    const target = budget * targetShare
    const candidates = await createCandidateQueue(deps)
    let disk = first
    let sum = 0
    for (let rounds = 0; rounds < roundsMax && disk.stored > target && !stopped.aborted; rounds++) {
      const round = createRound(runId, disk, target, stopped)
      await candidates.downsample(round)
      await events.rewriteWeeks([...round.weeks])
      await deleteFiles(deps)
      disk = await deps.measure()
      sum += round.removed
      // Excludes events that arrived since: they can be downsampled.
      if (candidates.isEmpty()) state.floorRows = first.tables.events.rows - sum
      if (candidates.isEmpty() || round.isBlocked) break
    }
    const reached = disk.stored <= budget
    await meta.retention.endDownsampleRun(runId, { bytesAfter: disk.stored, reached })
    observe.info({ events: sum, before: first.stored, after: disk.stored, budget, reached }, 'events were downsampled')
    return { thinned: sum, stored: disk.stored, budget, ...(reached ? {} : { reached }) }
  }

  return {
    resume: async () => {
      await resumeSteps(deps, end)
      await traces.resume()
    },
    run: async () => {
      await clear()
      const first = await deps.measure()
      const run = await traces.run(first, (first.budget ?? 0) * targetShare)
      if (run.waits) return { stored: run.disk.stored, budget: first.budget, ...spansOf(run) }
      const { disk, dropped } = await dropPartitions(deps, run)
      const { budget, stored } = disk
      const { rows } = disk.tables.events
      // Fewer rows (retention, a removal) or a met budget reset the floor.
      state.floorRows = Math.min(state.floorRows, budget === null || stored <= budget ? -1 : rows)
      if (budget === null || stored <= budget) return { stored, budget, ...dropped }
      // All issues are down to their kept events. Scan again only after more events arrive.
      if (rows <= state.floorRows * 1.01) return { stored, budget, reached: false, ...dropped }
      return { ...(await downsample(disk, budget)), ...dropped }
    },
    stop: () => stopping.abort(),
  }
}
