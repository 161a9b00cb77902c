import type { Clock } from '../../base/clock.ts'
import { isBlobsAway, MishapError } from '../../base/errors.ts'
import { faultOf, type Observe } from '../../base/observe.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'

/**
 * A store that refining can wait for: events, the database, and attachments and dead letters: as files, or on another
 * machine (`blobs`).
 */
export type WaitedFor = 'events' | 'database' | 'files' | 'blobs'
/** The store that refining waits for, and since when (ms since 1970). */
export type Wait = { store: WaitedFor; sinceMs: number }

/** The current waits. Screens and API show them. */
export type Waits = {
  /** The store failed to read or write. */
  begin(store: WaitedFor): void
  /** The store works again. */
  end(store: WaitedFor): void
  /** The longest current wait; undefined if there is none. */
  oldest(): Wait | undefined
}

/** Makes an empty list of waits. */
export function createWaits(clock: Clock): Waits {
  const since = new Map<WaitedFor, number>()
  return {
    begin: (store) => {
      if (!since.has(store)) since.set(store, clock.now())
    },
    end: (store) => void since.delete(store),
    // A map keeps the insertion order of its keys.
    oldest: () => {
      const [first] = since
      return first && { store: first[0], sinceMs: first[1] }
    },
  }
}

type Waiting = { clock: Clock; observe: Observe; stopped: AbortController; waits: Waits }

const longestMs = 1000
/** No space, over a quota, a read-only file system, a failing disk. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/** Whether a file error is caused by the disk and not by a record. */
export const isFull = (error: unknown): boolean =>
  fullCodes.has(String((error as NodeJS.ErrnoException | undefined)?.code))

/**
 * The database has no space, or does not answer. DATABASE_UNKNOWN is not among them: only a restart, which compares the
 * cursor, can tell whether that batch is committed.
 */
const waitedCodes: readonly string[] = ['DATABASE_UNWRITABLE', 'DATABASE_UNAVAILABLE']

const passes: Record<WaitedFor, (error: unknown) => boolean> = {
  events: () => true,
  database: (error) => isFull(error) || (error instanceof MishapError && waitedCodes.includes(error.code)),
  files: isFull,
  blobs: (error) => isFull(error) || isBlobsAway(error),
}

/** Returns the store that writes of blobs wait for. */
export const waitedForOf = ({ isRemote }: Pick<BlobStore, 'isRemote'>): WaitedFor => (isRemote ? 'blobs' : 'files')

/**
 * Calls a store until it succeeds, with growing pauses of up to 1 s and no time limit. Throws its error once refining
 * is stopped. Throws at once if waiting cannot help: it can for a full disk, for a database that does not answer, and
 * for blobs on another machine (BLOBS_UNAVAILABLE).
 */
export async function withRetry<T>(
  { clock, observe, stopped, waits }: Waiting,
  store: WaitedFor,
  run: () => T | Promise<T>,
): Promise<T> {
  let hasWaited = false
  try {
    for (let tries = 0; ; tries++) {
      try {
        return await run()
      } catch (error) {
        if (stopped.signal.aborted || !passes[store](error)) throw error
        hasWaited = true
        waits.begin(store)
        if (tries % 20 === 0) observe.warn({ store, error: faultOf(error) }, 'refining waits for a store')
        await clock.sleep(Math.min(longestMs, 50 * 2 ** Math.min(tries, 8)), stopped.signal)
      }
    }
  } finally {
    // Ends only a wait that this call began. A full disk still answers reads.
    if (hasWaited) waits.end(store)
  }
}
