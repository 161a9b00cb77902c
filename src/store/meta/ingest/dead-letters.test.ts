import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testClock } from '../../../base/clock.ts'
import type { Outcome, OutcomeCount, OutcomeReason } from '../../../base/outcome.ts'
import { openTestMeta } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'mishap-dead-'))
const open: MetaStore[] = []
afterAll(async () => {
  for (const meta of open) await meta.close()
  rmSync(folder, { recursive: true, force: true })
})

const nowMs = 1_795_000_000_000
const count = (outcome: Outcome, reason: OutcomeReason, more: Partial<OutcomeCount> = {}): OutcomeCount => ({
  projectId: 1,
  keyId: 2,
  category: 'default',
  outcome,
  reason,
  itemType: 'envelope',
  quantity: 1,
  bytes: 9,
  ...more,
})
const dead = (jpos: number, projectId = 1) => ({
  jpos,
  projectId,
  keyId: 2,
  receivedMs: nowMs,
  reason: 'Error: x',
  bytes: 9,
  blobKey: `dead/${jpos}`,
})

async function withDead(...items: ReturnType<typeof dead>[]): Promise<MetaStore> {
  const meta = await openTestMeta(join(folder, `${open.length}.sqlite`), { clock: testClock(nowMs) })
  open.push(meta)
  const outcomes = items.flatMap(() => [count('received', 'ok'), count('dead', 'failed')])
  await meta.batches.commitBatch(
    await meta.batches.openBatch(0, 10),
    { events: [], attachments: [], outcomes, dead: items },
    nowMs,
  )
  return meta
}
const sums = async (meta: MetaStore) => {
  const found: Record<string, number> = {}
  for (const { outcome, reason, quantity } of await meta.ledger.outcomeSums({ fromMs: 0 }))
    found[`${outcome} ${reason}`] = (found[`${outcome} ${reason}`] ?? 0) + quantity
  return found
}
const again = { id: 1, projectId: 1, keyId: 2, category: 'default', itemType: 'envelope', bytes: 9 } as const

test('a dead item that came again is taken out with its record’s commit, and counts once', async () => {
  const meta = await withDead(dead(5), dead(6))
  const anew = { events: [], attachments: [], dead: [], again: [again] }
  await meta.batches.commitBatch(
    await meta.batches.openBatch(10, 20),
    { ...anew, outcomes: [count('received', 'ok'), count('stored', 'ok')] },
    nowMs + 1,
  )
  expect((await meta.ledger.deadLetters(9)).map((deadItem) => deadItem.jpos)).toEqual([6])
  expect(await sums(meta)).toEqual({ 'received ok': 2, 'dead failed': 2, 'dead sent_again': -1, 'stored ok': 1 })
  // A second record of the same dead letter counts as a new arrival, so the ledger still balances.
  await meta.batches.commitBatch(
    await meta.batches.openBatch(20, 30),
    { ...anew, outcomes: [count('received', 'ok'), count('duplicate', 'same_event_id')] },
    nowMs + 2,
  )
  expect(await sums(meta)).toMatchObject({ 'received ok': 3, 'dead sent_again': -1, 'duplicate same_event_id': 1 })
})

test('one that is deleted stays among the dead, with another reason', async () => {
  const meta = await withDead(dead(5))
  expect(await meta.ledger.deleteDeadLetter(1, 1, nowMs)).toBe('dead/5')
  expect(await meta.ledger.deleteDeadLetter(1, 1, nowMs)).toBeUndefined()
  expect(await meta.ledger.deadLetterById(1)).toBeUndefined()
  expect(await sums(meta)).toEqual({ 'received ok': 1, 'dead failed': 0, 'dead deleted': 1 })
})

test('lists by project, newest first; sizes by project', async () => {
  const meta = await withDead(dead(5), dead(6, 2), dead(7))
  expect((await meta.ledger.deadLetters(9, [1])).map((deadItem) => deadItem.jpos)).toEqual([7, 5])
  expect(await meta.ledger.deadLetters(9, [])).toEqual([])
  expect((await meta.ledger.deadLetters(1)).map((deadItem) => deadItem.jpos)).toEqual([7])
  expect(await meta.ledger.bytesByProject()).toEqual([
    {
      projectId: 1,
      attachments: { count: 0, bytes: 0 },
      dead: { count: 2, bytes: 18 },
      bundles: { count: 0, bytes: 0 },
    },
    {
      projectId: 2,
      attachments: { count: 0, bytes: 0 },
      dead: { count: 1, bytes: 9 },
      bundles: { count: 0, bytes: 0 },
    },
  ])
})

test('sums begin at an hour and are of the asked projects', async () => {
  const meta = await withDead()
  await meta.ledger.addOutcomes([count('stored', 'ok', { quantity: 5 })], nowMs - 3 * 3_600_000)
  await meta.ledger.addOutcomes(
    [count('stored', 'ok', { quantity: 2 }), count('stored', 'ok', { projectId: 3 })],
    nowMs,
  )
  expect(await meta.ledger.outcomeSums({ fromMs: nowMs - 3_600_000, projectIds: [1] })).toEqual([
    {
      projectId: 1,
      keyId: 2,
      category: 'default',
      outcome: 'stored',
      reason: 'ok',
      quantity: 2,
      bytes: 9,
    },
  ])
  expect(await meta.ledger.outcomeSums({ fromMs: 0, projectIds: [] })).toEqual([])
})
