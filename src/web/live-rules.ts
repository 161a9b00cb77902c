import type { LiveChange } from '../protocol/rest.ts'

/** What the tab that holds the connection tells the others. */
export type LiveMessage = { id: number; change: LiveChange } | { up: boolean }

/** Reads one `change` message of the stream; undefined when it is none. */
export function liveMessage(id: string, data: string): LiveMessage | undefined {
  try {
    const change = JSON.parse(data) as LiveChange
    if (typeof change !== 'object' || change === null || !['events', 'issue', 'engine'].includes(change.kind))
      return undefined
    return { id: Number(id) || 0, change }
  } catch {
    return undefined
  }
}
