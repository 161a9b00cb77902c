import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyStores, type MoveResult } from '../backup/move.ts'
import { demandFreeSpace } from '../backup/move-space.ts'
import { remoteKeys } from '../backup/remote-blobs.ts'
import { placesOf, readMoving, readStores, writeMoving } from '../backup/stores-record.ts'
import type { Clock } from '../base/clock.ts'
import { type Config, environment } from '../base/config.ts'
import { MishapError } from '../base/errors.ts'
import { configWith, type MoveSettings, type StorePlaces, type StoresRecord } from '../base/move-settings.ts'
import type { Observe } from '../base/observe.ts'
import type { Folders, Sockets } from '../serve/messages.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import { openBlobs } from '../store/blobs/open.ts'
import { probeBlobStore } from '../store/blobs/start.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { blobSourceOf } from './blob-source.ts'
import { withEvents } from './open-events.ts'
import { openMeta, pairValue, withDatabase } from './open-meta.ts'

type MoveParts = {
  config: Config
  /** The new stores, with their secrets. */
  settings: MoveSettings
  layout: { folders: Folders; sockets: Sockets }
  clock: Clock
  observe: Observe
  /** Size of the database that is in use. */
  databaseBytes(): Promise<number>
  /** See `copyStores`. */
  cursor(): Promise<number>
  quiet(): Promise<void>
  /** Opens the events store that is in use. */
  withSource<T>(work: (events: EventStore) => Promise<T>): Promise<T>
}

/** The end of a move: what the switch records, and what was copied. */
type Moved = { record: StoresRecord; result: MoveResult }

type Pair<T> = { from: T; to: T }

/** One move: the settings before and after, and the stores that change. */
type Plan = {
  to: Config
  env: Record<string, string | undefined>
  places: StorePlaces
  changed: (keyof StorePlaces)[]
  kept: StoresRecord['kept']
  /** Whether a target may lose its contents: an earlier move left them. */
  mayReplace(store: keyof StorePlaces): boolean
}

const storeNames = ['meta', 'events', 'blobs'] as const
const movedFile = /^moved-[\w-]+\.sqlite(?:-wal|-shm|-journal)?$/

function planOf({ config, settings, clock }: MoveParts): Plan {
  const to = configWith(config, settings)
  const [before, places] = [placesOf(config), placesOf(to)]
  const changed = storeNames.filter((store) => before[store] !== places[store])
  if (changed.length === 0)
    throw new MishapError('VALIDATION', {
      detail: 'The data folder has these stores already. There is nothing to move.',
    })
  const [cutOff, earlier] = [readMoving(config.data), readStores(config.data)?.kept ?? []]
  const left = changed.map((store) => ({ store, place: before[store], untilMs: clock.now() }))
  return {
    to,
    env: { ...environment(), ...settings },
    places,
    changed,
    kept: [
      ...earlier.filter(({ store, place }) => !changed.includes(store) || place !== places[store]),
      ...left,
    ].filter(
      ({ store, place }, at, all) => all.findLastIndex((item) => item.store === store && item.place === place) === at,
    ),
    mayReplace: (store) =>
      cutOff[store] === places[store] || earlier.some((item) => item.store === store && item.place === places[store]),
  }
}

const inUse = (variable: string, what: string) =>
  new MishapError('VALIDATION', { detail: `The target in ${variable} already holds ${what}. Move into an empty one.` })

/** Opens the target of the blobs. Throws VALIDATION if it has blobs of others, START_BLOBS_* if it cannot be used. */
async function openBlobTarget(plan: Plan, { layout, clock }: MoveParts): Promise<BlobStore> {
  const source = blobSourceOf(plan.to, layout.folders, plan.env)
  await probeBlobStore(source, clock)
  const blobs = openBlobs(source)
  if (!plan.mayReplace('blobs') && (await remoteKeys(blobs)).length > 0) throw inUse('MISHAP_MOVE_BLOBS', 'blobs')
  return blobs
}

/** Throws VALIDATION if the target database is used, START_DATABASE if it cannot be used. */
async function demandDatabase(plan: Plan): Promise<void> {
  if (plan.to.meta === '') return
  const isUsed = await withDatabase(plan.to, plan.env, (load) => load.isUsed())
  if (isUsed && !plan.mayReplace('meta')) throw inUse('MISHAP_MOVE_META', 'data')
}

async function demandEvents(plan: Plan, events: EventStore): Promise<void> {
  await events.migrate()
  // The table of the owner is no data.
  const rows = (await events.size())
    .filter(({ table }) => table !== 'control')
    .reduce((sum, size) => sum + size.rows, 0)
  if (rows > 0 && !plan.mayReplace('events')) throw inUse('MISHAP_MOVE_EVENTS', `${rows} rows`)
}

const bytesOf = async (events: EventStore | undefined): Promise<number> =>
  (await (events?.size() ?? [])).reduce((sum, table) => sum + table.bytesOnDisk, 0)

/**
 * Throws VALIDATION if what the move writes into the data folder does not fit there. What an interrupted or earlier move
 * has left in the targets is replaced, so it counts as free.
 */
async function demandSpaceFor(
  { to }: Plan,
  { config, databaseBytes }: MoveParts,
  { events, blobs }: { events: Pair<EventStore> | undefined; blobs: Pair<BlobStore> | undefined },
): Promise<void> {
  const [eventBytes, blobBytes] = [to.events ? 0 : await bytesOf(events?.from), to.blobs ? 0 : await blobs?.from.size()]
  await demandFreeSpace(config.data, config.diskReserveBytes, {
    incoming: {
      events: eventBytes,
      blobs: blobBytes ?? 0,
      database: to.meta === config.meta ? 0 : await databaseBytes(),
    },
    replaced: (eventBytes ? await bytesOf(events?.to) : 0) + (blobBytes ? ((await blobs?.to.size()) ?? 0) : 0),
  })
}

/** Copies the database. Returns what the switch has to do. */
async function copyDatabase(plan: Plan, { config, layout, clock }: MoveParts): Promise<StoresRecord['pending']> {
  const folder = layout.folders.meta
  const name = `moved-${randomUUID()}.sqlite`
  const meta = await openMeta(config, folder, clock)
  try {
    await meta.snapshots.copyTo(join(folder, name))
  } finally {
    await meta.close()
  }
  if (plan.to.meta === '') return { file: name }
  const pair = randomUUID()
  await withDatabase(plan.to, plan.env, (load) => load.replace(join(folder, name), { [pairValue]: pair }))
  dropCopies(folder)
  return { pair }
}

/** Deletes copies of the database that this or an interrupted move left. */
function dropCopies(folder: string): void {
  for (const name of readdirSync(folder)) if (movedFile.test(name)) rmSync(join(folder, name), { force: true })
}

/**
 * Copies the stores of a data folder to those of other settings. The old ones do not change and stay in use until the
 * caller writes the returned record. Throws VALIDATION for a target that holds other data, START_* and *_UNAVAILABLE for
 * one that cannot be used.
 */
export async function moveStores(parts: MoveParts): Promise<Moved> {
  const { config, layout, observe, clock } = parts
  const plan = planOf(parts)
  const moves = (store: keyof StorePlaces) => plan.changed.includes(store)
  dropCopies(layout.folders.meta)
  if (moves('meta')) await demandDatabase(plan)
  const blobs = moves('blobs')
    ? { from: openBlobs(blobSourceOf(config, layout.folders)), to: await openBlobTarget(plan, parts) }
    : undefined
  let pending: StoresRecord['pending'] = blobs ? { blobs: plan.to.blobs ? plan.places.blobs : '' } : {}
  const copy = async (events: Pair<EventStore> | undefined): Promise<MoveResult> => {
    if (events) await demandEvents(plan, events.to)
    await demandSpaceFor(plan, parts, { events, blobs })
    await writeMoving(config.data, plan.places)
    const meta = async () => {
      pending = { ...pending, ...(await copyDatabase(plan, parts)) }
    }
    const { cursor, quiet } = parts
    return copyStores({ clock, observe, events, blobs, meta: moves('meta') ? meta : undefined, cursor, quiet })
  }
  const result = moves('events')
    ? await parts.withSource((from) => withEvents(plan.to, layout, observe, (to) => copy({ from, to }), plan.env))
    : await copy(undefined)
  return { record: { places: plan.places, kept: plan.kept, pending }, result }
}
