import { expect, test } from 'vitest'
import type { OutcomeCount } from '../../base/outcome.ts'
import type { EventStore } from '../../store/events/event-store.ts'
import { repeatWindows } from '../kinds/kinds.ts'
import { createMemory, deduplicate, isStoredGroup, nothingStored, readMemory } from './deduplicate.ts'
import { emptyRange, type RangeGroup } from './range.ts'

const id = (n: number) => n.toString(16).padStart(32, 'e')
const stored: OutcomeCount = {
  projectId: 7,
  keyId: 3,
  category: 'error',
  itemType: 'event',
  outcome: 'stored',
  reason: 'ok',
  quantity: 1,
  bytes: 9,
}
const group = (jpos: number, key: string, more: Partial<RangeGroup> = {}): RangeGroup => ({
  table: 'events',
  window: 'events',
  key,
  projectId: 7,
  receivedMs: 1000,
  jpos,
  place: 0,
  index: 0,
  part: 'only',
  from: 0,
  to: 0,
  outcomes: [stored],
  ...more,
})
const rangeOf = (...groups: RangeGroup[]) => ({ ...emptyRange({ job: 1, from: 0 }, 100), groups })

test('the second group with a key is a duplicate, with all of its outcomes', () => {
  const span = { ...stored, category: 'span' as const, itemType: 'transaction' }
  const range = rangeOf(group(1, id(1)), group(2, id(1), { outcomes: [stored, span] }), group(3, id(2)))
  range.outcomes.push({ ...stored, outcome: 'filtered', reason: 'browser_extension' })
  const memory = createMemory()
  const done = deduplicate(range, memory, nothingStored())
  expect(done.groups.map(({ jpos }) => jpos)).toEqual([1, 3])
  expect(done.outcomes).toEqual([
    { ...stored, outcome: 'filtered', reason: 'browser_extension' },
    { ...stored, outcome: 'duplicate', reason: 'same_event_id' },
    { ...span, outcome: 'duplicate', reason: 'same_event_id' },
  ])
  // the range keeps its own list
  expect(range.outcomes).toHaveLength(1)
})

test('a group whose window does not exist is never a duplicate', () => {
  const range = rangeOf(group(1, id(1), { window: 'none' }), group(2, id(1), { window: 'none' }))
  expect(deduplicate(range, createMemory(), nothingStored()).groups).toHaveLength(2)
})

test('a group that is stored already is not its own duplicate in a recovery', () => {
  const memory = createMemory()
  memory.get('events')?.add(7, id(1), 1000)
  const before = new Map([['events' as const, new Map([[1, new Set([0])]])]])
  expect(deduplicate(rangeOf(group(1, id(1))), memory, before).groups).toHaveLength(1)
  expect(deduplicate(rangeOf(group(1, id(1))), memory, nothingStored()).groups).toHaveLength(0)
})

test.each<[string, Map<'events' | 'spans', Map<number, Set<number>>>, boolean]>([
  ['nothing', new Map(), false],
  ['another table', new Map([['spans', new Map([[1, new Set([4])]])]]), false],
  ['another position', new Map([['events', new Map([[2, new Set([4])]])]]), false],
  ['another place', new Map([['events', new Map([[1, new Set([0, 3, 5])]])]]), false],
  ['its first row', new Map([['events', new Map([[1, new Set([4])]])]]), true],
])('a group counts as stored by its first row: %s is stored', (_name, places, expected) => {
  expect(isStoredGroup(places, group(1, id(1), { place: 4 }))).toBe(expected)
})

test.each<[string, number[], boolean]>([
  ['its first row', [4], true],
  ['another of its rows', [9], true],
  ['a row between them', [5], false],
  ['no row', [], false],
])('a group with gaps counts as stored by any row that it lists: %s is stored', (_name, stored, expected) => {
  const places = new Map([['events' as const, new Map([[1, new Set(stored)]])]])
  expect(isStoredGroup(places, group(1, id(1), { place: 4, places: [4, 7, 9] }))).toBe(expected)
})

test('a start fills each window with the keys of the last hour that the store has', async () => {
  const nowMs = 10 * 3_600_000
  const asked: number[] = []
  const answer = (n: number, at: (row: { projectId: number }) => object) => async (sinceMs: number) => {
    asked.push(sinceMs)
    return [at({ projectId: n })]
  }
  const events = {
    recentIds: answer(1, (row) => ({ ...row, eventId: id(1) })),
    recentTransactions: answer(2, (row) => ({ ...row, traceId: id(2), spanId: id(3).slice(16) })),
  } as unknown as EventStore
  const memory = createMemory()
  await readMemory(memory, events, nowMs)
  expect(asked).toEqual(repeatWindows.filter(({ recent }) => recent).map(() => nowMs - 3_600_000))
  expect(memory.get('events')?.has(1, id(1))).toBe(true)
  expect(Object.fromEntries([...memory].map(([name, { size }]) => [name, size]))).toEqual(
    Object.fromEntries(repeatWindows.map(({ name, recent }) => [name, recent ? 1 : 0])),
  )
  // a window that this process does not have is no fault
  await readMemory(new Map(), events, nowMs)
})
