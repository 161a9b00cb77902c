import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MishapError } from '../base/errors.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { isEngineCopy } from '../store/events/copies.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { rowsByTable, type TableName, tableNames } from '../store/events/tables.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type Manifest, parts, readManifest } from './manifest.ts'
import { remoteKeys, sendBlobs } from './remote-blobs.ts'

type Stores = { meta: MetaWith<'snapshots.tally' | 'batches.cursor'>; events: Pick<EventStore, 'restore' | 'size'> }

/** The database that a restore fills from the SQLite file of a backup. */
export type MetaTarget = {
  /** It holds data that is not in the data folder. */
  isUsed(): Promise<boolean>
  place(file: string): Promise<void>
  /** Removes what `place` has put outside of the data folder. */
  clear(): Promise<void>
}

/** Paths of one restore: the unpacked archive, and whether an earlier restore into this folder was interrupted. */
type Unpacked = { stage: string; isRepeat: boolean }

type RestoreDeps = {
  folders: { journal: string; blobs: string; meta: string; engine: string }
  /** Where the database goes. */
  target: MetaTarget
  /** The store that gets the blobs, wherever they were when the backup was taken. */
  blobs: Pick<BlobStore, 'isRemote' | 'list' | 'putStream' | 'delete'>
  /** Records where the blobs are now. */
  recordPlace(): Promise<void>
  /** Marker file in the data folder until the restore is complete. */
  mark: string
  /**
   * Turns a copy of the embedded store into files of rows, in place. Returns the rows of each table. Undefined if the
   * events go to an embedded store.
   */
  convert?: ((folder: string) => Promise<Record<TableName, number>>) | undefined
  /** Opens the stores of the restored folder during `work` and starts the engine for it. */
  withStores(work: (stores: Stores) => Promise<void>): Promise<void>
}

/** Returns whether a folder has any files. */
const isUsed = (folder: string) => existsSync(folder) && readdirSync(folder).length > 0

async function place(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await rename(from, to)
}

/**
 * Returns the rows of each table that a restore must have. A copy of the embedded store is converted first if the events
 * go to a server: rows that were deleted but are still in its files are left out then.
 */
async function expectedRows(
  manifest: Manifest,
  { stage }: Unpacked,
  convert: RestoreDeps['convert'],
): Promise<Manifest> {
  const folder = join(stage, parts.events)
  return convert && (await isEngineCopy(folder)) ? { ...manifest, ...(await convert(folder)) } : manifest
}

/** Restores the rows and compares the counts with the manifest. Calls `stored` once the events store has its rows. */
async function restoreStores(
  { meta, events }: Stores,
  manifest: Manifest,
  from: Unpacked,
  stored: () => void,
): Promise<void> {
  await events.restore(parts.events, join(from.stage, parts.events), from.isRepeat)
  stored()
  const found = {
    ...(await meta.snapshots.tally()),
    ...rowsByTable(await events.size()),
    cursor: await meta.batches.cursor(),
  }
  for (const name of ['organizations', 'projects', 'issues', ...tableNames, 'cursor'] as const)
    if (manifest[name] !== undefined && found[name] !== manifest[name])
      throw new MishapError('VALIDATION', {
        detail: `The backup holds ${manifest[name]} ${name}, but ${found[name]} were restored. The file is damaged.`,
      })
}

/**
 * Restores a backup into an empty data folder and compares the counts with its manifest. Throws VALIDATION if the
 * folder is in use, the file is no backup or the counts differ. Throws START_NEWER_DATA for a newer backup.
 */
export async function restoreBackup(data: string, path: string, deps: RestoreDeps): Promise<Manifest> {
  const { folders } = deps
  const all = [folders.journal, folders.blobs, folders.meta, folders.engine]
  // Delete the incomplete data of an interrupted restore.
  const isRepeat = existsSync(deps.mark)
  if (isRepeat) for (const item of all) await rm(item, { recursive: true, force: true })
  else if (all.some(isUsed))
    throw new MishapError('VALIDATION', { detail: `${data} already holds data. Restore into an empty folder.` })
  else if (await deps.target.isUsed())
    throw new MishapError('VALIDATION', {
      detail: 'The database in MISHAP_META already holds data. Restore into an empty one.',
    })
  else if (deps.blobs.isRemote && (await remoteKeys(deps.blobs)).length > 0)
    throw new MishapError('VALIDATION', {
      detail: 'The bucket already holds blobs under the prefix of MISHAP_BLOBS. Restore into an empty prefix.',
    })
  const file = resolve(path)
  if (!existsSync(file)) throw new MishapError('VALIDATION', { detail: `${file} does not exist.` })
  // The engine reads its copy from here (sessions.ts).
  const stage = join(data, 'backup')
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true, mode: 0o700 })
  await writeFile(deps.mark, '')
  /** What clears the stores that are not in the data folder. */
  const takeBack = [deps.target.clear]
  let serverHasRows = false
  try {
    // Skips symbolic links. Strict mode rejects paths that lead out of the folder.
    const { extract } = await import('tar')
    await extract({
      file,
      cwd: stage,
      strict: true,
      filter: (_path, entry) => !('type' in entry) || entry.type !== 'SymbolicLink',
    }).catch(() => {
      throw new MishapError('VALIDATION', { detail: `${file} is not a Mishap backup, or it is damaged.` })
    })
    const manifest = readManifest(await readFile(join(stage, parts.manifest), 'utf8').catch(() => ''))
    for (const item of parts.files) if (existsSync(join(stage, item))) await rename(join(stage, item), join(data, item))
    for (const item of [folders.meta, folders.engine]) await mkdir(item, { recursive: true, mode: 0o700 })
    if (deps.blobs.isRemote) takeBack.push(await sendBlobs(deps.blobs, join(stage, parts.blobs), folders.blobs))
    else await place(join(stage, parts.blobs), folders.blobs)
    await deps.recordPlace()
    await place(join(stage, parts.journal), folders.journal)
    await deps.target.place(join(stage, parts.meta))
    const from = { stage, isRepeat }
    const expected = await expectedRows(manifest, from, deps.convert)
    const stored = () => {
      serverHasRows = deps.convert !== undefined
    }
    await deps.withStores((stores) => restoreStores(stores, expected, from, stored))
    await rm(deps.mark, { force: true })
    return manifest
  } catch (error) {
    for (const item of [...all, ...parts.files.map((name) => join(data, name))])
      await rm(item, { recursive: true, force: true })
    // With the mark, the next restore into this folder replaces the rows of the server. Nothing else may delete them.
    if (!serverHasRows) await rm(deps.mark, { force: true })
    const ended = await Promise.allSettled(takeBack.map((clear) => clear()))
    if (ended.some(({ status }) => status === 'rejected'))
      throw new MishapError('VALIDATION', {
        detail:
          'The restore failed, and MISHAP_META or MISHAP_BLOBS still holds a part of it. Empty both before you try again.',
        causes: [error instanceof Error ? error.message : String(error)],
      })
    throw error
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}
