import { describe, expect, test } from 'vitest'
import { aDelivery } from '../store/meta/alerts/incidents.cases.ts'
import type { Decided } from '../store/meta/alerts/incidents.ts'
import type { AlertDue, Delivery, NewDelivery } from '../store/meta/issues/alerts.ts'
import type { Question } from './decide/facts.ts'
import { base, channel, due, many, minuteMs, nowMs } from './decide.cases.ts'
import { decide } from './decide.ts'

const sent = (newDelivery: NewDelivery, agoMs: number, id = 1): Delivery => ({
  ...newDelivery,
  id,
  status: 'sent',
  attempts: 1,
  nextMs: nowMs - agoMs,
  createdMs: nowMs - agoMs,
  sentMs: nowMs - agoMs,
})
const toChannel = (more: Partial<NewDelivery>) => aDelivery({ channelId: 1, userId: null, recipient: '', ...more })
const queued = { status: 'queued' as const, attempts: 0, sentMs: null, nextMs: nowMs + 5 * minuteMs }
const issueSent = (issueId: number, agoMs: number, recipient = '') =>
  sent(toChannel({ recipient, kind: 'issue', items: [{ issueId, kind: 'new', eventId: 'e' }] }), agoMs)
const summarySent = (agoMs: number) => sent(toChannel({ kind: 'summary' }), agoMs)

const ask = (more: Partial<Question>) => decide({ ...base, due: [due(1)], channels: [channel(1)], ...more })
const told = (decided: Decided) =>
  decided.deliveries.map(({ delivery }) => [
    delivery.channelId,
    delivery.recipient,
    delivery.kind,
    delivery.items.map((item) => item.issueId),
    delivery.more,
  ])
const kindsOf = (decided: Decided) => decided.deliveries.map(({ delivery }) => delivery.kind)

describe('who hears of the built-in notifications', () => {
  test.each<{ says: string; ask: Partial<Question>; told: unknown[] }>([
    { says: 'a channel of the organization', ask: {}, told: [[1, '', 'issue', [1], 0]] },
    { says: 'no inactive one', ask: { channels: [channel(1, { active: false })] }, told: [] },
    { says: 'none that only hears of rules', ask: { channels: [channel(1, { subscription: 'rules' })] }, told: [] },
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
    const decided = ask(question)
    expect(told(decided)).toEqual(expected)
    expect(decided.dueIds).toEqual([10])
    expect(decided.incidents).toEqual([])
  })
})

describe('one message an issue and hour', () => {
  test.each([
    ['after the change', 59, -60, 0, [10], []],
    ['before the change, 59 minutes ago: it waits for the hour', 59, 0, 0, [], [{ id: 10, untilMs: nowMs + minuteMs }]],
    ['an hour ago', 60, 0, 1, [10], []],
  ])('told %s', (_says, minutes, atMinutes, messages, done, postponed) => {
    const change = due(1, { kind: 'regression', atMs: nowMs + atMinutes * minuteMs })
    const decided = ask({ due: [change], recent: [issueSent(1, minutes * minuteMs)] })
    expect([decided.deliveries.length, decided.dueIds, decided.postponed]).toEqual([messages, done, postponed])
  })
  test('what one channel waits with another one tells at once, and once', () => {
    const change = due(1, { kind: 'regression' })
    const recent = [issueSent(1, 30 * minuteMs)]
    const channels = [channel(1), channel(2)]
    const first = ask({ due: [change], channels, recent })
    expect(told(first)).toEqual([[2, '', 'issue', [1], 0]])
    expect(first).toMatchObject({ dueIds: [], postponed: [{ id: 10, untilMs: nowMs + 30 * minuteMs }] })
    const made = first.deliveries.map(({ delivery }) => sent(delivery, 0))
    const later = { due: [change], channels, recent: [...recent, ...made], nowMs: nowMs + 30 * minuteMs }
    const second = ask(later)
    expect(told(second)).toEqual([[1, '', 'issue', [1], 0]])
    expect(second).toMatchObject({ dueIds: [10], postponed: [] })
  })
  test('twice in one question', () => {
    expect(told(ask({ due: [due(1), due(1, { id: 11, kind: 'regression' })] }))).toEqual([[1, '', 'issue', [1], 0]])
  })
  test('of another channel is no reason', () => {
    expect(ask({ channels: [channel(2)], recent: [issueSent(1, 0)] }).deliveries).toHaveLength(1)
  })
})

describe('a flood', () => {
  test('ten single messages, then one summary that names twenty and counts the rest', () => {
    const decided = ask({ due: many(1, 45) })
    expect(kindsOf(decided)).toEqual([...Array(10).fill('issue'), 'summary'])
    const summary = decided.deliveries.at(-1)?.delivery
    expect(summary?.items.map((item) => item.issueId)).toEqual(many(11, 20).map((item) => item.issueId))
    expect([summary?.more, summary?.issueIds.length, summary?.nextMs]).toEqual([15, 35, nowMs])
    expect(decided.dueIds).toHaveLength(45)
  })
  test('what follows a summary is collected for ten minutes', () => {
    const recent = [
      ...Array.from({ length: 10 }, (_, at) => issueSent(100 + at, 5 * minuteMs)),
      summarySent(5 * minuteMs),
    ]
    const decided = ask({ due: many(1, 3), recent })
    expect(told(decided)).toEqual([[1, '', 'summary', [1, 2, 3], 0]])
    expect(decided.deliveries[0]?.delivery.nextMs).toBe(nowMs + 5 * minuteMs)
    expect(decided.dueIds).toHaveLength(3)
    const waiting = { ...sent(decided.deliveries[0]?.delivery ?? toChannel({}), 0, 77), ...queued }
    const next = ask({ due: [...many(3, 2), ...many(5, 30)], recent: [...recent, waiting] })
    expect(next.deliveries).toEqual([])
    expect(next.grown).toMatchObject([{ id: 77, more: 14 }])
    expect(next.grown[0]?.items).toHaveLength(20)
    expect(next.grown[0]?.issueIds).toHaveLength(34)
  })
  test('a message to several recipients counts once, and all their summaries grow', () => {
    const recent = Array.from({ length: 9 }, (_, at) =>
      ['a', 'b', 'c'].map((who) => issueSent(100 + at, 1000, who)),
    ).flat()
    const decided = ask({ due: many(1, 2), recent, recipientsOf: () => ['a', 'b', 'c'] })
    expect(kindsOf(decided)).toEqual([...Array(3).fill('issue'), ...Array(3).fill('summary')])
    const waiting = ['a', 'b'].map((recipient, at) => ({
      ...sent(toChannel({ recipient, kind: 'summary' }), 1000, 70 + at),
      ...queued,
    }))
    const next = ask({ recent: waiting, recipientsOf: () => ['a', 'b'] })
    expect(next.grown.map(({ id, issueIds }) => [id, issueIds])).toEqual([
      [70, [1]],
      [71, [1]],
    ])
  })
  test('10,000 new issues in a minute are at most twelve messages in the hour, and each is counted once', () => {
    const log: Delivery[] = []
    const step = (due: AlertDue[], atMs: number) => {
      const decided = decide({ ...base, due, channels: [channel(1)], recent: log, nowMs: atMs })
      for (const { id, ...change } of decided.grown)
        Object.assign(log.find((delivery) => delivery.id === id) ?? {}, change)
      for (const { delivery } of decided.deliveries)
        log.push({ ...delivery, id: log.length + 1, attempts: 0, createdMs: atMs, sentMs: null })
      for (const delivery of log) if (delivery.nextMs <= atMs) Object.assign(delivery, { status: 'sent', attempts: 1 })
      expect(decided.postponed).toEqual([])
    }
    for (let second = 0; second < 60; second++)
      step(
        Array.from({ length: 167 }, (_, at) => due(second * 167 + at + 1, { atMs: nowMs + second * 1000 })),
        nowMs + second * 1000,
      )
    for (let minute = 2; minute <= 60; minute++) step([], nowMs + minute * minuteMs)
    expect(log.filter(({ createdMs }) => createdMs <= nowMs + 60 * minuteMs).length).toBe(12)
    expect(log.every(({ status }) => status === 'sent')).toBe(true)
    const counted = log.flatMap(({ issueIds }) => issueIds)
    expect([counted.length, new Set(counted).size]).toEqual([60 * 167, 60 * 167])
    expect(log.reduce((sum, { items, more }) => sum + items.length + more, 0)).toBe(60 * 167)
  })
  test('a flood without an end has twelve messages in its first hour and two in each further one', () => {
    const log: Delivery[] = []
    for (let minute = 0; minute < 240; minute++) {
      const atMs = nowMs + minute * minuteMs
      const due = many(1 + minute * 20, 20).map((alert) => ({ ...alert, atMs }))
      const decided = decide({
        ...base,
        due,
        channels: [channel(1)],
        recent: log.filter(({ createdMs }) => createdMs > atMs - 120 * minuteMs),
        nowMs: atMs,
      })
      for (const { id, ...change } of decided.grown)
        Object.assign(log.find((delivery) => delivery.id === id) ?? {}, change)
      for (const { delivery } of decided.deliveries)
        log.push({ ...delivery, id: log.length + 1, attempts: 0, createdMs: atMs, sentMs: null })
      for (const delivery of log)
        if (delivery.status === 'queued' && delivery.nextMs <= atMs)
          Object.assign(delivery, { status: 'sent', attempts: 1, sentMs: atMs })
    }
    const perHour = [0, 1, 2, 3].map(
      (hour) =>
        log.filter(({ sentMs }) => sentMs !== null && Math.floor((sentMs - nowMs) / (60 * minuteMs)) === hour).length,
    )
    expect(perHour).toEqual([12, 2, 2, 2])
  })
})
