import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { readKeyFile, writeKeyFile } from '../auth/keyfile.ts'
import { lockDataFolder } from '../auth/lock.ts'
import { loadSecrets } from '../auth/secret.ts'
import { systemClock } from '../base/clock.ts'
import { type Config, environment, SettingError, screensFolder } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { createNetworks } from '../base/network.ts'
import { createObserve, type Observe } from '../base/observe.ts'
import { createIngest, type Ingest } from '../ingest/ingest.ts'
import { findOrphans } from '../ingest/spool.ts'
import { openJournalReader, openJournalWriter } from '../journal/files.ts'
import type { JournalWriter } from '../journal/journal.ts'
import { refuseRequest } from '../serve/answers.ts'
import { createClientOf, isOwnOrigin } from '../serve/client.ts'
import { boundHeads } from '../serve/connection-limits.ts'
import { createDurableReports, type DurableReports } from '../serve/durable-reports.ts'
import { sparing } from '../serve/engine-child.ts'
import { demandServer, startEvents } from '../serve/events-child.ts'
import { demandComplete, layOut } from '../serve/folders.ts'
import { answerHealth, type HealthParts, healthOf } from '../serve/health.ts'
import { createKnownCredentials, type KnownCredentials } from '../serve/known-credentials.ts'
import type { AppSetup, FromApp, ToApp } from '../serve/messages.ts'
import { type AppMetrics, answerMetrics, watchLoop } from '../serve/metrics.ts'
import { appTarget, innerTarget } from '../serve/paths.ts'
import { reportPathOf } from '../serve/policy.ts'
import { metricsOf } from '../serve/process-metrics.ts'
import { createProxy } from '../serve/proxy.ts'
import { isReading } from '../serve/readers.ts'
import { createReady } from '../serve/ready.ts'
import { type Child, supervise } from '../serve/supervise.ts'
import { createSweep } from '../serve/sweep.ts'
import { dropUnfinished, openFileBlobs } from '../store/blobs/files.ts'
import { checkBlobStore } from '../store/blobs/start.ts'
import type { ServerAway } from '../store/events/server-check.ts'
import type { KeySnapshot } from '../store/meta/meta.ts'
import { blobSourceOf } from './blob-source.ts'
import { createOutcomeRecorder } from './outcome-recorder.ts'
import { settleStores } from './settle-stores.ts'
import { switchStores } from './switch-stores.ts'

type ServerOptions = { config: Config; version: string; dev: boolean; print(line: string): void }

/** A stop takes less than 5 s in total. The rest is then killed, which loses no data, as with `kill -9`. */
const stopMs = 4000
/** Interval for the request log, which only users read. */
const requestLogMs = 500
const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** The state of process main. */
type Main = {
  options: ServerOptions
  observe: Observe
  journal: JournalWriter
  state: {
    keys: KeySnapshot
    trimmed: number
    /** Why the ClickHouse server cannot be used. */
    away: ServerAway | undefined
    refused: MishapError | undefined
    /** Pid of the process app that created the events store's tables. */
    storedBy: number | undefined
    startedMs: number
    /** The last metrics of process app. */
    appMetrics: AppMetrics | undefined
    /** Number of responses of screens and API by status. */
    screens: Map<number, number>
    /** Signed-in users, as reported by process app. */
    known: KnownCredentials
    /** DSN for the screens' own errors. */
    selfDsn: string | undefined
    /** Whether process app can use the blob store. */
    blobsUp: boolean
    /** Whether the database answers process app. */
    databaseUp: boolean
    /** Whether process app could not start with the database, although it could before. */
    databaseRefused: boolean
    /** Whether process app was up since the start. */
    wasUp: boolean
  }
  reports: DurableReports
  app: Child
  engine: Child
  stop(reason: string): Promise<void>
}

/** What works now, for the health answers. */
const healthParts = ({ options, state, app, engine }: Main): HealthParts => ({
  accept: true,
  app: app.up(),
  engine: engine.up(),
  events: options.config.events ? 'server' : 'embedded',
  tables: state.storedBy !== undefined && state.storedBy === app.pid(),
  blobs: state.blobsUp,
  database: state.databaseUp && !state.databaseRefused,
})

/** The wrong setting if listening fails: an unknown name, an address of another machine, or a privileged port. */
const listenFaults: Record<string, 'host' | 'port'> = {
  ENOTFOUND: 'host',
  EAI_AGAIN: 'host',
  EADDRNOTAVAIL: 'host',
  EINVAL: 'host',
  EAFNOSUPPORT: 'host',
  EACCES: 'port',
}

/** Starts to listen. Throws START_PORT_TAKEN, SettingError. */
function listen(server: ReturnType<typeof createServer>, config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const setting = listenFaults[error.code ?? '']
      if (setting) return reject(new SettingError(setting, error.code ?? ''))
      if (error.code !== 'EADDRINUSE') return reject(error)
      reject(new MishapError('START_PORT_TAKEN', { detail: `Port ${config.port} on ${config.host} is taken.` }))
    })
    server.listen(config.port, config.host, resolve)
  })
}

/** Throws START_NO_SCREENS if the screens are not built. Process app would otherwise exit after each start. */
function demandScreens(config: Config): void {
  if (existsSync(fileOf(`../web/${screensFolder(config.basePath)}/standalone`))) return
  const where = config.basePath === '' ? '' : ` for the path ${config.basePath} of ${config.url}`
  throw new MishapError('START_NO_SCREENS', { detail: `The screens are not built${where}.` })
}

/** Appends a record of process app to the journal, and replies with its position. */
async function appendForApp(main: Main, { id, head, body }: FromApp & { kind: 'append' }): Promise<void> {
  const answer = { kind: 'appended', id } as const
  try {
    const jpos = await main.journal.append(head, Buffer.from(body))
    main.app.send({ ...answer, jpos } satisfies ToApp)
  } catch (error) {
    const code = error instanceof MishapError ? error.code : 'INTERNAL'
    main.app.send({ ...answer, jpos: -1, code } satisfies ToApp)
  }
}

/**
 * Ends the product, because process app cannot start. A database that was usable before is different: its disk is full,
 * or somebody changed a password. Ingest needs no database, so it goes on, and app starts again after a pause.
 */
function refuseStart(main: Main, { code, sentence }: FromApp & { kind: 'refused' }): void {
  const { state, observe } = main
  if (code === 'START_DATABASE' && state.wasUp) {
    state.databaseRefused = true
    observe.error({ code, sentence }, 'process app cannot use the database; it starts again')
    main.app.send({ kind: 'restart' } satisfies ToApp)
    return
  }
  state.refused = new MishapError(code, { detail: sentence })
  void main.stop(sentence)
}

/** Handles messages of process app. */
function handleMessage(main: Main, message: FromApp): void {
  const { state, observe, options } = main
  if (message.kind === 'keys') {
    state.keys = message.snapshot
    writeKeyFile(options.config.data, message.snapshot)
    main.app.send({ kind: 'keysTaken', id: message.id } satisfies ToApp)
  } else if (message.kind === 'trim') {
    state.trimmed = Math.max(state.trimmed, message.before)
    main.journal
      .trim(message.before)
      .catch((error: unknown) => observe.error({ error: String(error) }, 'the journal could not be trimmed'))
  } else if (message.kind === 'append') void appendForApp(main, message)
  else if (message.kind === 'numbers') state.appMetrics = message.numbers
  else if (message.kind === 'known') state.known.add(message.credential)
  else if (message.kind === 'self') state.selfDsn = message.dsn
  else if (message.kind === 'blobs') state.blobsUp = message.up
  else if (message.kind === 'database') state.databaseUp = message.up
  else if (message.kind === 'moved')
    moveOn(main, message).catch((error: unknown) => {
      observe.error({ error: String(error) }, 'the move could not be recorded')
      void main.stop('the move could not be recorded')
    })
  else if (message.kind === 'stored') state.storedBy = main.app.pid()
  else if (message.kind === 'refused') refuseStart(main, message)
  else if (message.kind === 'up') {
    Object.assign(state, { wasUp: true, databaseRefused: false })
    main.app.send({ kind: 'engine', up: main.engine.up(), away: main.state.away } satisfies ToApp)
    sendDurable(main)
    const { config } = options
    options.print(`Mishap ${options.version} is running at ${config.url}`)
    if (message.setupSecret)
      options.print(`Set it up (this link works once): ${config.url}/setup?secret=${message.setupSecret}`)
  }
}

/** Goes on with the stores that `mishap move` has filled. Ingest does not notice. */
async function moveOn(main: Main, message: FromApp & { kind: 'moved' }): Promise<void> {
  const { config } = main.options
  const changed = await switchStores({ config, app: main.app, engine: main.engine }, message)
  main.options = { ...main.options, config: changed }
  main.state.storedBy = undefined
  Object.assign(
    main,
    startChildren({ ...main.options, isChecked: true }, main.observe, () => main),
  )
  main.observe.info({ stores: message.record.places }, 'the data folder was moved to other stores')
}

function sendDurable(main: Main): void {
  const { journal, options } = main
  main.app.send({
    kind: 'durable',
    durable: journal.durable(),
    atMs: systemClock.now(),
    lagBytes: journal.lagBytes(),
    boundBytes: options.config.journalBytesMax,
  } satisfies ToApp)
}

function startChildren(
  { isChecked, ...options }: ServerOptions & { isChecked: boolean },
  observe: Observe,
  main: () => Main,
): { app: Child; engine: Child } {
  const { config } = options
  const { folders, sockets } = layOut(config.data)
  const secrets = loadSecrets(config.data)
  const env = environment()
  const changed = (up: boolean, away?: ServerAway) => {
    main().state.away = away
    main().app.send({ kind: 'engine', up, away } satisfies ToApp)
  }
  const engine = startEvents({ config, folders, sockets, observe, isChecked, changed })
  const setup: AppSetup = { config, version: options.version, dev: options.dev, sockets, folders }
  const app = supervise({
    name: 'app',
    file: fileOf('./app.ts'),
    // A young generation of 16 MB instead of 64 uses 90 MB less after start. The refine workers have their own.
    nodeOptions: ['--max-semi-space-size=4'],
    // Next writes any text to standard output. In development the user reads it directly.
    wrapsOutput: !options.dev,
    words: [JSON.stringify(setup)],
    clock: systemClock,
    observe,
    env: {
      ...env,
      ...sparing,
      NODE_ENV: options.dev ? 'development' : 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      MISHAP_BASE_PATH: config.basePath, // next.config.mjs reads it in development
      NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: secrets.actionsKey,
    },
    message: (message) => handleMessage(main(), message as FromApp),
  })
  return { app, engine }
}

/** Serves /metrics from this process and from the last metrics of app. */
function createMetrics(main: Main, ingest: Ingest) {
  const { config, version } = main.options
  const loop = watchLoop()
  const child = (supervised: Child) => ({ up: supervised.up(), pid: supervised.pid() })
  const metrics = () =>
    metricsOf({
      version,
      startedMs: main.state.startedMs,
      answers: ingest.answers(),
      screens: main.state.screens,
      journal: {
        lagBytes: main.journal.lagBytes(),
        doneBytes: main.journal.doneBytes(),
        boundBytes: config.journalBytesMax,
      },
      processes: { app: child(main.app), engine: child(main.engine) },
      loop: loop(),
      residentBytes: process.memoryUsage.rss(),
      app: main.app.up() ? main.state.appMetrics : undefined,
    })
  const socketPath = layOut(config.data).sockets.app
  return (req: IncomingMessage, res: ServerResponse) =>
    void answerMetrics(req, res, { socketPath, metrics, open: config.metrics })
}

/** Handles every request: health, ingest, metrics, then the rest by process app after a check of the origin. */
function createFront(main: Main, ingest: Ingest) {
  const { config, dev } = main.options
  const url = new URL(config.url)
  const who = createClientOf(config.trustedProxies, url)
  const { screens } = main.state
  const countAnswer = (status: number) => void screens.set(status, (screens.get(status) ?? 0) + 1)
  const socketPath = layOut(config.data).sockets.app
  const proxy = createProxy({
    socketPath,
    dev,
    url,
    clientOf: who,
    answered: countAnswer,
    durable: main.journal.durable,
    passed: createSweep(),
    clock: systemClock,
    known: main.state.known,
    folder: layOut(config.data).folders.blobs,
    diskReserveBytes: config.diskReserveBytes,
    reportPath: () => reportPathOf(main.state.selfDsn, config.basePath, main.options.version),
  })
  const answers = createReady(systemClock, proxy.answers)
  const metrics = createMetrics(main, ingest)
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const target = innerTarget(req.url ?? '/', config.basePath)
    req.url = target
    // Most requests are for ingest, so it looks first.
    if (ingest.handle(req, res)) return
    const queryAt = target.indexOf('?')
    const path = queryAt < 0 ? target : target.slice(0, queryAt)
    const health = healthOf(path)
    if (health !== undefined) void answerHealth(health, healthParts(main), answers, res)
    else if (path === '/metrics' || path === '/metrics/')
      void proxy.admits(req, res).then((admitted) => admitted && metrics(req, res))
    else if (!isOwnOrigin(req, who(req), url)) refuseRequest(req, res, new MishapError('AUTH_ORIGIN'), systemClock)
    else {
      if (isReading(target)) main.reports.reading(req, res)
      req.url = appTarget(target, config.basePath)
      void proxy.handle(req, res)
    }
  }
  const listenTo = (server: Server): void => {
    boundHeads(server, createNetworks(config.trustedProxies))
    server.on('request', handle)
    server.on('upgrade', (req, socket, head) => (dev ? proxy.upgrade(req, socket as Socket, head) : socket.destroy()))
  }
  return { listenTo, close: proxy.close }
}

/** Sends ingest's responses to process app for the request log. They are lost while app is down: nobody reads them. */
function sendRequestLog(main: Main, ingest: Ingest): void {
  const entries = ingest.drainRequestLog()
  if (entries.length > 0) main.app.send({ kind: 'notes', notes: entries } satisfies ToApp)
}

const openJournal = (config: Config, folder: string, observe: Observe): Promise<JournalWriter> =>
  openJournalWriter({
    folder,
    bytesMax: config.journalBytesMax,
    diskReserveBytes: config.diskReserveBytes,
    groupMs: config.journalGroupMs,
    clock: systemClock,
    observe,
  })

/** Deletes bodies that a crash left and no record names. Returns the part of the work that can run during ingest. */
async function cleanSpool(folders: AppSetup['folders'], journal: JournalWriter, observe: Observe): Promise<() => void> {
  await dropUnfinished(folders.blobs)
  const reader = openJournalReader(folders.journal)
  const blobs = openFileBlobs(folders.blobs)
  const drop = await findOrphans({
    blobs,
    reader,
    durable: journal.durable(),
    clock: systemClock,
    observe,
    named: journal.addBody,
  })
  return () => void drop().finally(() => reader.close())
}

const newState = (config: Config): Main['state'] => ({
  keys: readKeyFile(config.data),
  trimmed: 0,
  away: undefined,
  refused: undefined,
  storedBy: undefined,
  selfDsn: undefined,
  blobsUp: true,
  databaseUp: true,
  databaseRefused: false,
  wasUp: false,
  startedMs: systemClock.now(),
  appMetrics: undefined,
  screens: new Map(),
  known: createKnownCredentials(systemClock),
})

type Ending = {
  reason: string
  cancels: (() => void)[]
  server: Server
  recordOutcomes(): Promise<void>
  /** Releases the data folder. */
  release(): void
}

/** Stops all parts in the order of the data, within `stopMs`. The rest is killed, which loses nothing acknowledged. */
async function endAll(main: Main, { reason, cancels, server, recordOutcomes, release }: Ending): Promise<void> {
  main.observe.info({ reason }, 'stopping')
  for (const cancel of cancels) cancel()
  server.close()
  server.closeIdleConnections()
  const late = systemClock.after(stopMs / 2, () => server.closeAllConnections())
  const killed = systemClock.after(stopMs, () => {
    main.observe.warn({}, 'stopping took too long; remaining processes are killed')
    for (const child of [main.app, main.engine]) void child.stop(0)
    release()
  })
  await recordOutcomes()
  sendDurable(main)
  await main.app.stop(stopMs * 0.6)
  await Promise.all([main.engine.stop(stopMs * 0.3), main.journal.close()])
  for (const cancel of [late, killed]) cancel()
  server.closeAllConnections()
  release()
}

/**
 * Process main: owns the data folder, listens, runs ingest, and keeps process app and process engine alive.
 * Resolves when it listens, with a function that stops it. Throws MishapError START_*.
 */
export async function startServer(
  options: ServerOptions,
): Promise<{ stop(reason: string): Promise<void>; ended: Promise<MishapError | undefined> }> {
  const { config } = options
  const observe = createObserve('main', config.logLevel)
  const { folders } = layOut(config.data)
  if (!options.dev) demandScreens(config)
  demandComplete(config.data)
  const isChecked = await demandServer(config, observe)
  const lock = lockDataFolder(config.data)
  const ended = Promise.withResolvers<MishapError | undefined>()
  const away = await settleStores(config)
    .then(() => checkBlobStore(config.data, blobSourceOf(config, folders), systemClock))
    .catch((error: unknown) => {
      lock.release()
      throw error
    })
  if (away !== undefined) observe.warn({ reason: away }, 'the blob store is away; ingest starts, and batches wait')
  const journal = await openJournal(config, folders.journal, observe)
  const dropOrphans = await cleanSpool(folders, journal, observe)
  const state = newState(config)
  const ingest = createIngest({
    config,
    clock: systemClock,
    observe,
    journal,
    blobs: openFileBlobs(folders.blobs),
    keys: () => state.keys,
  })
  const recordOutcomes = createOutcomeRecorder(() => journal, ingest)
  // Ingest has its own timers. 200 MiB over a slow connection can take minutes.
  const server = createServer({ requestTimeout: 600_000, headersTimeout: 30_000, keepAliveTimeout: 65_000 })
  const cancels: (() => void)[] = []
  let stopping: Promise<void> | undefined

  const stop = (reason: string): Promise<void> => {
    const release = () => {
      lock.release()
      ended.resolve(state.refused)
    }
    stopping ??= endAll(main, { reason, cancels, server, recordOutcomes, release })
    return stopping
  }

  const main: Main = { options, observe, journal, state, stop } as Main
  try {
    await listen(server, config)
  } catch (error) {
    await journal.close()
    lock.release()
    throw error
  }
  main.reports = createDurableReports(systemClock, journal.onDurable, () => sendDurable(main))
  Object.assign(
    main,
    startChildren({ ...options, isChecked }, observe, () => main),
  )
  const front = createFront(main, ingest)
  front.listenTo(server)
  cancels.push(
    main.reports.stop,
    systemClock.every(1000, () => void recordOutcomes()),
    systemClock.every(requestLogMs, () => sendRequestLog(main, ingest)),
    front.close,
  )
  dropOrphans()
  return { stop, ended: ended.promise }
}
