import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MetaTarget } from '../backup/restore.ts'
import type { Clock } from '../base/clock.ts'
import { type Config, environment, metaUrlOf } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { parsePostgresUrl } from '../base/postgres-url.ts'
import type { MetaStore, MetaWith } from '../store/meta/meta-store.ts'
import type { PostgresLoad } from '../store/meta/postgres.ts'
import { openSqliteMeta } from '../store/meta/sqlite.ts'
import { databaseFile, pairFile, pairOf, writePair } from './meta-files.ts'

/** The id of the pair in the database. */
export const pairValue = 'data_folder'

type Environment = Record<string, string | undefined>
type Setup = Pick<Config, 'meta' | 'hostname'>

const refuse = (detail: string) => new MishapError('START_DATABASE', { detail })

/** Returns the address of a database; `env` has its password. Throws START_DATABASE. */
function addressOf(url: string, env: Environment = environment()) {
  const address = parsePostgresUrl(metaUrlOf(url, env))
  if (!address) throw refuse('MISHAP_META is malformed.')
  return address
}

/** Loaded only with MISHAP_META: the driver and its pool have 3 MB. */
const postgres = () => import('../store/meta/postgres.ts')

/** How the server names this process: the host, and the process id in it. */
const nameOf = ({ hostname }: Setup) => `mishap ${hostname} ${process.pid}`

/**
 * Throws START_DATABASE unless the data folder and the database belong together: positions in the journal and issues of
 * events mean nothing elsewhere. Pairs a folder and a database that are both new.
 */
async function demandPair(folder: string, meta: MetaWith<'values.getValue' | 'values.setValue'>): Promise<void> {
  const [here, there] = [pairOf(folder), await meta.values.getValue(pairValue)]
  if (there === undefined) {
    if (existsSync(join(folder, databaseFile)))
      throw refuse(
        `The data folder has a SQLite database (${join(folder, databaseFile)}), and the database in MISHAP_META is new. Unset MISHAP_META, use a new data folder, or restore a backup into both.`,
      )
    const id = here ?? randomUUID()
    if (here === undefined) writePair(folder, id)
    return meta.values.setValue(pairValue, id)
  }
  if (here !== there)
    throw refuse(
      `The database in MISHAP_META belongs to another data folder. Use that folder, or another database. If this is the right folder and its file ${join(folder, pairFile)} was lost, write ${there} into it.`,
    )
}

/**
 * Opens the meta store of a data folder: the PostgreSQL database of the setting, else the SQLite file in `folder`.
 * Throws START_DATABASE, START_NEWER_DATA, and DATABASE_UNAVAILABLE while the server of the database does not answer.
 */
export async function openMeta(config: Setup, folder: string, clock: Clock): Promise<MetaStore> {
  if (config.meta === '') {
    if (pairOf(folder) !== undefined)
      throw refuse('This data folder belongs to a PostgreSQL database. Set MISHAP_META to its URL.')
    return openSqliteMeta(join(folder, databaseFile), { clock })
  }
  const { openPostgresMeta } = await postgres()
  const meta = await openPostgresMeta(addressOf(config.meta), { clock, name: nameOf(config) })
  try {
    await demandPair(folder, meta)
    return meta
  } catch (error) {
    await meta.close()
    throw error
  }
}

/** Whether a data folder has been used: its database exists, here or on a server. */
export const hasMeta = (data: string): boolean =>
  [databaseFile, pairFile].some((name) => existsSync(join(data, 'meta', name)))

/** Makes the target of a restore into a data folder: it takes the SQLite file of a backup. */
export function metaTarget(config: Setup, folder: string): MetaTarget {
  if (config.meta === '')
    return {
      isUsed: async () => false,
      place: (file) => rename(file, join(folder, databaseFile)),
      clear: async () => undefined,
    }
  const load = async <T>(work: (load: PostgresLoad) => Promise<T>) =>
    (await postgres()).loadPostgres(addressOf(config.meta), { name: nameOf(config) }, work)
  return {
    isUsed: () => load(({ isUsed }) => isUsed()),
    place: (file) =>
      load(async ({ replace }) => {
        const id = randomUUID()
        writePair(folder, id)
        await replace(file, { [pairValue]: id })
      }),
    clear: () => load(({ replace }) => replace(':memory:', {})),
  }
}

/**
 * Gives the copy of a data folder a database: the copied SQLite file, or a SQLite copy of the PostgreSQL database,
 * whose schema does not change. Returns the config for the copy.
 */
export async function copyMeta<C extends Config>(config: C, copy: string): Promise<C> {
  if (config.meta === '') return { ...config, data: copy }
  const folder = join(copy, 'meta')
  await rm(join(folder, pairFile), { force: true })
  await (await postgres()).copyPostgres(addressOf(config.meta), { name: nameOf(config) }, join(folder, databaseFile))
  return { ...config, data: copy, meta: '' }
}

/**
 * Opens the PostgreSQL database of other settings, whose password is in `env`, to fill it from a SQLite file. Throws
 * START_DATABASE, DATABASE_UNAVAILABLE.
 */
export const withDatabase = async <T>(
  config: Setup,
  env: Environment,
  work: (load: PostgresLoad) => Promise<T>,
): Promise<T> => (await postgres()).loadPostgres(addressOf(config.meta, env), { name: nameOf(config) }, work)
