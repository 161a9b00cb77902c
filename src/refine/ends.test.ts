import { expect, test } from 'vitest'
import type { JournalRecord } from '../journal/journal.ts'
import type { RecordEnd } from '../journal/note.ts'
import type { BatchEffects } from '../store/meta/meta.ts'
import { settledEnds, toldOf } from './ends.ts'

const end = (jpos: number, keyId = 1): RecordEnd => ({
  jpos,
  keyId,
  items: [
    { type: 'event', bytes: 1, outcome: 'stored', reason: 'ok', eventId: 'a', at: jpos },
    { type: 'session', bytes: 1, outcome: 'filtered', reason: 'not_stored_yet', eventId: '', at: -1 },
  ],
  more: 0,
})

test('the newest hundred of each key, in order', () => {
  const record = (jpos: number, keyId = 1) => ({ jpos, head: { keyId } }) as JournalRecord
  const all = [record(1, 2), ...Array.from({ length: 150 }, (_, at) => record(10 + at))]
  const told = toldOf(all)
  const kept = all.filter((one) => told.has(one))
  expect([told.size, kept.length]).toEqual([101, 101])
  expect([kept[0]?.head.keyId, kept[1]?.jpos, kept.at(-1)?.jpos]).toEqual([2, 60, 159])
})

test.each([
  ['stored', [5], [], 'stored'],
  ['there already', [], [], 'duplicate'],
  ['refused by the store', [], [5], 'dead'],
])('an event that was %s', (_name, stored, dead, expected) => {
  const effects = {
    events: stored.map((jpos) => ({ jpos })),
    dead: dead.map((jpos) => ({ jpos })),
  } as unknown as BatchEffects
  expect(settledEnds([end(5)], effects)[0]?.items.map((item) => item.outcome)).toEqual([expected, 'filtered'])
})
