import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/clock.ts'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { FrameData, UnmappedReason } from '../../domain/event.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { ArtifactFile, ArtifactStore } from '../../store/meta/artifacts/artifacts.ts'
import { debugName } from '../../store/meta/ingest/missing-source-maps.ts'
import type { FlatMap } from './flat.ts'
import type { MapQuery } from './frames.ts'
import type { FromLoader, Loaded, LoadJob, ToLoader } from './load.ts'
import { urlCandidates } from './paths.ts'
import { type Plan, planOf } from './plan.ts'
import { type Presence, presenceOf, urlName } from './presence.ts'

/**
 * What a refine worker is told of a query. `id` names the map, `flat` is it; `reason` alone: there is none. `later`: the
 * same query may be answered otherwise soon.
 */
export type MapAnswer = {
  id?: string
  flat?: FlatMap
  sourcemap?: string
  resolvedWith?: NonNullable<FrameData['resolved_with']>
  reason?: UnmappedReason
  later?: true
}

/** Answers what refine workers ask of source maps; lives in process app, reads in threads of its own. */
export type MapCache = {
  /** Answers in the order of the queries; waits `waitMs` at most for maps that have to be read. Never rejects. */
  answer(projectId: number, queries: readonly MapQuery[], waitMs: number): Promise<MapAnswer[]>
  /**
   * The map of a plan for somebody who only looks: waits `waitMs` at most, notes no use. `keep` false: it pushes no other
   * map out of what is kept.
   */
  look(projectId: number, query: MapQuery, plan: Plan, waitMs: number, keep: boolean): Promise<Loaded>
  /** '' when a project has no artifacts, else a text that changes with them. */
  stateOf(projectId: number): string
  /** Names of all files that a project has in this state; undefined where those are too many. */
  presenceOf(projectId: number, state: string): Presence | undefined
  /** Bytes of the maps that are kept, and how many. */
  kept(): { bytes: number; maps: number }
  close(): Promise<void>
}

export type MapLimits = {
  /** Bytes of parsed maps that are kept. */
  keptBytesMax: number
  /** ms that one map may take. */
  loadMs: number
  /** MB of heap for one map; tables lie outside of it and have a bound of their own. */
  heapMb: number
  threadsMax: number
}

const mapLimits: MapLimits = { keptBytesMax: 160 * 1024 * 1024, loadMs: 15_000, heapMb: 1024, threadsMax: 2 }

/** A thread without work ends after this time, and gives its memory back. */
const idleMs = 30_000
/** A file that could not be used is tried again after this time; a broken one stays broken until another comes. */
const retryMs = 10 * 60_000
const waitingMax = 200
/** ms that are always waited: what is kept already is found in that time. */
const waitMinMs = 50
/** What a map that cannot be used costs to remember. */
const failureBytes = 500

export type MapCacheDeps = {
  clock: Clock
  observe: Observe
  meta: Pick<
    ArtifactStore,
    'artifactsByDebugId' | 'artifactsByUrl' | 'artifactState' | 'artifactNames' | 'touchBundles'
  >
  blobs: Pick<BlobStore, 'reader'>
  blobFolder: string
  limits?: Partial<MapLimits>
  /** What the thread runs instead of `loader.ts`; tests have their own. */
  file?: URL
}

type Job = LoadJob & {
  projectId: number
  query: MapQuery
  done: (loaded: Loaded) => void
}

/** What names the map of a plan: where its script and its map lie. */
const idOf = ({ script, map, inline }: Plan): string =>
  [script, map].map((file) => (file ? `${file.blobKey}:${file.at}` : '')).join('|') + (inline ? '|i' : '')

const bundlesOf = ({ script, map }: Plan): number[] => [
  ...new Set([script, map].flatMap((file) => (file ? [file.bundleId] : []))),
]
const jobOf = ({ script, map, inline, sourcemap }: Plan) => ({ script, map, inline, sourcemap })

/** What is answered when waiting has taken too long; `stop` ends the wait. */
function lateAfter<T>(clock: Clock, waitMs: number, answer: T): { late: Promise<T>; stop: () => void } {
  const ended = new AbortController()
  const late = clock.sleep(Math.max(waitMs, waitMinMs), ended.signal).then(() => answer)
  return { late, stop: () => ended.abort() }
}

const bytesOf = ({ flat }: Loaded) => (flat?.bytes ?? 0) + failureBytes

export function createMapCache(deps: MapCacheDeps): MapCache {
  const { clock, observe, meta } = deps
  const limits = { ...mapLimits, ...deps.limits }
  const kept = new LRUCache<string, Loaded>({ maxSize: limits.keptBytesMax, sizeCalculation: bytesOf })
  const open = new Map<string, Promise<Loaded>>()
  const pool = createPool(deps, limits)

  /** The map of a plan, from what is kept or read now. */
  function loaded(id: string, plan: Plan, projectId: number, query: MapQuery): Promise<Loaded> {
    const known = kept.get(id)
    const running = known ? Promise.resolve(known) : open.get(id)
    if (running) return running
    const promise = pool.load(jobOf(plan), projectId, query).then((result) => {
      open.delete(id)
      // one that alone is larger than all that may be kept would be read again for each event
      const fits = bytesOf(result) <= limits.keptBytesMax
      const known: Loaded = fits ? result : { reason: 'map_large' }
      const again = known.reason === 'map_slow' || known.reason === 'file_gone'
      kept.set(id, known, again ? { ttl: retryMs } : {})
      return known
    })
    open.set(id, promise)
    return promise
  }

  async function answerOne(projectId: number, query: MapQuery): Promise<MapAnswer> {
    const plan = await planOf(projectId, query, meta, deps.blobs)
    if (!plan) return { reason: 'file_missing' }
    const { sourcemap, resolvedWith } = plan
    meta.touchBundles(bundlesOf(plan), clock.now())
    const id = idOf(plan)
    const { flat, reason } = await loaded(id, plan, projectId, query)
    // why the plan has no map says more than that the thread got none
    const why = plan.reason ?? reason
    return { sourcemap, resolvedWith, ...(flat ? { id, flat } : {}), ...(why ? { reason: why } : {}) }
  }

  async function answer(projectId: number, queries: readonly MapQuery[], waitMs: number): Promise<MapAnswer[]> {
    const { late, stop } = lateAfter<MapAnswer>(clock, waitMs, { reason: 'map_pending', later: true })
    const answers = await Promise.all(
      queries.map((query) =>
        Promise.race([
          answerOne(projectId, query).catch((error: unknown): MapAnswer => {
            observe.error({ error: faultOf(error) }, 'a source map could not be looked up')
            return { reason: 'file_gone', later: true }
          }),
          late,
        ]),
      ),
    )
    stop()
    return answers
  }
  function look(projectId: number, query: MapQuery, plan: Plan, waitMs: number, keep: boolean): Promise<Loaded> {
    const id = idOf(plan)
    const make = () => (keep ? loaded(id, plan, projectId, query) : pool.load(jobOf(plan), projectId, query))
    const found = kept.peek(id) ?? open.get(id) ?? make()
    const { late, stop } = lateAfter<Loaded>(clock, waitMs, { reason: 'map_pending' })
    return Promise.race([found, late]).finally(stop)
  }
  return {
    answer,
    look,
    stateOf: (projectId) => meta.artifactState(projectId),
    presenceOf: presences(meta),
    kept: () => ({ bytes: kept.calculatedSize ?? 0, maps: kept.size }),
    close: () => pool.close(),
  }
}

/** Files of a project whose names are told to workers: reading that many takes some 50 ms on the thread that commits. */
const namesMax = 50_000
const presencesMax = 50

/** Names of projects, made once for each state. */
function presences(meta: Pick<ArtifactStore, 'artifactNames'>): MapCache['presenceOf'] {
  const kept = new LRUCache<number, { state: string; presence: Presence | undefined }>({ max: presencesMax })
  return (projectId, state) => {
    const known = kept.get(projectId)
    if (known?.state === state) return known.presence
    const files = meta.artifactNames(projectId, namesMax)
    const names = files?.flatMap(({ debugId, release, dist, url }) => [
      ...(debugId ? [debugName(debugId)] : []),
      urlName(release, dist, url),
    ])
    const presence = names && presenceOf(names)
    kept.set(projectId, { state, presence })
    return presence
  }
}

type Member = { end: () => Promise<unknown>; idle: () => boolean; take: (job: Job) => void }

/** Threads that read one map at a time; made when there is work, ended when a map takes too long or there is none. */
function createPool(deps: MapCacheDeps, limits: MapLimits) {
  const waiting: Job[] = []
  const state = { closed: false, jobs: 0 }
  const members = new Set<Member>()

  function pump(): void {
    while (waiting.length > 0 && !state.closed) {
      const free = [...members].find((member) => member.idle())
      if (!free && members.size >= limits.threadsMax) return
      const job = waiting.shift()
      if (job) (free ?? hire(deps, limits, members, pump)).take(job)
    }
  }

  return {
    load: (job: Omit<LoadJob, 'job'>, projectId: number, query: MapQuery): Promise<Loaded> => {
      // someone sends addresses of ever other files: those go unmapped rather than wait behind each other
      if (waiting.length >= waitingMax || state.closed) return Promise.resolve({ reason: 'map_slow' })
      return new Promise((done) => {
        waiting.push({ ...job, job: ++state.jobs, projectId, query, done })
        pump()
      })
    },
    close: async () => {
      state.closed = true
      for (const job of waiting.splice(0)) job.done({ reason: 'map_slow' })
      const all = [...members]
      members.clear()
      await Promise.all(all.map((entry) => entry.end()))
    },
  }
}

/** Starts a thread and adds it to `members`; `free` is called when it can take another job, or has left. */
function hire(deps: MapCacheDeps, limits: MapLimits, members: Set<Member>, free: () => void): Member {
  const { clock, observe, meta } = deps
  const worker = new Worker(deps.file ?? new URL('./loader.ts', import.meta.url), {
    workerData: { blobFolder: deps.blobFolder },
    resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 64 },
  })
  worker.unref()
  let job: Job | undefined
  let stopTimer: () => void = () => undefined
  const member: Member = { end: () => worker.terminate(), idle: () => job === undefined, take }
  members.add(member)

  function take(next: Job): void {
    stopTimer()
    job = next
    const { done: _done, projectId: _project, query: _query, ...rest } = next
    worker.postMessage({ kind: 'load', ...rest } satisfies ToLoader)
    // the time counts from when the thread takes it up: starting one takes a while on a busy machine
    stopTimer = () => undefined
  }

  function finish(loaded: Loaded): void {
    stopTimer()
    const done = job?.done
    job = undefined
    done?.(loaded)
  }

  /** Ends the thread; what it had is answered with the reason. */
  function leave(reason: UnmappedReason): void {
    members.delete(member)
    finish({ reason })
    worker.terminate().catch(() => undefined)
    free()
  }

  worker.on('message', (message: FromLoader) => {
    if (message.job !== job?.job) return
    if (message.kind === 'begun') {
      stopTimer = clock.after(limits.loadMs, () => leave('map_slow'))
      return
    }
    if (message.kind === 'sources') {
      const files = findSources(meta, job.projectId, job.query, message.urls)
      worker.postMessage({ kind: 'files', job: message.job, files } satisfies ToLoader)
      return
    }
    finish(message.loaded)
    stopTimer = clock.after(idleMs, () => leave('map_slow'))
    free()
  })
  worker.on('error', (error) => {
    const memory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    observe.error({ error: faultOf(error) }, 'the thread that reads source maps ended')
    leave(memory ? 'map_large' : 'map_broken')
  })
  worker.on('exit', () => {
    if (members.has(member)) leave('map_broken')
  })
  return member
}

/** The uploaded file for each URL of a source, in the release and dist of the query. */
function findSources(meta: MapCacheDeps['meta'], projectId: number, { release = '', dist }: MapQuery, urls: string[]) {
  const byUrl = new Map<string, string[]>(urls.map((url) => [url, urlCandidates(url)]))
  const all = [...new Set([...byUrl.values()].flat())]
  const found: ArtifactFile[] = []
  for (let at = 0; at < all.length; at += 400)
    found.push(...meta.artifactsByUrl(projectId, release, dist, all.slice(at, at + 400)))
  return urls.map((url) => found.find((file) => byUrl.get(url)?.includes(file.url)) ?? null)
}
