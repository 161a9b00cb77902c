import type { Clock } from '../clock.ts'
import { MishapError } from '../errors.ts'
import { faultOf, type Observe } from '../observe.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/events.ts'
import { spreadCount } from '../store/events/spread.ts'
import type { Crowd } from '../store/events/thin.ts'
import type { MetaStore } from '../store/meta/meta.ts'
import { type ThinCut, type ThinStep, thinnedRemoval } from '../store/meta/thinning.ts'
import type { DiskState } from './disk.ts'
import type { Turn } from './turn.ts'

export type ThinningDeps = {
  clock: Clock
  observe: Observe
  meta: Pick<
    MetaStore,
    | 'cursor'
    | 'openBatches'
    | 'issueIdsOf'
    | 'issuesByIds'
    | 'hashesOf'
    | 'thinnedOf'
    | 'beginThinRun'
    | 'endThinRun'
    | 'planThinStep'
    | 'thinSteps'
    | 'countThinned'
    | 'setThinStep'
    | 'dropThinStep'
    | 'attachedBetween'
    | 'thinAttachments'
    | 'doomedBlobs'
    | 'forgetDoomed'
  >
  events: Pick<
    EventStore,
    | 'weeks'
    | 'crowds'
    | 'keepersOf'
    | 'rowsOfCut'
    | 'quantileOfCut'
    | 'amongCut'
    | 'setAside'
    | 'cutAway'
    | 'rewriteWeeks'
  >
  blobs: Pick<BlobStore, 'delete'>
  /** Whose turn it is to take rows out of the stores. */
  turn: Turn
  /** Lets the batches in flight end and holds the others, until the returned function is called. */
  pause(): Promise<() => void>
  measure(): Promise<DiskState>
}

/** Holds the disk budget by taking out the oldest and most repeated events. */
export type Thinning = {
  /**
   * Ends what a crash broke off, and waits for the events store as long as it takes; never rejects. To be called before
   * refining starts: rollups that are counted anew rely on it.
   */
  resume(): Promise<void>
  /** Looks at the budget and thins until it is held. For the jobs table. */
  run(): Promise<Record<string, unknown>>
  /** Starts no further step. */
  stop(): void
}

/** It begins over the budget and ends a little below, so that it does not run for each event. */
const targetPart = 0.95
/** Crowds of a week that are looked at together, and those that are thinned before it is measured again. */
const crowdsMax = 200
/** Issues of one cut: 1,100 ids that are kept. */
const issuesMax = 50
/** Events of one cut: refining pauses for it. */
const rowsMax = 500_000
const roundsMax = 50
/** Attachments in one question. */
const idsMax = 1000
/** Tries of a step that fails for another reason than the events store being away. */
const triesMax = 5
const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** A cut is asked for once more after this; parts that a power cut may bring back are gone by then. */
const proofMs = 15 * 60_000

const startOf = (week: string) => Date.parse(`${week}T00:00:00Z`)

/**
 * Crowds in the order in which they are thinned: repetitions times age in weeks, most first. A flood of this week goes
 * before the few events of an old one, and of two that are alike the older.
 */
export function orderOf(crowds: readonly Crowd[]): Crowd[] {
  const newestMs = Math.max(...crowds.map((one) => startOf(one.week)))
  const weight = ({ week, rows }: Crowd) => rows * ((newestMs - startOf(week)) / weekMs + 1)
  return [...crowds].sort((a, b) => weight(b) - weight(a) || startOf(a.week) - startOf(b.week))
}

/** The files of events that go: found while the events stand. An attachment comes within a day of its event's week. */
async function thinAttachments({ meta, events }: ThinningDeps, { runId, cut }: ThinStep): Promise<void> {
  const [fromMs, toMs] = [startOf(cut.week) - dayMs, startOf(cut.week) + weekMs + dayMs]
  for (let after = 0; ; ) {
    const some = meta.attachedBetween(cut.projectId, fromMs, toMs, after, idsMax)
    const last = some.at(-1)
    if (!last) return
    const ids = await events.amongCut(cut, [...new Set(some.map((one) => one.eventId))])
    if (ids.length > 0) meta.thinAttachments(runId, cut.projectId, ids)
    after = last.id
  }
}

/** Deletes the files that were noted; a crash leaves the rest for the next time. */
async function deleteFiles({ meta, blobs }: ThinningDeps): Promise<void> {
  for (
    let keys = meta.doomedBlobs(thinnedRemoval, idsMax);
    keys.length > 0;
    keys = meta.doomedBlobs(thinnedRemoval, idsMax)
  ) {
    for (const key of keys) await blobs.delete(key)
    meta.forgetDoomed(keys)
  }
}

/** One cut from where it stands to its end; `counted` is told how many events it takes. */
async function finish(deps: ThinningDeps, step: ThinStep, counted: (rows: number) => void): Promise<void> {
  const { meta, events } = deps
  if (step.stage === 'planned') {
    const found = await events.rowsOfCut(step.cut)
    await events.setAside(step.id, step.cut)
    await thinAttachments(deps, step)
    meta.countThinned(step.id, found)
    counted(found.reduce((sum, one) => sum + one.rows, 0))
  }
  await events.cutAway(step.cut)
  meta.setThinStep(step.id, 'cut')
}

const awayCodes: readonly string[] = ['STORE_UNAVAILABLE', 'QUERY_TIMEOUT']

/**
 * Ends a cut and returns how many events were counted, however often the events store goes away: a cut that is counted
 * and not taken away would count twice in rollups that are counted anew meanwhile. Throws what is no outage, after some
 * tries.
 */
async function finishSurely(deps: ThinningDeps, step: ThinStep, stopped: AbortSignal): Promise<number> {
  let taken = 0
  for (let tries = 1; ; tries++) {
    const now = deps.meta.thinSteps().find((one) => one.id === step.id)
    try {
      if (now?.stage === 'cut') await cutAgain(deps, now)
      else if (now)
        await finish(deps, now, (rows) => {
          taken = rows
        })
      return taken
    } catch (error) {
      const away = error instanceof MishapError && awayCodes.includes(error.code)
      if (stopped.aborted || (!away && tries >= triesMax)) throw error
      deps.observe.warn({ step: step.id, tries, error: faultOf(error) }, 'a step of thinning is tried again')
      await deps.clock.sleep(Math.min(5000, 200 * 2 ** Math.min(tries, 8)), stopped)
    }
  }
}

/** Alone among those who take rows out, and while nothing is committed. */
async function alone<T>({ turn, pause }: Pick<ThinningDeps, 'turn' | 'pause'>, work: () => Promise<T>): Promise<T> {
  const release = await turn()
  try {
    const resume = await pause()
    try {
      return await work()
    } finally {
      resume()
    }
  } finally {
    release()
  }
}

/** Takes rows that a power cut brought back out again. Returns whether there were any. */
async function cutAgain({ events, observe }: ThinningDeps, { id, cut }: ThinStep): Promise<boolean> {
  const left = (await events.rowsOfCut(cut)).reduce((sum, one) => sum + one.rows, 0)
  if (left === 0) return false
  observe.warn({ step: id, left }, 'thinned events had come back; they are taken out again')
  await events.cutAway(cut)
  return true
}

/** Cuts of a while ago are asked for once more, and forgotten when nothing is left of them. */
async function prove(deps: ThinningDeps, masked: (week: string) => void): Promise<void> {
  for (const step of deps.meta.thinSteps()) {
    if (step.stage !== 'cut' || Math.abs(deps.clock.now() - step.madeMs) < proofMs) continue
    if (await alone(deps, () => cutAgain(deps, step))) masked(step.cut.week)
    else deps.meta.dropThinStep(step.id)
  }
}

type Round = { runId: number; wanted: number; rowBytes: number; weeks: Set<string>; stopped: AbortSignal }

/** Takes rows of some issues in one week out, the oldest first and no more than wanted. Returns how many went. */
async function thinCrowds(deps: ThinningDeps, cuttable: ThinCut, round: Round): Promise<number> {
  const { events, meta } = deps
  const rows = (await events.rowsOfCut(cuttable)).reduce((sum, one) => sum + one.rows, 0)
  const most = Math.min(rowsMax, round.wanted)
  if (rows === 0) return 0
  const before =
    rows <= most ? cuttable.before : Math.min(cuttable.before, await events.quantileOfCut(cuttable, most / rows))
  return alone(deps, async () => {
    if (meta.openBatches().length > 0) return 0
    const step = meta.planThinStep(round.runId, { ...cuttable, before }, round.rowBytes)
    return finishSurely(deps, step, round.stopped)
  })
}

/** Issues of these crowds that have more than they always keep, as far as their counters say. */
function thinnable(meta: ThinningDeps['meta'], crowds: readonly Crowd[], issueOf: Map<string, number>): number[] {
  const ids = crowds.map((one) => issueOf.get(`${one.projectId}:${one.groupHash}`)).filter((one) => one !== undefined)
  const issues = meta.issuesByIds([...new Set(ids)])
  const thinned = meta.thinnedOf(issues.map((one) => one.id))
  const large = new Set(
    issues.filter(({ id, count }) => count - (thinned.get(id) ?? 0) > spreadCount + 2).map((one) => one.id),
  )
  return [...new Set(ids)].filter((id) => large.has(id))
}

/** Crowds of one project and week, some issues at a time, as cuts that keep what each issue keeps. */
async function* cutsOf(deps: ThinningDeps, crowds: readonly Crowd[], before: number): AsyncGenerator<ThinCut> {
  const { meta, events } = deps
  const issueOf = meta.issueIdsOf([...crowds])
  const kept = new Map<number, string[]>()
  const groups = Map.groupBy(crowds, ({ week, projectId }) => `${week} ${projectId}`)
  for (const [first, ...rest] of groups.values()) {
    if (!first) continue
    const issues = thinnable(meta, [first, ...rest], issueOf)
    for (let start = 0; start < issues.length; start += issuesMax) {
      const some = issues.slice(start, start + issuesMax)
      const hashesOf = meta.hashesOf(some)
      for (const id of some)
        if (!kept.has(id)) kept.set(id, (await events.keepersOf(first.projectId, hashesOf.get(id) ?? [], before)).keep)
      const hashes = some.flatMap((id) => hashesOf.get(id) ?? [])
      const keep = some.flatMap((id) => kept.get(id) ?? [])
      if (hashes.length > 0) yield { week: first.week, before, projectId: first.projectId, hashes, keep }
    }
  }
}

/** Crowds of all weeks from the `offset`th of each on, in their order, as many as may be enough. */
async function crowdsOf({ events }: ThinningDeps, offset: number, wanted: number): Promise<Crowd[]> {
  const all: Crowd[] = []
  for (const week of await events.weeks()) all.push(...(await events.crowds(week, crowdsMax, offset)))
  const chosen: Crowd[] = []
  let rows = 0
  for (const one of orderOf(all)) {
    if (chosen.length >= crowdsMax || rows >= wanted) break
    chosen.push(one)
    rows += one.rows
  }
  return chosen
}

/** Takes about `round.wanted` events out. Returns how many went; undefined when there is nothing to be taken at all. */
async function thinRound(deps: ThinningDeps, round: Round): Promise<number | undefined> {
  const before = deps.meta.cursor()
  let taken = 0
  for (let offset = 0; taken === 0; offset += crowdsMax) {
    const crowds = await crowdsOf(deps, offset, round.wanted)
    if (crowds.length === 0) return undefined
    for await (const cut of cutsOf(deps, crowds, before)) {
      if (round.wanted <= 0 || round.stopped.aborted) break
      const gone = await thinCrowds(deps, cut, round)
      if (gone > 0) round.weeks.add(cut.week)
      round.wanted -= gone
      taken += gone
    }
    if (round.stopped.aborted || deps.meta.openBatches().length > 0) break
  }
  return taken
}

/** Makes the thinning of process app; nothing runs before `resume` or `run`. */
export function createThinning(deps: ThinningDeps): Thinning {
  const { meta, events, observe } = deps
  const stopping = new AbortController()
  const stopped = stopping.signal
  // Weeks whose rows were masked outside of a run: they count on disk until they are written anew.
  const state = { floorRows: -1, masked: new Set<string>() }

  async function end(step: ThinStep): Promise<void> {
    await finishSurely(deps, step, stopped)
    state.masked.add(step.cut.week)
  }

  /** What crashes left: steps to end, to prove, weeks to write anew, files to delete. */
  async function clear(): Promise<void> {
    for (const step of meta.thinSteps()) if (step.stage !== 'cut') await alone(deps, () => end(step))
    await prove(deps, (week) => state.masked.add(week))
    await events.rewriteWeeks([...state.masked])
    state.masked.clear()
    await deleteFiles(deps)
  }

  async function thin(first: DiskState, budget: number): Promise<Record<string, unknown>> {
    const runId = meta.beginThinRun({ budgetBytes: budget, bytesBefore: first.stored })
    const target = budget * targetPart
    let disk = first
    let sum = 0
    for (let rounds = 0; rounds < roundsMax && disk.stored > target && !stopped.aborted; rounds++) {
      const rowBytes = disk.events / Math.max(1, disk.rows)
      const wanted = Math.ceil((disk.stored - target) / Math.max(1, rowBytes))
      const round: Round = { runId, wanted, rowBytes, weeks: new Set(), stopped }
      const taken = await thinRound(deps, round)
      await events.rewriteWeeks([...round.weeks])
      await deleteFiles(deps)
      disk = await deps.measure()
      sum += taken ?? 0
      if (taken === undefined) state.floorRows = disk.rows
      if (!taken) break
    }
    const reached = disk.stored <= budget
    meta.endThinRun(runId, { bytesAfter: disk.stored, reached })
    observe.info({ events: sum, before: first.stored, after: disk.stored, budget, reached }, 'events were thinned')
    return { thinned: sum, stored: disk.stored, budget, ...(reached ? {} : { reached }) }
  }

  return {
    resume: async () => {
      for (const step of meta.thinSteps()) {
        try {
          await end(step)
        } catch (error) {
          // The job tries it again; events must not wait for it.
          observe.error({ step: step.id, error: faultOf(error) }, 'a step of thinning could not be ended')
        }
      }
    },
    run: async () => {
      await clear()
      const disk = await deps.measure()
      const { budget, stored, rows } = disk
      if (budget === null || stored <= budget) return { stored, budget }
      // Each issue is down to what it always keeps: looking through all of them again waits for more events.
      if (rows <= state.floorRows * 1.01) return { stored, budget, reached: false }
      return thin(disk, budget)
    },
    stop: () => stopping.abort(),
  }
}
