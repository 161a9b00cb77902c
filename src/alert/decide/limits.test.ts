import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../store/meta/issues/alerts.ts'
import { minuteMs, nowMs, person, slack } from '../decide.cases.ts'
import type { Receiver } from './facts.ts'
import { type Content, limited, messagesTo } from './limits.ts'

const content = (issueId: number | null, more: Partial<Content> = {}): Content => ({
  organizationId: 1,
  kind: issueId === null ? 'incident' : 'issue',
  change: 'start',
  level: 'warning',
  ruleId: 4,
  firingIds: [issueId ?? 99],
  items: issueId === null ? [] : [{ issueId, kind: 'new', eventId: '' }],
  reason: 'Rule 4: warning.',
  incident: null,
  isUrgent: false,
  isCollected: false,
  heldBy: '',
  ...more,
})
const contents = (count: number, from = 1) => Array.from({ length: count }, (_, at) => content(from + at))

const sent = (minutesAgo: number, more: Partial<Delivery> = {}): Delivery => {
  const createdMs = nowMs - minutesAgo * minuteMs
  return {
    id: 1,
    organizationId: 1,
    channelId: 1,
    userId: null,
    recipient: '',
    personalKind: null,
    kind: 'issue',
    change: 'start',
    level: 'warning',
    ruleId: 4,
    incidentId: null,
    firingIds: [],
    items: [],
    issueIds: [],
    more: 0,
    status: 'sent',
    error: '',
    nextMs: createdMs,
    steps: [],
    attempts: 1,
    createdMs,
    sentMs: createdMs,
    ...more,
  }
}
const summary = (minutesAgo: number, more: Partial<Delivery> = {}) => sent(minutesAgo, { kind: 'summary', ...more })
const times = (count: number, delivery: Delivery) => Array.from({ length: count }, (_, at) => ({ ...delivery, id: at }))
/** A summary that was decided and waits for minutes. */
const waiting = (minutes: number, more: Partial<Delivery> = {}) =>
  summary(1, { id: 9, status: 'queued', attempts: 0, sentMs: null, nextMs: nowMs + minutes * minuteMs, ...more })

const shape = ({ deliveries, grown }: ReturnType<typeof limited>) => ({
  singles: deliveries.filter(({ delivery }) => delivery.status === 'queued' && delivery.kind !== 'summary').length,
  summaries: deliveries.filter(({ delivery }) => delivery.status === 'queued' && delivery.kind === 'summary').length,
  held: deliveries.filter(({ delivery }) => delivery.status === 'suppressed').length,
  grown: grown.length,
})

describe('ten messages in ten minutes', () => {
  test.each<[string, number, Delivery[], ReturnType<typeof shape>]>([
    ['nothing', 0, [], { singles: 0, summaries: 0, held: 0, grown: 0 }],
    ['ten', 10, [], { singles: 10, summaries: 0, held: 0, grown: 0 }],
    ['eleven', 11, [], { singles: 10, summaries: 1, held: 0, grown: 0 }],
    ['three after eight', 3, times(8, sent(1)), { singles: 2, summaries: 1, held: 0, grown: 0 }],
    ['one after ten', 1, times(10, sent(9)), { singles: 0, summaries: 1, held: 0, grown: 0 }],
    ['one ten minutes after ten', 1, times(10, sent(10)), { singles: 1, summaries: 0, held: 0, grown: 0 }],
    [
      'one after ten incidents',
      1,
      times(10, sent(1, { kind: 'incident' })),
      { singles: 0, summaries: 1, held: 0, grown: 0 },
    ],
    ['one after ten tests', 1, times(10, sent(1, { kind: 'test' })), { singles: 1, summaries: 0, held: 0, grown: 0 }],
    [
      'one after ten of another channel',
      1,
      times(10, sent(1, { channelId: 2 })),
      { singles: 1, summaries: 0, held: 0, grown: 0 },
    ],
    ['one after a summary', 1, [summary(9)], { singles: 0, summaries: 1, held: 0, grown: 0 }],
    ['one ten minutes after a summary', 1, [summary(10)], { singles: 1, summaries: 0, held: 0, grown: 0 }],
    ['one while a summary waits', 1, [waiting(5)], { singles: 0, summaries: 0, held: 0, grown: 1 }],
    [
      'one while a summary is tried again',
      1,
      [waiting(5, { attempts: 1 })],
      { singles: 0, summaries: 1, held: 0, grown: 0 },
    ],
    ['one when the waiting summary leaves', 1, [waiting(0)], { singles: 0, summaries: 1, held: 0, grown: 0 }],
  ])('%s', (_says, count, recent, expected) => {
    expect(shape(limited(contents(count), slack, recent, nowMs))).toEqual(expected)
  })

  test('urgent messages pass every limit and use none of it', () => {
    const urgent = Array.from({ length: 3 }, () => content(null, { isUrgent: true }))
    expect(shape(limited(urgent, slack, times(10, sent(1)), nowMs)).singles).toBe(3)
    expect(shape(limited([...urgent, ...contents(10)], slack, [], nowMs))).toMatchObject({ singles: 13, summaries: 0 })
  })

  test('what is only ever collected leaves the single messages to others', () => {
    const collected = contents(3).map((item) => ({ ...item, isCollected: true }))
    const found = limited([...collected, ...contents(10, 50)], slack, [], nowMs)
    expect(shape(found)).toEqual({ singles: 10, summaries: 1, held: 0, grown: 0 })
    expect(found.deliveries.at(-1)?.delivery.issueIds).toEqual([1, 2, 3])
  })

  test('ends beyond the limit are recorded and not told: a summary could not list them', () => {
    const ends = Array.from({ length: 2 }, (_, at) => content(null, { change: 'end', incident: at }))
    const found = limited([...contents(10), ...ends], slack, [], nowMs)
    expect(shape(found)).toEqual({ singles: 10, summaries: 0, held: 2, grown: 0 })
    expect(found.deliveries.at(-1)?.delivery.error).toBe('Too many messages at once.')
  })
})

describe('when a summary leaves', () => {
  test.each<[string, Delivery[], number]>([
    ['at once, if it is the first', times(10, sent(1)), 0],
    ['ten minutes after the first one', [summary(4)], 6],
    ['an hour after the first of two', [summary(30), summary(9)], 30],
    ['at once, if the last one is an hour ago', [...times(10, sent(1)), summary(60)], 0],
  ])('%s', (_says, recent, minutes) => {
    const [found] = limited(contents(1), slack, recent, nowMs).deliveries
    expect(found?.delivery).toMatchObject({ kind: 'summary', nextMs: nowMs + minutes * minuteMs })
  })

  test('a summary that was decided long ago counts from when it left', () => {
    const late = summary(50, { sentMs: nowMs - 2 * minuteMs })
    const [found] = limited(contents(1), slack, [late], nowMs).deliveries
    expect(found?.delivery.nextMs).toBe(nowMs + 8 * minuteMs)
  })
})

describe('what a summary says', () => {
  const first = (all: Content[], recent: Delivery[] = [summary(1)]) =>
    limited(all, slack, recent, nowMs).deliveries.at(-1)?.delivery

  test.each<[string, Content[], object]>([
    ['each issue once', [content(1), content(2), content(1)], { issueIds: [1, 2], more: 0 }],
    ['twenty issues', contents(20), { more: 0 }],
    ['twenty issues, and counts the others', contents(25), { more: 5 }],
    ['incidents without an issue as a number', [content(null), content(null), content(3)], { issueIds: [3], more: 2 }],
    ['the worst level', [content(1), content(2, { level: 'critical' })], { level: 'critical' }],
    ['its rule', [content(1), content(2)], { ruleId: 4 }],
    ['no rule, if there are several', [content(1), content(2, { ruleId: 5 })], { ruleId: null }],
    ['each firing once', [content(1), content(1), content(2)], { firingIds: [1, 2] }],
    ['no incident', [content(1, { incident: 3 })], { incidentId: null }],
    ['a start, whatever the changes are', [content(1, { change: 'change' })], { change: 'start', kind: 'summary' }],
  ])('%s', (_says, all, expected) => {
    expect(first(all)).toMatchObject(expected)
  })

  test('lists at most twenty issues and knows all of them', () => {
    const found = first(contents(25))
    expect(found?.items.map(({ issueId }) => issueId)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
    expect(found?.issueIds).toHaveLength(25)
  })

  test('one that waits grows for each of its recipients, and counts what it knows already once', () => {
    const known = Array.from({ length: 19 }, (_, at) => at + 1)
    const items = known.map((issueId) => ({ issueId, kind: 'new' as const, eventId: '' }))
    const twice = [waiting(5, { id: 8, recipient: 'a', items, issueIds: known, more: 2 })]
    twice.push(waiting(5, { id: 9, recipient: 'b', items, issueIds: known, more: 2 }))
    const all = [content(19), content(20), content(21), content(null)]
    const { deliveries, grown } = limited(all, { ...slack, recipients: ['a', 'b'] }, twice, nowMs)
    expect(deliveries).toEqual([])
    expect(grown.map(({ id, items: listed, issueIds, more }) => [id, listed.length, issueIds.length, more])).toEqual([
      [8, 20, 21, 4],
      [9, 20, 21, 4],
    ])
  })

  test('a summary of another person does not grow', () => {
    const mine = waiting(5, { id: 8, channelId: null, userId: 'ann', recipient: 'ann@x.test' })
    const other = waiting(5, { id: 9, channelId: null, userId: 'bob', recipient: 'bob@x.test' })
    expect(limited(contents(1), person('ann'), [mine, other], nowMs).grown.map(({ id }) => id)).toEqual([8])
  })
})

describe('what is held back', () => {
  test('is one row for each incident, rule and reason', () => {
    const held = [
      content(1, { heldBy: 'Muted: a' }),
      content(2, { heldBy: 'Muted: a' }),
      content(3, { heldBy: 'Muted: b' }),
      content(4, { heldBy: 'Muted: a', ruleId: 5 }),
      content(5, { heldBy: 'Muted: a', incident: 1 }),
    ]
    const found = limited(held, { ...slack, recipients: ['a', 'b'] }, [], nowMs).deliveries
    expect(found.map(({ delivery, incident }) => [delivery.error, delivery.issueIds, delivery.kind, incident])).toEqual(
      [
        ['Muted: a', [1, 2], 'summary', null],
        ['Muted: b', [3], 'issue', null],
        ['Muted: a', [4], 'issue', null],
        ['Muted: a', [5], 'issue', 1],
      ],
    )
    expect(found.every(({ delivery }) => delivery.status === 'suppressed' && delivery.recipient === 'a')).toBe(true)
  })

  test('uses none of the limit', () => {
    const held = contents(50).map((item) => ({ ...item, heldBy: 'Muted: a' }))
    expect(shape(limited([...held, ...contents(10, 60)], slack, [], nowMs))).toMatchObject({ singles: 10, held: 1 })
  })
})

describe('quiet hours', () => {
  const quietMs = nowMs + 60 * minuteMs
  const asleep = (more: Partial<Receiver> = {}): Receiver => ({ ...person('ann'), notBeforeMs: quietMs, ...more })

  test.each<[string, Receiver, Content, number]>([
    ['a warning waits', asleep(), content(1), quietMs],
    ['a critical message waits, too', asleep(), content(1, { level: 'critical' }), quietMs],
    ['a warning to who is on call waits', asleep({ isOnCall: true }), content(1), quietMs],
    ['a critical one to who is on call does not', asleep({ isOnCall: true }), content(1, { level: 'critical' }), nowMs],
    ['hours that are over', asleep({ notBeforeMs: nowMs - 1 }), content(1), nowMs],
  ])('%s', (_says, receiver, item, atMs) => {
    expect(limited([item], receiver, [], nowMs).deliveries[0]?.delivery.nextMs).toBe(atMs)
  })

  test('a summary waits for both: the hours and its own pause', () => {
    const recent = [summary(1, { channelId: null, userId: 'ann', recipient: 'ann@x.test' })]
    expect(limited(contents(1), asleep(), recent, nowMs).deliveries[0]?.delivery.nextMs).toBe(quietMs)
    const soon = asleep({ notBeforeMs: nowMs + minuteMs })
    expect(limited(contents(1), soon, recent, nowMs).deliveries[0]?.delivery.nextMs).toBe(nowMs + 9 * minuteMs)
  })
})

test('a flood of 10,000 issues is counted to the last one, whether it comes at once or bit by bit', () => {
  const receiver: Receiver = { key: 'channel:1', channelId: 1, userId: null, recipients: [''], notBeforeMs: 0 }
  const all = Array.from({ length: 10_000 }, (_, at) => content(at + 1, { isCollected: true }))
  const [whole] = limited(all, receiver, [], nowMs).deliveries.map(({ delivery }) => delivery)
  expect([whole?.items.length, whole?.more, whole?.issueIds.length]).toEqual([20, 9_980, 10_000])
  const waiting = { ...sent(0, { id: 1, kind: 'summary', ...whole }), attempts: 0, nextMs: nowMs + minuteMs }
  const part = (from: number, to: number) => all.slice(from, to)
  const { grown } = limited([...part(9_990, 10_000), content(10_001)], receiver, [waiting], nowMs)
  // Ten of them are known.
  expect(grown).toMatchObject([{ id: 1, more: 9_981 }])
  expect([grown[0]?.items.length, grown[0]?.issueIds.length]).toEqual([20, 10_001])
})

test('messages to a person count for each organization', () => {
  const to = { channelId: null, userId: 'ann', recipient: 'ann@x.test' }
  const all = [sent(5, { ...to, id: 1, organizationId: 1 }), sent(4, { ...to, id: 2, organizationId: 2 })]
  const ids = (organizationId: number) =>
    messagesTo(all, { channelId: null, userId: 'ann', place: 'email', organizationId }).map(({ id }) => id)
  expect([ids(1), ids(2), ids(3)]).toEqual([[1], [2], []])
})

test('mails and push messages to a person count apart, and each decision counts once however many browsers there were', () => {
  const to = { channelId: null, userId: 'ann' }
  const all = [
    sent(5, { ...to, id: 1, recipient: 'ann@x.test' }),
    sent(4, { ...to, id: 2, recipient: 'push:1' }),
    sent(4, { ...to, id: 3, recipient: 'push:2' }),
    sent(3, { ...to, id: 4, recipient: 'push:2' }),
  ]
  const ids = (place: 'email' | 'push') => messagesTo(all, { ...to, place }).map(({ id }) => id)
  expect([ids('email'), ids('push')]).toEqual([[1], [2, 4]])
})

test('the messages of a receiver are those to its first recipient: each was one message', () => {
  const all = [
    sent(3, { id: 1, recipient: 'a' }),
    sent(3, { id: 2, recipient: 'b' }),
    sent(2, { id: 3, recipient: 'a' }),
    sent(2, { id: 4, channelId: null, userId: 'ann', recipient: 'ann@x.test' }),
    sent(2, { id: 5, channelId: null, userId: 'bob', recipient: 'bob@x.test' }),
    sent(2, { id: 6, channelId: 2 }),
  ]
  const ids = (receiver: Pick<Receiver, 'channelId' | 'userId'>) => messagesTo(all, receiver).map(({ id }) => id)
  expect(ids({ channelId: 1, userId: null })).toEqual([1, 3])
  expect(ids({ channelId: null, userId: 'ann' })).toEqual([4])
  expect(ids({ channelId: null, userId: 'eve' })).toEqual([])
})
