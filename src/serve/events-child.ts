import { systemClock } from '../base/clock.ts'
import { type Config, environment, eventsSecrets } from '../base/config.ts'
import type { EventsServer } from '../base/events-server.ts'
import type { Observe } from '../base/observe.ts'
import { engineAnswers } from '../store/events/alive.ts'
import type { ServerAccess } from '../store/events/server-ask.ts'
import { checkServer, type ServerAway, serverAway } from '../store/events/server-check.ts'
import { engineChild } from './engine-child.ts'
import { demandEngineLibrary } from './engine-library.ts'
import type { Folders, Sockets } from './messages.ts'
import { type Child, supervise } from './supervise.ts'
import { watchServer } from './watch-server.ts'

const accessOf = (server: EventsServer, env = environment()): ServerAccess => ({
  ...server,
  password: eventsSecrets(env).password,
})
const check = (server: EventsServer, env = environment()) =>
  checkServer(accessOf(server, env), eventsSecrets(env).backup !== '')

/**
 * Checks the ClickHouse server of the settings. Returns whether it passed: a server that does not answer is not an
 * error, because ingest does not need it. Throws START_EVENTS_*. Without a server the engine must be installed:
 * throws START_NO_ENGINE.
 */
export async function demandServer(
  { events }: Pick<Config, 'events'>,
  observe: Observe,
  env = environment(),
): Promise<boolean> {
  if (!events) {
    demandEngineLibrary()
    return true
  }
  const found = await check(events, env)
  if (found !== 'ready')
    observe.warn(
      { host: events.host, away: found },
      'the ClickHouse server does not answer; events wait in the journal',
    )
  return found === 'ready'
}

type EventsChild = {
  config: Config
  folders: Folders
  sockets: Sockets
  observe: Observe
  /** The server passed the checks of the start. */
  isChecked: boolean
  changed(up: boolean, away?: ServerAway): void
}

/** Starts process engine, or watches the ClickHouse server that takes its place. */
export function startEvents({ config, folders, sockets, observe, isChecked, changed }: EventsChild): Child {
  const parts = { clock: systemClock, observe, changed }
  const { events } = config
  if (events)
    return watchServer({
      ...parts,
      server: events,
      isChecked,
      check: () => check(events),
      away: () => serverAway(accessOf(events)),
    })
  return supervise({
    ...engineChild(config, { folders, sockets }, environment()),
    ...parts,
    message: () => undefined,
    alive: () => engineAnswers(sockets.engine),
  })
}
