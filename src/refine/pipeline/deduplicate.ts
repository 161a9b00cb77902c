import type { OutcomeCount } from '../../base/outcome.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import type { RepeatWindow, StoredPlaces } from '../kinds/kind.ts'
import { repeatWindows } from '../kinds/kinds.ts'
import { createDedupWindow, type DedupWindow } from './dedup-window.ts'
import type { RangeGroup, RefinedRange } from './range.ts'

/** The dedup window in ms. */
const windowMs = 3_600_000

/** The dedup windows, by name. */
export type Memory = ReadonlyMap<string, DedupWindow>

/** Makes an empty dedup window for each kind. */
export const createMemory = (windows: readonly Pick<RepeatWindow, 'name' | 'max'>[] = repeatWindows): Memory =>
  new Map(windows.map(({ name, max }) => [name, createDedupWindow(windowMs, max)]))

/** Fills the dedup windows with the keys that the store has from the last hour. Throws STORE_UNAVAILABLE. */
export async function readMemory(memory: Memory, events: EventStore, nowMs: number): Promise<void> {
  for (const { name, recent } of repeatWindows)
    for (const { projectId, key } of (await recent?.(events, nowMs - windowMs)) ?? [])
      memory.get(name)?.add(projectId, key, nowMs)
}

/** No row of a batch is already stored. */
export const nothingStored = (): StoredPlaces => new Map()

/** Whether the rows of a group are already stored: its first row, or any of the rows that it lists. */
export function isStoredGroup(stored: StoredPlaces, { table, jpos, place, places = [place] }: RangeGroup): boolean {
  const found = stored.get(table)?.get(jpos)
  return found !== undefined && places.some((entry) => found.has(entry))
}

/** The groups of a range that are no duplicates, and the outcomes of everything else. */
export type Deduplicated = { groups: RangeGroup[]; outcomes: OutcomeCount[] }

/** Removes groups that already arrived within the last hour and counts them as duplicates. */
export function deduplicate(range: RefinedRange, memory: Memory, stored: StoredPlaces): Deduplicated {
  const groups: RangeGroup[] = []
  const outcomes = [...range.outcomes]
  for (const group of range.groups) {
    const { projectId, key, receivedMs, window } = group
    const seen = memory.get(window)
    // A stored row already passed this check in the previous run.
    if (!isStoredGroup(stored, group) && seen?.has(projectId, key)) {
      for (const end of group.outcomes) outcomes.push({ ...end, outcome: 'duplicate', reason: 'same_event_id' })
      continue
    }
    seen?.add(projectId, key, receivedMs)
    groups.push(group)
  }
  return { groups, outcomes }
}

/**
 * Adds the groups of a range that are already stored. In a recovery this comes before any batch is deduplicated: a group
 * of another batch with the same key was a duplicate, whichever batch came first.
 */
export function markStored(range: RefinedRange, memory: Memory, stored: StoredPlaces): void {
  for (const group of range.groups)
    if (isStoredGroup(stored, group)) memory.get(group.window)?.add(group.projectId, group.key, group.receivedMs)
}
