import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { EventRow } from '../store/events/events.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type {
  ReprocessingMove,
  ReprocessingResult,
  ReprocessingRewrite,
  ReprocessingRun,
  ReprocessingStep,
} from '../store/meta/retention/reprocessing.ts'
import type { Lock } from './lock.ts'
import {
  byGeneration,
  pendingRequests,
  type ReprocessCandidateDeps,
  type RunRequest,
  reprocessBackMs,
  rowRefsOf,
  type WeekGeneration,
} from './reprocess-candidates.ts'

/** Reprocessed rows. `tsv` has the lines of `moves`. */
export type RemappedRows = {
  tsv: Uint8Array<ArrayBuffer>
  moves: (ReprocessingMove & { tsvFrom: number; tsvTo: number; hour: number })[]
  stillMissing: { hash: string; names: string[] }[]
  broken: number
}

export type ReprocessingDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'issues.hashesOf'
    | 'retention.openRemovals'
    | 'retention.downsampleSteps'
    | 'artifacts.clearMissingMaps'
    | 'artifacts.pruneMissingMaps'
    | 'retention.beginReprocessing'
    | 'retention.updateReprocessing'
    | 'retention.endReprocessing'
    | 'retention.openReprocessingRuns'
    | 'retention.planReprocessStep'
    | 'retention.reprocessingSteps'
    | 'retention.commitReprocessStep'
    | 'retention.setReprocessStep'
    | 'retention.dropReprocessStep'
    | 'retention.setIssueEdges'
    | 'issues.issueById'
  > &
    ReprocessCandidateDeps['meta']
  events: Pick<EventStore, 'rowsAt' | 'presentPositions' | 'insertRewritten' | 'revert' | 'replace' | 'edgesOf'> &
    ReprocessCandidateDeps['events']
  /** The lock for changing rows in several stores. */
  lock: Lock
  /** Waits for batches in flight. Later batches see the new files. */
  pause(): Promise<() => void>
  /** Reprocesses rows of one project. */
  remapRows(projectId: number, rows: EventRow[]): Promise<RemappedRows>
  /** Records that refine has not committed yet. */
  waiting(): Promise<number>
  /** Receives the changed issues, for the screens. */
  changed(result: ReprocessingResult): void
  /** Rows per query; default 100,000. */
  rowRefsMax?: number
}

/** Reprocesses events whose source maps arrived after them. */
export type Reprocessing = {
  /**
   * Completes or reverts steps that a crash interrupted. Waits for the events store without limit and never rejects.
   * Call it before refining starts, because recounted rollups rely on it.
   */
  resume(): Promise<void>
  /** Checks for files that events missed, and reprocesses those events. For the jobs table. */
  run(): Promise<Record<string, unknown>>
  /** New files arrived: runs soon. */
  trigger(): void
  /** Starts no further step. */
  stop(): void
}

/** Uploads come in many pieces. Most have arrived a second later. */
const gatherMs = 1000
/** Limits: groups per query, rows per read, rows and bytes per write. */
const groupsMax = 100
const pageMax = 200
const stepRowsMax = 2000
const stepBytesMax = 24 * 1024 * 1024
/** Bytes of one insert (under 16 MB). */
const chunkBytesMax = 12 * 1024 * 1024
const edgeTriesMax = 5
const triesMax = 5
/** A step is verified after this time. Parts that a power cut can restore are gone by then. */
const verifyAfterMs = 15 * 60_000

const outageCodes: readonly string[] = ['STORE_UNAVAILABLE', 'QUERY_TIMEOUT', 'DATABASE_UNAVAILABLE']
const isOutage = (error: unknown) => error instanceof MishapError && outageCodes.includes(error.code)

type PendingRows = { moves: RemappedRows['moves']; lines: Uint8Array[] }

/** Joins lines into few inserts of bounded size. */
function chunksOf(lines: readonly Uint8Array[]): Buffer[] {
  const chunks: Buffer[] = []
  let some: Uint8Array[] = []
  let bytes = 0
  for (const line of lines) {
    if (bytes > 0 && bytes + line.length > chunkBytesMax) {
      chunks.push(Buffer.concat(some))
      some = []
      bytes = 0
    }
    some.push(line)
    bytes += line.length
  }
  if (some.length > 0) chunks.push(Buffer.concat(some))
  return chunks
}

/** Reverts a step by removing its new rows. */
async function revert({ meta, events }: ReprocessingDeps, step: ReprocessingStep): Promise<void> {
  await events.revert(step.rewrite)
  await meta.retention.dropReprocessStep(step.id)
}

/** Completes a step whose new rows count: removes old rows and updates first and last seen of affected issues. */
async function finish({ meta, events }: ReprocessingDeps, step: ReprocessingStep): Promise<void> {
  const { projectId } = step.rewrite
  await events.replace(step.rewrite)
  for (const id of step.stale) {
    // Events can arrive for a busy issue meanwhile. Retry until its count did not change.
    for (let tries = 0; tries < edgeTriesMax; tries++) {
      const issue = await meta.issues.issueById(id)
      const hashes = issue?.id === id ? ((await meta.issues.hashesOf([id])).get(id) ?? []) : []
      const edges = hashes.length > 0 ? await events.edgesOf(projectId, hashes) : undefined
      if (!issue || !edges || (await meta.retention.setIssueEdges(id, edges, issue.count))) break
    }
  }
  await meta.retention.setReprocessStep(step.id, 'cut')
}

/** Completes an open step through any outage of the events store. Throws other errors after some attempts. */
async function endWithRetry(deps: ReprocessingDeps, id: number, stopped: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    const step = (await deps.meta.retention.reprocessingSteps('open')).find((reprocessStep) => reprocessStep.id === id)
    try {
      if (step?.stage === 'planned') await revert(deps, step)
      else if (step?.stage === 'counted') await finish(deps, step)
      return
    } catch (error) {
      if (stopped.aborted || (!isOutage(error) && tries >= triesMax)) throw error
      deps.observe.warn({ step: id, tries, error: faultOf(error) }, 'a reprocessing step is retried')
      await deps.clock.sleep(Math.min(5000, 200 * 2 ** Math.min(tries, 8)), stopped)
    }
  }
}

/**
 * An issue that is being removed must not move its events to another issue. A downsampling cut that is not verified yet
 * could evict rows that move into its groups.
 */
const isBlocked = async (meta: ReprocessingDeps['meta'], projectId: number): Promise<boolean> =>
  (await meta.retention.openRemovals()).some(
    (openRemoval) => openRemoval.projectId === projectId || openRemoval.projectId === 0,
  ) || (await meta.retention.downsampleSteps()).some((downsampleStep) => downsampleStep.cut.projectId === projectId)

/**
 * Rewrites events atomically: writes the new rows, moves them between issues in one transaction, then removes the old
 * rows. Returns false if it must wait.
 */
async function writeStep(state: RunState, { moves, lines }: PendingRows, generation: WeekGeneration): Promise<boolean> {
  const { deps, stopped } = state
  const { meta, events } = deps
  const release = await deps.lock()
  try {
    if (await isBlocked(meta, state.projectId)) return false
    const whole = rewriteOf(state.projectId, generation, moves)
    // Some rows can have been evicted or removed since they were read.
    const presentPositions = new Set(await events.presentPositions(whole))
    const at = moves.flatMap((move, index) => (presentPositions.has(move.effect.jpos) ? [index] : []))
    const left = at.flatMap((index) => moves[index] ?? [])
    if (left.length === 0) return true
    const step = await meta.retention.planReprocessStep(state.run.id, rewriteOf(state.projectId, generation, left))
    try {
      await events.insertRewritten(step.rewrite, chunksOf(at.flatMap((index) => lines[index] ?? [])))
      if (await isBlocked(meta, state.projectId)) return false
      const result = await meta.retention.commitReprocessStep(
        step.id,
        left.map(({ fromHash, fromDiagnostics, effect }): ReprocessingMove => ({ fromHash, fromDiagnostics, effect })),
      )
      state.moved += result.moved
      state.mapped += left.length
      deps.changed(result)
    } catch (error) {
      if (error instanceof MishapError && error.code === 'CONFLICT') return false
      throw error
    } finally {
      await endWithRetry(deps, step.id, stopped)
    }
    return true
  } finally {
    release()
  }
}

type Counts = Record<'looked' | 'mapped' | 'moved', number>
type RunState = {
  deps: ReprocessingDeps
  projectId: number
  run: ReprocessingRun
  stopped: AbortSignal
  looked: number
  mapped: number
  moved: number
  total: number
  /** Names that the groups missed, and those still missing, as `name hash`. Only recorded names count. */
  missingBefore: ReadonlySet<string>
  stillMissing: Set<string>
}

function rewriteOf(
  projectId: number,
  { week, gen }: WeekGeneration,
  moves: RemappedRows['moves'],
): ReprocessingRewrite {
  const unique = <T>(values: T[]) => [...new Set(values)]
  return {
    projectId,
    week,
    gen,
    positions: moves.map((move) => move.effect.jpos),
    from: unique(moves.map((move) => move.fromHash)),
    to: unique(moves.flatMap((move) => move.effect.hashes.slice(0, 1))),
    hours: unique(moves.map((move) => move.hour)),
    token: `regroup:${crypto.randomUUID()}`,
  }
}

/** Yields to incoming events: the longer, the more of them wait. */
async function yieldToIngest({ deps, stopped }: RunState, startedMs: number): Promise<void> {
  const tookMs = Math.max(1, deps.clock.now() - startedMs)
  await deps.clock.sleep((await deps.waiting()) > 0 ? Math.min(2000, tookMs * 2) : Math.min(50, tookMs / 4), stopped)
}

function addStillMissing({ missingBefore, stillMissing }: RunState, hash: string, names: readonly string[]): void {
  for (const name of names) if (missingBefore.has(`${name} ${hash}`)) stillMissing.add(`${name} ${hash}`)
}

/** Reprocesses rows of one week and generation and writes the changed ones. Returns false if it has to stop. */
async function remapGeneration(
  state: RunState,
  generation: WeekGeneration,
  hashes: readonly string[],
  positions: readonly number[],
): Promise<boolean> {
  const { deps, projectId } = state
  let pending: PendingRows = { moves: [], lines: [] }
  let bytes = 0
  const flush = async () => {
    const some = pending
    pending = { moves: [], lines: [] }
    bytes = 0
    return some.moves.length === 0 || writeStep(state, some, generation)
  }
  for (let start = 0; start < positions.length; start += pageMax) {
    if (state.stopped.aborted) return false
    const startedMs = deps.clock.now()
    const page = positions.slice(start, start + pageMax)
    const rows = await deps.events.rowsAt({ projectId, ...generation, hashes, positions: page })
    const { tsv, moves, stillMissing } = await deps.remapRows(projectId, rows)
    for (const { hash, names } of stillMissing) addStillMissing(state, hash, names)
    for (const move of moves) {
      addStillMissing(state, move.effect.hashes[0] ?? '', move.effect.misses ?? [])
      pending.moves.push(move)
      pending.lines.push(tsv.subarray(move.tsvFrom, move.tsvTo))
    }
    bytes += tsv.length
    if ((pending.moves.length >= stepRowsMax || bytes >= stepBytesMax) && !(await flush())) return false
    state.looked += page.length
    await deps.meta.retention.updateReprocessing(state.run.id, { looked: state.looked })
    await yieldToIngest(state, startedMs)
  }
  return flush()
}

/** Reprocesses groups of a project. Returns undefined if it must wait or was stopped, and is called again later. */
async function regroup(deps: ReprocessingDeps, request: RunRequest, stopped: AbortSignal): Promise<Counts | undefined> {
  const { meta, observe, clock } = deps
  const { projectId, cause } = request
  if (await isBlocked(meta, projectId)) return undefined
  const startMs = clock.now()
  const resume = await deps.pause()
  resume()
  const counts = { looked: 0, mapped: 0, moved: 0, total: 0 }
  // Read the groups after the pause: a batch in flight can have looked before the upload and records misses at its end.
  const groups = await request.groups()
  if (groups.length === 0) {
    // A run that a crash interrupted after its last group has nothing left to do.
    for (const openRun of await meta.retention.openReprocessingRuns())
      if (openRun.projectId === projectId && openRun.cause === cause) await meta.retention.endReprocessing(openRun.id)
    return counts
  }
  const run = await meta.retention.beginReprocessing(projectId, cause, 0)
  const missing = { missingBefore: new Set<string>(), stillMissing: new Set<string>() }
  const state: RunState = { deps, projectId, run, stopped, ...counts, ...missing }
  for (let start = 0; start < groups.length; start += groupsMax) {
    const some = groups.slice(start, start + groupsMax)
    const hashes = some.map((item) => item.groupHash)
    state.missingBefore = new Set(some.flatMap(({ groupHash, names }) => names.map((name) => `${name} ${groupHash}`)))
    state.stillMissing = new Set()
    for await (const rowRefs of rowRefsOf(deps, request, some)) {
      state.total += rowRefs.length
      await meta.retention.updateReprocessing(run.id, { total: state.total })
      for (const { generation, positions } of byGeneration(rowRefs).values())
        if (!(await remapGeneration(state, generation, hashes, positions))) return undefined
    }
    await meta.artifacts.clearMissingMaps({
      projectId,
      groups: some,
      stillMissing: cause === 'late' ? new Set() : state.stillMissing,
      beforeMs: startMs,
    })
  }
  await meta.retention.endReprocessing(run.id)
  const { looked, mapped, moved } = state
  observe.info(
    { project: projectId, cause, looked, mapped, moved, ms: clock.now() - startMs },
    'events were reprocessed',
  )
  return state
}

/** Verifies older steps: removes old rows again that a power cut restored. */
async function verifySteps({ meta, events, lock, clock, observe }: ReprocessingDeps): Promise<void> {
  // A step has thousands of positions, so only due steps are read.
  for (const { id, rewrite } of await meta.retention.reprocessingSteps({
    fromMs: clock.now(),
    apartMs: verifyAfterMs,
  })) {
    const release = await lock()
    try {
      const left = await events.presentPositions(rewrite)
      if (left.length === 0) {
        await meta.retention.dropReprocessStep(id)
        continue
      }
      observe.warn({ step: id, left: left.length }, 'old rows of reprocessed events came back; they are deleted again')
      await events.replace(rewrite)
    } finally {
      release()
    }
  }
}

/** Completes open steps with the lock. */
async function endOpen(deps: ReprocessingDeps, stopped: AbortSignal): Promise<void> {
  for (const step of await deps.meta.retention.reprocessingSteps('open')) {
    const release = await deps.lock()
    try {
      await endWithRetry(deps, step.id, stopped)
    } finally {
      release()
    }
  }
}

/** Creates the job. Nothing runs before `resume`, `run` or `trigger`. */
export function createReprocessing(deps: ReprocessingDeps): Reprocessing {
  const { meta, clock, observe } = deps
  const stopping = new AbortController()
  const stopped = stopping.signal
  const state: { running: Promise<Record<string, unknown>> | undefined; isTriggered: boolean } = {
    running: undefined,
    isTriggered: false,
  }

  async function round(): Promise<Record<string, unknown>> {
    await endOpen(deps, stopped)
    await verifySteps(deps)
    await meta.artifacts.pruneMissingMaps(clock.now() - reprocessBackMs)
    const sums = { looked: 0, mapped: 0, moved: 0 }
    for (const { request, done } of await pendingRequests(deps)) {
      if (stopped.aborted) break
      const counts = await regroup(deps, request, stopped)
      if (!counts) continue
      await done()
      for (const name of ['looked', 'mapped', 'moved'] as const) sums[name] += counts[name]
    }
    return sums
  }

  const run = async (): Promise<Record<string, unknown>> => {
    state.running ??= round()
      .catch(async (error: unknown) => {
        for (const openRun of await meta.retention.openReprocessingRuns())
          await meta.retention.updateReprocessing(openRun.id, { error: faultOf(error) })
        throw error
      })
      .finally(() => {
        state.running = undefined
      })
    return state.running
  }

  return {
    run,
    resume: async () => {
      for (const { id } of await meta.retention.reprocessingSteps('open')) {
        try {
          await endWithRetry(deps, id, stopped)
        } catch (error) {
          // The job retries it. Events must not wait for it.
          observe.error({ step: id, error: faultOf(error) }, 'a reprocessing step could not be finished')
        }
      }
    },
    trigger: () => {
      if (state.isTriggered) return
      state.isTriggered = true
      clock.after(gatherMs, () => {
        state.isTriggered = false
        // A current run can have looked too early, so run again after it.
        void (state.running ?? Promise.resolve())
          .catch(() => undefined)
          .then(() => (stopped.aborted ? undefined : run()))
          .catch((error: unknown) => observe.warn({ error: faultOf(error) }, 'events could not be reprocessed'))
      })
    },
    stop: () => stopping.abort(),
  }
}
