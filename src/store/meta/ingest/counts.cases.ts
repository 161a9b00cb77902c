import { expect, test } from 'vitest'
import { commit, nowMs, stored } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'

const dayMs = 86_400_000

/** Cases of outcomes, attachments, dead letters and values, for every meta store. */
export function countCases(fresh: () => Promise<MetaStore>): void {
  test('outcomes sum by hour; the ledger keeps 13 months', async () => {
    const meta = await fresh()
    const hour = Math.floor(nowMs / 3_600_000) * 3_600_000
    await meta.ledger.addOutcomes([stored, stored], nowMs)
    await meta.ledger.addOutcomes(
      [
        { ...stored, quantity: 3 },
        { ...stored, projectId: 2 },
      ],
      hour,
    )
    await meta.ledger.addOutcomes([stored], hour - 1)
    await meta.ledger.addOutcomes([], nowMs)
    expect(
      (await meta.ledger.outcomesSince({ fromMs: nowMs })).map((row) => [row.hourMs, row.projectId, row.quantity]),
    ).toEqual([
      [hour, 1, 5],
      [hour, 2, 1],
    ])
    expect((await meta.ledger.outcomesSince({ fromMs: hour - 1, projectIds: [1] })).map((row) => row.quantity)).toEqual(
      [1, 5],
    )
    expect(await meta.ledger.outcomesSince({ fromMs: 0, projectIds: [] })).toEqual([])
    const laterMs = nowMs + 394 * dayMs
    await meta.retention.prune(laterMs, laterMs, 0)
    expect(await meta.ledger.outcomesSince({ fromMs: 0 })).toHaveLength(3)
    // Rows that outlive the ledger's 13 months extend it, spans as well as events.
    const muchLaterMs = nowMs + 600 * dayMs
    await meta.retention.prune(muchLaterMs, muchLaterMs - 700 * dayMs, 0)
    await meta.retention.prune(muchLaterMs, muchLaterMs - 90 * dayMs, 0, muchLaterMs - 700 * dayMs)
    await meta.retention.prune(nowMs + 410 * dayMs, nowMs + 10 * dayMs, 0)
    expect(await meta.ledger.outcomesSince({ fromMs: 0 })).toHaveLength(3)
    await meta.retention.prune(nowMs + 410 * dayMs, nowMs + 40 * dayMs, 0)
    expect(await meta.ledger.outcomesSince({ fromMs: 0 })).toEqual([])
  })

  test('attachments and dead items: kept, then pruned with the blobs that nothing else uses', async () => {
    const meta = await fresh()
    const attachment = {
      projectId: 1,
      eventId: 'e1',
      name: 'a.txt',
      type: 'event.attachment',
      contentType: 'text/plain',
      bytes: 3,
      blobKey: 'k1',
      receivedMs: 100,
    }
    const dead = { jpos: 7, projectId: 1, keyId: 1, receivedMs: 100, reason: 'failed', bytes: 9, blobKey: 'd1' }
    await commit(meta, {
      attachments: [
        attachment,
        { ...attachment, blobKey: 'k2' },
        { ...attachment, eventId: 'e2', blobKey: 'k2', receivedMs: 300 },
      ],
      dead: [dead, { ...dead, jpos: 8, blobKey: '' }, { ...dead, jpos: 9, receivedMs: 900, blobKey: 'd9' }],
    })
    expect((await meta.attachments.attachmentsOf(1, 'e1')).map((item) => item.blobKey)).toEqual(['k1', 'k2'])
    expect(await meta.attachments.attachmentsOf(2, 'e1')).toEqual([])
    expect(await meta.attachments.attachmentById(1)).toEqual({ id: 1, ...attachment })
    expect((await meta.ledger.deadLetters(2)).map((deadItem) => deadItem.jpos)).toEqual([9, 8])
    expect((await meta.retention.prune(nowMs, 200, 500)).sort()).toEqual(['d1', 'k1'])
    expect([
      await meta.attachments.attachmentById(1),
      (await meta.attachments.attachmentById(3))?.eventId,
      (await meta.ledger.deadLetters(9)).length,
    ]).toEqual([undefined, 'e2', 1])
  })

  test('key uses and values', async () => {
    const meta = await fresh()
    await meta.ledger.touchKeys([
      { keyId: 1, atMs: 50 },
      { keyId: 1, atMs: 20 },
      { keyId: 99, atMs: 1 },
    ])
    expect((await meta.projects.keysOf(1))[0]?.lastUsedMs).toBe(50)
    await meta.values.setValue('a', '1')
    await meta.values.setValue('a', '2')
    expect([
      await meta.values.getValue('a'),
      await meta.values.getValue('b'),
      await meta.people.isEmpty(),
      await meta.people.people([]),
      await meta.people.personById('x'),
      await meta.people.personByEmail('x'),
    ]).toEqual(['2', undefined, true, [], undefined, undefined])
  })
}
