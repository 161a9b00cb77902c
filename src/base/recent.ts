import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

/** Results of slow reads, shared by all callers for a short time. */
export type Recent<Value extends object> = {
  /** Returns the result for `key`. Runs `load` if there is none, or if it is too old. A failure is not stored. */
  get(key: string, load: () => Promise<Value>): Promise<Value>
}

/** Creates an empty store of at most `max` results, each used for `maxAgeMs`. Concurrent calls of a key load once. */
export function createRecent<Value extends object>(
  clock: Pick<Clock, 'now'>,
  { max, maxAgeMs }: { max: number; maxAgeMs: number },
): Recent<Value> {
  const results = new LRUCache<string, { atMs: number; value: Promise<Value> }>({ max })
  return {
    get: (key, load) => {
      const stored = results.get(key)
      if (stored && clock.now() - stored.atMs < maxAgeMs) return stored.value
      const value = load()
      results.set(key, { atMs: clock.now(), value })
      value.catch(() => {
        if (results.peek(key)?.value === value) results.delete(key)
      })
      return value
    },
  }
}
