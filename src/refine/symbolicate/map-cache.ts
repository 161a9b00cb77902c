import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/clock.ts'
import { isBlobsAway, MishapError } from '../../base/errors.ts'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { FrameData, UnmappedReason } from '../../domain/event.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import type { BlobSource } from '../../store/blobs/open.ts'
import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import { debugName } from '../../store/meta/ingest/missing-source-maps.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import type { FlatMap } from './flat.ts'
import type { MapQuery } from './frames.ts'
import type { FromLoader, Loaded, LoadJob, ToLoader } from './load.ts'
import { urlCandidates } from './paths.ts'
import { type Plan, planOf } from './plan.ts'
import { type Presence, presenceOf, urlName } from './presence.ts'

/**
 * The answer to a worker's query. `id` names the map, `flat` is the map. `reason` alone: there is no map. `later`: the
 * same query can have another answer soon.
 */
export type MapAnswer = {
  id?: string
  flat?: FlatMap
  sourcemap?: string
  resolvedWith?: NonNullable<FrameData['resolved_with']>
  reason?: UnmappedReason
  later?: true
}

/** Answers the map queries of refine workers. It runs in process app and reads maps in its own threads. */
export type MapCache = {
  /**
   * Answers in the order of the queries. Waits at most `waitMs` for maps that must be read, and as long as the blob store
   * is away: frames of that time would stay unmapped. Never rejects.
   */
  answer(projectId: number, queries: readonly MapQuery[], waitMs: number): Promise<MapAnswer[]>
  /**
   * Returns the map of a plan for diagnosis: waits at most `waitMs` and records no use. With `useCache` false, it does not
   * add to the cache, so it evicts no map. Throws BLOBS_UNAVAILABLE.
   */
  inspect(projectId: number, query: MapQuery, plan: Plan, waitMs: number, useCache: boolean): Promise<Loaded>
  /** '' if a project has no artifacts, otherwise a text that changes with them. */
  stateOf(projectId: number): Promise<string>
  /** The names of all files of a project in this state; undefined if there are too many. */
  presenceOf(projectId: number, state: string): Promise<Presence | undefined>
  /** The size of the cached maps in bytes, and their number. */
  cache(): { bytes: number; maps: number }
  close(): Promise<void>
}

export type MapLimits = {
  /** Maximum bytes of cached maps. */
  cacheBytesMax: number
  /** Time limit for loading one map, in ms. */
  loadMs: number
  /** Heap limit for one map, in MB. Its tables are outside of the heap and have their own limit. */
  heapMb: number
  threadsMax: number
}

const mapLimits: MapLimits = { cacheBytesMax: 160 * 1024 * 1024, loadMs: 15_000, heapMb: 1024, threadsMax: 2 }

/** A thread without work ends after this time, in ms, and frees its memory. */
const idleMs = 30_000
/** Time in ms until a missing file or a slow map is tried again. A broken map stays broken until another upload. */
const retryMs = 10 * 60_000
const waitingMax = 200
/** Pause before maps are read again while the blob store is away, ms. */
const awayMs = 1000
/** Wait for maps after such a pause, ms. Nothing is cached then, and the batch has waited longer already. */
const afterAwayMs = 15_000
/** Minimum wait in ms: cached maps are found within it. */
const waitMinMs = 50
/** The size in bytes that a failure counts as in the cache. */
const failureBytes = 500

export type MapCacheDeps = {
  clock: Clock
  observe: Observe
  meta: MetaWith<
    | 'artifacts.artifactsByDebugId'
    | 'artifacts.artifactsByUrl'
    | 'artifacts.artifactState'
    | 'artifacts.artifactNames'
    | 'artifacts.touchBundles'
  >
  blobs: Pick<BlobStore, 'reader' | 'isRemote' | 'ping'>
  /** Where the threads read. */
  blobSource: BlobSource
  /** Called when answers wait because the blob store is away, and when it is back. */
  away?(away: boolean): void
  limits?: Partial<MapLimits>
  /** The script that the thread runs instead of `loader.ts`. Tests set it. */
  file?: URL
  /** Starts a thread instead of the cache. Tests share threads: a start costs 0.2 s of the processor. */
  startThread?(): LoaderThread
}

/** What the cache needs of a loader thread. */
export type LoaderThread = Pick<Worker, 'on' | 'postMessage' | 'terminate'>

type Job = LoadJob & {
  projectId: number
  query: MapQuery
  done: (loaded: Loaded) => void
}

/** The id of a plan's map: the places of its script and its map. */
const idOf = ({ script, map, inline }: Plan): string =>
  [script, map].map((file) => (file ? `${file.blobKey}:${file.at}` : '')).join('|') + (inline ? '|i' : '')

const bundlesOf = ({ script, map }: Plan): number[] => [
  ...new Set([script, map].flatMap((file) => (file ? [file.bundleId] : []))),
]
const jobOf = ({ script, map, inline, sourcemap }: Plan) => ({ script, map, inline, sourcemap })

/** A promise that gives `answer` when the wait is over. `stop` cancels the wait. */
function timeoutAfter<T>(clock: Clock, waitMs: number, answer: T): { late: Promise<T>; stop: () => void } {
  const ended = new AbortController()
  const timeout = clock.sleep(Math.max(waitMs, waitMinMs), ended.signal).then(() => answer)
  return { late: timeout, stop: () => ended.abort() }
}

const bytesOf = ({ flat }: Loaded) => (flat?.bytes ?? 0) + failureBytes

/** Returns whether a blob store on another machine is away. A read that hangs looks like a slow map. */
const asksWhetherAway = ({ blobs }: Pick<MapCacheDeps, 'blobs'>): Promise<boolean> =>
  blobs.isRemote ? blobs.ping().then(() => false, isBlobsAway) : Promise.resolve(false)

/** Returns what answers the queries of a worker: once, and again as long as the blob store is away. */
function createAnswer(
  { clock, observe, blobs, away: report }: Pick<MapCacheDeps, 'clock' | 'observe' | 'blobs' | 'away'>,
  answerQuery: (projectId: number, query: MapQuery) => Promise<MapAnswer>,
  ended: AbortSignal,
): MapCache['answer'] {
  /** Answers once. `away`: an answer is missing because the blob store is away. */
  async function answerOnce(projectId: number, queries: readonly MapQuery[], waitMs: number) {
    let away = false
    const { late: timeout, stop } = timeoutAfter<MapAnswer>(clock, waitMs, { reason: 'map_pending', later: true })
    const answers = await Promise.all(
      queries.map((query) =>
        Promise.race([
          answerQuery(projectId, query).catch((error: unknown): MapAnswer => {
            away ||= isBlobsAway(error)
            if (!isBlobsAway(error)) observe.error({ error: faultOf(error) }, 'a source map could not be looked up')
            return { reason: 'file_gone', later: true }
          }),
          timeout,
        ]),
      ),
    )
    stop()
    const isLate = answers.some((answer) => answer.reason === 'map_pending')
    return { answers, away: away || (isLate && (await asksWhetherAway({ blobs }))) }
  }

  return async (projectId, queries, waitMs) => {
    for (let tries = 0; ; tries++) {
      const { answers, away } = await answerOnce(projectId, queries, tries > 0 ? Math.max(waitMs, afterAwayMs) : waitMs)
      const isWaiting = away && !ended.aborted
      if (isWaiting !== tries > 0) report?.(isWaiting)
      if (!isWaiting) return answers
      await clock.sleep(awayMs, ended)
    }
  }
}

export function createMapCache(deps: MapCacheDeps): MapCache {
  const { clock, meta } = deps
  const limits = { ...mapLimits, ...deps.limits }
  const cache = new LRUCache<string, Loaded>({ maxSize: limits.cacheBytesMax, sizeCalculation: bytesOf })
  const open = new Map<string, Promise<Loaded>>()
  const pool = createPool(deps, limits)
  const ended = new AbortController()

  /** The map of a plan, from the cache or read now. */
  function loaded(id: string, plan: Plan, projectId: number, query: MapQuery): Promise<Loaded> {
    const cached = cache.get(id)
    const running = cached ? Promise.resolve(cached) : open.get(id)
    if (running) return running
    const promise = pool.load(jobOf(plan), projectId, query).then(async (result) => {
      const isAway = result.away || (result.reason === 'map_slow' && (await asksWhetherAway(deps)))
      open.delete(id)
      if (isAway) return { ...result, away: true }
      // A map larger than the whole cache would be read again for each event, so it counts as too large.
      const fits = bytesOf(result) <= limits.cacheBytesMax
      const cached: Loaded = fits ? result : { reason: 'map_large' }
      const isTransient = cached.reason === 'map_slow' || cached.reason === 'file_gone'
      cache.set(id, cached, isTransient ? { ttl: retryMs } : {})
      return cached
    })
    open.set(id, promise)
    return promise
  }

  async function answerQuery(projectId: number, query: MapQuery): Promise<MapAnswer> {
    const plan = await planOf(projectId, query, meta, deps.blobs)
    if (!plan) return { reason: 'file_missing' }
    const { sourcemap, resolvedWith } = plan
    await meta.artifacts.touchBundles(bundlesOf(plan), clock.now())
    const id = idOf(plan)
    const { flat, reason, away } = await loaded(id, plan, projectId, query)
    if (away) throw new MishapError('BLOBS_UNAVAILABLE')
    // The plan's reason for having no map is more specific than the loader's.
    const failure = plan.reason ?? reason
    return { sourcemap, resolvedWith, ...(flat ? { id, flat } : {}), ...(failure ? { reason: failure } : {}) }
  }

  function inspect(projectId: number, query: MapQuery, plan: Plan, waitMs: number, useCache: boolean): Promise<Loaded> {
    const id = idOf(plan)
    const make = () => (useCache ? loaded(id, plan, projectId, query) : pool.load(jobOf(plan), projectId, query))
    const found = cache.peek(id) ?? open.get(id) ?? make()
    const { late: timeout, stop } = timeoutAfter<Loaded>(clock, waitMs, { reason: 'map_pending' })
    return Promise.race([found, timeout])
      .then((loaded) => {
        if (loaded.away) throw new MishapError('BLOBS_UNAVAILABLE')
        return loaded
      })
      .finally(stop)
  }
  return {
    answer: createAnswer(deps, answerQuery, ended.signal),
    inspect,
    stateOf: (projectId) => meta.artifacts.artifactState(projectId),
    presenceOf: presences(meta),
    cache: () => ({ bytes: cache.calculatedSize ?? 0, maps: cache.size }),
    close: () => {
      ended.abort()
      return pool.close()
    },
  }
}

/** Files whose names are passed to workers. Reading that many takes about 50 ms on the thread that commits. */
const namesMax = 50_000
const presencesMax = 50

/** The names of each project's files, built once per state. */
function presences(meta: MetaWith<'artifacts.artifactNames'>): MapCache['presenceOf'] {
  const cache = new LRUCache<number, { state: string; presence: Promise<Presence | undefined> }>({ max: presencesMax })
  const read = async (projectId: number) => {
    const files = await meta.artifacts.artifactNames(projectId, namesMax)
    const names = files?.flatMap(({ debugId, release, dist, url }) => [
      ...(debugId ? [debugName(debugId)] : []),
      urlName(release, dist, url),
    ])
    return names && presenceOf(names)
  }
  return async (projectId, state) => {
    const cached = cache.get(projectId)
    if (cached?.state === state) return cached.presence
    // The batches in flight share one read.
    const entry = { state, presence: read(projectId) }
    cache.set(projectId, entry)
    try {
      return await entry.presence
    } catch (error) {
      if (cache.get(projectId) === entry) cache.delete(projectId)
      throw error
    }
  }
}

type Member = { end: () => Promise<unknown>; idle: () => boolean; take: (job: Job) => void }

/** Threads that read one map at a time. They start on demand and end when idle or when a map takes too long. */
function createPool(deps: MapCacheDeps, limits: MapLimits) {
  const waiting: Job[] = []
  const state = { closed: false, jobs: 0 }
  const members = new Set<Member>()

  function dispatch(): void {
    while (waiting.length > 0 && !state.closed) {
      const free = [...members].find((member) => member.idle())
      if (!free && members.size >= limits.threadsMax) return
      const job = waiting.shift()
      if (job) (free ?? spawn(deps, limits, members, dispatch)).take(job)
    }
  }

  return {
    load: (job: Omit<LoadJob, 'job'>, projectId: number, query: MapQuery): Promise<Loaded> => {
      // A flood of addresses with ever new files: these frames stay unmapped and do not queue up.
      if (waiting.length >= waitingMax || state.closed) return Promise.resolve({ reason: 'map_slow' })
      return new Promise((done) => {
        waiting.push({ ...job, job: ++state.jobs, projectId, query, done })
        dispatch()
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

/** Starts a thread that does not keep the process alive. */
function startLoader({ file, blobSource, startThread }: MapCacheDeps, { heapMb }: MapLimits): LoaderThread {
  if (startThread) return startThread()
  const worker = new Worker(file ?? new URL('./loader.ts', import.meta.url), {
    workerData: { blobSource },
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 64 },
  })
  worker.unref()
  return worker
}

/** Starts a thread and adds it to `members`. Calls `free` when it can take another job or has ended. */
function spawn(deps: MapCacheDeps, limits: MapLimits, members: Set<Member>, free: () => void): Member {
  const { clock, observe, meta } = deps
  const worker = startLoader(deps, limits)
  let job: Job | undefined
  let stopTimer: () => void = () => undefined
  const member: Member = { end: () => worker.terminate(), idle: () => job === undefined, take }
  members.add(member)

  function take(next: Job): void {
    stopTimer()
    job = next
    const { done: _done, projectId: _project, query: _query, ...rest } = next
    worker.postMessage({ kind: 'load', ...rest } satisfies ToLoader)
    // The timer starts when the thread takes the job: on a busy machine, starting a thread takes a while.
    stopTimer = () => undefined
  }

  function finish(loaded: Loaded): void {
    stopTimer()
    const done = job?.done
    job = undefined
    done?.(loaded)
  }

  /** Ends the thread. Its current job gets the reason as its answer. */
  function leave(reason: UnmappedReason): void {
    members.delete(member)
    finish({ reason })
    worker.terminate().catch(() => undefined)
    free()
  }

  async function answerSources(
    { job: id, urls }: Extract<FromLoader, { kind: 'sources' }>,
    current: Job,
  ): Promise<void> {
    try {
      const files = await findSources(meta, current.projectId, current.query, urls)
      worker.postMessage({ kind: 'files', job: id, files } satisfies ToLoader)
    } catch (error) {
      observe.error({ error: faultOf(error) }, 'a source map could not be looked up')
      if (job === current) leave('file_gone')
    }
  }

  worker.on('message', (message: FromLoader) => {
    if (message.job !== job?.job) return
    if (message.kind === 'begun') {
      stopTimer = clock.after(limits.loadMs, () => leave('map_slow'))
      return
    }
    if (message.kind === 'sources') {
      void answerSources(message, job)
      return
    }
    finish(message.loaded)
    stopTimer = clock.after(idleMs, () => leave('map_slow'))
    free()
  })
  worker.on('error', (error) => {
    const memory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
    observe.error({ error: faultOf(error) }, 'the source map thread ended')
    leave(memory ? 'map_large' : 'map_broken')
  })
  worker.on('exit', () => {
    if (members.has(member)) leave('map_broken')
  })
  return member
}

/** The uploaded file for each source URL, in the release and dist of the query. */
async function findSources(
  meta: MapCacheDeps['meta'],
  projectId: number,
  { release = '', dist }: MapQuery,
  urls: string[],
) {
  const byUrl = new Map<string, string[]>(urls.map((url) => [url, urlCandidates(url)]))
  const all = [...new Set([...byUrl.values()].flat())]
  const found: ArtifactFile[] = []
  for (let at = 0; at < all.length; at += 400)
    found.push(...(await meta.artifacts.artifactsByUrl(projectId, release, dist, all.slice(at, at + 400))))
  return urls.map((url) => found.find((file) => byUrl.get(url)?.includes(file.url)) ?? null)
}
