import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { JournalRecord } from '../../journal/journal.ts'
import type { RecordOutcomes } from '../../journal/request-log.ts'
import { openFileBlobs } from '../../store/blobs/files.ts'
import type { BatchEffects } from '../../store/meta/meta.ts'
import { createTools } from './context.ts'
import { deadLetterKey } from './dead-letters.ts'
import { plainSettings, recordedMs } from './fixture.cases.ts'
import { committedOutcomes, loggedRecords } from './record-outcomes.ts'
import { refineRange } from './worker.ts'

const end = (jpos: number, keyId = 1): RecordOutcomes => ({
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
  const logged = loggedRecords(all)
  const kept = all.filter((entry) => logged.has(entry))
  expect([logged.size, kept.length]).toEqual([101, 101])
  expect([kept[0]?.head.keyId, kept[1]?.jpos, kept.at(-1)?.jpos]).toEqual([2, 60, 159])
})

const root = mkdtempSync(join(tmpdir(), 'mishap-ends-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** 120 envelopes of one key, one `outcomes` record of ingest, 3 of another key. The last one has no project. */
const batch = Array.from({ length: 124 }, (_, at): JournalRecord => {
  const kind = at === 120 ? ('outcomes' as const) : ('envelope' as const)
  return {
    jpos: 1000 * at,
    end: 1000 * at + 500,
    head: {
      kind,
      receivedMs: recordedMs,
      organizationId: 1,
      clientAddress: '',
      userAgent: '',
      origin: '',
      projectId: at === 123 ? 8 : 7,
      keyId: at === 120 ? 0 : at < 120 ? 3 : 4,
      contentType: '',
    },
    body: Buffer.from(at === 120 ? '{}' : `{}\n{"type":"event"}\n{"message":"${at}"}\n`),
  }
})
test.each([
  [undefined, 103, ['stored', 'stored', 'stored', 'dead']],
  ['it ended its worker', 104, ['dead', 'dead', 'dead', 'dead']],
])('a batch tells the ends of the newest records only, refined or buried: %s', async (bury, count, last) => {
  const job = {
    job: 1,
    lane: 'events' as const,
    from: 0,
    durable: 1e9,
    recordsMax: 1000,
    bytesMax: 1e9,
    ...(bury ? { quarantineReason: bury } : {}),
  }
  const made = await refineRange(job, batch, 124_000, [plainSettings], openFileBlobs(root), createTools())
  expect(made.ends).toHaveLength(count)
  expect(made.ends[0]?.jpos).toBe(20_000)
  expect(made.ends.slice(-4).map((entry) => entry.items[0]?.outcome)).toEqual(last)
  expect(made.groups).toHaveLength(bury ? 0 : 122)
})

const deadOf = (dead: string[]) => ({ dead: dead.map((blobKey) => ({ blobKey })) }) as unknown as BatchEffects

test.each([
  ['stored', [5], [], 'stored'],
  ['there already', [], [], 'duplicate'],
  ['refused by the store', [], [deadLetterKey(5)], 'dead'],
])('an event that was %s', (_name, stored, dead, expected) => {
  const [settled] = committedOutcomes(
    [end(5)],
    deadOf(dead),
    stored.map((jpos) => ({ jpos, index: 0, part: 'only' })),
  )
  expect(settled?.items.map((item) => item.outcome)).toEqual([expected, 'filtered'])
})

test('transactions and span items of one record end each for itself', () => {
  const item = { type: 'span', bytes: 1, outcome: 'stored', reason: 'ok', eventId: '', at: 5 } as const
  const logged = { jpos: 5, keyId: 1, items: [0, 1, 2].map((index) => ({ ...item, index })), more: 0 }
  const kept = [0, 2].map((index) => ({ jpos: 5, index, part: 'onlyItem' as const }))
  const [settled] = committedOutcomes([logged], deadOf([deadLetterKey(5, 2)]), kept)
  expect(settled?.items.map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual([
    'stored ok',
    'duplicate same_event_id',
    'dead failed',
  ])
})
