import { Worker } from 'node:worker_threads'
import type { Observe } from '../observe.ts'
import type { ProjectSettings } from '../store/meta/meta.ts'
import type { FromWorker, RangeJob, RefinedRange, ToWorker, WorkerSetup } from './worker.ts'

type Range = Omit<RangeJob, 'job'>

/** A range under way: its end is known as soon as it is read, its rows when it is refined. */
export type Begun = { to: number; records: number; done: Promise<RefinedRange> }

/** The worker threads that refine. */
export type Crew = {
  begin(range: Range): Promise<Begun>
  /** `begin` and its `done` in one. */
  refine(range: Range): Promise<RefinedRange>
  close(): Promise<void>
}

type Open = {
  range: Range
  found: (begun: Begun) => void
  done: (range: RefinedRange) => void
  fail: (error: Error) => void
  promise: Promise<RefinedRange>
  tries: number
}

/** MB. Small objects die young here: a larger young generation costs memory and gains nothing measurable. */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 768 }

/** A worker that dies with a job is replaced and the job tried again, five times (spec.md 4). */
const triesMax = 5

type CrewOptions = {
  size: number
  setup: WorkerSetup
  observe: Observe
  settingsOf: (projectId: number) => ProjectSettings | undefined
}

/** Starts `size` worker threads; jobs go to them in turn. */
export function createCrew(options: CrewOptions): Crew {
  const state = { next: 0, job: 0, closed: false }
  const members = Array.from({ length: options.size }, () => hire(options, state))
  const begin = (range: Range): Promise<Begun> => {
    const member = members[state.next++ % members.length]
    if (!member) throw new Error('no worker')
    return member.begin(++state.job, range)
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

function hire(options: CrewOptions, state: { closed: boolean }) {
  const open = new Map<number, Open>()
  const settings = (projectIds: number[]) => projectIds.map(options.settingsOf).filter((one) => one !== undefined)
  let worker = start()

  function start(): Worker {
    const made = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options.setup, resourceLimits })
    made.on('message', (message: FromWorker) => take(message))
    made.on('error', (error) => options.observe.error({ error: String(error) }, 'a refine worker failed'))
    made.on('exit', () => {
      if (!state.closed) replace()
    })
    return made
  }

  function replace(): void {
    worker = start()
    for (const [job, one] of open) {
      one.tries++
      if (one.tries < triesMax) post({ kind: 'range', job, ...one.range })
      else {
        open.delete(job)
        one.fail(new Error('a worker died five times on this range'))
      }
    }
  }

  const post = (message: ToWorker) => worker.postMessage(message)

  function take(message: FromWorker): void {
    if (message.kind === 'done') {
      open.get(message.range.job)?.done(message.range)
      open.delete(message.range.job)
      return
    }
    const one = open.get(message.job)
    if (!one) return
    if (message.kind === 'failed') {
      open.delete(message.job)
      one.fail(new Error(message.reason))
      return
    }
    one.found({ to: message.to, records: message.records, done: one.promise })
    post({ kind: 'settings', job: message.job, settings: settings(message.projectIds) })
  }

  return {
    begin: (job: number, range: Range) =>
      new Promise<Begun>((found, failed) => {
        const { promise, resolve, reject } = Promise.withResolvers<RefinedRange>()
        promise.catch(() => undefined) // whoever awaits `done` sees it; nobody may be awaiting yet
        const fail = (error: Error) => (reject(error), failed(error))
        open.set(job, { range, found, done: resolve, fail, promise, tries: 0 })
        post({ kind: 'range', job, ...range })
      }),
    end: () => worker.terminate(),
  }
}
