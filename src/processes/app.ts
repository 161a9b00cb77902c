import { once } from 'node:events'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Alerts, createAlerts } from '../alert/alert.ts'
import { smtpOf } from '../alert/smtp.ts'
import { createApi } from '../api/api.ts'
import type { Auth } from '../auth/auth.ts'
import type { Seal } from '../auth/seal.ts'
import { type Backups, createBackups, sweepAtStart } from '../backup/backup.ts'
import { copyFoldersOf } from '../backup/leftovers.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import {
  createObserve,
  createRequestScope,
  faultOf,
  type Observe,
  type RequestScope,
  requestIdOf,
} from '../base/observe.ts'
import { createOutgoing } from '../base/outgoing.ts'
import type { LiveChange } from '../contract/live.ts'
import { originAllowed } from '../ingest/origins.ts'
import { type DiskState, measureDisk } from '../jobs/disk.ts'
import { createThinning, type Thinning } from '../jobs/downsampling.ts'
import { createJobs } from '../jobs/jobs.ts'
import { createTurn, type Turn } from '../jobs/lock.ts'
import { begin } from '../jobs/prepare-events.ts'
import { createRemovals, type Removals } from '../jobs/removals.ts'
import { createRegroup, type Regroup } from '../jobs/reprocessing.ts'
import { createScraping, type Scraping, scrapeLimits } from '../jobs/scrape.ts'
import type { JobState } from '../jobs/states.ts'
import { createTriage, type Triage } from '../jobs/triage.ts'
import { createUnmerge } from '../jobs/unmerge.ts'
import { type Artifacts, createArtifacts } from '../operations/artifacts.ts'
import type { Unmerge } from '../operations/issue-merges.ts'
import { ensureSelfProject, selfProject } from '../operations/self-project.ts'
import { createDoctor, type Doctor } from '../refine/pipeline/doctor.ts'
import { createGroupingDesk, type GroupingDesk } from '../refine/pipeline/grouping.ts'
import { createRefine, type Refine } from '../refine/pipeline/refine.ts'
import { mapOf } from '../refine/pipeline/scripts.ts'
import { serveControl } from '../serve/control.ts'
import { tellKnown } from '../serve/known-credentials.ts'
import { createLag, type JournalState } from '../serve/lag.ts'
import { createLive } from '../serve/live.ts'
import type { AppSetup, FromApp, ToApp } from '../serve/messages.ts'
import { watchLoop } from '../serve/metrics.ts'
import { createAgain } from '../serve/replay.ts'
import { createIntakes, type Intakes } from '../serve/request-log.ts'
import { createStoreState } from '../serve/store-state.ts'
import { createSweep } from '../serve/sweep.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { openFileBlobs } from '../store/blobs/files.ts'
import type { EventStore } from '../store/events/events.ts'
import { createFolderBytes } from '../store/folder-bytes.ts'
import type { BatchResult, DeadItem, MetaStore } from '../store/meta/meta.ts'
import { serveWeb } from '../web/serve.ts'
import { dsnOf } from '../wire/dsn.ts'
import { keepCommands, openEvents, openPatiently, peopleCommands } from './commands.ts'

/** Listeners of what a commit changed; server-sent events hang on it. */
export type Live = {
  publish(organizationId: number, change: LiveChange): void
  /** Id of the newest change: what is read after asking has it in. A stream that resumes behind it misses nothing. */
  lastId(organizationId: number): number
  /**
   * Changes after `lastId`, then every new one; first a `missed` instead where not all of them are still known. 0: only
   * new ones. Returns the way to stop.
   */
  subscribe(organizationId: number, lastId: number, listener: (id: number, change: LiveChange) => void): () => void
  /** Counts a stream of a person; returns the way to leave, which may be called again. Undefined: the person has 10 already. */
  admit(personId: string): (() => void) | undefined
}

/** Every part of process app, wired. Stands at globalThis[Symbol.for('mishap.app')]. */
export type App = {
  version: string
  startedMs: number
  config: Config
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: EventStore
  blobs: BlobStore
  auth: Auth
  seal: Seal
  alerts: Alerts
  removals: Removals
  triage: Triage
  /** What builds upload. */
  artifacts: Artifacts
  /** Says why frames are not mapped. */
  doctor: Doctor
  /** Says why events are grouped as they are, by any rules. */
  grouping: GroupingDesk
  /** Takes hashes out of an issue again, with their events. */
  unmerge: Unmerge
  live: Live
  journal(): JournalState
  waitsFor: Refine['waitsFor']
  engineUp(): boolean
  /** Hands the changed keys to process main; resolves when accept uses them. */
  publishKeys(): Promise<void>
  /** Bytes that the files under a folder take on disk, at most 15 s old. */
  bytesUnder(folder: string): Promise<number>
  /** The ingest debugger's memory. */
  intakes: Intakes
  /** What is stored and what it may take. Throws STORE_UNAVAILABLE while the events store is away. */
  disk(): Promise<DiskState>
  /** Everything that happens by the clock, and how its last run went. */
  jobs(): JobState[]
  /** Sends a dead item through refine again. Throws CONFLICT while it is on its way, VALIDATION when it holds no record. */
  sendAgain(item: DeadItem & { id: number }): Promise<void>
  /** What a dead item was counted as in the ledger: 1, with the spans that came in it. */
  deadCount(item: DeadItem): Promise<number>
  /** Id of the request that the running code belongs to. */
  requestId(): string | undefined
  /** DSN of the project that these screens report their own errors to; undefined when switched off. */
  selfDsn(): string | undefined
}

const root = fileURLToPath(new URL('../..', import.meta.url))

const numbersMs = 5000

type Link = { send(message: FromApp): void; listen(listener: (message: ToApp) => void): void }

/** Hands key snapshots to process main and waits until it uses them; the key of our own project is among them. */
function createKeyLine(link: Link, meta: MetaStore, config: Config) {
  const waiting = new Map<number, () => void>()
  let last = 0
  return {
    taken: (id: number) => {
      waiting.get(id)?.()
      waiting.delete(id)
    },
    publish: () =>
      new Promise<void>((resolve) => {
        const id = ++last
        waiting.set(id, resolve)
        link.send({ kind: 'keys', id, snapshot: meta.keySnapshot() })
        link.send({ kind: 'self', dsn: selfDsnOf(meta, config) })
      }),
  }
}

/** The DSN of the project that these screens report themselves to: the first organization's own "mishap" project. */
function selfDsnOf(meta: MetaStore, config: Config): string | undefined {
  if (!config.selfReporting) return undefined
  const organization = meta.organizations()[0]
  if (!organization) return undefined
  const project = selfProject(meta, organization.id)
  const key = project && meta.keysOf(project.id).find((item) => item.active)
  return key && dsnOf(config.url, key)
}

/** Groups a commit's issues by organization and project and tells the listeners. */
function publishCommit(live: Live, result: BatchResult): void {
  const byOrganization = new Map<number, Map<number, BatchResult['issues']>>()
  for (const issue of result.issues) {
    const projects = byOrganization.get(issue.organizationId) ?? new Map<number, BatchResult['issues']>()
    byOrganization.set(issue.organizationId, projects)
    projects.set(issue.projectId, [...(projects.get(issue.projectId) ?? []), issue])
  }
  for (const [organizationId, projects] of byOrganization) {
    live.publish(organizationId, {
      kind: 'events',
      projects: [...projects].map(([id, issues]) => ({
        id: String(id),
        issues: issues.map((issue) => ({ id: String(issue.id), events: issue.events, isNew: issue.isNew })),
      })),
    })
  }
}

/** Deletion across the stores; after rows are gone screens look again, and accept knows the keys that ended. */
function wireRemovals(
  { live, config, ...parts }: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'events' | 'blobs' | 'live'>,
  pause: () => Promise<() => void>,
  publishKeys: () => Promise<void>,
): Removals {
  return createRemovals({
    ...parts,
    pause,
    removed: async ({ kind, issueId, organizationId }) => {
      // The screens report to the oldest organization, which may be another one now.
      const [first] = kind === 'organization' && config.selfReporting ? parts.meta.organizations() : []
      if (first) ensureSelfProject(parts.meta, first.id)
      if (issueId === null) await publishKeys()
      else live.publish(organizationId, { kind: 'issue', id: String(issueId) })
    },
  })
}

/** Mapping again: of what came while builds upload, beside refining. */
function wireRegroup(
  { artifacts, live, ...parts }: Pick<App, 'clock' | 'observe' | 'meta' | 'events' | 'artifacts' | 'live'>,
  turn: Turn,
  refine: () => Refine,
): Regroup {
  const regroup = createRegroup({
    ...parts,
    turn,
    pause: () => refine().pause(),
    mapAgain: (projectId, rows) => refine().mapAgain(projectId, rows),
    waiting: () => refine().waiting(),
    told: ({ organizationId, issues, merged }) => {
      for (const id of [...issues, ...merged]) live.publish(organizationId, { kind: 'issue', id: String(id) })
    },
  })
  artifacts.onArrived(() => regroup.kick())
  return regroup
}

/** Uploads of builds; they leave the disk the same reserve as the journal does. */
function wireArtifacts({ config, ...parts }: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'blobs'>): Artifacts {
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(config.data)
    return bavail * bsize - config.diskReserveBytes
  }
  return createArtifacts({ ...parts, freeBytes })
}

/** The doctor reads maps at the desk that refine has. */
const wireDoctor = (
  { config, ...parts }: Pick<App, 'config' | 'clock' | 'meta' | 'events' | 'blobs'>,
  refine: () => Refine,
): Doctor =>
  createDoctor({
    ...parts,
    url: config.url,
    retentionDays: config.retentionErrorsDays,
    desk: () => refine().desk,
  })

/** Fetching of public scripts, by the way out that refuses private addresses. */
function wireScraping({ clock, observe, meta, artifacts, config, seal }: App): Scraping {
  return createScraping({
    clock,
    observe,
    meta,
    artifacts,
    mapOf,
    open: seal.open,
    random: Math.random,
    outgoing: createOutgoing({ clock, allowedNetworks: config.outgoingNetworks, ...scrapeLimits }),
    allowed: (url, origins) => originAllowed(new URL(url).origin, [...origins]),
  })
}

type Thinner = {
  thinning: Thinning
  backups: Backups
  turn: Turn
  disk(): Promise<DiskState>
  pause(): Promise<() => void>
}

/** The disk budget, backups, and the pause of everything that changes the stores by itself: refining, thinning, retention. */
function wireThinning(
  {
    bytesUnder,
    ...parts
  }: Pick<AppSetup, 'config' | 'folders' | 'version'> &
    Pick<App, 'clock' | 'observe' | 'meta' | 'events' | 'blobs' | 'bytesUnder'>,
  pauseRefine: () => Promise<() => void>,
): Thinner {
  const { data, diskBudget: budget } = parts.config
  const turn = createTurn()
  const pause = async () => {
    const release = await turn()
    const resume = await pauseRefine().catch((error: unknown) => {
      release()
      throw error
    })
    return () => {
      resume()
      release()
    }
  }
  const backups = createBackups({ ...parts, data, pause })
  const copies = { copyFolders: () => copyFoldersOf(data), copying: backups.running }
  const disk = () => measureDisk({ ...parts, data, budget, bytesUnder, ...copies })
  const thinning = createThinning({ ...parts, turn, pause: pauseRefine, measure: disk })
  return { turn, disk, pause, backups, thinning }
}

/** Begins in the background. A process that goes on without it would accept for ever and show nothing, so it ends: starting again recovers. */
function runInBackground(started: Promise<void>, { observe }: App, isStopping: () => boolean): void {
  started.catch((error: unknown) => {
    if (isStopping()) return
    observe.error({ error: faultOf(error) }, 'refine could not start; starting again')
    process.exit(70)
  })
}

/** Notifications, and the only way out that they have. */
function wireAlerts(parts: Pick<App, 'config' | 'clock' | 'observe' | 'meta' | 'events' | 'seal'>): Alerts {
  const { config, clock, observe, meta, events, seal } = parts
  return createAlerts({
    clock,
    observe,
    meta,
    events,
    outgoing: createOutgoing({ clock, allowedNetworks: config.outgoingNetworks }),
    url: config.url,
    open: seal.open,
    smtp: () => smtpOf({ meta, seal }),
  })
}

/** The loop, and who is told of what it commits. */
function wireRefine(app: App, setup: AppSetup, lag: ReturnType<typeof createLag>, link: Link): Refine {
  const { clock, observe, meta, events, blobs, live, alerts, config } = app
  return createRefine({
    clock,
    observe,
    meta,
    events,
    blobs,
    workers: config.refineWorkers,
    worker: { journalFolder: setup.folders.journal, blobFolder: setup.folders.blobs },
    artifacts: meta,
    committed: (result) => {
      publishCommit(live, result)
      if (result.issues.some((issue) => issue.isNew || issue.regressed)) alerts.kick()
    },
    ended: (ends) => app.intakes.end(ends),
    trim: (before) => {
      lag.done(before)
      link.send({ kind: 'trim', before })
    },
    failed: (error) => {
      // starting again would find the same: main says what to do and ends
      if (error instanceof MishapError && error.code === 'START_JOURNAL_BEHIND')
        return link.send({ kind: 'refused', code: error.code, sentence: error.message })
      observe.error({ error: faultOf(error) }, 'refine has stopped; starting again')
      process.exit(70)
    },
  })
}

/** Tells process main every 5 s what /metrics says about this process. Returns the way to stop. */
function tellNumbers(app: App, setup: AppSetup, refine: Refine, link: Link): () => void {
  const loop = watchLoop()
  const bytesOf = (file: string) => statSync(join(setup.folders.meta, file), { throwIfNoEntry: false })?.size ?? 0
  const tell = () => {
    const files = readdirSync(setup.folders.meta)
    const numbers = {
      journal: app.journal(),
      refine: refine.totals(),
      sqliteBytes: files.reduce((sum, file) => sum + bytesOf(file), 0),
      deadItems: app.meta.tally().deadItems,
      jobsFailing: app.jobs().filter((job) => job.error !== '').length,
      loop: loop(),
      residentBytes: process.memoryUsage.rss(),
    }
    link.send({ kind: 'numbers', numbers })
  }
  return app.clock.every(numbersMs, tell)
}

type Running = {
  scope: RequestScope
  app: App
  backups: Backups
  pause(): Promise<() => void>
  durable(): number
  stop(): Promise<void>
}

/** Opens every part in order and wires them. Throws MishapError START_NEWER_DATA. */
export async function createApp(setup: AppSetup, link: Link): Promise<Running> {
  const { config, folders, sockets } = setup
  const clock = systemClock
  const scope = createRequestScope()
  const observe = createObserve('app', config.logLevel, { requestId: scope.id })
  const { meta, seal, close, ...people } = await openPatiently(config, folders.meta, clock, observe)
  const auth = tellKnown(people.auth, clock, (credential) => link.send({ kind: 'known', credential }))
  const events = openEvents(sockets.engine, clock, observe)
  const blobs = openFileBlobs(folders.blobs, createSweep())
  const live = createLive(clock.now())
  const keys = createKeyLine(link, meta, config)
  const state = { stopping: false, durable: 0 }
  const store = createStoreState(live, () => meta.organizations())
  const [lag, intakes] = [createLag(), createIntakes()]
  const again = createAgain({ clock, meta, blobs, send: link.send, noted: (note) => intakes.take([note]) })
  const alerts = wireAlerts({ config, clock, observe, meta, events, seal })
  const bytesUnder = createFolderBytes(clock)
  const thinner = wireThinning({ ...setup, clock, observe, meta, events, blobs, bytesUnder }, () => refine.pause())
  const app: App = {
    version: setup.version,
    startedMs: clock.now(),
    config,
    clock,
    observe,
    meta,
    events,
    blobs,
    auth,
    seal,
    alerts,
    removals: wireRemovals({ config, clock, observe, meta, events, blobs, live }, thinner.pause, keys.publish),
    artifacts: wireArtifacts({ config, clock, observe, meta, blobs }),
    doctor: wireDoctor({ config, clock, meta, events, blobs }, () => refine),
    grouping: createGroupingDesk(),
    unmerge: createUnmerge({ clock, meta, events, pause: thinner.pause }),
    triage: createTriage({ clock, observe, meta, events, alerts, live, url: config.url }),
    live,
    intakes,
    bytesUnder,
    disk: thinner.disk,
    jobs: () => jobs.states(),
    sendAgain: again.send,
    deadCount: again.counted,
    requestId: scope.id,
    journal: () => lag.state(clock.now(), refine.waiting()),
    waitsFor: () => refine.waitsFor(),
    engineUp: store.up,
    publishKeys: keys.publish,
    selfDsn: () => selfDsnOf(meta, config),
  }
  const refine = wireRefine(app, setup, lag, link)
  const regroup = wireRegroup(app, thinner.turn, () => refine)
  link.listen((message) => {
    if (message.kind === 'durable') {
      lag.mark(message, clock.now())
      refine.advance(message.durable)
      state.durable = message.durable
    } else if (message.kind === 'keysTaken') keys.taken(message.id)
    else if (message.kind === 'notes') intakes.take(message.notes)
    else if (message.kind === 'appended') again.appended(message)
    else if (message.kind === 'engine') store.note({ engine: message.up })
  })
  const jobs = createJobs({
    clock,
    observe,
    meta,
    events,
    blobs,
    alerts,
    ...thinner,
    removals: app.removals,
    artifacts: app.artifacts,
    triage: app.triage,
    regroup,
    scraping: wireScraping(app),
    retention: config,
  })
  const stop = async () => {
    state.stopping = true
    stopTelling()
    for (const item of [jobs, thinner.thinning, regroup, alerts]) item.stop()
    await refine.stop(2500)
    await events.close()
    close()
  }
  jobs.start()
  const stopTelling = tellNumbers(app, setup, refine, link)
  void keys.publish()
  const made = [() => store.note({ tables: true }), () => link.send({ kind: 'stored' })]
  const next = [...made, regroup.resume, thinner.thinning.resume, refine.start]
  runInBackground(begin({ ...app, ...thinner, next }), app, () => state.stopping)
  void sweepAtStart(thinner.backups, app, () => state.stopping)
  return { scope, app, ...thinner, durable: () => state.durable, stop }
}

/** The process: opens the app, serves screens, API and commands, and ends when main does. */
async function runProcess(setup: AppSetup): Promise<void> {
  const link: Link = {
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen: (listener) => process.on('message', (message) => listener(message as ToApp)),
  }
  let running: Running
  try {
    running = await createApp(setup, link)
  } catch (error) {
    if (!(error instanceof MishapError) || error.code !== 'START_NEWER_DATA') throw error
    process.send?.({ kind: 'refused', code: error.code, sentence: error.message } satisfies FromApp)
    await once(process, 'disconnect')
    process.exit(1)
  }
  const { app } = running
  Object.assign(globalThis, { [Symbol.for('mishap.app')]: app })
  const changed = async () => {
    const organization = app.meta.organizations()[0]
    if (organization && setup.config.selfReporting) ensureSelfProject(app.meta, organization.id)
    await app.publishKeys()
  }
  const control = await serveControl(setup.sockets.control, {
    ...peopleCommands(app.meta, app.auth, setup.config.url, changed),
    ...keepCommands({
      config: setup.config,
      version: setup.version,
      clock: app.clock,
      folders: setup.folders,
      meta: app.meta,
      events: app.events,
      backups: running.backups,
      pause: running.pause,
      durable: running.durable,
    }),
  })
  const api = createApi(app)
  const web = await serveWeb({
    root,
    socketPath: setup.sockets.app,
    basePath: setup.config.basePath,
    port: setup.config.port,
    dev: setup.dev,
    before: (req, res) => {
      if (!api.owns(req.url ?? '/')) return false
      api.handle(req, res)
      return true
    },
    around: (req, answer) => running.scope.run(requestIdOf(req.headers), answer),
  })
  let ending = false
  const end = async () => {
    if (ending) return
    ending = true
    web.close()
    control.close()
    web.closeAllConnections()
    await running.stop()
    for (const path of [setup.sockets.app, setup.sockets.control]) rmSync(path, { force: true })
    process.exit(0)
  }
  process.on('SIGTERM', () => void end())
  process.on('SIGINT', () => undefined) // the terminal's: main decides
  process.on('disconnect', () => void end())
  link.send({ kind: 'up', setupSecret: app.auth.setupSecret() })
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runProcess(JSON.parse(process.argv[2] ?? '{}') as AppSetup)
