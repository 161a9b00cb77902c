import type { Config } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { onlyMoveSettings } from '../base/move-settings.ts'
import type { Commands } from '../serve/control.ts'
import type { AppSetup } from '../serve/messages.ts'
import type { Running } from './create.ts'
import { moveStores } from './move.ts'
import { openEvents } from './open-events.ts'
import type { Link } from './publish-keys.ts'

type Parts = { setup: AppSetup; running: Running; link: Link; stop(): Promise<void> }

/** The command `move` of the running product. */
type RunningMove = {
  commands: Commands
  /** Whether process app has ended the use of its stores. It answers no request then. */
  isHeld(): boolean
}

/** The answer of a failed move must reach the command first. */
const exitAfterMs = 300

/** Opens the events store in use with connections of its own: those of process app end before the last copy. */
async function withOwnEvents<T>(
  { app }: Running,
  config: Config,
  socketPath: string,
  work: (events: ReturnType<typeof openEvents>) => Promise<T>,
): Promise<T> {
  const events = openEvents(config, socketPath, app.clock, app.observe)
  try {
    return await work(events)
  } finally {
    await events.close()
  }
}

/**
 * Creates the command. It copies while everything runs. Then process app ends its work for good: after the copy, main
 * starts another one on the new stores, or, if the copy fails, on the old ones.
 */
export function createRunningMove({ setup, running, link, stop }: Parts): RunningMove {
  const state = { isMoving: false, isHeld: false }
  const { config, folders, sockets } = setup
  const { clock, observe, meta } = running.app

  async function quiet(): Promise<void> {
    await running.pause()
    state.isHeld = true
    await stop()
  }

  async function move(value: Record<string, string>): Promise<object> {
    if (state.isMoving) throw new MishapError('CONFLICT', { detail: 'A move is already running.' })
    state.isMoving = true
    const settings = onlyMoveSettings(value)
    try {
      const { record, result } = await moveStores({
        config,
        settings,
        layout: { folders, sockets },
        clock,
        observe,
        databaseBytes: () => meta.snapshots.bytes(),
        cursor: () => meta.batches.cursor(),
        quiet,
        withSource: (work) => withOwnEvents(running, config, sockets.engine, work),
      })
      link.send({ kind: 'moved', record, settings })
      return result
    } catch (error) {
      observe.error({ error: String(error).slice(0, 500) }, 'the move failed; the old stores stay in use')
      if (state.isHeld) clock.after(exitAfterMs, () => process.exit(70))
      throw error
    } finally {
      state.isMoving = false
    }
  }

  return { commands: { move, ping: async () => ({}) }, isHeld: () => state.isHeld }
}
