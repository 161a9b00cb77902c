import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { MoveStore } from '../store/events/moves.ts'
import type { TableName } from '../store/events/tables.ts'
import { copyNewBlobs, finishBlobs } from './move-blobs.ts'
import { createEventsMove } from './move-events.ts'

/** The stores of one move. A part that is undefined stays where it is. */
type MoveDeps = {
  clock: Clock
  /** Logs how long each phase took: a large folder moves for hours. */
  observe: Pick<Observe, 'info'>
  events: { from: MoveStore; to: MoveStore } | undefined
  blobs: { from: BlobStore; to: BlobStore } | undefined
  /** Copies the whole database. */
  meta: (() => Promise<void>) | undefined
  /** Journal position up to which the stores are complete. */
  cursor(): Promise<number>
  /** Ends everything that changes the stores. Only ingest continues, into the journal. */
  quiet(): Promise<void>
}

/** What a move has copied. `pausedMs`: time from the end of all changes to the end of the copy. */
export type MoveResult = { pausedMs: number; blobs: number } & Partial<Record<TableName, number>>

/** Rounds after the first round. Each is shorter, because less has come meanwhile. */
const roundsMax = 5
/** A round that is this short (ms) is repeated after the pause without harm. */
const shortMs = 1000

/**
 * Copies the stores of a data folder: first while everything runs, then what has changed meanwhile, and after `quiet` the
 * rest. Compares old and new. The old stores do not change. Throws VALIDATION if they differ, and what the stores throw.
 */
export async function copyStores(deps: MoveDeps): Promise<MoveResult> {
  const { clock, observe, events, blobs, meta, cursor, quiet } = deps
  const timed = async <T>(phase: string, work: Promise<T> | undefined): Promise<T | undefined> => {
    const beganMs = clock.now()
    const result = await work
    observe.info({ phase, ms: clock.now() - beganMs }, 'a phase of the move has ended')
    return result
  }
  await timed('blobs', blobs && copyNewBlobs(blobs.from, blobs.to))
  const move = events && createEventsMove(events.from, await events.to.takeRows(), events.to)
  for (let rounds = 0; move && rounds < roundsMax; rounds++) {
    const beganMs = clock.now()
    await timed(`events ${rounds + 1}`, move.round(await cursor()))
    if (clock.now() - beganMs < shortMs) break
  }
  await timed('new blobs', blobs && copyNewBlobs(blobs.from, blobs.to))
  await timed('end of changes', quiet())
  const quietMs = clock.now()
  // The database is last: its values name the blobs and events.
  const rows = await timed('last events', move?.finish())
  const count = await timed('last blobs', blobs && finishBlobs(blobs.from, blobs.to))
  await timed('database', meta?.())
  return { pausedMs: clock.now() - quietMs, blobs: count ?? 0, ...rows }
}
