import { describe, expect, test } from 'vitest'
import type { AlertDue, Channel, Delivery, NewDelivery } from '../store/meta/issues/alerts.ts'
import { decide } from './decide.ts'

const nowMs = 1_795_000_000_000
const minuteMs = 60_000

const channel = (id: number, more: Partial<Channel> = {}): Channel => ({
  id,
  organizationId: 1,
  projectId: null,
  kind: 'slack',
  name: 'c',
  sealedTarget: '',
  sealedSecret: '',
  sealedConfig: '',
  subscription: 'issues',
  active: true,
  createdMs: 0,
  failingSinceMs: null,
  lastError: '',
  lastAnswer: '',
  pausedUntilMs: 0,
  ...more,
})
const due = (issueId: number, more: Partial<AlertDue> = {}): AlertDue => ({
  id: issueId * 10,
  organizationId: 1,
  projectId: 1,
  issueId,
  kind: 'new',
  eventId: `e${issueId}`,
  atMs: nowMs,
  untilMs: 0,
  ...more,
})
const many = (from: number, count: number) => Array.from({ length: count }, (_, at) => due(from + at))
const sent = (newDelivery: NewDelivery, agoMs: number): Delivery => ({
  ...newDelivery,
  id: 1,
  status: 'sent',
  attempts: 1,
  nextMs: 0,
  error: '',
  createdMs: nowMs - agoMs,
  sentMs: nowMs - agoMs,
})
const issueSent = (issueId: number, agoMs: number, recipient = '') =>
  sent({ channelId: 1, recipient, kind: 'issue', items: [{ issueId, kind: 'new', eventId: 'e' }], more: 0 }, agoMs)
const summarySent = (agoMs: number) => sent({ channelId: 1, recipient: '', kind: 'summary', items: [], more: 0 }, agoMs)

const ask = (more: Partial<Parameters<typeof decide>[0]>) =>
  decide({ due: [due(1)], channels: [channel(1)], recent: [], recipientsOf: () => [''], nowMs, ...more })
const told = (deliveries: NewDelivery[]) =>
  deliveries.map((delivery) => [
    delivery.channelId,
    delivery.recipient,
    delivery.kind,
    delivery.items.map((item) => item.issueId),
    delivery.more,
  ])

describe('who is told', () => {
  test.each<{ says: string; ask: Partial<Parameters<typeof decide>[0]>; told: unknown[] }>([
    { says: 'a channel of the organization', ask: {}, told: [[1, '', 'issue', [1], 0]] },
    { says: 'no inactive one', ask: { channels: [channel(1, { active: false })] }, told: [] },
    { says: 'none of another organization', ask: { channels: [channel(1, { organizationId: 2 })] }, told: [] },
    { says: 'none of another project', ask: { channels: [channel(1, { projectId: 2 })] }, told: [] },
    { says: 'the project’s own', ask: { channels: [channel(1, { projectId: 1 })] }, told: [[1, '', 'issue', [1], 0]] },
    { says: 'nobody without recipients', ask: { recipientsOf: () => [] }, told: [] },
    {
      says: 'each recipient of each channel',
      ask: { channels: [channel(1), channel(2)], recipientsOf: (item) => (item.id === 1 ? ['a', 'b'] : ['']) },
      told: [
        [1, 'a', 'issue', [1], 0],
        [1, 'b', 'issue', [1], 0],
        [2, '', 'issue', [1], 0],
      ],
    },
  ])('$says', ({ ask: question, told: expected }) => {
    const { deliveries, doneIds } = ask(question)
    expect(told(deliveries)).toEqual(expected)
    expect(doneIds).toEqual([10])
  })
})

describe('one message an issue and hour', () => {
  test.each([
    ['after the change', 59, -60, 0, [10], []],
    ['before the change, 59 minutes ago: it waits for the hour', 59, 0, 0, [], [{ id: 10, untilMs: nowMs + minuteMs }]],
    ['an hour ago', 60, 0, 1, [10], []],
  ])('told %s', (_says, minutes, atMinutes, messages, done, deferred) => {
    const change = due(1, { kind: 'regression', atMs: nowMs + atMinutes * minuteMs })
    const {
      deliveries,
      doneIds,
      deferred: waiting,
    } = ask({ due: [change], recent: [issueSent(1, minutes * minuteMs)] })
    expect([deliveries.length, doneIds, waiting]).toEqual([messages, done, deferred])
  })
  test('what one channel waits with another one tells at once, and once', () => {
    const change = due(1, { kind: 'regression' })
    const recent = [issueSent(1, 30 * minuteMs)]
    const channels = [channel(1), channel(2)]
    const first = ask({ due: [change], channels, recent })
    expect(told(first.deliveries)).toEqual([[2, '', 'issue', [1], 0]])
    expect(first).toMatchObject({ doneIds: [], deferred: [{ id: 10, untilMs: nowMs + 30 * minuteMs }] })
    const made = first.deliveries.map((delivery) => sent(delivery, 0))
    const later = { due: [change], channels, recent: [...recent, ...made], nowMs: nowMs + 30 * minuteMs }
    const second = ask(later)
    expect(told(second.deliveries)).toEqual([[1, '', 'issue', [1], 0]])
    expect(second).toMatchObject({ doneIds: [10], deferred: [] })
  })
  test('twice in one question', () => {
    expect(told(ask({ due: [due(1), due(1, { id: 11, kind: 'regression' })] }).deliveries)).toEqual([
      [1, '', 'issue', [1], 0],
    ])
  })
  test('of another channel is no reason', () => {
    expect(ask({ channels: [channel(2)], recent: [issueSent(1, 0)] }).deliveries).toHaveLength(1)
  })
})

describe('a flood', () => {
  test('ten single messages, then one summary that names twenty and counts the rest', () => {
    const { deliveries, doneIds } = ask({ due: many(1, 45) })
    expect(deliveries.map((delivery) => delivery.kind)).toEqual([...Array(10).fill('issue'), 'summary'])
    expect(deliveries.at(-1)?.items.map((item) => item.issueId)).toEqual(many(11, 20).map((item) => item.issueId))
    expect(deliveries.at(-1)?.more).toBe(15)
    expect(doneIds).toHaveLength(45)
  })
  test('what follows a summary is held for ten minutes, then told in the next one', () => {
    const recent = [
      ...Array.from({ length: 10 }, (_, at) => issueSent(100 + at, 5 * minuteMs)),
      summarySent(5 * minuteMs),
    ]
    expect(ask({ due: many(1, 3), recent })).toEqual({ deliveries: [], doneIds: [], deferred: [] })
    const later = recent.map((item) => ({ ...item, createdMs: item.createdMs - 5 * minuteMs }))
    expect(ask({ due: many(1, 3), recent: later }).deliveries.map((delivery) => delivery.kind)).toEqual([
      'issue',
      'issue',
      'issue',
    ])
  })
  test('a message to several recipients counts once', () => {
    const recent = Array.from({ length: 9 }, (_, at) =>
      ['a', 'b', 'c'].map((who) => issueSent(100 + at, 1000, who)),
    ).flat()
    const { deliveries } = ask({ due: many(1, 2), recent, recipientsOf: () => ['a', 'b', 'c'] })
    expect(deliveries.map((delivery) => delivery.kind)).toEqual([
      'issue',
      'issue',
      'issue',
      'summary',
      'summary',
      'summary',
    ])
  })
  test('one channel that holds a change does not tell another one twice', () => {
    const recent = [...Array.from({ length: 10 }, (_, at) => issueSent(100 + at, 1000)), summarySent(1000)]
    const first = ask({ channels: [channel(1), channel(2)], recent })
    expect(told(first.deliveries)).toEqual([[2, '', 'issue', [1], 0]])
    expect(first.doneIds).toEqual([])
    const [made] = first.deliveries
    const second = ask({ channels: [channel(1), channel(2)], recent: [...recent, ...(made ? [sent(made, 0)] : [])] })
    expect(second.deliveries).toEqual([])
  })
})
