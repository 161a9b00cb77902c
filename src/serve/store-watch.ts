import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'

/** A store that can be on another machine. `ping` throws while it does not answer. */
export type WatchedStore = { isRemote: boolean; ping(): Promise<unknown> }
/** Whether a store answers; `reason`: why not. */
export type StoreAnswer = { up: boolean; reason: string | null }

const everyMs = 3000
/** A store that does not answer within this time is away, ms. */
const answerMs = 5000

/**
 * Asks a store on another machine every 3 s whether it answers. Files are always up. `changed` is called when the answer
 * changes, and once at the start.
 */
export function createStoreWatch({
  store,
  clock,
  changed,
}: {
  store: WatchedStore
  clock: Clock
  changed(state: StoreAnswer): void
}): { state(): StoreAnswer; stop(): void } {
  let state: StoreAnswer = { up: true, reason: null }
  let isAsking = false
  const set = (next: StoreAnswer) => {
    const isNew = next.up !== state.up
    state = next
    if (isNew) changed(state)
  }

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    const cancel = clock.after(answerMs, () => set({ up: false, reason: 'It does not answer.' }))
    try {
      await store.ping()
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
  if (!store.isRemote) return { state: () => state, stop: () => undefined }
  void ask()
  return { state: () => state, stop: clock.every(everyMs, () => void ask()) }
}
