import type { OutcomeCount } from '../../base/outcome.ts'
import type { EventStore } from '../../store/events/events.ts'
import type { Places } from '../../store/events/table.ts'
import type { TableName } from '../../store/events/tables.ts'
import type { RepeatWindow } from '../kinds/kind.ts'
import { repeatWindows } from '../kinds/kinds.ts'
import { createDedupWindow, type DedupWindow } from './dedup-window.ts'
import type { RangeGroup, RefinedRange } from './range.ts'

/** How long something is known that came: ms. */
export const windowMs = 3_600_000

/** What came within the last hour, by the name of its window. */
export type Memory = ReadonlyMap<string, DedupWindow>

/** Makes an empty memory of each kind's window. */
export const createMemory = (windows: readonly Pick<RepeatWindow, 'name' | 'max'>[] = repeatWindows): Memory =>
  new Map(windows.map(({ name, max }) => [name, createDedupWindow(windowMs, max)]))

/** Fills the memory with what the store has of the last hour. Throws STORE_UNAVAILABLE. */
export async function readMemory(memory: Memory, events: EventStore, nowMs: number): Promise<void> {
  for (const { name, recent } of repeatWindows)
    for (const { projectId, key } of (await recent?.(events, nowMs - windowMs)) ?? [])
      memory.get(name)?.add(projectId, key, nowMs)
}

/** Rows of a batch that are stored already, by table: their places by position. */
export type Stored = ReadonlyMap<TableName, Places>
export const nothingStored = (): Stored => new Map()

/** Whether a group's rows, or its first ones, are stored already. */
export const isStoredGroup = (stored: Stored, { table, jpos, place }: RangeGroup): boolean =>
  stored.get(table)?.get(jpos)?.has(place) === true

/** Groups of a range that came for the first time, and the outcomes of all else. */
export type Deduplicated = { groups: RangeGroup[]; outcomes: OutcomeCount[] }

/** Takes out what came within the last hour already: it counts as duplicate. */
export function deduplicate(range: RefinedRange, memory: Memory, stored: Stored): Deduplicated {
  const groups: RangeGroup[] = []
  const outcomes = [...range.outcomes]
  for (const group of range.groups) {
    const { projectId, key, receivedMs, window } = group
    const seen = memory.get(window)
    // a row that is stored already was judged in the run before
    if (!isStoredGroup(stored, group) && seen?.has(projectId, key)) {
      for (const end of group.outcomes) outcomes.push({ ...end, outcome: 'duplicate', reason: 'same_event_id' })
      continue
    }
    seen?.add(projectId, key, receivedMs)
    groups.push(group)
  }
  return { groups, outcomes }
}
