import { constants, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Auth } from '../auth/auth.ts'
import { createAuth } from '../auth/create.ts'
import { writeKeyFile } from '../auth/keyfile.ts'
import { lockDataFolder } from '../auth/lock.ts'
import { createSeal, type Seal } from '../auth/seal.ts'
import { loadSecrets } from '../auth/secret.ts'
import { type Backups, createBackups } from '../backup/backup.ts'
import { rehearsal, sweepLeftovers } from '../backup/leftovers.ts'
import { restoreBackup } from '../backup/restore.ts'
import { storesFile, writeStores } from '../backup/stores-record.ts'
import { type Check, verify } from '../backup/verify.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Config, programVersion } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { onlyMoveSettings } from '../base/move-settings.ts'
import { createObserve, type Observe } from '../base/observe.ts'
import { openJournalReader } from '../journal/files.ts'
import { applyConfig, exportConfig, planConfig } from '../operations/config-apply.ts'
import { bootstrap } from '../operations/first-run.ts'
import { createWaits, withRetry } from '../refine/pipeline/retry.ts'
import type { Commands } from '../serve/control.ts'
import { demandComplete, layOut, restoreMarker } from '../serve/folders.ts'
import type { Folders } from '../serve/messages.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { openBlobs } from '../store/blobs/open.ts'
import { demandBlobPlace, recordBlobPlace } from '../store/blobs/start.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { TableName } from '../store/events/tables.ts'
import { programValue } from '../store/meta/database/migrate.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { blobSourceOf } from './blob-source.ts'
import { moveStores } from './move.ts'
import { withEngine, withEvents } from './open-events.ts'
import { copyMeta, hasMeta, metaTarget, openMeta } from './open-meta.ts'
import { finishSwitch, settleStores } from './settle-stores.ts'

const dayMs = 86_400_000

/** Opens the meta store and accounts of a data folder. Throws what `openMeta` throws. */
async function openPeople(
  config: Config,
  folder: string,
  clock: Clock,
  observe: Observe,
): Promise<{ meta: MetaStore; auth: Auth; seal: Seal; close(): Promise<void> }> {
  const meta = await openMeta(config, folder, clock)
  const secret = loadSecrets(config.data).authSecret
  let auth: Auth
  try {
    const version = programVersion()
    if ((await meta.values.getValue(programValue)) !== version) await meta.values.setValue(programValue, version)
    auth = await createAuth({ meta, secret, url: config.url, clock, observe })
  } catch (error) {
    await meta.close()
    throw error
  }
  return { meta, auth, seal: createSeal(secret), close: meta.close }
}

/**
 * Like `openPeople`, for a process that main supervises. It waits on a full disk and for a server that
 * does not answer: an exit would cause an endless restart loop. It throws once main is gone: the next main starts its own process, and two would store all data twice.
 */
export function openWithRetry(...words: Parameters<typeof openPeople>): ReturnType<typeof openPeople> {
  const [, , clock, observe] = words
  const stopped = new AbortController()
  const end = () => stopped.abort()
  process.once('disconnect', end)
  const waiting = { clock, observe, stopped, waits: createWaits(clock) }
  const poll = () => {
    if (stopped.signal.aborted) throw new MishapError('DATABASE_UNWRITABLE')
    return openPeople(...words)
  }
  return withRetry(waiting, 'database', poll).finally(() => process.off('disconnect', end))
}

/** Commands that need accounts and projects, for a running or a stopped server. */
export function peopleCommands(meta: MetaStore, auth: Auth, url: string, changed: () => Promise<void>): Commands {
  const text = (value: Record<string, string>, name: string) => value[name] ?? ''
  return {
    bootstrap: async (value) => {
      const created = await bootstrap(
        { meta, auth, url },
        {
          org: text(value, 'org'),
          project: text(value, 'project'),
          platform: text(value, 'platform'),
          email: text(value, 'email'),
          password: text(value, 'password'),
          ...(value.name ? { name: value.name } : {}),
          ciToken: value.ciToken === 'yes',
        },
      )
      await changed()
      return created
    },
    'reset-password': async (value) => {
      await auth.resetPassword(text(value, 'email'), text(value, 'password'))
      return {}
    },
  }
}

/** Commands over the configuration in files, for a running or a stopped server. `changed` publishes the keys. */
export function configCommands(
  parts: { meta: MetaStore; auth: Auth; clock: Clock; config: Config },
  changed: () => Promise<void>,
): Commands {
  const deps = { ...parts, publishKeys: changed }
  const filesOf = ({ files = '{}' }: Record<string, string>) => JSON.parse(files) as Record<string, string>
  return {
    'config-export': ({ org = '' }) => exportConfig(deps, org),
    'config-plan': (value) => planConfig(deps, value.org ?? '', filesOf(value), value.prune === 'yes'),
    'config-apply': (value) => applyConfig(deps, value.org ?? '', filesOf(value), value.prune === 'yes'),
  }
}

/** Dependencies of backups and checks, whether the server runs or not. */
type MaintenanceParts = {
  config: Config
  version: string
  clock: Clock
  folders: Folders
  meta: MetaStore
  events: EventStore
  blobs: BlobStore
  backups: Backups
  /** Waits for running batches and starts none until the returned function is called. */
  pause(): Promise<() => void>
  /** Position up to which the journal is on disk. */
  durable(): number
}

async function verifyParts(parts: MaintenanceParts): Promise<{ checks: Check[] }> {
  const { clock, config, folders, meta, events, blobs } = parts
  const resume = await parts.pause()
  const journal = openJournalReader(folders.journal)
  try {
    const checks = await verify({
      clock,
      meta,
      events,
      journal,
      blobs,
      durable: parts.durable(),
      retainedSinceMs: clock.now() - config.retentionErrorsDays * dayMs,
    })
    return { checks }
  } finally {
    journal.close()
    resume()
  }
}

/** Commands that need all stores, for a running or a stopped server. */
export function maintenanceCommands(parts: MaintenanceParts): Commands {
  return {
    backup: ({ file = '' }) => parts.backups.take(file),
    verify: () => verifyParts(parts),
  }
}

/** Beyond every position: a stopped journal is completely on disk. */
const stoppedDurable = Number.MAX_SAFE_INTEGER

/** Runs `work` with all stores of a data folder that is not in use. */
async function withStores(config: Config, work: (parts: MaintenanceParts) => Promise<object>): Promise<object> {
  const observe = createObserve('command', config.logLevel)
  const layout = layOut(config.data)
  const source = blobSourceOf(config, layout.folders)
  await demandBlobPlace(config.data, source)
  const blobs = openBlobs(source)
  const { meta, close } = await openPeople(config, layout.folders.meta, systemClock, observe)
  try {
    return await withEvents(config, layout, observe, async (events) => {
      await events.migrate()
      const pause = async () => () => {}
      const parts = {
        version: programVersion(),
        meta,
        events,
        blobs,
        folders: layout.folders,
        clock: systemClock,
        pause,
      }
      return work({
        ...parts,
        config,
        backups: createBackups({ ...parts, data: config.data }),
        durable: () => stoppedDurable,
      })
    })
  } finally {
    await close()
  }
}

/** Lets an engine of its own read a copy of the embedded store and write its rows in place of it. */
async function convertCopy(
  config: Config,
  layout: ReturnType<typeof layOut>,
  observe: Observe,
  folder: string,
): Promise<Record<TableName, number>> {
  // The engine reads copies from the folder "backup" beside its own (sessions.ts).
  const work = `${folder}-convert`
  const [engine, copies] = [join(work, 'engine'), join(work, 'backup')]
  await mkdir(copies, { recursive: true, mode: 0o700 })
  await rename(folder, join(copies, 'events'))
  const folders = { ...layout.folders, engine }
  const rows = await withEngine(config, { ...layout, folders }, observe, async (events) => {
    await events.restore('events', join(copies, 'events'), false)
    return events.exportRows(folder)
  })
  await rm(work, { recursive: true, force: true })
  return rows
}

async function restoreStopped(config: Config, file: string): Promise<object> {
  const observe = createObserve('command', config.logLevel)
  const layout = layOut(config.data)
  const source = blobSourceOf(config, layout.folders)
  return restoreBackup(config.data, file, {
    folders: layout.folders,
    target: metaTarget(config, layout.folders.meta),
    blobs: openBlobs(source),
    recordPlace: async () => {
      // The record of an earlier move of this folder says nothing about the restored data.
      await rm(join(config.data, storesFile), { force: true })
      await recordBlobPlace(config.data, source)
    },
    mark: restoreMarker(config.data),
    convert: config.events ? (folder) => convertCopy(config, layout, observe, folder) : undefined,
    withStores: async (work) => {
      const { meta, close } = await openPeople(config, layout.folders.meta, systemClock, observe)
      try {
        return await withEvents(config, layout, observe, (events) => work({ meta, events }))
      } finally {
        await close()
      }
    },
  })
}

/**
 * Opens a copy of the data folder with this version, which migrates its schema, and checks all invariants. The data
 * folder does not change, so the version that wrote it still works. The copy lies inside it: this user can write there,
 * and it is on the same file system.
 */
async function rehearse(config: Config): Promise<object> {
  if (config.events)
    throw new MishapError('VALIDATION', {
      detail: 'A rehearsal copies the events, so it needs the embedded events store. MISHAP_EVENTS is set.',
    })
  await sweepLeftovers(config.data)
  // Sockets cannot be copied, and the locks belong to this process.
  const skipped = new Set(['run', 'lock.sqlite', 'lock.pid', 'backup'])
  const all = await readdir(config.data)
  const names = all.filter((fileName) => !skipped.has(fileName))
  await demandDiskSpace(config.data, names)
  const copy = await mkdtemp(join(config.data, rehearsal))
  try {
    for (const name of names)
      await cp(join(config.data, name), join(copy, name), { recursive: true, mode: constants.COPYFILE_FICLONE })
    return await withStores(await copyMeta(config, copy), verifyParts)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Throws VALIDATION if there is not enough disk space for a copy of these parts of the data folder. */
async function demandDiskSpace(data: string, names: readonly string[]): Promise<void> {
  const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  let bytes = 0
  for (const name of names) {
    const path = join(data, name)
    if (!statSync(path).isDirectory()) bytes += bytesOf(path)
    else
      for (const file of await readdir(path, { recursive: true, withFileTypes: true }))
        if (file.isFile()) bytes += bytesOf(join(file.parentPath, file.name))
  }
  const { bavail, bsize } = await statfs(data)
  if (bavail * bsize < bytes * 1.2)
    throw new MishapError('VALIDATION', {
      detail: `A rehearsal copies the data folder. It needs ${Math.ceil((bytes * 1.2) / 2 ** 20)} MiB free in ${data}.`,
    })
}

/** Throws NOT_FOUND for a data folder without a Mishap database. */
function demandData(config: Config): void {
  if (!hasMeta(config.data)) throw new MishapError('NOT_FOUND', { detail: `${config.data} holds no Mishap data.` })
}

/** One command on a stopped data folder. The caller holds its lock. */
type Stopped = {
  /** Throws for an unsuitable folder before anything is created there. */
  demand?: (config: Config) => void
  /** Accepts a folder with an interrupted restore. Only another restore does. */
  takesBroken?: true
  carryOut(config: Config, value: Record<string, string>): Promise<object>
}

const keeping = (name: 'backup' | 'verify'): Stopped => ({
  demand: demandData,
  carryOut: (config, value) =>
    withStores(config, async (parts) => (await maintenanceCommands(parts)[name]?.(value)) ?? {}),
})

const peopleCommand = (name: 'bootstrap' | 'reset-password' | `config-${'export' | 'plan' | 'apply'}`): Stopped => ({
  async carryOut(config, value) {
    const observe = createObserve('command', config.logLevel)
    const { folders } = layOut(config.data)
    const { meta, auth, close } = await openPeople(config, folders.meta, systemClock, observe)
    try {
      const changed = async () => writeKeyFile(config.data, await meta.projects.keySnapshot())
      const commands = {
        ...peopleCommands(meta, auth, config.url, changed),
        ...configCommands({ meta, auth, clock: systemClock, config }, changed),
      }
      return (await commands[name]?.(value)) ?? {}
    } finally {
      await close()
    }
  },
})

/** Moves a data folder whose product is stopped. */
async function moveStopped(config: Config, value: Record<string, string>): Promise<object> {
  const observe = createObserve('command', config.logLevel)
  const layout = layOut(config.data)
  await demandBlobPlace(config.data, blobSourceOf(config, layout.folders))
  const { record, result } = await moveStores({
    config,
    settings: onlyMoveSettings(value),
    layout,
    clock: systemClock,
    observe,
    databaseBytes: async () => {
      const meta = await openMeta(config, layout.folders.meta, systemClock)
      return meta.snapshots.bytes().finally(meta.close)
    },
    cursor: async () => 0,
    quiet: async () => undefined,
    withSource: (work) =>
      withEvents(config, layout, observe, async (events) => {
        await events.migrate()
        return work(events)
      }),
  })
  await writeStores(config.data, record)
  await finishSwitch(config.data)
  return result
}

/** Every command that works on a stopped server. */
const stopped: Readonly<Record<string, Stopped>> = {
  bootstrap: peopleCommand('bootstrap'),
  'reset-password': peopleCommand('reset-password'),
  'config-export': { ...peopleCommand('config-export'), demand: demandData },
  'config-plan': { ...peopleCommand('config-plan'), demand: demandData },
  'config-apply': { ...peopleCommand('config-apply'), demand: demandData },
  backup: keeping('backup'),
  verify: keeping('verify'),
  rehearse: { demand: demandData, carryOut: rehearse },
  move: { demand: demandData, carryOut: moveStopped },
  restore: { takesBroken: true, carryOut: (config, value) => restoreStopped(config, value.file ?? '') },
}

/**
 * Runs one command on a data folder that is not in use. Throws MishapError START_LOCKED if it is, NOT_FOUND for an
 * unknown command.
 */
export async function runStopped(config: Config, name: string, value: Record<string, string>): Promise<object> {
  const command = Object.hasOwn(stopped, name) ? stopped[name] : undefined
  if (!command) throw new MishapError('NOT_FOUND', { detail: `No command "${name}".` })
  command.demand?.(config)
  layOut(config.data)
  const lock = lockDataFolder(config.data)
  try {
    if (!command.takesBroken) {
      demandComplete(config.data)
      await settleStores(config)
    }
    return await command.carryOut(config, value)
  } finally {
    lock.release()
  }
}
