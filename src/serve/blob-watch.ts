import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'

/** Whether the blob store answers; `reason`: why not. */
export type BlobState = { up: boolean; reason: string | null }

const everyMs = 3000
/** A store that does not answer within this time is away, ms. */
const answerMs = 5000

/**
 * Asks a blob store on another machine every 3 s whether it answers. Files are always up. `changed` is called when the
 * answer changes, and once at the start.
 */
export function createBlobWatch({
  blobs,
  clock,
  changed,
}: {
  blobs: Pick<BlobStore, 'isRemote' | 'ping'>
  clock: Clock
  changed(state: BlobState): void
}): { state(): BlobState; stop(): void } {
  let state: BlobState = { up: true, reason: null }
  let isAsking = false
  const set = (next: BlobState) => {
    const isNew = next.up !== state.up
    state = next
    if (isNew) changed(state)
  }

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const cancel = clock.after(answerMs, () => set({ up: false, reason: 'It does not answer.' }))
    try {
      await blobs.ping()
      cancel()
      set({ up: true, reason: null })
    } catch (error) {
      cancel()
      set({ up: false, reason: error instanceof MishapError ? error.message : String(error) })
    } finally {
      isAsking = false
    }
  }

  changed(state)
  if (!blobs.isRemote) return { state: () => state, stop: () => undefined }
  void ask()
  return { state: () => state, stop: clock.every(everyMs, () => void ask()) }
}
