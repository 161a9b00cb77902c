import { blobCredentials, blobsOf } from './blobs-config.ts'
import { type Config, settings } from './config.ts'
import { MishapError } from './errors.ts'
import { eventsServerOf } from './events-server.ts'
import { withoutPassword } from './postgres-url.ts'

type Environment = Record<string, string | undefined>

/**
 * The settings that a move changes, by the name of their variable: MISHAP_META, MISHAP_EVENTS, MISHAP_BLOBS, and the
 * AWS_* variables of a bucket. An empty text is the store in the data folder. They have secrets.
 */
export type MoveSettings = Record<string, string>

const stores = [
  { variable: 'MISHAP_META', target: 'MISHAP_MOVE_META', flag: '--meta', word: 'sqlite' },
  { variable: 'MISHAP_EVENTS', target: 'MISHAP_MOVE_EVENTS', flag: '--events', word: 'embedded' },
  { variable: 'MISHAP_BLOBS', target: 'MISHAP_MOVE_BLOBS', flag: '--blobs', word: 'files' },
] as const
const keyVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const

/** The flags of `mishap move`. */
export const moveFlags: readonly string[] = stores.map(({ flag }) => flag)

const refuse = (detail: string) => new MishapError('VALIDATION', { detail })

/**
 * Reads the targets of a move: plain words from flags or variables, addresses only from variables, because other users
 * can read command lines. Throws VALIDATION for an invalid target, without its value, or if there is none.
 */
export function moveSettingsOf(flags: Environment, env: Environment): MoveSettings {
  const found: MoveSettings = {}
  for (const { variable, target, flag, word } of stores) {
    const [given, text] = [flags[flag], flags[flag] ?? env[target]]
    if (text === undefined || text === '') continue
    if (given !== undefined && given !== word)
      throw refuse(
        `${flag} takes only the word ${word}. Set ${target} to an address: a command line shows its password.`,
      )
    const value = text === word ? '' : text
    const setting = settings.find(({ env: name }) => name === variable)
    if (!setting?.check(value)) throw refuse(`${target} is not valid. Allowed: ${word}, or ${setting?.allowed}.`)
    found[variable] = value
  }
  if (Object.keys(found).length === 0)
    throw refuse(`Set at least one of ${stores.map(({ target }) => target).join(', ')} to the new store.`)
  if (found.MISHAP_BLOBS) {
    if (!blobCredentials({ ...env, MISHAP_BLOBS: found.MISHAP_BLOBS }))
      throw refuse(
        'MISHAP_MOVE_BLOBS has no keys. Add accessKeyId and secretAccessKey to it, or set the AWS_* variables.',
      )
    for (const name of keyVariables) if (env[name]) found[name] = env[name]
  }
  return found
}

/** Leaves only the settings that a move may change. */
export const onlyMoveSettings = (values: Record<string, string>): MoveSettings => {
  const known = new Set<string>([...stores.map(({ variable }) => variable), ...keyVariables])
  return Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)))
}

/** Returns a config with other stores. The secrets stay in the settings. */
export function configWith<C extends Config>(config: C, { MISHAP_META, MISHAP_EVENTS, MISHAP_BLOBS }: MoveSettings): C {
  return {
    ...config,
    ...(MISHAP_META === undefined ? {} : { meta: withoutPassword(MISHAP_META) }),
    ...(MISHAP_EVENTS === undefined ? {} : { events: eventsServerOf(MISHAP_EVENTS) }),
    ...(MISHAP_BLOBS === undefined ? {} : { blobs: blobsOf(MISHAP_BLOBS)?.place }),
  }
}

/** Names of the stores of a data folder, without secrets: `sqlite`, `embedded` and `files` are in the data folder. */
export type StorePlaces = { meta: string; events: string; blobs: string }

/** Where the stores of a data folder are since its last move. */
export type StoresRecord = {
  places: StorePlaces
  /** Stores that earlier moves left. They are complete up to the move. */
  kept: { store: keyof StorePlaces; place: string; untilMs: number }[]
  /** What is left to do in the data folder. It can be repeated. */
  pending?: {
    /** Id of the pair of data folder and PostgreSQL database. */
    pair?: string
    /** File in the meta folder that becomes the database. */
    file?: string
    /** Place of the blobs; empty: in files. */
    blobs?: string
  }
}
