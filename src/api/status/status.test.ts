import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testClock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Outcome, OutcomeCount } from '../../base/outcome.ts'
import type { App } from '../../processes/parts.ts'
import { tableSizes } from '../../store/events/tables.cases.ts'
import { createFolderBytes } from '../../store/folder-bytes.ts'
import { openTestMeta } from '../../store/meta/fixture.cases.ts'
import { statusOf } from './status.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-status-'))
const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
  rmSync(folder, { recursive: true, force: true })
})

const nowMs = 1_795_000_000_000
const dayMs = 86_400_000
const count = (outcome: Outcome, quantity: number, more: Partial<OutcomeCount> = {}): OutcomeCount => ({
  projectId: 1,
  keyId: 1,
  category: 'error',
  outcome,
  reason: 'ok',
  itemType: 'event',
  quantity,
  bytes: quantity * 10,
  ...more,
})

/** The parts of the app that the status reads, with a real ledger. */
async function appWith(counts: [OutcomeCount[], number][], change: Partial<App> = {}) {
  const clock = testClock(nowMs)
  const meta = await openTestMeta(join(folder, `${closing.length}.sqlite`), { clock })
  closing.push(() => meta.close())
  for (const [list, atMs] of counts) await meta.ledger.addOutcomes(list, atMs)
  const app: Partial<App> = {
    version: '1.2.3',
    startedMs: nowMs - 5000,
    clock,
    meta,
    config: { data: folder } as App['config'],
    events: {
      size: async () => [{ table: 'events', rows: 3, bytesOnDisk: 10, bytesRaw: 30 }],
    } as unknown as App['events'],
    journal: async () => ({ lagBytes: 0, waitingRecords: 0, oldestWaitingMs: 0, eventsWaitingMs: 0, boundBytes: 1 }),
    waitsFor: () => undefined,
    engineUp: () => true,
    blobs: { isRemote: false } as App['blobs'],
    blobState: () => ({ up: true, reason: null }),
    eventsServer: () => undefined,
    bytesUnder: createFolderBytes(clock),
    disk: async () => {
      const tables = tableSizes({
        events: { rows: 3, bytes: 10 },
        spans: { rows: 1, bytes: 5 },
        logs: { rows: 2, bytes: 7 },
      })
      return { tables, blobs: 20, database: 30, copies: 0, stored: 65, budget: 100 }
    },
    ...change,
  }
  return { app: app as App, meta }
}
const ledgerOf = async (counts: OutcomeCount[], waitingRecords = 0) =>
  (
    await statusOf(
      (
        await appWith([[counts, nowMs]], {
          journal: async () => ({
            lagBytes: 9,
            waitingRecords,
            oldestWaitingMs: 70,
            eventsWaitingMs: 0,
            boundBytes: 100,
          }),
        })
      ).app,
    )
  ).ledger

describe('ledger', () => {
  test.each<[string, OutcomeCount[], number, Partial<Awaited<ReturnType<typeof ledgerOf>>>]>([
    ['empty', [], 0, { received: 0, stored: 0, waiting: 0, lost: 0, dead: 0, rows: [] }],
    ['all stored', [count('received', 5), count('stored', 5)], 0, { received: 5, stored: 5, lost: 0 }],
    ['one record waits', [count('received', 5), count('stored', 5)], 1, { received: 6, waiting: 1, lost: 0 }],
    ['one item ended nowhere', [count('received', 5), count('stored', 4)], 0, { received: 5, stored: 4, lost: 1 }],
    ['a record that waits hides no loss', [count('received', 5), count('stored', 3)], 4, { received: 9, lost: 2 }],
    ['an end that was never received', [count('stored', 1)], 0, { received: 0, stored: 1, lost: -1 }],
    [
      'every kind of end',
      [
        count('received', 21),
        count('stored', 1),
        count('filtered', 2, { reason: 'not_stored_yet' }),
        count('rate_limited', 3, { reason: 'key_limit' }),
        count('invalid', 4, { reason: 'bad_json' }),
        count('duplicate', 5, { reason: 'same_event_id' }),
        count('dead', 6, { reason: 'failed' }),
      ],
      0,
      { received: 21, stored: 1, filtered: 2, rateLimited: 3, invalid: 4, duplicate: 5, dead: 6, lost: 0 },
    ],
    [
      'what a client threw away never arrived',
      [count('received', 1), count('stored', 1), count('client_discard', 99, { reason: 'sdk' })],
      0,
      { received: 1, lost: 0, clientDiscards: 99 },
    ],
  ])('%s', async (_name, counts, waiting, expected) => {
    expect(await ledgerOf(counts, waiting)).toMatchObject(expected)
  })

  test('rows: by category, outcome and reason, most first, without what was received', async () => {
    const other = { projectId: 2, keyId: 7 }
    const { rows } = await ledgerOf([
      count('received', 9),
      count('stored', 2),
      count('stored', 3, other),
      count('stored', 1, { category: 'attachment', itemType: 'attachment' }),
      count('invalid', 2, { reason: 'bad_json' }),
      count('invalid', 1, { reason: 'bad_item' }),
    ])
    expect(rows.map((row) => [row.category, row.outcome, row.reason, row.quantity, row.bytes])).toEqual([
      ['error', 'stored', 'ok', 5, 50],
      ['error', 'invalid', 'bad_json', 2, 20],
      ['attachment', 'stored', 'ok', 1, 10],
      ['error', 'invalid', 'bad_item', 1, 10],
    ])
  })

  test('sums over every hour that the ledger keeps', async () => {
    const { app } = await appWith([
      [[count('received', 1), count('stored', 1)], nowMs],
      [[count('received', 2), count('stored', 2)], nowMs - 30 * dayMs],
      [[count('received', 4), count('stored', 3)], nowMs - 390 * dayMs],
    ])
    expect((await statusOf(app)).ledger).toMatchObject({ received: 7, stored: 6, lost: 1 })
  })
})

describe('the rest of the status', () => {
  test('journal, engine, times', async () => {
    const journal = { lagBytes: 5, waitingRecords: 2, oldestWaitingMs: 70, eventsWaitingMs: 0, boundBytes: 100 }
    const waitsFor = () => ({ store: 'database', sinceMs: nowMs - 9000 }) as const
    const status = await statusOf(
      (await appWith([], { journal: async () => journal, waitsFor, engineUp: () => false })).app,
    )
    expect(status.journal.waitsFor).toEqual({ store: 'database', since: new Date(nowMs - 9000).toISOString() })
    expect(status).toMatchObject({
      version: '1.2.3',
      startedAt: new Date(nowMs - 5000).toISOString(),
      journal,
      engine: { up: false },
      disk: { tables: [{ table: 'events', rows: 3 }] },
    })
    expect(status.engine.version).toMatch(/^\d+\./)
  })

  test('answers while the events store is away; another failure of it is not hidden', async () => {
    const failing = async (error: unknown) =>
      (await appWith([], { events: { size: () => Promise.reject(error) } as unknown as App['events'] })).app
    expect((await statusOf(await failing(new MishapError('STORE_UNAVAILABLE')))).disk.tables).toEqual([])
    await expect(statusOf(await failing(new Error('Code: 60')))).rejects.toThrow('Code: 60')
    await expect(statusOf(await failing(new MishapError('INTERNAL')))).rejects.toMatchObject({ code: 'INTERNAL' })
  })

  test('the data folder is measured once in 15 s, a folder that is gone counts nothing', async () => {
    const clock = testClock(nowMs)
    const { app } = await appWith([], { bytesUnder: createFolderBytes(clock) })
    const before = (await statusOf(app)).disk
    writeFileSync(join(folder, 'big'), Buffer.alloc(1_000_000, 1))
    clock.advance(14_999)
    expect((await statusOf(app)).disk.dataBytes).toBe(before.dataBytes)
    clock.advance(1)
    expect((await statusOf(app)).disk.dataBytes - before.dataBytes).toBeGreaterThan(900_000)
    // Hard links of a copy are the same bytes under another name.
    linkSync(join(folder, 'big'), join(folder, 'linked'))
    clock.advance(15_000)
    expect((await statusOf(app)).disk.dataBytes - before.dataBytes).toBeLessThan(1_900_000)
    const after = (await statusOf((await appWith([])).app)).disk
    expect(after.dataBytes - before.dataBytes).toBeGreaterThan(900_000)
    expect(after.freeBytes).toBeLessThanOrEqual(after.totalBytes)
    const nowhere = (await appWith([], { config: { data: join(folder, 'none') } as App['config'] })).app
    expect((await statusOf(nowhere)).disk).toMatchObject({ dataBytes: 0, freeBytes: 0, totalBytes: 0 })
  })

  test('the disk budget and the times that events were downsampled; without numbers while the store is away', async () => {
    const { app, meta } = await appWith([[[count('stored', 9), count('received', 9), count('thinned', 7)], nowMs]])
    const run = await meta.retention.beginDownsampleRun({ budgetBytes: 100, bytesBefore: 150 })
    await meta.retention.endDownsampleRun(run, { bytesAfter: 90, reached: true })
    await meta.retention.beginDownsampleRun({ budgetBytes: 100, bytesBefore: 120 })
    const at = new Date(nowMs).toISOString()
    const status = await statusOf(app)
    expect(status.ledger).toMatchObject({ received: 9, stored: 9, lost: 0, thinned: 7 })
    expect(status.disk.budget).toEqual({
      budgetBytes: 100,
      storedBytes: 65,
      eventBytes: 10,
      spanBytes: 5,
      logBytes: 7,
      metricBytes: 0,
      blobBytes: 20,
      databaseBytes: 30,
      copyBytes: 0,
    })
    const none = { startedAt: at, budgetBytes: 100, events: 0, attachments: 0, spans: 0 }
    expect(status.disk.thinned).toEqual([
      { ...none, endedAt: null, bytesBefore: 120, bytesAfter: null, reached: false },
      { ...none, endedAt: at, bytesBefore: 150, bytesAfter: 90, reached: true },
    ])
    const failing = async (error: Error) => statusOf((await appWith([], { disk: () => Promise.reject(error) })).app)
    expect((await failing(new MishapError('STORE_UNAVAILABLE'))).disk.budget).toBeNull()
    await expect(failing(new Error('Code: 60'))).rejects.toThrow('Code: 60')
  })

  test('dead items: newest first, a hundred at most, ids as text', async () => {
    const { app, meta } = await appWith([])
    const dead = (jpos: number) => ({
      jpos,
      projectId: 3,
      keyId: 1,
      receivedMs: nowMs,
      reason: 'TypeError: x',
      bytes: 9,
      blobKey: `dead/${jpos}`,
    })
    await meta.batches.commitBatch(
      await meta.batches.openBatch(0, 500),
      { events: [], attachments: [], outcomes: [], dead: Array.from({ length: 120 }, (_, at) => dead(at)) },
      nowMs,
    )
    const { deadItems } = await statusOf(app)
    expect(deadItems).toHaveLength(100)
    expect(deadItems[0]).toEqual({
      jpos: '119',
      projectId: '3',
      receivedAt: new Date(nowMs).toISOString(),
      reason: 'TypeError: x',
      bytes: 9,
    })
  })

  test('versions: this program, its runtime and what faces strangers, exactly pinned', async () => {
    const { versions } = await statusOf((await appWith([])).app)
    expect(versions.slice(0, 2)).toMatchObject([
      { name: 'mishap', version: '1.2.3' },
      { name: 'node', version: process.versions.node },
    ])
    for (const name of ['chdb', 'next', 'better-auth', 'hono', 'react'])
      expect(versions.find((version) => version.name === name)?.version, name).toMatch(/^\d+\.\d+\.\d+/)
  })
})
