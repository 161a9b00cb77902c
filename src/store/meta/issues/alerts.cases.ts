import { expect, test } from 'vitest'
import { aDelivery, decided } from '../alerts/incidents.cases.ts'
import { codeOf, commit, effect, hash, nowMs } from '../fixture.cases.ts'
import type { MetaStore } from '../meta-store.ts'
import type { Channel } from './alerts.ts'

const value = {
  organizationId: 1,
  projectId: null,
  kind: 'slack',
  name: 'Ops',
  sealedTarget: 't',
  sealedSecret: '',
} as const

export function alertCases(fresh: () => Promise<MetaStore>): void {
  const withChannel = async (more: Partial<Channel> = {}) => {
    const meta = await fresh()
    return { meta, channel: await meta.alerts.createChannel({ ...value, ...more }) }
  }

  test('channels are made, changed and removed', async () => {
    const { meta, channel } = await withChannel({ name: '  Ops room ', kind: 'webhook', sealedSecret: 's' })
    expect(channel).toMatchObject({ id: 1, name: 'Ops room', kind: 'webhook', active: true, failingSinceMs: null })
    expect(await meta.alerts.updateChannel(1, { active: false, projectId: 1, sealedTarget: 'u' })).toEqual({
      ...channel,
      active: false,
      projectId: 1,
      sealedTarget: 'u',
    })
    expect(await meta.alerts.channelsOf(1)).toEqual([await meta.alerts.channelById(1)])
    await meta.alerts.deleteChannel(1)
    expect(await meta.alerts.channelsOf(1)).toEqual([])
    expect(await codeOf(() => meta.alerts.updateChannel(1, { active: true }))).toBe('NOT_FOUND')
    expect(await codeOf(() => meta.alerts.createChannel({ ...value, name: ' ' }))).toBe('VALIDATION')
  })

  test('a commit asks for a notification of what is new and of what came back, once an issue', async () => {
    const { meta } = await withChannel()
    await commit(meta, {
      events: [effect({ eventId: 'first' }), effect({ eventId: 'second' }), effect({ hashes: [hash(2)] })],
    })
    expect(
      (await meta.alerts.alertsDue(10, nowMs)).map((item) => [item.issueId, item.kind, item.eventId, item.atMs]),
    ).toEqual([
      [1, 'new', 'first', nowMs],
      [2, 'new', effect().eventId, nowMs],
    ])
    const dueOf = async (organizationId: number) =>
      (await meta.alerts.alertsDue(10, nowMs, organizationId)).map(({ issueId }) => issueId)
    expect([await dueOf(1), await dueOf(2)]).toEqual([[1, 2], []])
    expect([await meta.incidents.organizationsDue(nowMs), await meta.incidents.organizationsDue(-1)]).toEqual([[1], []])
    await meta.incidents.storeDecision(decided({ dueIds: [1, 2] }), nowMs)
    await commit(meta, { events: [effect()] })
    expect(await meta.alerts.alertsDue(10, nowMs)).toEqual([])
    await meta.issues.updateIssue(1, { status: 'resolved' }, null, nowMs + 10)
    await commit(meta, { events: [effect({ eventId: 'back', timestampMs: nowMs + 20 })] })
    expect(await meta.alerts.alertsDue(10, nowMs)).toMatchObject([
      { issueId: 1, kind: 'regression', eventId: 'back', projectId: 1 },
    ])
  })

  test.each<[string, (meta: MetaStore) => Promise<unknown>]>([
    ['no channel', (meta) => meta.alerts.deleteChannel(1)],
    ['an inactive channel', (meta) => meta.alerts.updateChannel(1, { active: false })],
  ])('%s: nothing is asked for', async (_says, change) => {
    const { meta } = await withChannel()
    await change(meta)
    await commit(meta, { events: [effect()] })
    expect(await meta.alerts.alertsDue(10, nowMs)).toEqual([])
  })

  test('deciding queues deliveries, removes the changes and forgets what is 30 days old', async () => {
    const { meta } = await withChannel()
    await commit(meta, { events: [effect()] })
    const made = aDelivery({
      channelId: 1,
      userId: null,
      kind: 'issue',
      items: [{ issueId: 1, kind: 'new', eventId: 'e' }],
    })
    await meta.incidents.storeDecision(
      decided({ deliveries: [{ delivery: made, incident: null }], dueIds: [1] }),
      nowMs,
    )
    expect(await meta.alerts.alertsDue(10, nowMs)).toEqual([])
    expect(await meta.alerts.deliveriesQueued(nowMs - 1, 10)).toEqual([])
    expect(await meta.alerts.deliveriesQueued(nowMs, 10)).toEqual([await meta.alerts.deliveryById(1)])
    expect(await meta.alerts.deliveryById(1)).toMatchObject({
      ...made,
      status: 'queued',
      attempts: 0,
      createdMs: nowMs,
      sentMs: null,
    })
    expect(await meta.alerts.deliveriesSince([1], nowMs)).toHaveLength(1)
    expect(await meta.alerts.deliveriesSince([2], nowMs)).toEqual([])
    await meta.retention.prune(nowMs + 30 * 86_400_000, 0, 0, 0)
    expect(await meta.alerts.deliveryLog(1, 10)).toHaveLength(1)
    await meta.retention.prune(nowMs + 31 * 86_400_000, 0, 0, 0)
    expect(await meta.alerts.deliveriesSince([], nowMs)).toEqual([])
    expect(await meta.alerts.deliveryLog(1, 10)).toEqual([])
  })

  test('messages of channels and of people come in their order, each once', async () => {
    const { meta } = await withChannel()
    const user = { channelId: null, userId: 'ann' }
    const channel = { channelId: 1, userId: null }
    const deliveries = [channel, user, channel, { ...user, userId: 'bob' }, { ...channel, userId: 'ann' }].map(
      (more) => ({
        delivery: aDelivery(more),
        incident: null,
      }),
    )
    await meta.incidents.storeDecision(decided({ deliveries }), nowMs)
    const idsOf = async (...asked: [number[], number, string[]?]) =>
      (await meta.alerts.deliveriesSince(...asked)).map(({ id }) => id)
    expect(await idsOf([1], nowMs, ['ann'])).toEqual([1, 2, 3, 5])
    expect(await idsOf([], nowMs, ['ann', 'bob'])).toEqual([2, 4, 5])
    expect(await idsOf([1], nowMs + 1, ['ann'])).toEqual([])
  })

  test('tries are noted; a failure marks the channel, a success clears it', async () => {
    const { meta } = await withChannel()
    const [item] = await meta.alerts.queueTest(1, ['', ''], nowMs)
    expect(item).toMatchObject({ kind: 'test', status: 'queued' })
    expect(await meta.alerts.deliveriesQueued(nowMs + 1e9, 10)).toEqual([])
    expect(await meta.alerts.deliveriesSince([1], 0)).toEqual([])
    await meta.alerts.recordDelivery(1, { status: 'queued', error: 'no', nextMs: nowMs + 5 }, nowMs)
    expect(await meta.alerts.deliveryById(1)).toMatchObject({ attempts: 1, error: 'no', nextMs: nowMs + 5 })
    expect(await meta.alerts.channelById(1)).toMatchObject({ failingSinceMs: null, lastError: 'no' })
    await meta.alerts.recordDelivery(1, { status: 'failed', error: 'never' }, nowMs + 6)
    await meta.alerts.recordDelivery(2, { status: 'failed', error: 'never' }, nowMs + 9)
    expect(await meta.alerts.channelById(1)).toMatchObject({ failingSinceMs: nowMs + 6, lastError: 'never' })
    expect((await meta.alerts.deliveryLog(1, 10)).map((row) => [row.id, row.status])).toEqual([
      [2, 'failed'],
      [1, 'failed'],
    ])
    await meta.alerts.recordDelivery(2, { status: 'sent' }, nowMs + 10)
    expect(await meta.alerts.channelById(1)).toMatchObject({ failingSinceMs: null, lastError: '' })
    expect(await meta.alerts.deliveryById(2)).toMatchObject({
      status: 'sent',
      error: '',
      sentMs: nowMs + 10,
      attempts: 2,
    })
    // Tests say nothing about messages that people wait for.
    expect(await meta.alerts.deliveryCountsOf([1])).toEqual(new Map())
  })

  test('messages of the log are counted by channel', async () => {
    const { meta } = await withChannel()
    const delivery = aDelivery({ channelId: 1, userId: null })
    await meta.incidents.storeDecision(
      decided({ deliveries: [1, 2, 3, 4].map(() => ({ delivery, incident: null })) }),
      nowMs,
    )
    await meta.alerts.recordDelivery(1, { status: 'sent' }, nowMs)
    await meta.alerts.recordDelivery(2, { status: 'sent' }, nowMs)
    await meta.alerts.recordDelivery(3, { status: 'failed', error: 'no' }, nowMs)
    expect(await meta.alerts.deliveryCountsOf([1, 2])).toEqual(new Map([[1, { sent: 2, failed: 1 }]]))
    expect(await meta.alerts.deliveryCountsOf([])).toEqual(new Map())
  })
}
