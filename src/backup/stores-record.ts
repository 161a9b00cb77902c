import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import type { StorePlaces, StoresRecord } from '../base/move-settings.ts'
import { syncPath } from '../store/sync.ts'

/** The file of the data folder with the record. A data folder that was never moved has none. */
export const storesFile = 'stores.json'
const movingFile = 'moving.json'

async function writeWhole(data: string, name: string, value: object): Promise<void> {
  const file = join(data, name)
  writeFileSync(`${file}~`, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}~`, file)
  await syncPath(data)
}

const isPlaces = (value: unknown): value is StorePlaces =>
  ['meta', 'events', 'blobs'].every(
    (name) => typeof (value as Record<string, unknown> | undefined)?.[name] === 'string',
  )

/** Returns the record of a data folder; undefined if it was never moved. Throws START_STORES_MOVED for a damaged record. */
export function readStores(data: string): StoresRecord | undefined {
  const file = join(data, storesFile)
  if (!existsSync(file)) return undefined
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as StoresRecord
    if (isPlaces(record.places) && Array.isArray(record.kept)) return record
  } catch {
    // Not JSON. Mishap writes this file whole, so a person or a disk has changed it.
  }
  throw new MishapError('START_STORES_MOVED', { detail: `${file} is damaged. It says where the stores are.` })
}

/** Writes the record: complete or not at all. This is the moment of the switch. */
export async function writeStores(data: string, record: StoresRecord): Promise<void> {
  await writeWhole(data, storesFile, record)
  rmSync(join(data, movingFile), { force: true })
}

/** Records the targets of a move before it writes into them, so that it may replace what it left when it was cut off. */
export const writeMoving = (data: string, to: StorePlaces): Promise<void> => writeWhole(data, movingFile, to)

/** Returns the targets of an interrupted move. */
export function readMoving(data: string): Partial<StorePlaces> {
  try {
    return JSON.parse(readFileSync(join(data, movingFile), 'utf8')) as Partial<StorePlaces>
  } catch {
    return {}
  }
}

/** Returns the names of the stores of a config. */
export const placesOf = ({ meta, events, blobs }: Pick<Config, 'meta' | 'events' | 'blobs'>): StorePlaces => ({
  meta: meta === '' ? 'sqlite' : (meta.replace(/^\w+:\/\/(?:[^@/]*@)?/, 'postgres://').split('?')[0] ?? 'postgres'),
  events: events ? `${events.url}/${events.database}` : 'embedded',
  blobs: blobs ? `s3://${blobs.bucket}${blobs.prefix ? `/${blobs.prefix}` : ''}` : 'files',
})

/** PostgreSQL has a list of hosts that may change; the pair of ids tells whether it is the right database. */
const kindOf = (place: string) => (place.startsWith('postgres:') ? 'postgres' : place)

const variables = { meta: 'MISHAP_META', events: 'MISHAP_EVENTS', blobs: 'MISHAP_BLOBS' } as const

/** Throws START_STORES_MOVED if the settings name other stores than those that the data folder was moved to. */
export function demandStores(config: Pick<Config, 'data' | 'meta' | 'events' | 'blobs'>): void {
  const record = readStores(config.data)
  if (!record) return
  const configured = placesOf(config)
  const wrong = (['meta', 'events', 'blobs'] as const).filter(
    (store) => kindOf(record.places[store]) !== kindOf(configured[store]),
  )
  if (wrong.length === 0) return
  const todo = wrong.map((store) => {
    const place = record.places[store]
    return ['sqlite', 'embedded', 'files'].includes(place)
      ? `unset ${variables[store]}`
      : `set ${variables[store]} to the address of ${place}`
  })
  throw new MishapError('START_STORES_MOVED', {
    detail: `The stores of ${config.data} were moved: ${todo.join(', ')}.`,
  })
}
