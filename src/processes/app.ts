import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createApi } from '../api/api.ts'
import { MishapError } from '../base/errors.ts'
import { keepHeapSmall } from '../base/heap.ts'
import { keepMappingsSmall } from '../base/mapped-pages.ts'
import { durableHeader } from '../base/network.ts'
import { requestIdOf } from '../base/observe.ts'
import { ensureSelfProject } from '../operations/self-project.ts'
import { refuseRequest } from '../serve/answers.ts'
import { type Commands, serveControl } from '../serve/control.ts'
import type { AppSetup, FromApp, ToApp } from '../serve/messages.ts'
import { isReading } from '../serve/readers.ts'
import { serveWeb } from '../web/serve.ts'
import { configCommands, maintenanceCommands, peopleCommands } from './commands.ts'
import { createApp, type Running } from './create.ts'
import { createRunningMove } from './move-running.ts'
import type { App } from './parts.ts'
import type { Link } from './publish-keys.ts'

const movedDetail = 'Mishap moves its data to other stores. Ingest continues.'
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Answers a page while a database server does not answer: a page that says so and reloads by itself. A navigation in an
 * open page (`rsc`) gets 503, so that the browser loads the whole page: rendering it would end in an error screen with a
 * digest, which does not recover. Other requests of open pages keep their frame. A database in the data folder is never
 * away.
 */
async function answerAway({ config, meta, clock }: App, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const isPage = (req.headers.accept ?? '').includes('text/html') || (req.method === 'GET' && 'rsc' in req.headers)
  if (config.meta === '' || !isPage) return false
  try {
    await meta.people.isEmpty()
    return false
  } catch (error) {
    if (!(error instanceof MishapError)) return false
    refuseRequest(req, res, error, clock)
    return true
  }
}

/** Answers the commands of `mishap` on a socket. */
function serveCommands(setup: AppSetup, running: Running, more: Commands): Promise<Server> {
  const { app } = running
  const changed = async () => {
    const organization = (await app.meta.organizations.organizations())[0]
    if (organization && setup.config.selfReporting) await ensureSelfProject(app.meta, organization.id)
    await app.publishKeys()
  }
  return serveControl(setup.sockets.control, {
    ...more,
    ...peopleCommands(app.meta, app.auth, setup.config.url, changed),
    ...configCommands(app, changed),
    ...maintenanceCommands({
      config: setup.config,
      version: setup.version,
      clock: app.clock,
      folders: setup.folders,
      meta: app.meta,
      events: app.events,
      blobs: app.blobs,
      backups: running.backups,
      pause: running.pause,
      durable: running.durable,
    }),
  })
}

/** Handles what needs no page. The first request after a pause waits here until what came before it is stored. */
function createBefore(
  app: App,
  api: ReturnType<typeof createApi>,
  isHeld: () => boolean,
): Parameters<typeof serveWeb>[0]['before'] {
  const answer = (req: IncomingMessage, res: ServerResponse): boolean => {
    if (isHeld()) refuseRequest(req, res, new MishapError('STORE_UNAVAILABLE', { detail: movedDetail }), app.clock)
    else if (api.owns(req.url ?? '/')) api.handle(req, res)
    else return false
    return true
  }
  return (req, res) => {
    const isRead = !isHeld() && isReading(req.url ?? '/')
    const caughtUp = isRead ? app.readers.arrive(Number(req.headers[durableHeader] ?? 0)) : undefined
    // The client may have left meanwhile, or the process is about to end.
    return caughtUp ? caughtUp.then(() => res.destroyed || answer(req, res)) : answer(req, res)
  }
}

/** Resolves when main wants this process to end, so that it starts a new process. */
const restartRequested = () =>
  new Promise<void>((resolve) => process.on('message', (message) => (message as ToApp).kind === 'restart' && resolve()))

/** Runs the process: opens the app, serves screens, API and commands, and exits with main. */
async function runProcess(setup: AppSetup): Promise<void> {
  const link: Link = {
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen: (listener) => process.on('message', (message) => listener(message as ToApp)),
  }
  let running: Running
  try {
    running = await createApp(setup, link)
  } catch (error) {
    if (!(error instanceof MishapError)) throw error
    if (error.code !== 'START_NEWER_DATA' && error.code !== 'START_DATABASE') throw error
    process.send?.({ kind: 'refused', code: error.code, sentence: error.message } satisfies FromApp)
    // Main decides: a first start that is refused ends the product, a later one is repeated.
    await Promise.race([once(process, 'disconnect'), restartRequested()])
    process.exit(error.status)
  }
  const { app } = running
  Object.assign(globalThis, { [Symbol.for('mishap.app')]: app })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= running.stop()
    return stopping
  }
  const move = createRunningMove({ setup, running, link, stop })
  const control = await serveCommands(setup, running, move.commands)
  const api = createApi(app)
  const web = await serveWeb({
    root,
    socketPath: setup.sockets.app,
    basePath: setup.config.basePath,
    port: setup.config.port,
    dev: setup.dev,
    before: createBefore(app, api, move.isHeld),
    away: (req, res) => answerAway(app, req, res),
    withContext: (req, answer) => running.scope.run(requestIdOf(req.headers), answer),
  })
  let ending = false
  const end = async () => {
    if (ending) return
    ending = true
    web.close()
    control.close()
    web.closeAllConnections()
    await stop()
    for (const path of [setup.sockets.app, setup.sockets.control]) rmSync(path, { force: true })
    process.exit(0)
  }
  process.on('SIGTERM', () => void end())
  process.on('SIGINT', () => undefined) // from the terminal: main decides
  process.on('disconnect', () => void end())
  link.send({ kind: 'up', setupSecret: await app.auth.setupSecret() })
  keepHeapSmall(app.clock)
  keepMappingsSmall(app.clock)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runProcess(JSON.parse(process.argv[2] ?? '{}') as AppSetup)
