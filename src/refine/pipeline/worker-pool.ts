import { Worker } from 'node:worker_threads'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import { createStreams, type RangeTotals } from '../kinds/metric/streams.ts'
import type { MapCache } from '../symbolicate/map-cache.ts'
import { dropLineFiles } from './line-files.ts'
import { joined, type RangeJob, type RefinedRange } from './range.ts'
import { createTotalOrder, newOrderEntry, type OrderEntry, type TotalOrder } from './total-order.ts'
import type { FromWorker, ToWorker, WorkerSetup } from './worker.ts'

type Range = Omit<RangeJob, 'job'>

/** A running range. Its end is known once it is read, its rows once it is refined. */
export type RunningRange = { to: number; records: number; done: Promise<RefinedRange> }
type Found = Pick<RunningRange, 'to' | 'records'>

/** The worker threads of refine. */
export type WorkerPool = {
  /** Refines a range. A record that crashes its worker is found by halving and becomes a dead letter. */
  begin(range: Range): Promise<RunningRange>
  /** `begin` and its `done` in one call. */
  refine(range: Range): Promise<RefinedRange>
  close(): Promise<void>
}

/** The worker crashed while it had only this range, as often as `crashesMax` allows. */
class WorkerEnded extends Error {}

type Open = {
  job: number
  range: Range
  found: (running: RunningRange) => void
  done: (range: RefinedRange) => void
  fail: (error: Error) => void
  promise: Promise<RefinedRange>
  /** Number of worker crashes while this was the worker's only job. */
  crashes: number
  crashesMax: number
  /** Its worker crashed, perhaps because of another job. It continues alone. */
  suspect: boolean
  /** The place of a whole range among those with totals. Its parts after a crash have none: they run within it. */
  orderEntry: OrderEntry | undefined
  /** It is read and waits for the range before it. */
  waits: boolean
}

/** MB. Rows are outside of the heap, so little survives a batch. 32 MB more of young generation gained nothing. */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 768 }

/** Tries of a whole range and of a single record: a worker can crash for other reasons. Halves in between get a single try. */
const crashesMax = 2

/** What the pool needs of a worker thread. */
export type WorkerThread = Pick<Worker, 'on' | 'postMessage' | 'terminate'>

type WorkerPoolOptions = {
  size: number
  setup: WorkerSetup
  /** Starts a thread instead of the pool. Tests share one: a start costs 0.3 s of the processor. */
  startThread?: ((setup: WorkerSetup) => WorkerThread) | undefined
  observe: Observe
  settingsOf: (projectId: number) => Promise<ProjectSettings | undefined>
  /** Answers the workers' queries for source maps. */
  maps?: Pick<MapCache, 'answer'> | undefined
  /** Called when a worker waits for the blob disk, and when the wait ends. */
  full?(full: boolean): void
}

/** Starts `size` worker threads. Jobs go to them in turn. */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const state = { next: 0, job: 0, closed: false }
  const streams = options.setup.metrics && createStreams(options.setup.metrics.streams)
  const totals: Totals = { order: createTotalOrder(), learn: (found) => streams?.learn(found) }
  const members = Array.from({ length: options.size }, () => spawn(options, state, totals))

  function run(range: Range, tries: number, orderEntry?: OrderEntry): Promise<RunningRange> {
    const member = members[state.next++ % members.length]
    if (!member) throw new Error('no worker')
    return member.begin(newJob(++state.job, range, tries, orderEntry))
  }

  /** Refines a range that crashed its worker in halves, down to the record at fault, which becomes a dead letter. */
  async function split(
    { from, stored, lane }: Range,
    { to, records }: Found,
    error: WorkerEnded,
  ): Promise<RefinedRange> {
    options.observe.error(
      { from, to, records, error: error.message },
      'a worker crashed on this range; the range is split',
    )
    const whole = { from, durable: to, recordsMax: 1e9, bytesMax: 1e12, stored, lane }
    if (records <= 1) return (await run({ ...whole, recordsMax: 1, quarantineReason: error.message }, crashesMax)).done
    const first = await runPart({ ...whole, recordsMax: Math.floor(records / 2) }, Math.floor(records / 2))
    return joined([first, await runPart({ ...whole, from: first.to }, records - first.records)], from)
  }

  async function runPart(range: Range, records: number): Promise<RefinedRange> {
    const running = await run(range, records === 1 ? crashesMax : 1)
    return splitOnCrash(range, running)
  }

  const splitOnCrash = (range: Range, running: RunningRange, orderEntry?: OrderEntry): Promise<RefinedRange> =>
    running.done.catch(async (error: unknown) => {
      if (!(error instanceof WorkerEnded)) throw error
      // The worker can have crashed while it read the range. Then the range before this one may still be running.
      await orderEntry?.before?.ended
      if (state.closed) throw error
      return split(range, running, error)
    })

  const begin = async (range: Range): Promise<RunningRange> => {
    const orderEntry = newOrderEntry()
    const running = await run(range, crashesMax, orderEntry)
    const done = splitOnCrash(range, running, orderEntry)
    done.then(orderEntry.end, orderEntry.end) // the caller awaits `done` later and sees the error then
    return { ...running, done }
  }
  return {
    begin,
    refine: async (range) => (await begin(range)).done,
    close: async () => {
      state.closed = true
      await Promise.all(members.map((member) => member.end()))
    },
  }
}

/** A job and the promises of its caller. */
function newJob(
  job: number,
  range: Range,
  crashesAllowed: number,
  orderEntry: OrderEntry | undefined,
): { open: Open; begun: Promise<RunningRange> } {
  const running = Promise.withResolvers<RunningRange>()
  const { promise, resolve, reject } = Promise.withResolvers<RefinedRange>()
  promise.catch(() => undefined) // the caller awaits `done` later and sees the error then
  const fail = (error: Error) => {
    reject(error)
    running.reject(error)
  }
  const counters = { crashes: 0, crashesMax: crashesAllowed, suspect: false, waits: false }
  return {
    open: { job, range, found: running.resolve, done: resolve, fail, promise, orderEntry, ...counters },
    begun: running.promise,
  }
}

const newThread = (setup: WorkerSetup): WorkerThread =>
  new Worker(setup.file ?? new URL('./thread.ts', import.meta.url), { workerData: setup, resourceLimits })

/** Starts a thread. Calls `ended` with the error text on an error, then without one on exit. */
function startWorker(
  { setup, observe, startThread = newThread }: WorkerPoolOptions,
  receive: (message: FromWorker, from: WorkerThread) => void,
  ended: (error?: string) => void,
): WorkerThread {
  const made = startThread(setup)
  made.on('message', (message: FromWorker) => receive(message, made))
  made.on('error', (error) => {
    const text = faultOf(error)
    observe.error({ error: text }, 'a refine worker failed')
    ended(text)
  })
  made.on('exit', () => ended())
  return made
}

/** Answers a worker's map query. Does nothing if the worker exited in the meantime. */
function answerMaps(
  { maps }: WorkerPoolOptions,
  message: Extract<FromWorker, { kind: 'ask' }>,
  from: WorkerThread,
): void {
  const { ask, projectId, queries, waitMs } = message
  const answers = maps?.answer(projectId, queries, waitMs) ?? Promise.resolve([])
  answers.then((list) => from.postMessage({ kind: 'maps', ask, answers: list } satisfies ToWorker))
}

/** The settings of the projects that exist. */
const settingsFor = async (
  { settingsOf }: WorkerPoolOptions,
  projectIds: readonly number[],
): Promise<ProjectSettings[]> =>
  (await Promise.all(projectIds.map(settingsOf))).filter((settings) => settings !== undefined)

/** Sends a worker the settings of a range's projects. Calls `fail` if they cannot be read. */
function answerSettings(
  options: WorkerPoolOptions,
  { job, projectIds }: Extract<FromWorker, { kind: 'found' }>,
  from: WorkerThread,
  fail: (error: Error) => void,
): void {
  settingsFor(options, projectIds).then(
    (settings) => from.postMessage({ kind: 'settings', job, settings } satisfies ToWorker),
    (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))),
  )
}

/**
 * Puts the jobs of a crashed worker at the front of `waiting`. Fails a job that has crashed too often. One that only
 * waited did not crash it.
 */
function requeue(jobs: readonly Open[], waiting: Open[], error: string, rowsPrefix: string | undefined): void {
  const isAlone = jobs.filter(({ waits }) => !waits).length === 1
  for (const job of jobs.toReversed()) {
    job.suspect = true
    if (isAlone && !job.waits) job.crashes++
    job.waits = false
    dropLineFiles(rowsPrefix, job.job)
    if (job.crashes < job.crashesMax) waiting.unshift(job)
    else job.fail(new WorkerEnded(`a worker ended on it: ${error || 'without an error'}`))
  }
}

/** How totals of cumulative streams are counted in order, and become known to all workers. */
type Totals = { order: TotalOrder; learn(totals: RangeTotals): void }

/** Answers a worker that has read a range: at once, or when the range with totals before it is refined. */
function answerFound(
  options: WorkerPoolOptions,
  order: TotalOrder,
  { entry, message, from }: { entry: Open; message: Extract<FromWorker, { kind: 'found' }>; from: WorkerThread },
  member: { dispatch(): void; ended(job: number): void; isAt(entry: Open, from: WorkerThread): boolean },
): void {
  entry.found({ to: message.to, records: message.records, done: entry.promise })
  const answer = () => {
    // Otherwise its worker has ended, and another reads the range again.
    if (!member.isAt(entry, from)) return
    entry.waits = false
    answerSettings(options, message, from, (error) => {
      if (!member.isAt(entry, from)) return
      entry.fail(error)
      member.ended(entry.job)
    })
  }
  const before = message.hasTotals && entry.orderEntry ? order.waitsFor(entry.orderEntry) : undefined
  entry.waits = before !== undefined
  if (before) {
    before.then(answer, answer)
    member.dispatch()
  } else answer()
}

/** One worker thread and its jobs. After a crash it is replaced. Its jobs run one at a time until none is suspect. */
function spawn(options: WorkerPoolOptions, state: { closed: boolean }, totals: Totals) {
  const waiting: Open[] = []
  const assigned = new Map<number, Open>()
  const last = { error: '' }
  let worker = newWorker()

  function replace(): void {
    worker = newWorker()
    const jobs = [...assigned.values()]
    assigned.clear()
    requeue(jobs, waiting, last.error, options.setup.rowsPrefix)
    dispatch()
  }

  function newWorker(): WorkerThread {
    return startWorker(options, receive, (error) => {
      if (error !== undefined) last.error = error
      else if (!state.closed) replace()
      options.full?.(false) // the crashed worker no longer waits for the disk
    })
  }

  const post = (message: ToWorker) => worker.postMessage(message)

  function dispatch(): void {
    while (waiting.length > 0) {
      const all = [...assigned.values()]
      const isIsolating = [...all, ...waiting].some((entry) => entry.suspect)
      // One that waits may wait for the next in this queue.
      if (isIsolating && all.some((entry) => !entry.waits)) return
      const element = waiting.shift()
      if (!element) return
      assigned.set(element.job, element)
      post({ kind: 'range', job: element.job, ...element.range })
    }
  }

  const isAt = (entry: Open, from: WorkerThread) => from === worker && assigned.get(entry.job) === entry

  function ended(job: number): void {
    assigned.delete(job)
    dispatch()
  }

  function receive(message: FromWorker, from: WorkerThread): void {
    if (message.kind === 'full') options.full?.(message.full)
    if (message.kind === 'ask') answerMaps(options, message, from)
    if (message.kind === 'full' || message.kind === 'ask') return
    const entry = assigned.get(message.kind === 'done' ? message.range.job : message.job)
    if (!entry) return
    if (message.kind === 'found') {
      answerFound(options, totals.order, { entry, message, from }, { dispatch, ended, isAt })
      return
    }
    if (message.kind === 'done') {
      if (message.range.totals) totals.learn(message.range.totals)
      entry.done(message.range)
    } else entry.fail(new Error(message.reason))
    ended(entry.job)
  }

  function begin({ open, begun }: ReturnType<typeof newJob>): Promise<RunningRange> {
    waiting.push(open)
    dispatch()
    return begun
  }
  return { begin, end: () => worker.terminate() }
}
