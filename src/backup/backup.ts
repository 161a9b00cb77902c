import { constants, existsSync } from 'node:fs'
import { access, copyFile, link, mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { Observe } from '../base/observe.ts'
import { copyWaiting } from '../journal/copy.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { syncPath } from '../store/sync.ts'
import { sweepLeftovers, workFolderOf, writeNote } from './leftovers.ts'
import { backupFormat, type Manifest, parts } from './manifest.ts'
import { fetchBlobs, remoteKeys } from './remote-blobs.ts'

export type BackupDeps = {
  clock: Clock
  version: string
  /** The data folder and its parts. */
  data: string
  folders: { journal: string; blobs: string }
  meta: MetaWith<
    'snapshots.copyTo' | 'snapshots.tally' | 'batches.cursor' | 'snapshots.blobWatermark' | 'snapshots.blobKeys'
  >
  events: Pick<EventStore, 'backup' | 'copying' | 'size'>
  blobs: Pick<BlobStore, 'isRemote' | 'list' | 'getStream' | 'size'>
  /** Waits for batches in flight and starts none until the returned function is called. Ingest continues. */
  pause(): Promise<() => void>
}

/** Folder of spooled bodies of ingest within the blobs. */
const spoolFolder = 'spool'
/** The disk must not be full after a backup. */
const spareBytes = 64 * 1024 * 1024
const pollMs = 500
const sweepAgainMs = 1000

/** Copies a folder recursively. `linked`: as hard links where possible, for files that never change in place. */
async function copyTree(from: string, to: string, linked: boolean): Promise<number> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  let files = 0
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) files += await copyTree(source, target, linked)
    // A tilde marks a file that is still being written.
    else if (entry.isFile() && !entry.name.includes('~')) {
      files += (await takeFile(source, target, linked)) ? 1 : 0
    }
  }
  return files
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code)

/** Copies one file. Returns false if it is gone or already copied: a later pass over the blobs only adds new ones. */
async function takeFile(source: string, target: string, linked: boolean): Promise<boolean> {
  try {
    if (linked) await link(source, target)
    else await copyFile(source, target)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false
    if (!linked) throw error
    return takeFile(source, target, false)
  }
}

async function demandSpace(deps: BackupDeps, file: string): Promise<void> {
  const eventBytes = (await deps.events.size()).reduce((sum, item) => sum + item.bytesOnDisk, 0)
  // Files are linked into the backup. Blobs of another machine are fetched.
  const bytes = eventBytes + (deps.blobs.isRemote ? await deps.blobs.size() : 0)
  for (const folder of [deps.data, dirname(file)]) {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < bytes + spareBytes)
      throw new MishapError('VALIDATION', {
        detail: `A backup needs about ${Math.ceil((bytes + spareBytes) / 2 ** 20)} MiB free in ${folder}.`,
      })
  }
}

async function gather(deps: BackupDeps, stage: string, name: string): Promise<Manifest> {
  const [from, to] = [deps.folders.blobs, join(stage, parts.blobs)]
  const mark = await deps.meta.snapshots.blobWatermark()
  let blobs = await copyTree(from, to, true)
  if (deps.blobs.isRemote) blobs += await fetchBlobs(deps.blobs, await remoteKeys(deps.blobs), to)
  const resume = await deps.pause()
  try {
    const rows = await deps.events.backup(name, join(workFolderOf(deps.data), name))
    // Blobs that refining wrote meanwhile, found by their rows: another walk over all blobs costs 0.2 ms each. Done
    // before the copy of meta, so that a deletion in between cannot remove bytes whose row is in the copy.
    const newKeys = (await deps.meta.snapshots.blobKeys(mark)).filter((key) => !existsSync(join(to, key)))
    if (deps.blobs.isRemote) blobs += await fetchBlobs(deps.blobs, newKeys, to)
    else
      for (const key of newKeys) {
        await mkdir(dirname(join(to, key)), { recursive: true, mode: 0o700 })
        blobs += (await takeFile(join(from, key), join(to, key), true)) ? 1 : 0
      }
    await deps.meta.snapshots.copyTo(join(stage, parts.meta))
    // Skip processed records: the journal has them unscrubbed, with secrets that the stores no longer contain.
    await copyWaiting(deps.folders.journal, join(stage, parts.journal), {
      events: await deps.meta.batches.cursor('events'),
      bulk: await deps.meta.batches.cursor('bulk'),
    })
    // Ingest continues: bodies named by the copied journal can have just arrived, and refining deletes them.
    if (existsSync(join(from, spoolFolder)))
      blobs += await copyTree(join(from, spoolFolder), join(to, spoolFolder), true)
    const { organizations, projects, issues } = await deps.meta.snapshots.tally()
    return {
      format: backupFormat,
      version: deps.version,
      takenMs: deps.clock.now(),
      cursor: await deps.meta.batches.cursor(),
      organizations,
      projects,
      issues,
      blobs,
      ...rows,
    }
  } finally {
    resume()
  }
}

/** Backups of one data folder. */
export type Backups = {
  /**
   * Writes an archive that is consistent across the three stores and the journal while the product runs. Refining
   * pauses for the copy of the events (about a second per gigabyte). Ingest never pauses. The file appears complete or
   * not at all. Throws BACKUP_RUNNING during another backup. Throws VALIDATION if the file already exists, its folder
   * is missing or space is short.
   */
  take(path: string): Promise<Manifest>
  /** Deletes leftovers of killed backups, at most once at a time. Returns the deleted names. */
  sweep(): Promise<string[]>
  /** Whether a backup is running. It deletes its own copies. */
  running(): boolean
}

async function demandTarget(file: string): Promise<void> {
  const exists = await access(file, constants.F_OK).then(
    () => true,
    () => false,
  )
  if (exists) throw new MishapError('VALIDATION', { detail: `${file} exists already.` })
  await access(dirname(file), constants.W_OK).catch(() => {
    throw new MishapError('VALIDATION', { detail: `Mishap cannot write to the folder ${dirname(file)}.` })
  })
}

async function take(deps: BackupDeps, file: string): Promise<Manifest> {
  await demandSpace(deps, file)
  const name = `take-${deps.clock.now()}`
  const work = workFolderOf(deps.data)
  const stage = join(work, `stage-${name}`)
  const partFile = join(dirname(file), `.${basename(file)}.part`)
  await mkdir(stage, { recursive: true, mode: 0o700 })
  const noteFile = await writeNote(work, name, partFile)
  try {
    const manifest = await gather(deps, stage, name)
    await rename(join(work, name), join(stage, parts.events))
    for (const item of parts.files) await takeFile(join(deps.data, item), join(stage, item), false)
    await writeFile(join(stage, parts.manifest), `${JSON.stringify(manifest, undefined, 2)}\n`)
    // The manifest is first, so that a restore can check it early. No compression: rows are already ZSTD.
    // Loaded with the first backup: 4 MB.
    const { create } = await import('tar')
    await create({ file: partFile, cwd: stage, portable: true, mode: 0o600 }, [
      parts.manifest,
      ...(await readdir(stage)).filter((item) => item !== parts.manifest),
    ])
    await syncPath(partFile)
    await rename(partFile, file)
    await syncPath(dirname(file))
    return manifest
  } finally {
    for (const item of [partFile, stage, join(work, name), noteFile]) await rm(item, { recursive: true, force: true })
  }
}

/** Creates the backups of a data folder. Only one runs at a time, because each copies all stored data. */
export function createBackups(deps: BackupDeps): Backups {
  const state: { file: string | undefined; sweeping: Promise<string[]> | undefined } = {
    file: undefined,
    sweeping: undefined,
  }

  async function sweepOnce(): Promise<string[]> {
    // The engine outlives the app process and continues an abandoned copy.
    while (await deps.events.copying()) await deps.clock.sleep(pollMs)
    return sweepLeftovers(deps.data)
  }
  const sweep = () => {
    state.sweeping ??= sweepOnce().finally(() => {
      state.sweeping = undefined
    })
    return state.sweeping
  }

  return {
    take: async (path) => {
      if (state.file !== undefined)
        throw new MishapError('BACKUP_RUNNING', {
          detail: `A backup to ${state.file} is already running. Wait until it ends.`,
        })
      const file = resolve(path)
      state.file = file
      try {
        await demandTarget(file)
        await sweep()
        return await take(deps, file)
      } finally {
        state.file = undefined
      }
    },
    sweep: () => (state.file === undefined ? sweep() : Promise.resolve([])),
    running: () => state.file !== undefined,
  }
}

/** Deletes leftovers of a killed backup at startup, once the engine answers. Otherwise they would stay unnoticed. */
export async function sweepAtStart(
  { sweep }: Pick<Backups, 'sweep'>,
  { clock, observe }: { clock: Clock; observe: Observe },
  isStopping: () => boolean,
): Promise<void> {
  while (!isStopping()) {
    try {
      const swept = await sweep()
      if (swept.length > 0) observe.warn({ swept }, 'deleted leftovers of an interrupted backup')
      return
    } catch {
      // The engine does not answer yet, or deleting failed. Try again.
      await clock.sleep(sweepAgainMs)
    }
  }
}
