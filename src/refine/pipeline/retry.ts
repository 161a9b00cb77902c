import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import { faultOf, type Observe } from '../../base/observe.ts'

/** A store that refining may have to wait for: events, the database, and the files of attachments and dead items. */
export type WaitedFor = 'events' | 'database' | 'files'
/** Which store refining waits for, and since when (ms since 1970). */
export type Wait = { store: WaitedFor; sinceMs: number }

/** What refining waits for at this moment; screens and API say so. */
export type Waits = {
  /** The store did not take or give what was asked. */
  begin(store: WaitedFor): void
  /** It does again. */
  end(store: WaitedFor): void
  /** The one that is waited for longest; undefined when none is. */
  oldest(): Wait | undefined
}

/** Makes the memory of it; nothing is waited for at first. */
export function createWaits(clock: Clock): Waits {
  const since = new Map<WaitedFor, number>()
  return {
    begin: (store) => {
      if (!since.has(store)) since.set(store, clock.now())
    },
    end: (store) => void since.delete(store),
    // a map keeps the order in which its keys came
    oldest: () => {
      const [first] = since
      return first && { store: first[0], sinceMs: first[1] }
    },
  }
}

type Waiting = { clock: Clock; observe: Observe; stopped: AbortController; waits: Waits }

const longestMs = 1000
/** No space, over a quota, a file system that turned read-only, a disk that fails. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/** Whether files can't be written for a reason that no record is to blame for. */
export const isFull = (error: unknown): boolean =>
  fullCodes.has(String((error as NodeJS.ErrnoException | undefined)?.code))

const passes: Record<WaitedFor, (error: unknown) => boolean> = {
  events: () => true,
  database: (error) => isFull(error) || (error instanceof MishapError && error.code === 'DATABASE_UNWRITABLE'),
  files: isFull,
}

/**
 * Asks a store until it answers, as long as it takes, with growing pauses of up to a second. Throws its error once refining
 * is stopped, and at once where waiting can't help: of the database all but DATABASE_UNWRITABLE, of files all but a full disk.
 */
export async function withRetry<T>(
  { clock, observe, stopped, waits }: Waiting,
  store: WaitedFor,
  ask: () => T | Promise<T>,
): Promise<T> {
  let began = false
  try {
    for (let tries = 0; ; tries++) {
      try {
        return await ask()
      } catch (error) {
        if (stopped.signal.aborted || !passes[store](error)) throw error
        began = true
        waits.begin(store)
        if (tries % 20 === 0) observe.warn({ store, error: faultOf(error) }, 'refining waits for a store')
        await clock.sleep(Math.min(longestMs, 50 * 2 ** Math.min(tries, 8)), stopped.signal)
      }
    }
  } finally {
    // a wait that somebody else began goes on: a full disk still answers reads
    if (began) waits.end(store)
  }
}
