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

/** Stored rows that were mapped again; `tsv` has the lines of `moves`. */
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
  /** Whose turn it is to change rows of several stores. */
  turn: Turn
  /** Lets the batches in flight end: those behind them see what has come. */
  pause(): Promise<() => void>
  /** Maps rows of one project again. */
  mapAgain(projectId: number, rows: EventRow[]): Promise<MappedAgain>
  /** Records that refine has not committed. */
  waiting(): number
  /** Issues that changed, for the screens. */
  told(result: ReprocessingResult): void
  /** Rows that are found together; else 100,000. */
  marksMax?: number
}

/** Maps events again whose maps came after them. */
export type Reprocessing = {
  /**
   * Ends or takes back what a crash broke off, and waits for the events store as long as it takes; never rejects. To be
   * called before refining starts: rollups that are counted anew rely on it.
   */
  resume(): Promise<void>
  /** Looks whether anything came that events missed, and maps those. For the jobs table. */
  run(): Promise<Record<string, unknown>>
  /** Something came: runs soon. */
  kick(): void
  /** Begins no further step. */
  stop(): void
}

const dayMs = 86_400_000
/** How far back events are mapped again. */
const backMs = 30 * dayMs
/** Uploads come in many pieces; a second later most are there. */
const gatherMs = 1000
/** A map that was late is there by then, or never will be. */
const lateMs = 30_000
/** Groups that are looked up together, rows that are found and read together, rows and bytes that are written together. */
const groupsMax = 100
const marksOrdinaryMax = 100_000
const pageMax = 200
const stepRowsMax = 2000
const stepBytesMax = 24 * 1024 * 1024
/** Of one insert (under 16 MB). */
const pieceBytesMax = 12 * 1024 * 1024
const edgeTriesMax = 5
const triesMax = 5
/** A step is asked for once more after this; parts that a power cut may bring back are gone by then. */
const proofMs = 15 * 60_000

const awayCodes: readonly string[] = ['STORE_UNAVAILABLE', 'QUERY_TIMEOUT']
const isAway = (error: unknown) => error instanceof MishapError && awayCodes.includes(error.code)

type Fresh = { moves: MappedAgain['moves']; lines: Uint8Array[] }

/** Lines as few inserts of a bounded size. */
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

/** Takes the new rows of a step back: as if it had never been begun. */
async function takeBack({ meta, events }: ReprocessingDeps, step: ReprocessingStep): Promise<void> {
  await events.takeBack(step.rewrite)
  meta.dropRegroupStep(step.id)
}

/** From where the new rows count: the old ones go, and issues that lost some learn when theirs were. */
async function finish({ meta, events }: ReprocessingDeps, step: ReprocessingStep): Promise<void> {
  const { projectId } = step.rewrite
  await events.replace(step.rewrite)
  for (const id of step.stale) {
    // A busy issue gets events meanwhile: they say when its last one was, and what is left is when it began.
    for (let tries = 0; tries < edgeTriesMax; tries++) {
      const issue = meta.issueById(id)
      const hashes = issue?.id === id ? (meta.hashesOf([id]).get(id) ?? []) : []
      const edges = hashes.length > 0 ? await events.edgesOf(projectId, hashes) : undefined
      if (!issue || !edges || meta.setIssueEdges(id, edges, issue.count)) break
    }
  }
  meta.setRegroupStep(step.id, 'cut')
}

/** Ends what stands open, however often the events store goes away. Throws what is no outage, after some tries. */
async function endSurely(deps: ReprocessingDeps, id: number, stopped: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    const step = deps.meta.reprocessingSteps('open').find((regroupStep) => regroupStep.id === id)
    try {
      if (step?.stage === 'planned') await takeBack(deps, step)
      else if (step?.stage === 'counted') await finish(deps, step)
      return
    } catch (error) {
      if (stopped.aborted || (!isAway(error) && tries >= triesMax)) throw error
      deps.observe.warn({ step: id, tries, error: faultOf(error) }, 'rows that are written again: tried again')
      await deps.clock.sleep(Math.min(5000, 200 * 2 ** Math.min(tries, 8)), stopped)
    }
  }
}

/**
 * An issue that is being removed must not hand its events to another one; and a cut of thinning that is not proven yet
 * would take rows that move into its groups for such as a power cut brought back.
 */
const isHeld = (meta: ReprocessingDeps['meta'], projectId: number): boolean =>
  meta.openRemovals().some((openRemoval) => openRemoval.projectId === projectId || openRemoval.projectId === 0) ||
  meta.thinSteps().some((thinStep) => thinStep.cut.projectId === projectId)

/**
 * Writes events again, whole or not at all: the new rows are written, then one transaction moves them between issues, then
 * the old rows go. Returns false where it has to
 * wait.
 */
async function writeStep(room: Room, { moves, lines }: Fresh, place: Place): Promise<boolean> {
  const { deps, stopped } = room
  const { meta, events } = deps
  const release = await deps.turn()
  try {
    if (isHeld(meta, room.projectId)) return false
    const whole = rewriteOf(room.projectId, place, moves)
    // Some may have been thinned or removed since they were read.
    const there = new Set(await events.standing(whole))
    const at = moves.flatMap((move, index) => (there.has(move.effect.jpos) ? [index] : []))
    const left = at.flatMap((index) => moves[index] ?? [])
    if (left.length === 0) return true
    const step = meta.planRegroup(room.run.id, rewriteOf(room.projectId, place, left))
    try {
      await events.writeAgain(step.rewrite, piecesOf(at.flatMap((index) => lines[index] ?? [])))
      // One may have been asked for meanwhile: what is to go must not become part of an issue that stays.
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
  /** What the groups in work missed, and what of it is still missed, as `name hash`: of no more than was noted. */
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

/** Lets events that come in go first: the more of them wait, the longer. */
async function giveWay({ deps, stopped }: Room, beganMs: number): Promise<void> {
  const tookMs = Math.max(1, deps.clock.now() - beganMs)
  await deps.clock.sleep(deps.waiting() > 0 ? Math.min(2000, tookMs * 2) : Math.min(50, tookMs / 4), stopped)
}

function keep({ asked, kept }: Room, hash: string, names: readonly string[]): void {
  for (const name of names) if (asked.has(`${name} ${hash}`)) kept.add(`${name} ${hash}`)
}

/** Maps rows of one week and generation, and writes those that changed. Returns false when it has to stop. */
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

/** The rows of some groups that may have missed what came, some at a time: a project may have millions of them. */
async function* marksOf(
  { events, meta, clock, marksMax = marksOrdinaryMax }: ReprocessingDeps,
  { projectId, cause }: Ask,
  groups: MissedGroup[],
): AsyncGenerator<RowMark[]> {
  const names = [...new Set(groups.flatMap((group) => group.names))]
  const hashes = groups.map((group) => group.groupHash)
  const debugIds = names.flatMap((name) => (name.startsWith('d:') ? [name.slice(2)] : []))
  const releases = names.flatMap((name) => (name.startsWith('r:') ? [name.slice(2, name.indexOf('\n'))] : []))
  // Over what one search takes, all rows of the groups are looked at.
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

/** Two needles for each: with dashes and without. */
const debugIdsMax = 120

/** Rows by week and generation: those are written together. */
function byPlace(marks: readonly RowMark[]): Map<string, { place: Place; positions: number[] }> {
  const places = new Map<string, { place: Place; positions: number[] }>()
  for (const { week, gen, jpos } of marks) {
    const known = places.get(`${week} ${gen}`)
    if (known) known.positions.push(jpos)
    else places.set(`${week} ${gen}`, { place: { week, gen }, positions: [jpos] })
  }
  return places
}

/** Events of some groups of a project. Returns undefined where it has to wait or was stopped: it is asked once more then. */
async function regroup(deps: ReprocessingDeps, ask: Ask, stopped: AbortSignal): Promise<Counts | undefined> {
  const { meta, observe, clock } = deps
  const { projectId, cause } = ask
  if (isHeld(meta, projectId)) return undefined
  const startMs = clock.now()
  const resume = await deps.pause()
  resume()
  const counts = { looked: 0, mapped: 0, moved: 0, total: 0 }
  // Not before the pause: a batch in flight may have looked before the files came, and notes what it missed as it ends.
  const groups = ask.groups()
  if (groups.length === 0) {
    // One that a crash broke off behind its last group has nothing left to look at.
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
    'events were mapped again',
  )
  return room
}

/** Steps of a while ago: rows that a power cut brought back go again. */
async function prove({ meta, events, turn, clock, observe }: ReprocessingDeps): Promise<void> {
  // A step has thousands of positions: only those that are due are read.
  for (const { id, rewrite } of meta.reprocessingSteps({ fromMs: clock.now(), apartMs: proofMs })) {
    const release = await turn()
    try {
      const left = await events.standing(rewrite)
      if (left.length === 0) {
        meta.dropRegroupStep(id)
        continue
      }
      observe.warn({ step: id, left: left.length }, 'rows that were written again had come back; they are taken out')
      await events.replace(rewrite)
    } finally {
      release()
    }
  }
}

/** What is to be looked at now. */
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

/** Ends what is open, with the turn. */
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

/** Makes the job; nothing runs before `resume`, `run` or `kick`. */
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
          // The job tries it again; events must not wait for it.
          observe.error({ step: id, error: faultOf(error) }, 'rows that were written again could not be ended')
        }
      }
    },
    kick: () => {
      if (state.isKicked) return
      state.isKicked = true
      clock.after(gatherMs, () => {
        state.isKicked = false
        // One that runs has looked before: it is looked once more after it.
        void (state.running ?? Promise.resolve())
          .catch(() => undefined)
          .then(() => (stopped.aborted ? undefined : run()))
          .catch((error: unknown) => observe.warn({ error: faultOf(error) }, 'events could not be mapped again'))
      })
    },
    stop: () => stopping.abort(),
  }
}
