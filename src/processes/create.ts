import { createIssueRules, type IssueRules } from '../alert/issue-rules.ts'
import { createMetricRules } from '../alert/metric-rules.ts'
import { actOnClick } from '../api/slack-clicks.ts'
import { type Backups, sweepAtStart } from '../backup/backup.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import type { MishapError } from '../base/errors.ts'
import { createObserve, createRequestScope, faultOf, type Observe, type RequestScope } from '../base/observe.ts'
import { createOutgoing } from '../base/outgoing.ts'
import { createRecent } from '../base/recent.ts'
import type { Detecting } from '../jobs/detectors.ts'
import { createJobs } from '../jobs/jobs.ts'
import { prepareEvents } from '../jobs/prepare-events.ts'
import type { Reprocessing } from '../jobs/reprocessing.ts'
import { pruneTrackers } from '../jobs/trackers.ts'
import { createUnmerge } from '../jobs/unmerge.ts'
import { createHookCalls } from '../operations/hook-calls.ts'
import { runSlackClicks } from '../operations/slack-clicks.ts'
import { trackerDeps } from '../operations/trackers.ts'
import { issueCountsAge } from '../query/issues/issue-counts.ts'
import { releaseStagesAge } from '../query/release-stages.ts'
import { createGroupingPreview } from '../refine/pipeline/grouping.ts'
import type { Refine } from '../refine/pipeline/refine.ts'
import type { Append } from '../serve/append.ts'
import { createEventRate } from '../serve/event-rate.ts'
import { reportKnownCredentials } from '../serve/known-credentials.ts'
import { createLag } from '../serve/lag.ts'
import { createLive, type Live } from '../serve/live.ts'
import type { AppSetup } from '../serve/messages.ts'
import { createReaders } from '../serve/readers.ts'
import { createRequestLog, type RequestLog } from '../serve/request-log.ts'
import { createStoreState } from '../serve/store-state.ts'
import { createStoreWatch, type WatchedStore } from '../serve/store-watch.ts'
import { createSweep } from '../serve/sweep.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { openBlobs } from '../store/blobs/open.ts'
import { createFolderBytes } from '../store/folder-bytes.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { pushDue } from '../trackers/push.ts'
import { blobSourceOf } from './blob-source.ts'
import { openWithRetry } from './commands.ts'
import { openEvents } from './open-events.ts'
import type { App } from './parts.ts'
import { createKeyLine, type Link, selfDsnOf } from './publish-keys.ts'
import { selfTraces } from './self-traces.ts'
import {
  type Maintenance,
  reportMetrics,
  runInBackground,
  wireAlerts,
  wireAppend,
  wireArtifacts,
  wireDetecting,
  wireDoctor,
  wireDownsampling,
  wireExports,
  wireRefine,
  wireRemovals,
  wireReprocessing,
  wireScraping,
  wireTriage,
} from './wiring.ts'

/** The running process app. `durable`: position of the last journal sync. `pause`: stops all changes to the stores. */
export type Running = {
  scope: RequestScope
  app: App
  backups: Backups
  pause(): Promise<() => void>
  durable(): number
  stop(): Promise<void>
}

/** The parts that receive messages of process main. */
type Receivers = {
  lag: ReturnType<typeof createLag>
  requestLog: RequestLog
  append: Append
  store: ReturnType<typeof createStoreState>
  keys: ReturnType<typeof createKeyLine>
  clock: Clock
  refine: Refine
  /** `durable`: position up to which the journal is synced. */
  state: { durable: number }
}

/** Passes each message of process main to its receiver. */
function listenToMain(link: Link, { lag, requestLog, append, store, keys, clock, refine, state }: Receivers): void {
  link.listen((message) => {
    if (message.kind === 'durable') {
      lag.record(message, clock.now())
      refine.advance(message.durable, message.atMs)
      state.durable = message.durable
    } else if (message.kind === 'keysTaken') keys.acknowledged(message.id)
    else if (message.kind === 'notes') requestLog.record(message.notes)
    else if (message.kind === 'appended') append.appended(message)
    else if (message.kind === 'engine') store.update({ engine: message.up, away: message.away })
  })
}

/** The ways to other services and from them. */
const wireServices = (
  parts: Pick<App, 'config' | 'clock' | 'observe' | 'meta'>,
): Pick<App, 'hookCalls' | 'outgoing'> => ({
  hookCalls: createHookCalls(parts),
  outgoing: createOutgoing({ clock: parts.clock, allowedNetworks: parts.config.outgoingNetworks }),
})

/** What refine says of its progress, and who waits for it. Refine is made after the app, which asks it. */
function progressOf(
  clock: Clock,
  live: Live,
  refine: () => Refine,
): Pick<App, 'waitsFor' | 'caughtUp' | 'processedTo' | 'readers'> {
  const caughtUp: App['caughtUp'] = (ms, durable) => refine().caughtUp(ms, durable)
  return {
    waitsFor: () => refine().waitsFor(),
    caughtUp,
    processedTo: () => refine().processedTo(),
    readers: createReaders(clock, live.isHeard, caughtUp),
  }
}

/** Creates all scheduled jobs. */
async function wireJobs(
  app: App,
  maintenance: Maintenance,
  reprocessing: Reprocessing,
  detecting: Detecting,
  issueRules: IssueRules,
): ReturnType<typeof createJobs> {
  const { clock, observe, meta, events, blobs, alerts, removals, artifacts, exports, triage, config } = app
  return createJobs({
    clock,
    observe,
    meta,
    events,
    blobs,
    alerts,
    trackers: { push: () => pushDue(trackerDeps(app)), prune: (nowMs) => pruneTrackers(app, nowMs) },
    slackClicks: { run: () => runSlackClicks(app, actOnClick(app)) },
    ...maintenance,
    removals,
    artifacts,
    exports,
    triage,
    reprocessing,
    scraping: wireScraping(app),
    detecting,
    metricRules: createMetricRules({ ...app, fired: alerts.kick }),
    issueRules,
    retention: config,
  })
}

type Started = {
  jobs: Awaited<ReturnType<typeof createJobs>>
  maintenance: Maintenance
  reprocessing: Reprocessing
  detecting: Detecting
  store: ReturnType<typeof createStoreState>
  isStopping(): boolean
}

/** Starts the background work. Refine starts once the events store has its tables. */
function startParts(
  app: App,
  setup: AppSetup,
  refine: Refine,
  link: Link,
  { jobs, maintenance, reprocessing, detecting, store, isStopping }: Started,
): () => void {
  jobs.start()
  const stopReporting = reportMetrics(app, setup, refine, link)
  const onReady = [() => store.update({ tables: true }), () => link.send({ kind: 'stored' })]
  const next = [...onReady, reprocessing.resume, maintenance.downsampling.resume, detecting.begin, refine.start]
  const refused = (error: MishapError) =>
    link.send({ kind: 'refused', code: 'START_EVENTS_TAKEN', sentence: error.message })
  runInBackground(prepareEvents({ ...app, ...maintenance, next, refused }), app, isStopping)
  void sweepAtStart(maintenance.backups, app, isStopping)
  return stopReporting
}

type Watching = { clock: Clock; observe: Observe; link: Link; live: Live }

/** Watches the blob store and the database. Reports both to main for its ready check, and the database to open pages. */
function watchStores(config: Config, meta: MetaStore, blobs: BlobStore, { clock, observe, link, live }: Watching) {
  const watch = (kind: 'blobs' | 'database', store: WatchedStore, warning: string) =>
    createStoreWatch({
      store,
      clock,
      changed: ({ up, reason }) => {
        link.send({ kind, up })
        if (kind === 'database') live.publishToAll({ kind, up })
        if (!up) observe.warn({ reason }, warning)
      },
    })
  const database = { isRemote: config.meta !== '', ping: meta.people.isEmpty }
  const databaseWatch = watch('database', database, 'the database is away; screens and batches wait')
  const blobWatch = watch('blobs', blobs, 'the blob store is away; batches with attachments wait')
  const stop = () => {
    databaseWatch.stop()
    blobWatch.stop()
  }
  return { blobs: blobWatch.state, stop }
}

/** Stops parts at once, then waits for each of `closings` in turn. */
async function stopParts(
  parts: readonly { stop(): void }[],
  closings: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (const part of parts) part.stop()
  for (const close of closings) await close()
}

/** Results of slow reads that searches and screens share. */
const createRecents = (clock: Clock): Pick<App, 'issueCounts' | 'releaseStages'> => ({
  issueCounts: createRecent(clock, issueCountsAge),
  releaseStages: createRecent(clock, releaseStagesAge),
})

/** Opens and connects all parts in order. Throws MishapError START_NEWER_DATA. */
export async function createApp(setup: AppSetup, link: Link): Promise<Running> {
  const { config, folders, sockets } = setup
  const clock = systemClock
  const scope = createRequestScope()
  const observe = createObserve('app', config.logLevel, { requestId: scope.id })
  const { meta, seal, close, ...authParts } = await openWithRetry(config, folders.meta, clock, observe)
  const auth = reportKnownCredentials(authParts.auth, clock, (credential) => link.send({ kind: 'known', credential }))
  const events = openEvents(config, sockets.engine, clock, observe)
  const blobs = openBlobs(blobSourceOf(config, folders), createSweep())
  const live = createLive(clock.now())
  const watched = watchStores(config, meta, blobs, { clock, observe, link, live })
  const keys = createKeyLine(link, meta, config)
  const state = { stopping: false, durable: 0 }
  const store = createStoreState(live, meta, observe, config.events?.host)
  const [lag, requestLog, bytesUnder] = [createLag(), createRequestLog(), createFolderBytes(clock)]
  const { append, replay } = wireAppend({ clock, meta, blobs }, link, requestLog)
  const maintenance = wireDownsampling({ ...setup, clock, observe, meta, events, blobs, bytesUnder }, () =>
    refine.pause(),
  )
  const core = { config, clock, observe, meta, events, blobs, live, ...progressOf(clock, live, () => refine) }
  const alerts = wireAlerts({ ...core, auth, seal })
  const app: App = {
    version: setup.version,
    startedMs: clock.now(),
    ...core,
    auth,
    seal,
    alerts,
    ...wireServices(core),
    removals: wireRemovals(core, maintenance.pause, keys.publish),
    artifacts: wireArtifacts(core),
    exports: wireExports({ ...core, auth }, maintenance.disk),
    doctor: wireDoctor(core, () => refine),
    grouping: createGroupingPreview(),
    unmerge: createUnmerge({ ...core, pause: maintenance.pause }),
    triage: wireTriage({ ...core, alerts, seal, auth }),
    requestLog,
    eventRate: createEventRate(clock),
    ...createRecents(clock),
    bytesUnder,
    disk: maintenance.disk,
    jobs: () => jobs.states(),
    replayDeadLetter: replay.send,
    deadLetterCount: replay.quantityOf,
    requestId: scope.id,
    journal: async () => lag.state(clock.now(), await refine.lanes()),
    engineUp: store.up,
    blobState: watched.blobs,
    eventsServer: () => (config.events ? { ...config.events, away: store.away() } : undefined),
    publishKeys: keys.publish,
    selfDsn: () => selfDsnOf(meta, config),
    takeSelfTrace: selfTraces(clock, config.selfTraces),
  }
  const issueRules = createIssueRules({ ...app, fired: alerts.kick })
  const refine = wireRefine(app, setup, lag, link, issueRules)
  const reprocessing = wireReprocessing(app, maintenance.lock, () => refine)
  const detecting = wireDetecting(app, append.append)
  listenToMain(link, { lag, requestLog, append, store, keys, clock, refine, state })
  const jobs = await wireJobs(app, maintenance, reprocessing, detecting, issueRules)
  const started = { jobs, maintenance, reprocessing, detecting, store, isStopping: () => state.stopping }
  const stopReporting = startParts(app, setup, refine, link, started)
  keys.publish().catch((error: unknown) => observe.warn({ error: faultOf(error) }, 'the keys were not published'))
  const stop = () => {
    state.stopping = true
    const parts = [{ stop: stopReporting }, watched, jobs, maintenance.downsampling, reprocessing, alerts, app.exports]
    return stopParts(parts, [app.hookCalls.stop, () => refine.stop(2500), () => events.close(), close])
  }
  return { scope, app, ...maintenance, durable: () => state.durable, stop }
}
