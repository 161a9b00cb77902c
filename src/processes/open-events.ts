import { createHash } from 'node:crypto'
import { loadSecrets } from '../auth/secret.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Config, environment, eventsSecrets } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import type { EventsServer } from '../base/events-server.ts'
import type { Observe } from '../base/observe.ts'
import { engineChild } from '../serve/engine-child.ts'
import { demandEngineLibrary } from '../serve/engine-library.ts'
import { demandServer } from '../serve/events-child.ts'
import type { Folders, Sockets } from '../serve/messages.ts'
import { supervise } from '../serve/supervise.ts'
import { createEventStore } from '../store/events/clickhouse.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { serverKind } from '../store/events/kind.ts'

/** The engine opens a folder of ten million events in under a second. A damaged one never opens. */
const engineStartMs = 60_000

/** Connects to the events store behind the engine's socket. */
const openEngine = (socketPath: string, clock: Clock, observe: Observe): EventStore =>
  createEventStore({ url: 'http://localhost', socketPath, database: 'mishap', observe, clock })

function openServer(
  config: Config,
  server: EventsServer,
  clock: Clock,
  observe: Observe,
  env = environment(),
): EventStore {
  const { password, backup } = eventsSecrets(env)
  const { authSecret } = loadSecrets(config.data)
  return createEventStore({
    url: server.url,
    host: server.host,
    user: server.user,
    database: server.database,
    kind: serverKind,
    password,
    backupTarget: backup,
    // The folder and its database belong together. The name of the installation tells nothing about the secret.
    installation: createHash('sha256').update(`events ${authSecret}`).digest('hex').slice(0, 32),
    observe,
    clock,
  })
}

/** Connects to the events store: the ClickHouse server of the settings, or the engine behind its socket. */
export const openEvents = (config: Config, socketPath: string, clock: Clock, observe: Observe): EventStore =>
  config.events ? openServer(config, config.events, clock, observe) : openEngine(socketPath, clock, observe)

/**
 * Runs `work` with an engine on a folder that is not in use. Throws START_NO_ENGINE, and STORE_UNAVAILABLE if it does
 * not start.
 */
export async function withEngine<T>(
  config: Config,
  layout: { folders: Folders; sockets: Sockets },
  observe: Observe,
  work: (events: EventStore) => Promise<T>,
): Promise<T> {
  demandEngineLibrary()
  const clock = systemClock
  const engine = supervise({
    ...engineChild(config, layout, environment()),
    clock,
    observe,
    message: () => undefined,
  })
  const events = openEngine(layout.sockets.engine, clock, observe)
  try {
    for (const endMs = clock.now() + engineStartMs; !(engine.up() && (await events.ping())); ) {
      if (clock.now() > endMs)
        throw new MishapError('STORE_UNAVAILABLE', { detail: 'The events store does not start.' })
      await clock.sleep(50)
    }
    return await work(events)
  } finally {
    await events.close()
    await engine.stop(10_000)
  }
}

/**
 * Runs `work` with the events store of a data folder that is not in use: the ClickHouse server of the settings, or an
 * engine. `env` has the password. Throws START_EVENTS_* or STORE_UNAVAILABLE if the server cannot be used.
 */
export async function withEvents<T>(
  config: Config,
  layout: { folders: Folders; sockets: Sockets },
  observe: Observe,
  work: (events: EventStore) => Promise<T>,
  env = environment(),
): Promise<T> {
  if (!config.events) return withEngine(config, layout, observe, work)
  if (!(await demandServer(config, observe, env)))
    throw new MishapError('STORE_UNAVAILABLE', {
      detail: `The ClickHouse server at ${config.events.host} does not answer.`,
    })
  const events = openServer(config, config.events, systemClock, observe, env)
  try {
    return await work(events)
  } finally {
    await events.close()
  }
}
