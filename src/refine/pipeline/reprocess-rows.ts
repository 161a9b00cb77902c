import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { EventRow } from '../../store/events/events.ts'
import type { GroupingSettings } from '../../store/meta/meta.ts'
import type { ReprocessingMove } from '../../store/meta/retention/reprocessing.ts'
import type { MapQuery } from '../symbolicate/frames.ts'
import type { MapAnswer, MapCache } from '../symbolicate/map-cache.ts'

/**
 * Reprocessed rows. `moves` are changed rows, to be written as generation + 1, each with its line in `tsv`. `stillMissing` are
 * unchanged rows, with the files that they still miss. `broken` is the number of unreadable rows.
 */
export type Remapped = {
  tsv: Uint8Array<ArrayBuffer>
  /** `hour`: the hour of the event, in seconds since 1970. */
  moves: (ReprocessingMove & { tsvFrom: number; tsvTo: number; hour: number })[]
  stillMissing: { hash: string; names: string[] }[]
  broken: number
}

export type ToRemap =
  | {
      kind: 'rows'
      job: number
      projectId: number
      state: string
      rows: EventRow[]
      nowMs: number
      grouping: GroupingSettings | undefined
    }
  | { kind: 'maps'; ask: number; answers: MapAnswer[] }
export type FromRemap =
  | { kind: 'ask'; ask: number; projectId: number; queries: MapQuery[]; waitMs: number }
  | { kind: 'done'; job: number; result: Remapped }
  | { kind: 'failed'; job: number; reason: string }

export type Remapper = {
  /** Reprocesses rows of one project. Rejects if they crash the thread. */
  run(projectId: number, rows: EventRow[]): Promise<Remapped>
  close(): Promise<void>
}

/** MB. Rows arrive a few hundred at a time. */
const resourceLimits = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 768 }
/** ms without work until the thread ends and frees its memory. */
const idleMs = 30_000

type RemapperDeps = {
  clock: Clock
  observe: Observe
  maps: Pick<MapCache, 'answer' | 'stateOf'>
  /** The current grouping settings of a project. */
  groupingOf(projectId: number): Promise<GroupingSettings | undefined>
}

type Open = { done: (result: Remapped) => void; fail: (error: Error) => void }

/** Makes a thread for reprocessing on demand, so that the refine workers stay free for new events. */
export function createRemapper({ clock, observe, maps, groupingOf }: RemapperDeps): Remapper {
  const open = new Map<number, Open>()
  const state = { jobs: 0, worker: undefined as Worker | undefined, stopTimer: (): void => undefined }

  function end(worker: Worker, reason: string): void {
    if (state.worker !== worker) return
    state.worker = undefined
    for (const entry of open.values()) entry.fail(new Error(reason))
    open.clear()
  }

  function receive(message: FromRemap, from: Worker): void {
    if (message.kind === 'ask') {
      const { ask, projectId, queries, waitMs } = message
      void maps
        .answer(projectId, queries, waitMs)
        .then((answers) => from.postMessage({ kind: 'maps', ask, answers } satisfies ToRemap))
      return
    }
    const entry = open.get(message.job)
    open.delete(message.job)
    if (message.kind === 'done') entry?.done(message.result)
    else entry?.fail(new Error(message.reason))
    if (open.size === 0) state.stopTimer = clock.after(idleMs, () => void stop())
  }

  function spawn(): Worker {
    const worker = new Worker(new URL('./reprocess-thread.ts', import.meta.url), { resourceLimits })
    worker.unref()
    worker.on('message', (message: FromRemap) => receive(message, worker))
    worker.on('error', (error) => {
      observe.error({ error: faultOf(error) }, 'the reprocessing thread ended')
      end(worker, faultOf(error))
    })
    worker.on('exit', () => end(worker, 'the thread has ended'))
    state.worker = worker
    return worker
  }

  async function stop(): Promise<void> {
    state.stopTimer()
    const { worker } = state
    if (!worker) return
    end(worker, 'stopped')
    await worker.terminate()
  }

  return {
    run: async (projectId, rows) => {
      const request = { projectId, state: await maps.stateOf(projectId), grouping: await groupingOf(projectId) }
      return new Promise((done, fail) => {
        state.stopTimer()
        const job = ++state.jobs
        open.set(job, { done, fail })
        const worker = state.worker ?? spawn()
        worker.postMessage({ kind: 'rows', rows, job, nowMs: clock.now(), ...request } satisfies ToRemap)
      })
    },
    close: stop,
  }
}
