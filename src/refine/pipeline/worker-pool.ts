import { Worker } from 'node:worker_threads'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { ProjectSettings } from '../../store/meta/meta.ts'
import type { MapCache } from '../symbolicate/map-cache.ts'
import { joined, type RangeJob, type RefinedRange } from './range.ts'
import type { FromWorker, ToWorker, WorkerSetup } from './worker.ts'

type Range = Omit<RangeJob, 'job'>

/** A range under way: its end is known as soon as it is read, its rows when it is refined. */
export type Begun = { to: number; records: number; done: Promise<RefinedRange> }
type Found = Pick<Begun, 'to' | 'records'>

/** The worker threads that refine. */
export type WorkerPool = {
  /** A record of the range that kills its worker is found by halving and comes back as a dead item. */
  begin(range: Range): Promise<Begun>
  /** `begin` and its `done` in one call. */
  refine(range: Range): Promise<RefinedRange>
  close(): Promise<void>
}

/** A worker ended while it had this range alone, as often as it was given. */
class WorkerEnded extends Error {}

type Open = {
  job: number
  range: Range
  found: (begun: Begun) => void
  done: (range: RefinedRange) => void
  fail: (error: Error) => void
  promise: Promise<RefinedRange>
  /** How often a worker ended while it had this job and no other. */
  deaths: number
  deathsMax: number
  /** Its worker ended, perhaps by another job: it goes on alone. */
  suspect: boolean
}

/** MB. Rows are written outside of the heap, so little survives a batch; 32 MB more of young generation gained nothing. */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 768 }

/** A range and a single record are tried again: a worker may have ended for another reason. Halves between are not. */
const deathsMax = 2

type CrewOptions = {
  size: number
  setup: WorkerSetup
  observe: Observe
  settingsOf: (projectId: number) => ProjectSettings | undefined
  /** Answers what workers ask of source maps. */
  maps?: Pick<MapCache, 'answer'> | undefined
  /** Hears when a worker waits for the disk of the blobs, and when it no longer does. */
  full?(full: boolean): void
}

/** Starts `size` worker threads; jobs go to them in turn. */
export function createWorkerPool(options: CrewOptions): WorkerPool {
  const state = { next: 0, job: 0, closed: false }
  const members = Array.from({ length: options.size }, () => hire(options, state))

  function run(range: Range, tries: number): Promise<Begun> {
    const member = members[state.next++ % members.length]
    if (!member) throw new Error('no worker')
    return member.begin(++state.job, range, tries)
  }

  /** What a range makes that a worker could not refine: its halves, down to the record that ends it, which is dead. */
  async function split({ from, stored }: Range, { to, records }: Found, error: WorkerEnded): Promise<RefinedRange> {
    options.observe.error({ from, to, records, error: error.message }, 'a worker ended on this range; it is split')
    const whole = { from, durable: to, recordsMax: 1e9, bytesMax: 1e12, stored }
    if (records <= 1) return (await run({ ...whole, recordsMax: 1, bury: error.message }, deathsMax)).done
    const first = await part({ ...whole, recordsMax: Math.floor(records / 2) }, Math.floor(records / 2))
    return joined([first, await part({ ...whole, from: first.to }, records - first.records)], from)
  }

  async function part(range: Range, records: number): Promise<RefinedRange> {
    const begun = await run(range, records === 1 ? deathsMax : 1)
    return rescued(range, begun)
  }

  const rescued = (range: Range, begun: Begun): Promise<RefinedRange> =>
    begun.done.catch((error: unknown) => {
      if (!(error instanceof WorkerEnded) || state.closed) throw error
      return split(range, begun, error)
    })

  const begin = async (range: Range): Promise<Begun> => {
    const begun = await run(range, deathsMax)
    const done = rescued(range, begun)
    done.catch(() => undefined) // whoever awaits `done` sees it; nobody may be awaiting yet
    return { ...begun, done }
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

/** A job and what its caller waits for. */
function newJob(job: number, range: Range, deathsAllowed: number): { open: Open; begun: Promise<Begun> } {
  const begun = Promise.withResolvers<Begun>()
  const { promise, resolve, reject } = Promise.withResolvers<RefinedRange>()
  promise.catch(() => undefined) // whoever awaits `done` sees it; nobody may be awaiting yet
  const fail = (error: Error) => {
    reject(error)
    begun.reject(error)
  }
  const life = { deaths: 0, deathsMax: deathsAllowed, suspect: false }
  return { open: { job, range, found: begun.resolve, done: resolve, fail, promise, ...life }, begun: begun.promise }
}

/** Starts a thread. `ended` hears of its error, then, with undefined, of its end. */
function startWorker(
  { setup, observe }: CrewOptions,
  take: (message: FromWorker, from: Worker) => void,
  ended: (error?: string) => void,
): Worker {
  const made = new Worker(setup.file ?? new URL('./thread.ts', import.meta.url), { workerData: setup, resourceLimits })
  made.on('message', (message: FromWorker) => take(message, made))
  made.on('error', (error) => {
    const text = faultOf(error)
    observe.error({ error: text }, 'a refine worker failed')
    ended(text)
  })
  made.on('exit', () => ended())
  return made
}

/** Answers what a worker asks of source maps; one that ended meanwhile no longer waits. */
function answerMaps({ maps }: CrewOptions, message: Extract<FromWorker, { kind: 'ask' }>, from: Worker): void {
  const { ask, projectId, queries, waitMs } = message
  const answers = maps?.answer(projectId, queries, waitMs) ?? Promise.resolve([])
  answers.then((list) => from.postMessage({ kind: 'maps', ask, answers: list } satisfies ToWorker))
}

/** One worker thread and its jobs. When it ends it is replaced, and its jobs go on one at a time until none is suspect. */
function hire(options: CrewOptions, state: { closed: boolean }) {
  const waiting: Open[] = []
  const given = new Map<number, Open>()
  const settings = (projectIds: number[]) => projectIds.map(options.settingsOf).filter((entry) => entry !== undefined)
  const last = { error: '' }
  let worker = newWorker()

  function replace(): void {
    worker = newWorker()
    const jobs = [...given.values()]
    given.clear()
    for (const job of jobs.toReversed()) {
      job.suspect = true
      if (jobs.length === 1) job.deaths++
      if (job.deaths < job.deathsMax) waiting.unshift(job)
      else job.fail(new WorkerEnded(`a worker ended on it: ${last.error || 'without an error'}`))
    }
    pump()
  }

  function newWorker(): Worker {
    return startWorker(options, take, (error) => {
      if (error !== undefined) last.error = error
      else if (!state.closed) replace()
      options.full?.(false) // one that waited for the disk waits no more
    })
  }

  const post = (message: ToWorker) => worker.postMessage(message)

  function pump(): void {
    while (waiting.length > 0) {
      const careful = [...given.values(), ...waiting].some((entry) => entry.suspect)
      if (careful && given.size > 0) return
      const element = waiting.shift()
      if (!element) return
      given.set(element.job, element)
      post({ kind: 'range', job: element.job, ...element.range })
    }
  }

  function ended(job: number): void {
    given.delete(job)
    pump()
  }

  function take(message: FromWorker, from: Worker): void {
    if (message.kind === 'full') options.full?.(message.full)
    if (message.kind === 'ask') answerMaps(options, message, from)
    if (message.kind === 'full' || message.kind === 'ask') return
    const entry = given.get(message.kind === 'done' ? message.range.job : message.job)
    if (!entry) return
    if (message.kind === 'found') {
      entry.found({ to: message.to, records: message.records, done: entry.promise })
      post({ kind: 'settings', job: message.job, settings: settings(message.projectIds) })
      return
    }
    if (message.kind === 'done') entry.done(message.range)
    else entry.fail(new Error(message.reason))
    ended(entry.job)
  }

  function begin(job: number, range: Range, deathsAllowed: number): Promise<Begun> {
    const { open, begun } = newJob(job, range, deathsAllowed)
    waiting.push(open)
    pump()
    return begun
  }
  return { begin, end: () => worker.terminate() }
}
