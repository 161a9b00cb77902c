import type { Clock } from '../../../base/clock.ts'
import type { LiveChange } from '../../../contract/live.ts'

/** Pause between two checks for new rows, ms. Each check costs one request. */
const fetchEveryMs = 250
/** Maximum of that pause, ms. It grows while checks find nothing, because the filter hides the changes. */
const fetchMaxMs = 10_000
/** Shortest pause between two reloads of the list, ms: a change of 50,000 issues sends a hundred messages. */
const reloadMs = 1000
/** Maximum issues to remember that no check found. */
const hiddenMax = 5000
/** Pause between two refreshes of rows whose counts changed, ms. A refresh updates users and statuses. */
const refreshMs = 5000

/** The functions of the list that the live rows use. */
type LiveRowsEnvironment = {
  clock: Pick<Clock, 'now' | 'after'>
  /** Ids of the list's rows, visible or waiting. */
  knownIds(): ReadonlySet<string>
  /** Whether the list can contain events of this project. */
  includesProject(projectId: string): boolean
  /** Adds events to rows. All ids are known. */
  countUp(counts: ReadonlyMap<string, number>): void
  /** Fetches known issues that a person changed. */
  renew(issueIds: readonly string[]): void
  /** Fetches the newest rows. Returns whether one was new to the list. */
  fetchNewest(): Promise<boolean>
  /** Fetches all rows again and drops rows that no longer match. Returns whether one was new to the list. */
  reload(): Promise<boolean>
}

export type LiveRows = {
  handle(change: LiveChange): void
  /** The person used the list: run delayed checks now. */
  acted(): void
  stop(): void
}

type Due = {
  counts: Map<string, number>
  renewed: Set<string>
  /** Issues outside of the list with new events or changes. */
  unknown: Set<string>
  /** An issue that an earlier check did not find has changed again. The filter probably still hides it. */
  hidden: boolean
  /** The store was down: anything can be new. */
  anything: boolean
  /** The stream was interrupted or more issues changed than it lists: any row can be out of date. */
  missed: boolean
  /** Whether counts changed since the last check. */
  stale: boolean
}

/** Controls the pause between checks: short while they find rows, longer while they do not. */
function createPace() {
  const hidden = new Set<string>()
  let pauseMs = fetchEveryMs
  return {
    ms: () => pauseMs,
    /** Whether an earlier check did not find this issue. */
    isHidden: (issueId: string) => hidden.has(issueId),
    reset: () => {
      pauseMs = fetchEveryMs
      hidden.clear()
    },
    /** Starts a check for these issues. Call the result with whether rows were found (undefined: no answer). */
    beginFetch: (issueIds: ReadonlySet<string>) => {
      const pauseAtStartMs = pauseMs
      return (brought: boolean | undefined) => {
        if (hidden.size + issueIds.size > hiddenMax) hidden.clear()
        if (brought !== undefined) for (const id of issueIds) hidden.add(id)
        if (brought) pauseMs = fetchEveryMs
        // After a person's action in the meantime, keep the reset pause.
        else if (issueIds.size && pauseMs === pauseAtStartMs) pauseMs = Math.min(fetchMaxMs, pauseAtStartMs * 2)
      }
    },
  }
}

/** Records a change of an issue that the list does not have. */
function addUnknown(issueId: string, due: Due, isHidden: (issueId: string) => boolean): void {
  if (isHidden(issueId)) due.hidden = true
  else due.unknown.add(issueId)
}

/** Records events. */
function addEvents(
  change: LiveChange & { kind: 'events' },
  due: Due,
  environment: LiveRowsEnvironment,
  isHidden: (issueId: string) => boolean,
): void {
  const knownIds = environment.knownIds()
  for (const project of change.projects) {
    if (!environment.includesProject(project.id)) continue
    for (const issue of project.issues) {
      if (knownIds.has(issue.id)) due.counts.set(issue.id, (due.counts.get(issue.id) ?? 0) + issue.events)
      else addUnknown(issue.id, due, isHidden)
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

/** Applies recorded counts and refreshes changed rows. */
function flush(due: Due, environment: LiveRowsEnvironment): void {
  const { counts, renewed } = due
  Object.assign(due, { counts: new Map(), renewed: new Set() })
  if (counts.size) environment.countUp(counts)
  due.stale ||= counts.size > 0
  if (renewed.size) environment.renew([...renewed])
}

type State = { flushedMs: number; fetchedMs: number; reloadedMs: number; isFetching: boolean; stopped: boolean }

/** Time of the next request, ms; Infinity if none is due. `unknownPauseMs`: the pause between checks for new rows. */
function nextFetchMs(due: Due, state: State, unknownPauseMs: number): number {
  const never = Number.POSITIVE_INFINITY
  if (state.isFetching) return never
  const pauseMs = Math.min(
    due.anything ? fetchEveryMs : never,
    due.unknown.size ? unknownPauseMs : never,
    due.hidden ? fetchMaxMs : never,
    due.stale ? refreshMs : never,
  )
  return Math.min(state.fetchedMs + pauseMs, due.missed ? state.reloadedMs + reloadMs : never)
}

/** Takes the due changes for a request that starts at `nowMs`. `isReload`: it must reload all rows. */
function begin(due: Due, state: State, nowMs: number): { requestedIds: Set<string>; isReload: boolean } {
  const requestedIds = due.unknown
  const isReload = due.missed && state.reloadedMs + reloadMs <= nowMs
  Object.assign(due, { unknown: new Set(), hidden: false, anything: false, stale: false })
  Object.assign(state, { isFetching: true, fetchedMs: nowMs })
  if (isReload) {
    due.missed = false
    state.reloadedMs = nowMs
  }
  return { requestedIds, isReload }
}

/**
 * Keeps a list up to date from the live stream. Known rows count up every 250 ms without a request. Events of other
 * issues trigger a check, at most every 250 ms. The pause doubles up to 10 s after each check that finds nothing. An
 * issue that a check did not find triggers a check every 10 s only, so that filtered noise does not delay news. If it
 * is unknown which rows changed, all are reloaded, at most once a second.
 */
export function createLiveRows(environment: LiveRowsEnvironment): LiveRows {
  const due = nothingDue()
  // The rows are new at the start: check for news at once, but delay the first refresh.
  const fetchedMs = environment.clock.now() - fetchEveryMs
  const state: State = { flushedMs: 0, fetchedMs, reloadedMs: fetchedMs - reloadMs, isFetching: false, stopped: false }
  const pace = createPace()
  let cancel: (() => void) | undefined

  async function fetchRows(): Promise<void> {
    const { requestedIds, isReload } = begin(due, state, environment.clock.now())
    const endFetch = pace.beginFetch(requestedIds)
    const brought = await (isReload ? environment.reload() : environment.fetchNewest()).catch(() => undefined)
    endFetch(brought)
    // Without an answer these issues are still unknown.
    if (brought === undefined) due.unknown = new Set([...requestedIds, ...due.unknown])
    state.isFetching = false
    plan()
  }
  const times = () => ({
    flushMs: due.counts.size || due.renewed.size ? state.flushedMs + fetchEveryMs : Number.POSITIVE_INFINITY,
    nextMs: nextFetchMs(due, state, pace.ms()),
  })
  /** Sets one timer for the next due task. */
  function plan(): void {
    cancel?.()
    cancel = undefined
    if (state.stopped) return
    const { flushMs, nextMs } = times()
    const atMs = Math.min(flushMs, nextMs)
    if (Number.isFinite(atMs)) cancel = environment.clock.after(Math.max(0, atMs - environment.clock.now()), run)
  }
  function run(): void {
    const now = environment.clock.now()
    if (times().flushMs <= now) {
      state.flushedMs = now
      flush(due, environment)
    }
    if (times().nextMs <= now) void fetchRows()
    plan()
  }
  function acted(): void {
    pace.reset()
    if (due.hidden) due.anything = true
    plan()
  }
  return {
    handle: (change) => {
      if (change.kind === 'events') addEvents(change, due, environment, pace.isHidden)
      else if (change.kind === 'issue') {
        if (environment.knownIds().has(change.id)) due.renewed.add(change.id)
        // It may have been reopened and now match the list.
        else addUnknown(change.id, due, pace.isHidden)
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
