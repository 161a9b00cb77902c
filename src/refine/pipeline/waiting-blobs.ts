import { systemClock } from '../../base/clock.ts'
import { silent } from '../../base/observe.ts'
import type { BlobStore } from '../../store/blobs/blobs.ts'
import { createWaits, type WaitedFor, waitedForOf, withRetry } from './retry.ts'

/** Blobs whose writes wait for disk space, or for a store that is away: no record is at fault. `notifyFull` is called when a wait begins and ends. */
export function waitingBlobs(blobs: BlobStore, notifyFull: (full: boolean) => void): BlobStore {
  const waits = createWaits(systemClock)
  const notifying = {
    ...waits,
    begin: (store: WaitedFor) => {
      if (!waits.oldest()) notifyFull(true)
      waits.begin(store)
    },
    end: (store: WaitedFor) => {
      if (waits.oldest()) notifyFull(false)
      waits.end(store)
    },
  }
  const waitedFor = waitedForOf(blobs)
  // Stopping the thread ends any wait.
  const waiting = { clock: systemClock, observe: silent, stopped: new AbortController(), waits: notifying }
  return {
    ...blobs,
    put: (key, bytes) => withRetry(waiting, waitedFor, () => blobs.put(key, bytes)),
    putStream: (key, stream, max) => withRetry(waiting, waitedFor, () => blobs.putStream(key, stream, max)),
  }
}
