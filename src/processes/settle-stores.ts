import { join } from 'node:path'
import { demandStores, readStores, writeStores } from '../backup/stores-record.ts'
import type { Config } from '../base/config.ts'
import { writeBlobPlace } from '../store/blobs/start.ts'
import { syncPath } from '../store/sync.ts'
import { adoptDatabase, writePair } from './meta-files.ts'

/** Does what the record of a move says is left to do in the data folder. The caller holds its lock. */
export async function finishSwitch(data: string): Promise<void> {
  const record = readStores(data)
  if (!record?.pending) return
  const { pair, file, blobs } = record.pending
  const folder = join(data, 'meta')
  if (pair !== undefined) writePair(folder, pair)
  if (file !== undefined) adoptDatabase(folder, file)
  await syncPath(folder)
  if (blobs !== undefined) await writeBlobPlace(data, blobs)
  const { pending: _done, ...rest } = record
  await writeStores(data, rest)
}

/** Finishes an interrupted switch, then throws START_STORES_MOVED if the settings name the old stores. */
export async function settleStores(config: Pick<Config, 'data' | 'meta' | 'events' | 'blobs'>): Promise<void> {
  await finishSwitch(config.data)
  demandStores(config)
}
