import type { Clock } from '../base/clock.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import { type TraceCut, traceLevels } from '../store/events/downsample-traces.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { TraceStep } from '../store/meta/retention/trace-steps.ts'
import type { DiskState } from './disk.ts'
import { recordEvicted } from './evicted-rows.ts'
import { type Lock, runExclusive } from './lock.ts'
import { retryStep, verifyAfterMs } from './step-retry.ts'

export type TraceDownsamplingDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'batches.cursor'
    | 'batches.openBatches'
    | 'retention.beginDownsampleRun'
    | 'retention.endDownsampleRun'
    | 'retention.planTraceStep'
    | 'retention.traceSteps'
    | 'retention.countTraceStep'
    | 'retention.setTraceStep'
    | 'retention.dropTraceStep'
    | 'retention.downsampledDays'
    | 'values.getValue'
    | 'values.setValue'
  >
  events: Pick<
    EventStore,
    | 'spanDays'
    | 'chooseTraces'
    | 'buildDay'
    | 'spansAfter'
    | 'replaceDay'
    | 'spansOfStep'
    | 'removeBeforeStep'
    | 'copySegments'
    | 'forgetTraces'
    | 'replacedBytes'
  >
  /** The lock for removing rows from the stores. */
  lock: Lock
  /** Waits for batches in flight and blocks new ones until the returned function is called. */
  pause(): Promise<() => void>
  measure(): Promise<DiskState>
}

/** What a run did. `waits`: replaced parts must leave the disk before the next step. */
export type TraceRun = { disk: DiskState; spans: number; waits: boolean }

/** Downsamples whole traces of the oldest days. Part of the disk budget. */
type TraceDownsampling = {
  /** Completes the steps that a crash interrupted. Nothing may be inserted meanwhile. */
  resume(): Promise<void>
  /** Checks the replaced days for what a power cut brought back. */
  check(): Promise<void>
  /**
   * Downsamples until the stored bytes are at most `target`, or nothing is left to remove. A day that fails is logged and
   * left out.
   */
  run(disk: DiskState, target: number): Promise<TraceRun>
}

const dayMs = 86_400_000
/**
 * Replaced days stay on disk for about eight minutes. Up to this share of the budget may lie there, so that making room
 * does not fill the disk.
 */
const replacedShare = 0.05
/** Above this share of the budget, downsampling waits for nothing: whole days go. */
const urgentShare = 1.03

const cutOf = ({ id, day, before, level }: TraceStep): TraceCut => ({ step: id, day, before, level })
/** QUERY_TIMEOUT is not one of them: a query with too much work fails again, and a start would wait for it forever. */
const outageCodes: readonly string[] = ['STORE_UNAVAILABLE', 'DATABASE_UNAVAILABLE']

/** Gives up a step that counted nothing. */
async function giveUp({ meta, events }: TraceDownsamplingDeps, step: TraceStep): Promise<void> {
  await events.forgetTraces(step.id)
  await meta.retention.dropTraceStep(step.id)
}

/** Replaces the day of a counted step. Safe to repeat. `isBuilt`: what stays was just written. */
async function replace(deps: TraceDownsamplingDeps, step: TraceStep, isBuilt: boolean): Promise<void> {
  const { events, meta } = deps
  const cut = cutOf(step)
  const { older } = await events.spansOfStep(cut)
  if (older > 0) {
    if (!isBuilt) await events.buildDay(cut)
    await events.replaceDay(cut)
  }
  await meta.retention.setTraceStep(step.id, 'cut')
}

/** Replaces the day through any outage of the events store. The ledger counts the spans as removed already. */
const replaceWithRetry = (deps: TraceDownsamplingDeps, step: TraceStep, isBuilt: boolean, stopped: AbortSignal) =>
  retryStep(deps, { id: step.id, outageCodes, stopped }, (tries) => replace(deps, step, isBuilt && tries === 1))

/**
 * Carries out a planned step. Returns the number of removed spans, or undefined if it was given up. Refining pauses only
 * for the exchange: the spans that stay are written beside the day before that.
 */
async function carryOut(
  deps: TraceDownsamplingDeps,
  step: TraceStep,
  stopped: AbortSignal,
): Promise<number | undefined> {
  const { meta, events } = deps
  const cut = cutOf(step)
  await events.chooseTraces(cut)
  const { rows, kept, removed } = await events.buildDay(cut)
  if (kept === 0) {
    await giveUp(deps, step)
    return undefined
  }
  const spans = removed.reduce((sum, item) => sum + item.rows, 0)
  if (spans === 0) {
    await meta.retention.countTraceStep(step.id, rows, [])
    await events.forgetTraces(step.id)
    await meta.retention.setTraceStep(step.id, 'done')
    return 0
  }
  const resume = await deps.pause()
  try {
    if ((await meta.batches.openBatches()).length > 0 || (await events.spansAfter(cut)) > 0) {
      await giveUp(deps, step)
      return undefined
    }
    await recordEvicted(meta, 'spans')
    await meta.retention.countTraceStep(step.id, rows, removed)
    await replaceWithRetry(deps, step, true, stopped)
  } finally {
    resume()
  }
  return spans
}

/** Logs a failure of a step. The disk budget must go on to drop days: a full disk can be the reason. */
const report = ({ observe }: TraceDownsamplingDeps, step: TraceStep, error: unknown): void =>
  observe.error({ step: step.id, error: faultOf(error) }, 'a downsampling step of traces could not be finished')

/** Downsamples one day. Returns the number of removed spans, or undefined if the day cannot be replaced now. */
async function downsampleDay(
  deps: TraceDownsamplingDeps,
  { runId, day, level, stopped }: { runId: number; day: string; level: number; stopped: AbortSignal },
): Promise<number | undefined> {
  const { meta } = deps
  const release = await deps.lock()
  try {
    const step = await meta.retention.planTraceStep(runId, { day, level, before: await meta.batches.cursor() })
    try {
      return await carryOut(deps, step, stopped)
    } catch (error) {
      report(deps, step, error)
      // The copy of the day leaves the disk at once. A counted step is finished by the next check.
      const isPlanned = async () =>
        (await meta.retention.traceSteps()).some(({ id, stage }) => id === step.id && stage === 'planned')
      if (await isPlanned().catch(() => false))
        await giveUp(deps, step).catch((failure: unknown) => report(deps, step, failure))
      return undefined
    }
  } finally {
    release()
  }
}

/**
 * Verifies a replaced day. A power cut can restore its older parts: beside the new ones, which stay then, or instead of
 * them. In the second case the day is built again. Returns whether nothing was restored.
 */
async function checkStep({ events, meta, observe }: TraceDownsamplingDeps, step: TraceStep): Promise<boolean> {
  const cut = cutOf(step)
  const { older, own } = await events.spansOfStep(cut)
  if (older === 0) {
    // Their older rows can come back alone.
    await events.copySegments(cut)
    await events.forgetTraces(step.id)
    await meta.retention.setTraceStep(step.id, 'done')
    return true
  }
  observe.warn({ step: step.id, older, own }, 'downsampled spans came back; they are removed again')
  if (own === 0 || older >= step.rowsBefore) {
    await events.buildDay(cut)
    await events.replaceDay(cut)
  } else await events.removeBeforeStep(cut)
  return false
}

/** Steps that are possible now, in their order: the oldest days of each level first. A day with an open step waits. */
async function nextSteps({ meta, events, clock }: TraceDownsamplingDeps): Promise<{ day: string; level: number }[]> {
  const levelOf = new Map((await meta.retention.downsampledDays()).map(({ day, level }) => [day, level]))
  // Recent traces are looked at most, and late spans still arrive.
  const open = new Set(
    (await meta.retention.traceSteps()).filter(({ stage }) => stage !== 'cut').map((step) => step.day),
  )
  const days = (await events.spanDays()).filter(
    (day) => !open.has(day) && Date.parse(day) + dayMs <= clock.now() - dayMs,
  )
  return traceLevels.flatMap((_, at) =>
    days.filter((day) => (levelOf.get(day) ?? 0) <= at).map((day) => ({ day, level: at + 1 })),
  )
}

/** Creates the downsampling of traces. `stopped` starts no further step. */
export function createTraceDownsampling(deps: TraceDownsamplingDeps, stopped: AbortSignal): TraceDownsampling {
  const { meta, events, clock, observe } = deps

  async function end(step: TraceStep): Promise<void> {
    if (step.stage === 'planned') await giveUp(deps, step)
    if (step.stage === 'counted') await replaceWithRetry(deps, step, false, stopped)
  }

  return {
    async resume() {
      for (const step of await meta.retention.traceSteps())
        try {
          await end(step)
        } catch (error) {
          // The job retries it. Events must not wait for it.
          report(deps, step, error)
        }
    },
    async check() {
      for (const step of await meta.retention.traceSteps())
        try {
          if (step.stage !== 'cut') await runExclusive(deps, () => end(step))
          else if (Math.abs(clock.now() - step.madeMs) >= verifyAfterMs)
            await runExclusive(deps, () => checkStep(deps, step))
        } catch (error) {
          report(deps, step, error)
        }
    },
    async run(first, target) {
      const budget = first.budget ?? Number.POSITIVE_INFINITY
      const none = { disk: first, spans: 0, waits: false }
      if (first.stored <= budget || first.tables.spans.rows === 0) return none
      const steps = await nextSteps(deps)
      if (steps.length === 0) return none
      const isFull = async ({ stored }: DiskState) =>
        stored <= budget * urgentShare && (await events.replacedBytes()) > budget * replacedShare
      if (await isFull(first)) return { ...none, waits: true }
      const runId = await meta.retention.beginDownsampleRun({ budgetBytes: budget, bytesBefore: first.stored })
      const state: TraceRun = { ...none }
      const blocked = new Set<string>()
      for (const step of steps) {
        if (state.disk.stored <= target || state.waits || stopped.aborted) break
        if (blocked.has(step.day)) continue
        const spans = await downsampleDay(deps, { runId, stopped, ...step })
        if (spans === undefined) blocked.add(step.day)
        else state.spans += spans
        if (!spans) continue
        state.disk = await deps.measure()
        state.waits = state.disk.stored > target && (await isFull(state.disk))
      }
      const reached = state.disk.stored <= budget
      await meta.retention.endDownsampleRun(runId, { bytesAfter: state.disk.stored, reached })
      observe.info(
        { spans: state.spans, before: first.stored, after: state.disk.stored, budget, reached },
        'spans were downsampled',
      )
      return state
    },
  }
}
