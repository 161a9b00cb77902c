import type { Clock } from '../../../base/clock.ts'
import type { LiveChange } from '../../../contract/live.ts'

/** Pause between two looks for new rows, ms; a look costs one request. */
const lookMs = 250
/** Most that it grows to while looks bring nothing, ms: the filter hides what happens. */
const lookMaxMs = 10_000
/** Shortest pause between two fetches of the whole list, ms: a change of 50,000 issues sends a hundred messages. */
const reloadMs = 1000
/** Issues remembered that no look brought. */
const hiddenMax = 5000
/** Pause between two refreshes of rows that only counted up, ms: users and statuses come from there. */
const refreshMs = 5000

/** What the live rows need of the list. */
export type LiveRowsRoom = {
  clock: Pick<Clock, 'now' | 'after'>
  /** Ids of the rows that the list has, shown or waiting. */
  known(): ReadonlySet<string>
  /** Whether events of this project can be in the list. */
  wants(projectId: string): boolean
  /** Events to count up by issue, all of them known. */
  countUp(counts: ReadonlyMap<string, number>): void
  /** Asks for known issues that a person changed. */
  renew(issueIds: readonly string[]): void
  /** Asks for the newest rows; says whether the list did not have one of them. */
  look(): Promise<boolean>
  /** Asks for all rows again, those that are no longer in the list go; says whether it did not have one of them. */
  reload(): Promise<boolean>
}

export type LiveRows = {
  hear(change: LiveChange): void
  /** The person did something with the list: what waits for a long pause is looked for now. */
  acted(): void
  stop(): void
}

type Due = {
  counts: Map<string, number>
  renewed: Set<string>
  /** Issues that had events, or that somebody changed, and that the list does not have. */
  unknown: Set<string>
  /** Something happened again to one that a look did not bring: the filter hides it, most likely still. */
  hidden: boolean
  /** The store was away: anything may have come. */
  anything: boolean
  /** The stream was away, or more issues changed than it names: any row may be out of date. */
  missed: boolean
  /** Rows counted up since the last look. */
  stale: boolean
}

/** How long to wait between looks: short while they bring something, longer and longer while they don't. */
function createPace() {
  const hidden = new Set<string>()
  let pauseMs = lookMs
  return {
    ms: () => pauseMs,
    /** Whether a look for this issue did not bring it. */
    isHidden: (issueId: string) => hidden.has(issueId),
    reset: () => {
      pauseMs = lookMs
      hidden.clear()
    },
    /** A look for these issues begins; the function that it returns takes whether it brought something (undefined: no answer). */
    looks: (issueIds: ReadonlySet<string>) => {
      const askedMs = pauseMs
      return (brought: boolean | undefined) => {
        if (hidden.size + issueIds.size > hiddenMax) hidden.clear()
        if (brought !== undefined) for (const id of issueIds) hidden.add(id)
        if (brought) pauseMs = lookMs
        // When somebody acted meanwhile the pause is theirs.
        else if (issueIds.size && pauseMs === askedMs) pauseMs = Math.min(lookMaxMs, askedMs * 2)
      }
    },
  }
}

/** Adds what happened to an issue that the list does not have. */
function noteUnknown(issueId: string, due: Due, isHidden: (issueId: string) => boolean): void {
  if (isHidden(issueId)) due.hidden = true
  else due.unknown.add(issueId)
}

/** Adds events to what is due. */
function note(
  change: LiveChange & { kind: 'events' },
  due: Due,
  room: LiveRowsRoom,
  isHidden: (issueId: string) => boolean,
): void {
  const known = room.known()
  for (const project of change.projects) {
    if (!room.wants(project.id)) continue
    for (const issue of project.issues) {
      if (known.has(issue.id)) due.counts.set(issue.id, (due.counts.get(issue.id) ?? 0) + issue.events)
      else noteUnknown(issue.id, due, isHidden)
    }
  }
}

const nothingDue = (): Due => ({
  counts: new Map(),
  renewed: new Set(),
  unknown: new Set(),
  hidden: false,
  anything: false,
  missed: false,
  stale: false,
})

/** Counts up and renews what the list has. */
function flush(due: Due, room: LiveRowsRoom): void {
  const { counts, renewed } = due
  Object.assign(due, { counts: new Map(), renewed: new Set() })
  if (counts.size) room.countUp(counts)
  due.stale ||= counts.size > 0
  if (renewed.size) room.renew([...renewed])
}

type State = { flushedMs: number; lookedMs: number; reloadedMs: number; isLooking: boolean; stopped: boolean }

/** When to ask next, ms; Infinity when nothing is due. `newsMs`: the pause between looks for news. */
function askAtMs(due: Due, state: State, newsMs: number): number {
  const never = Number.POSITIVE_INFINITY
  if (state.isLooking) return never
  const pauseMs = Math.min(
    due.anything ? lookMs : never,
    due.unknown.size ? newsMs : never,
    due.hidden ? lookMaxMs : never,
    due.stale ? refreshMs : never,
  )
  return Math.min(state.lookedMs + pauseMs, due.missed ? state.reloadedMs + reloadMs : never)
}

/** Takes what is due for an asking that begins at `nowMs`: the issues that it is for, and whether it is for every row. */
function begin(due: Due, state: State, nowMs: number): { asked: Set<string>; isWhole: boolean } {
  const asked = due.unknown
  const isWhole = due.missed && state.reloadedMs + reloadMs <= nowMs
  Object.assign(due, { unknown: new Set(), hidden: false, anything: false, stale: false })
  Object.assign(state, { isLooking: true, lookedMs: nowMs })
  if (isWhole) {
    due.missed = false
    state.reloadedMs = nowMs
  }
  return { asked, isWhole }
}

/**
 * Keeps a list fresh by what the live stream says: rows that it has count up every 250 ms without a request; events of
 * others make it look, at most every 250 ms. The pause doubles up to 10 s with each look that brings nothing, and an
 * issue that a look did not bring makes it look every 10 s only: noise that the filter hides does not hold back news.
 * Where nobody can say which rows changed it asks for all of them, at most once a second.
 */
export function createLiveRows(room: LiveRowsRoom): LiveRows {
  const due = nothingDue()
  // The rows are new at first: news is looked for at once, a refresh can wait.
  const lookedMs = room.clock.now() - lookMs
  const state: State = { flushedMs: 0, lookedMs, reloadedMs: lookedMs - reloadMs, isLooking: false, stopped: false }
  const pace = createPace()
  let cancel: (() => void) | undefined

  async function look(): Promise<void> {
    const { asked, isWhole } = begin(due, state, room.clock.now())
    const looked = pace.looks(asked)
    const brought = await (isWhole ? room.reload() : room.look()).catch(() => undefined)
    looked(brought)
    // No answer says nothing about them.
    if (brought === undefined) due.unknown = new Set([...asked, ...due.unknown])
    state.isLooking = false
    plan()
  }
  const times = () => ({
    flushMs: due.counts.size || due.renewed.size ? state.flushedMs + lookMs : Number.POSITIVE_INFINITY,
    nextMs: askAtMs(due, state, pace.ms()),
  })
  /** One timer for whatever is due next. */
  function plan(): void {
    cancel?.()
    cancel = undefined
    if (state.stopped) return
    const { flushMs, nextMs } = times()
    const atMs = Math.min(flushMs, nextMs)
    if (Number.isFinite(atMs)) cancel = room.clock.after(Math.max(0, atMs - room.clock.now()), run)
  }
  function run(): void {
    const now = room.clock.now()
    if (times().flushMs <= now) {
      state.flushedMs = now
      flush(due, room)
    }
    if (times().nextMs <= now) void look()
    plan()
  }
  function acted(): void {
    pace.reset()
    if (due.hidden) due.anything = true
    plan()
  }
  return {
    hear: (change) => {
      if (change.kind === 'events') note(change, due, room, pace.isHidden)
      else if (change.kind === 'issue') {
        if (room.known().has(change.id)) due.renewed.add(change.id)
        // Reopened, say: it may be in the list by now.
        else noteUnknown(change.id, due, pace.isHidden)
      } else if (change.kind === 'missed' || change.up) {
        due[change.kind === 'missed' ? 'missed' : 'anything'] = true
        return acted()
      }
      plan()
    },
    acted,
    stop: () => {
      state.stopped = true
      plan()
    },
  }
}
