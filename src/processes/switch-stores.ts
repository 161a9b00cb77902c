import { writeStores } from '../backup/stores-record.ts'
import { type Config, changeEnvironment } from '../base/config.ts'
import { configWith, type MoveSettings, type StoresRecord } from '../base/move-settings.ts'
import type { Child } from '../serve/supervise.ts'
import { finishSwitch } from './settle-stores.ts'

type Switching = { config: Config; app: Child; engine: Child }

/** A child has closed its stores by then. What it still holds is not acknowledged to anybody. */
const stopMs = 3000

/**
 * Switches to the stores that process app has filled: records them, and stops both children. Ingest continues meanwhile.
 * Returns the config for the new children, whose secrets are in the environment of this process.
 */
export async function switchStores(
  { config, app, engine }: Switching,
  { record, settings }: { record: StoresRecord; settings: MoveSettings },
): Promise<Config> {
  await writeStores(config.data, record)
  await finishSwitch(config.data)
  await Promise.all([app.stop(stopMs), engine.stop(stopMs)])
  changeEnvironment(settings)
  return configWith(config, settings)
}
