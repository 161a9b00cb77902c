import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { EventRow } from '../store/events/events.ts'
import type { RowMark } from '../store/events/reprocess.ts'
import { lateName, type MissedGroup } from '../store/meta/ingest/missing-source-maps.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type {
  Regrouping,
  ReprocessingMove,
  ReprocessingResult,
  ReprocessingRewrite,
  ReprocessingStep,
} from '../store/meta/retention/reprocessing.ts'
import type { Turn } from './lock.ts'

/** Reprocessed rows. `tsv` has the lines of `moves`. */
export type MappedAgain = {
  tsv: Uint8Array<ArrayBuffer>
  moves: (ReprocessingMove & { tsvFrom: number; tsvTo: number; hour: number })[]
  kept: { hash: string; names: string[] }[]
  broken: number
}

export type ReprocessingDeps = {
  clock: Clock
  observe: Observe
  meta: Pick<
    MetaStore,
    | 'cursor'
    | 'hashesOf'
    | 'openRemovals'
    | 'thinSteps'
    | 'arrivals'
    | 'dropArrivals'
    | 'missedBy'
    | 'missedOf'
    | 'lateProjects'
    | 'endMissed'
    | 'dropMissed'
    | 'beginRegrouping'
    | 'setRegrouping'
    | 'endRegrouping'
    | 'openRegroupings'
    | 'planRegroup'
    | 'reprocessingSteps'
    | 'commitRegroup'
    | 'setRegroupStep'
    | 'dropRegroupStep'
    | 'setIssueEdges'
    | 'issueById'
  >
  events: Pick<EventStore, 'marksOf' | 'rowsAt' | 'standing' | 'writeAgain' | 'takeBack' | 'replace' | 'edgesOf'>
  /** The lock for changing rows in several stores. */
  turn: Turn
  /** Waits for batches in flight. Later batches see the new files. */
  pause(): Promise<() => void>
  /** Reprocesses rows of one project. */
  mapAgain(projectId: number, rows: EventRow[]): Promise<MappedAgain>
  /** Records that refine has not committed yet. */
  waiting(): number
  /** Receives the changed issues, for the screens. */
  told(result: ReprocessingResult): void
  /** Rows per query; default 100,000. */
  marksMax?: number
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
  kick(): void
  /** Starts no further step. */
  stop(): void
}

const dayMs = 86_400_000
/** Maximum age of reprocessed events. */
const backMs = 30 * dayMs
/** Uploads come in many pieces. Most have arrived a second later. */
const gatherMs = 1000
/** Late maps have arrived by then, or never will. */
const lateMs = 30_000
/** Limits: groups per query, rows per search and per read, rows and bytes per write. */
const groupsMax = 100
const marksOrdinaryMax = 100_000
const pageMax = 200
const stepRowsMax = 2000
const stepBytesMax = 24 * 1024 * 1024
/** Bytes of one insert (under 16 MB). */
const pieceBytesMax = 12 * 1024 * 1024
const edgeTriesMax = 5
const triesMax = 5
/** A step is verified after this time. Parts that a power cut can restore are gone by then. */
const proofMs = 15 * 60_000

const awayCodes: readonly string[] = ['STORE_UNAVAILABLE', 'QUERY_TIMEOUT']
const isAway = (error: unknown) => error instanceof MishapError && awayCodes.includes(error.code)

type Fresh = { moves: MappedAgain['moves']; lines: Uint8Array[] }

/** Joins lines into few inserts of bounded size. */
function piecesOf(lines: readonly Uint8Array[]): Buffer[] {
  const pieces: Buffer[] = []
  let some: Uint8Array[] = []
  let bytes = 0
  for (const line of lines) {
    if (bytes > 0 && bytes + line.length > pieceBytesMax) {
      pieces.push(Buffer.concat(some))
      some = []
      bytes = 0
    }
    some.push(line)
    bytes += line.length
  }
  if (some.length > 0) pieces.push(Buffer.concat(some))
  return pieces
}

/** Reverts a step by removing its new rows. */
async function takeBack({ meta, events }: ReprocessingDeps, step: ReprocessingStep): Promise<void> {
  await events.takeBack(step.rewrite)
  meta.dropRegroupStep(step.id)
}

/** Completes a step whose new rows count: removes old rows and updates first and last seen of affected issues. */
async function finish({ meta, events }: ReprocessingDeps, step: ReprocessingStep): Promise<void> {
  const { projectId } = step.rewrite
  await events.replace(step.rewrite)
  for (const id of step.stale) {
    // Events can arrive for a busy issue meanwhile. Retry until its count did not change.
    for (let tries = 0; tries < edgeTriesMax; tries++) {
      const issue = meta.issueById(id)
      const hashes = issue?.id === id ? (meta.hashesOf([id]).get(id) ?? []) : []
      const edges = hashes.length > 0 ? await events.edgesOf(projectId, hashes) : undefined
      if (!issue || !edges || meta.setIssueEdges(id, edges, issue.count)) break
    }
  }
  meta.setRegroupStep(step.id, 'cut')
}

/** Completes an open step through any outage of the events store. Throws other errors after some attempts. */
async function endSurely(deps: ReprocessingDeps, id: number, stopped: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    const step = deps.meta.reprocessingSteps('open').find((regroupStep) => regroupStep.id === id)
    try {
      if (step?.stage === 'planned') await takeBack(deps, step)
      else if (step?.stage === 'counted') await finish(deps, step)
      return
    } catch (error) {
      if (stopped.aborted || (!isAway(error) && tries >= triesMax)) throw error
      deps.observe.warn({ step: id, tries, error: faultOf(error) }, 'a reprocessing step is retried')
      await deps.clock.sleep(Math.min(5000, 200 * 2 ** Math.min(tries, 8)), stopped)
    }
  }
}

/**
 * An issue that is being removed must not move its events to another one. A downsampling cut that is not verified yet
 * could evict rows that move into its groups.
 */
const isHeld = (meta: ReprocessingDeps['meta'], projectId: number): boolean =>
  meta.openRemovals().some((openRemoval) => openRemoval.projectId === projectId || openRemoval.projectId === 0) ||
  meta.thinSteps().some((thinStep) => thinStep.cut.projectId === projectId)

/**
 * Rewrites events atomically: writes the new rows, moves them between issues in one transaction, then removes the old
 * rows. Returns false if it must wait.
 */
async function writeStep(room: Room, { moves, lines }: Fresh, place: Place): Promise<boolean> {
  const { deps, stopped } = room
  const { meta, events } = deps
  const release = await deps.turn()
  try {
    if (isHeld(meta, room.projectId)) return false
    const whole = rewriteOf(room.projectId, place, moves)
    // Some rows can have been evicted or removed since they were read.
    const there = new Set(await events.standing(whole))
    const at = moves.flatMap((move, index) => (there.has(move.effect.jpos) ? [index] : []))
    const left = at.flatMap((index) => moves[index] ?? [])
    if (left.length === 0) return true
    const step = meta.planRegroup(room.run.id, rewriteOf(room.projectId, place, left))
    try {
      await events.writeAgain(step.rewrite, piecesOf(at.flatMap((index) => lines[index] ?? [])))
      // Check again for new removals: events to be removed must not move to an issue that stays.
      if (isHeld(meta, room.projectId)) return false
      const result = meta.commitRegroup(
        step.id,
        left.map(({ fromHash, fromSigns, effect }): ReprocessingMove => ({ fromHash, fromSigns, effect })),
      )
      room.moved += result.moved
      room.mapped += left.length
      deps.told(result)
    } finally {
      await endSurely(deps, step.id, stopped)
    }
    return true
  } finally {
    release()
  }
}

type Place = { week: string; gen: number }
type Counts = Record<'looked' | 'mapped' | 'moved', number>
type Room = {
  deps: ReprocessingDeps
  projectId: number
  run: Regrouping
  stopped: AbortSignal
  looked: number
  mapped: number
  moved: number
  total: number
  /** Names that the groups missed, and those still missing, as `name hash`. Only recorded names count. */
  asked: ReadonlySet<string>
  kept: Set<string>
}

function rewriteOf(projectId: number, { week, gen }: Place, moves: MappedAgain['moves']): ReprocessingRewrite {
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
async function giveWay({ deps, stopped }: Room, beganMs: number): Promise<void> {
  const tookMs = Math.max(1, deps.clock.now() - beganMs)
  await deps.clock.sleep(deps.waiting() > 0 ? Math.min(2000, tookMs * 2) : Math.min(50, tookMs / 4), stopped)
}

function keep({ asked, kept }: Room, hash: string, names: readonly string[]): void {
  for (const name of names) if (asked.has(`${name} ${hash}`)) kept.add(`${name} ${hash}`)
}

/** Reprocesses rows of one week and generation and writes the changed ones. Returns false if it has to stop. */
async function mapPlace(
  room: Room,
  place: Place,
  hashes: readonly string[],
  positions: readonly number[],
): Promise<boolean> {
  const { deps, projectId } = room
  let fresh: Fresh = { moves: [], lines: [] }
  let bytes = 0
  const flush = async () => {
    const some = fresh
    fresh = { moves: [], lines: [] }
    bytes = 0
    return some.moves.length === 0 || writeStep(room, some, place)
  }
  for (let start = 0; start < positions.length; start += pageMax) {
    if (room.stopped.aborted) return false
    const beganMs = deps.clock.now()
    const page = positions.slice(start, start + pageMax)
    const rows = await deps.events.rowsAt({ projectId, ...place, hashes, positions: page })
    const { tsv, moves, kept } = await deps.mapAgain(projectId, rows)
    for (const { hash, names } of kept) keep(room, hash, names)
    for (const move of moves) {
      keep(room, move.effect.hashes[0] ?? '', move.effect.misses ?? [])
      fresh.moves.push(move)
      fresh.lines.push(tsv.subarray(move.tsvFrom, move.tsvTo))
    }
    bytes += tsv.length
    if ((fresh.moves.length >= stepRowsMax || bytes >= stepBytesMax) && !(await flush())) return false
    room.looked += page.length
    deps.meta.setRegrouping(room.run.id, { looked: room.looked })
    await giveWay(room, beganMs)
  }
  return flush()
}

type Ask = { projectId: number; cause: Regrouping['cause']; groups(): MissedGroup[] }

/** Yields rows of the groups that can have missed the new files, in pages: a project can have millions. */
async function* marksOf(
  { events, meta, clock, marksMax = marksOrdinaryMax }: ReprocessingDeps,
  { projectId, cause }: Ask,
  groups: MissedGroup[],
): AsyncGenerator<RowMark[]> {
  const names = [...new Set(groups.flatMap((group) => group.names))]
  const hashes = groups.map((group) => group.groupHash)
  const debugIds = names.flatMap((name) => (name.startsWith('d:') ? [name.slice(2)] : []))
  const releases = names.flatMap((name) => (name.startsWith('r:') ? [name.slice(2, name.indexOf('\n'))] : []))
  // Above the limit of one search, all rows of the groups are checked.
  const isNarrow = cause === 'upload' && debugIds.length <= debugIdsMax
  const wanted = {
    projectId,
    hashes,
    before: meta.cursor(),
    sinceMs: clock.now() - backMs,
    max: marksMax,
    ...(isNarrow ? { debugIds, releases: [...new Set(releases)] } : { debugIds: [], releases: [] }),
  }
  for (let fromJpos = Math.min(...groups.map((group) => group.fromJpos)); ; ) {
    const found = await events.marksOf({ ...wanted, fromJpos })
    if (found.length > 0) yield found
    const last = found.at(-1)
    if (!last || found.length < marksMax) return
    fromJpos = last.jpos + 1
  }
}

/** Each id needs two search terms: with dashes and without. */
const debugIdsMax = 120

/** Groups rows by week and generation, because those are written together. */
function byPlace(marks: readonly RowMark[]): Map<string, { place: Place; positions: number[] }> {
  const places = new Map<string, { place: Place; positions: number[] }>()
  for (const { week, gen, jpos } of marks) {
    const known = places.get(`${week} ${gen}`)
    if (known) known.positions.push(jpos)
    else places.set(`${week} ${gen}`, { place: { week, gen }, positions: [jpos] })
  }
  return places
}

/** Reprocesses groups of a project. Returns undefined if it must wait or was stopped, and is called again later. */
async function regroup(deps: ReprocessingDeps, ask: Ask, stopped: AbortSignal): Promise<Counts | undefined> {
  const { meta, observe, clock } = deps
  const { projectId, cause } = ask
  if (isHeld(meta, projectId)) return undefined
  const startMs = clock.now()
  const resume = await deps.pause()
  resume()
  const counts = { looked: 0, mapped: 0, moved: 0, total: 0 }
  // Read the groups after the pause: a batch in flight can have looked before the upload and records misses at its end.
  const groups = ask.groups()
  if (groups.length === 0) {
    // A run that a crash interrupted after its last group has nothing left to do.
    for (const openRegrouping of meta.openRegroupings())
      if (openRegrouping.projectId === projectId && openRegrouping.cause === cause)
        meta.endRegrouping(openRegrouping.id)
    return counts
  }
  const run = meta.beginRegrouping(projectId, cause, 0)
  const room: Room = { deps, projectId, run, stopped, ...counts, asked: new Set(), kept: new Set() }
  for (let start = 0; start < groups.length; start += groupsMax) {
    const some = groups.slice(start, start + groupsMax)
    const hashes = some.map((item) => item.groupHash)
    room.asked = new Set(some.flatMap(({ groupHash, names }) => names.map((name) => `${name} ${groupHash}`)))
    room.kept = new Set()
    for await (const marks of marksOf(deps, ask, some)) {
      room.total += marks.length
      meta.setRegrouping(run.id, { total: room.total })
      for (const { place, positions } of byPlace(marks).values())
        if (!(await mapPlace(room, place, hashes, positions))) return undefined
    }
    meta.endMissed({ projectId, groups: some, kept: cause === 'late' ? new Set() : room.kept, beforeMs: startMs })
  }
  meta.endRegrouping(run.id)
  const { looked, mapped, moved } = room
  observe.info(
    { project: projectId, cause, looked, mapped, moved, ms: clock.now() - startMs },
    'events were reprocessed',
  )
  return room
}

/** Verifies older steps: removes old rows again that a power cut restored. */
async function prove({ meta, events, turn, clock, observe }: ReprocessingDeps): Promise<void> {
  // A step has thousands of positions, so only due steps are read.
  for (const { id, rewrite } of meta.reprocessingSteps({ fromMs: clock.now(), apartMs: proofMs })) {
    const release = await turn()
    try {
      const left = await events.standing(rewrite)
      if (left.length === 0) {
        meta.dropRegroupStep(id)
        continue
      }
      observe.warn({ step: id, left: left.length }, 'old rows of reprocessed events came back; they are deleted again')
      await events.replace(rewrite)
    } finally {
      release()
    }
  }
}

/** Returns the reprocessing that is due now. */
function asks({ meta, clock }: ReprocessingDeps): { ask: Ask; done(): void }[] {
  const nowMs = clock.now()
  const uploads = meta.arrivals().map(({ projectId, bundleIds }) => {
    return {
      ask: { projectId, cause: 'upload' as const, groups: () => meta.missedBy(projectId, bundleIds) },
      done: () => meta.dropArrivals(projectId, bundleIds, nowMs),
    }
  })
  const late = meta.lateProjects(nowMs - lateMs).map((projectId) => ({
    ask: { projectId, cause: 'late' as const, groups: () => meta.missedOf(projectId, [lateName]) },
    done: () => undefined,
  }))
  return [...uploads, ...late]
}

/** Completes open steps with the lock. */
async function endOpen(deps: ReprocessingDeps, stopped: AbortSignal): Promise<void> {
  for (const step of deps.meta.reprocessingSteps('open')) {
    const release = await deps.turn()
    try {
      await endSurely(deps, step.id, stopped)
    } finally {
      release()
    }
  }
}

/** Creates the job. Nothing runs before `resume`, `run` or `kick`. */
export function createReprocessing(deps: ReprocessingDeps): Reprocessing {
  const { meta, clock, observe } = deps
  const stopping = new AbortController()
  const stopped = stopping.signal
  const state: { running: Promise<Record<string, unknown>> | undefined; isKicked: boolean } = {
    running: undefined,
    isKicked: false,
  }

  async function round(): Promise<Record<string, unknown>> {
    await endOpen(deps, stopped)
    await prove(deps)
    meta.dropMissed(clock.now() - backMs)
    const sums = { looked: 0, mapped: 0, moved: 0 }
    for (const { ask, done } of asks(deps)) {
      if (stopped.aborted) break
      const counts = await regroup(deps, ask, stopped)
      if (!counts) continue
      done()
      for (const name of ['looked', 'mapped', 'moved'] as const) sums[name] += counts[name]
    }
    return sums
  }

  const run = (): Promise<Record<string, unknown>> => {
    state.running ??= round()
      .catch((error: unknown) => {
        for (const openRegrouping of meta.openRegroupings())
          meta.setRegrouping(openRegrouping.id, { error: faultOf(error) })
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
      for (const { id } of meta.reprocessingSteps('open')) {
        try {
          await endSurely(deps, id, stopped)
        } catch (error) {
          // The job retries it. Events must not wait for it.
          observe.error({ step: id, error: faultOf(error) }, 'a reprocessing step could not be finished')
        }
      }
    },
    kick: () => {
      if (state.isKicked) return
      state.isKicked = true
      clock.after(gatherMs, () => {
        state.isKicked = false
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
