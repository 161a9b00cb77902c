import { describe, expect, test } from 'vitest'
import type { Firing } from '../../store/meta/alerts/firings.ts'
import type { Mute } from '../../store/meta/alerts/mutes.ts'
import { firing, minuteMs, nowMs, person, rule, slack, story } from '../decide.cases.ts'
import type { Question, Receiver, RuleFacts } from './facts.ts'

const mute = (kind: Mute['kind'], targetId = 0, more: Partial<Mute> = {}): Mute => ({
  id: targetId + 1,
  organizationId: 1,
  kind,
  targetId,
  name: `${kind} ${targetId}`,
  fromMs: 0,
  toMs: null,
  userId: null,
  createdMs: 0,
  ...more,
})

/** A firing about issues of projects. The deploy joins them in one incident. */
const about = (projectIds: number[], issueIds: number[]) =>
  firing(4, { cause: { projectIds, issueIds, release: '', deployId: 3 } })

describe('several mutes', () => {
  test.each<[string, Mute[], string]>([
    ['one of two projects', [mute('project', 1)], ''],
    ['both projects', [mute('project', 2), mute('project', 1)], 'Muted: project 2'],
    ['both projects and a third', [mute('project', 3), mute('project', 1), mute('project', 2)], 'Muted: project 1'],
    ['one of two issues', [mute('issue', 7)], ''],
    ['both issues', [mute('issue', 7), mute('issue', 8)], 'Muted: issue 7'],
    ['both issues in mutes that came twice', [7, 8, 7, 8].map((id) => mute('issue', id)), 'Muted: issue 7'],
    ['a project and an issue', [mute('project', 1), mute('issue', 7)], ''],
    ['both projects, one by another organization', [mute('project', 1), mute('project', 2, { organizationId: 2 })], ''],
    ['ids of issues as projects', [mute('project', 7), mute('project', 8)], ''],
    ['ids of projects as issues', [mute('issue', 1), mute('issue', 2)], ''],
    ['the rule', [mute('rule', 4)], 'Muted: rule 4'],
    ['the rule and the organization', [mute('organization'), mute('rule', 4)], 'Muted: organization 0'],
  ])('%s', (_says, mutes, heldBy) => {
    const { step, log } = story([rule(4, { kind: 'issue' })])
    const { decided } = step(0, [about([1, 2], [7, 8])], { mutes })
    expect(log.length).toBeGreaterThan(0)
    expect([...new Set(log.map(({ status, error }) => `${status} ${error}`.trim()))]).toEqual([
      heldBy ? `suppressed ${heldBy}` : 'queued',
    ])
    const held = decided.incidents.flatMap(({ activities }) => activities.filter(({ kind }) => kind === 'suppressed'))
    const data = { reason: heldBy, why: 'muted', mute: heldBy.replace('Muted: ', '') }
    expect(held).toEqual(heldBy ? [{ kind: 'suppressed', userId: null, data }] : [])
  })

  test('a metric of all projects is not covered by mutes of projects', () => {
    const { step } = story([rule(4)])
    expect(step(0, [about([], [])], { mutes: [mute('project', 1), mute('project', 2)] }).told).toHaveLength(1)
  })
})

describe('the on-call order and mutes', () => {
  const onCall = rule(4, { kind: 'issue', escalation: [{ afterMinutes: 10, schedule: '9' }] })
  const order: Partial<Question> = { onCall: () => [person('ann'), person('bob')] }
  const steps = (found: { activities: string[] }) => found.activities.filter((kind) => kind === 'escalated').length

  test('a muted issue that is left is not escalated, though another one that has ended was not muted', () => {
    const { step, incidents } = story([onCall], order)
    step(0, [about([1], [7, 8])])
    expect(incidents.size).toBe(1)
    step(5, [{ ...about([1], [8]), change: 'end' }])
    expect(steps(step(11, [], { mutes: [mute('issue', 7)] }))).toBe(0)
    expect(steps(step(12, []))).toBe(1)
  })

  test.each<[string, Partial<Question>]>([
    ['the organization', { mutes: [mute('organization')] }],
    ['the rule', { mutes: [mute('rule', 4)] }],
    ['the project', { mutes: [mute('project', 1)] }],
    ['the rule for a time', { rules: new Map([[4, { ...onCall, mutedUntilMs: nowMs + 15 * minuteMs }]]) }],
  ])('a mute of %s holds a step back, and its end lets it go', (_says, question) => {
    const { step } = story([onCall], order)
    step(0, [about([1], [7])])
    expect(step(10, [], question)).toMatchObject({ told: [], activities: [] })
    expect(step(16, []).told).toEqual([['change', 'warning', 'ann']])
    // The last step is not taken again.
    expect(step(60, []).told).toEqual([])
  })

  test('an incident that was never told does not escalate', () => {
    const { step } = story([onCall], order)
    step(0, [about([1], [7])], { mutes: [mute('organization')] })
    expect(steps(step(30, [], { mutes: [mute('organization')] }))).toBe(0)
    expect(step(31, []).told).toEqual([['start', 'warning', 'channel 1']])
    expect(steps(step(40, []))).toBe(0)
    expect(steps(step(41, []))).toBe(1)
  })

  test('a person who is nowhere now is recorded, and the next step goes on', () => {
    const steps2 = [
      { afterMinutes: 10, schedule: '9' },
      { afterMinutes: 10, schedule: '9' },
    ]
    const { step } = story([rule(4, { escalation: steps2 })], { onCall: () => [away, person('bob')] })
    step(0, [firing(4)])
    expect(step(10, [])).toMatchObject({ told: [], activities: ['escalated'] })
    expect(step(20, [])).toMatchObject({ told: [['change', 'warning', 'bob']], activities: ['escalated'] })
  })

  const away: Receiver = { ...person('ann'), recipients: [] }
  test.each<[string, Partial<Question>, number]>([
    ['names nobody', { receiversOf: () => [] }, 1],
    ['names somebody who is nowhere now', { receiversOf: () => [away] }, 1],
    ['names nobody, and is muted', { receiversOf: () => [], mutes: [mute('organization')] }, 0],
  ])('the order of a rule that %s', (_says, question, count) => {
    const { step } = story([onCall], { ...order, ...question })
    step(0, [about([1], [7])])
    expect(steps(step(9, []))).toBe(0)
    expect(step(10, []).told).toEqual(count ? [['change', 'warning', 'ann']] : [])
  })

  test.each([
    ['one schedule comes twice: the next person', ['9', '9', '9'], ['ann', 'bob', 'ann']],
    ['two schedules each begin with the one on call', ['9', '8', '9', '8'], ['ann', 'cyd', 'bob', 'dee']],
  ])('%s', (_says, schedules, expected) => {
    const escalation = schedules.map((schedule) => ({ afterMinutes: 5, schedule }))
    const orders: Record<string, Receiver[]> = {
      8: [person('cyd'), person('dee')],
      9: [person('ann'), person('bob')],
    }
    const { step } = story([rule(4, { escalation })], { onCall: (schedule) => orders[schedule] ?? [] })
    step(0, [firing(4)])
    const told = schedules.flatMap((_schedule, at) => step(5 * (at + 1), []).told.map(([, , who]) => who))
    expect(told).toEqual(expected)
  })
})

describe('the on-call orders of two rules in one incident', () => {
  const of = (schedule: string, steps: number) => Array.from({ length: steps }, () => ({ afterMinutes: 10, schedule }))
  const [first, second] = [rule(4, { escalation: of('9', 1) }), rule(5, { escalation: of('8', 2) })]
  const orders: Record<string, Receiver[]> = { 8: [person('cyd'), person('dee')], 9: [person('ann'), person('bob')] }
  const deploy = { cause: { projectIds: [1], issueIds: [], release: '', deployId: 3 } }
  const start = [firing(4, deploy), firing(5, { ...deploy, id: 2 })]
  const end = { ...firing(4, { ...deploy, id: 3 }), change: 'end' } as const
  const back = firing(4, { ...deploy, id: 4 })

  test.each<[string, RuleFacts[], Record<number, Firing[]>, string[]]>([
    ['follow each other', [first, second], {}, ['10 ann', '21 cyd', '31 dee']],
    ['the first one ended after its order', [first, second], { 15: [end] }, ['10 ann', '21 cyd', '31 dee']],
    ['the first one ended before its order', [first, second], { 5: [end] }, ['15 cyd', '25 dee']],
    [
      'the first one comes back when its order is finished',
      [first, second],
      { 15: [end], 40: [back] },
      ['10 ann', '21 cyd', '31 dee'],
    ],
    [
      'the first one comes back when its order is not finished',
      [rule(4, { escalation: of('9', 2) }), second],
      { 15: [end], 40: [back] },
      ['10 ann', '25 cyd', '35 dee', '50 ann', '60 bob'],
    ],
    [
      'the first one is muted',
      [{ ...first, mutedUntilMs: nowMs + 12 * minuteMs }, second],
      {},
      ['10 cyd', '20 dee', '31 ann'],
    ],
  ])('%s', (_says, rules, later, expected) => {
    const { step } = story(rules, { onCall: (schedule) => orders[schedule] ?? [] })
    step(0, start)
    const told: string[] = []
    for (let minute = 1; minute <= 90; minute++)
      for (const [, , who] of step(minute, later[minute] ?? []).told)
        if (who !== 'channel 1') told.push(`${minute} ${who}`)
    expect(told).toEqual(expected)
  })
})

describe('who hears of an end', () => {
  const end = firing(4, { change: 'end' })

  test.each<[string, Partial<Question>, number]>([
    ['those who heard of the start', {}, 1],
    ['nobody whose channel is gone', { receiverOf: () => undefined }, 0],
    ['nobody who is nowhere now', { receiverOf: () => ({ ...slack, recipients: [] }) }, 0],
    ['nobody, if the rule says so', { rules: new Map([[4, rule(4, { resolveMessage: false })]]) }, 0],
  ])('%s', (_says, question, count) => {
    const { step, incidents } = story([rule(4)])
    step(0, [firing(4)])
    expect(step(5, [end], question).told).toHaveLength(count)
    // Whatever was told, it is not told later.
    expect(incidents.get(1)?.incident).toMatchObject({ state: 'resolved', notified: { 'channel:1': { level: 'ok' } } })
    expect(step(6, []).told).toEqual([])
  })

  test('the persons whom the on-call order woke', () => {
    const { step } = story([rule(4, { escalation: [{ afterMinutes: 10, schedule: '9' }] })], {
      onCall: () => [person('ann'), person('bob')],
    })
    step(0, [firing(4)])
    step(10, [])
    expect(step(12, [end]).told).toEqual([
      ['end', 'warning', 'channel 1'],
      ['end', 'warning', 'ann'],
    ])
  })
})

describe('how often a receiver hears of changes', () => {
  const rules = [rule(4, { intervalMinutes: 30 }), rule(5, { intervalMinutes: 5 })]
  const cause = { projectIds: [1], issueIds: [], release: 'web@1', deployId: 3 }

  test.each([
    ['before the shortest interval', 4, 0],
    ['at the shortest interval of its rules', 5, 1],
  ])('%s', (_says, minute, count) => {
    const { step } = story(rules)
    step(0, [firing(4, { cause }), firing(5, { id: 2, cause })])
    step(1, [firing(5, { id: 3, cause: { ...cause, projectIds: [2] }, key: 'b' })])
    const third = rule(6)
    const all = new Map([...rules, third].map((item) => [item.id, item]))
    expect(step(minute, [firing(6, { id: 4, cause })], { rules: all }).told).toHaveLength(count)
  })

  test('a fall waits for the interval, a rise does not', () => {
    const { step } = story([rule(4)])
    step(0, [firing(4, { level: 'critical' })])
    expect(step(5, [firing(4, { change: 'change', level: 'warning' })]).told).toEqual([])
    expect(step(30, []).told).toEqual([['change', 'warning', 'channel 1']])
    expect(step(31, [firing(4, { change: 'change', level: 'critical' })]).told).toEqual([
      ['change', 'critical', 'channel 1'],
    ])
  })

  test('a receiver that joins later hears of the start, the others hear nothing new', () => {
    const { step } = story([rule(4)])
    step(0, [firing(4)])
    expect(step(3, [], { receiversOf: () => [slack, person('ann')] }).told).toEqual([['start', 'warning', 'ann']])
    expect(step(4, [], { receiversOf: () => [slack, person('ann')] }).told).toEqual([])
  })
})

describe('a person whom two rules of one incident name', () => {
  const bob: Receiver = { ...person('bob'), notBeforeMs: nowMs + 60 * minuteMs }
  const onCall: Receiver = { ...bob, recipients: ['push:1'], isOnCall: true }
  const deploy: Partial<Firing> = {
    level: 'critical',
    cause: { projectIds: [1], issueIds: [], release: '', deployId: 3 },
  }

  test.each([
    ['first on call', { 4: onCall, 5: bob }],
    ['then on call', { 4: bob, 5: onCall }],
  ])('is woken at each place: %s', (_says, byRule: Record<number, Receiver>) => {
    const { step, log } = story([rule(4), rule(5)], { receiversOf: (ruleId) => [byRule[ruleId] ?? slack] })
    step(0, [firing(4, deploy), firing(5, { ...deploy, id: 2 })])
    expect(log.map(({ recipient, nextMs }) => [recipient, nextMs]).sort()).toEqual([
      ['bob@x.test', nowMs],
      ['push:1', nowMs],
    ])
  })
})

describe('the end of a snooze', () => {
  const snooze = (state: object) => (found: ReturnType<typeof story>['incidents']) =>
    Object.assign(found.get(1)?.incident ?? {}, { snoozedUntilMs: nowMs + 60 * minuteMs, ...state })
  const told = [['change', 'critical', 'channel 1']]

  test.each<[string, object, Partial<Question>, Firing[], string[][]]>([
    ['is told though nothing changed', {}, {}, [], told],
    [
      'is told once with what changed',
      {},
      {},
      [firing(4, { change: 'change', level: 'warning' })],
      [['change', 'warning', 'channel 1']],
    ],
    ['is not told of what somebody works on', { state: 'acknowledged' }, {}, [], []],
    ['is not told while a mute holds', {}, { mutes: [mute('rule', 4)] }, [], []],
    ['is not told of what has ended', {}, {}, [firing(4, { change: 'end' })], []],
  ])('%s', (_says, state, question, meanwhile, expected) => {
    const { step, incidents, log } = story([rule(4)])
    step(0, [firing(4, { level: 'critical' })])
    snooze(state)(incidents)
    step(20, meanwhile)
    expect(step(59, []).told).toEqual([])
    expect(step(60, [], question).told).toEqual(expected)
    // Once, also when the interval is over.
    expect(step(61, [], question).told).toEqual([])
    expect(step(120, [], question).told).toEqual([])
    if (expected === told) expect(log.at(-1)?.steps[0]?.text).toContain('Rule 4: the snooze is over, critical.')
  })

  test('waits for the interval of the rule', () => {
    const { step, incidents } = story([rule(4, { intervalMinutes: 90 })])
    step(0, [firing(4, { level: 'critical' })])
    snooze({})(incidents)
    expect(step(60, []).told).toEqual([])
    expect(step(90, []).told).toEqual(told)
  })
})

describe('an on-call service keeps an alert open until it hears of the end', () => {
  const pager: Receiver = { ...slack, isPager: true }
  const hears: Partial<Question> = { receiversOf: () => [pager], receiverOf: () => pager }
  const silent = rule(4, { resolveMessage: false })
  const end = firing(4, { change: 'end' })

  test.each<[string, Partial<Question>, boolean]>([
    ['though the rule sends no end', { rules: new Map([[4, silent]]) }, true],
    ['though it is muted', { mutes: [mute('organization')] }, true],
    ['not if its channel is gone', { receiverOf: () => undefined }, false],
    ['not if its channel is switched off', { receiverOf: () => ({ ...pager, recipients: [] }) }, false],
  ])('it hears of the end, %s', (_says, question, isTold) => {
    const { step } = story([rule(4)], hears)
    step(0, [firing(4)])
    expect(step(5, [end], question).told).toEqual(isTold ? [['end', 'warning', 'channel 1']] : [])
    expect(step(6, [], question).told).toEqual([])
  })

  test('also when the rule was deleted, or nothing happened for a day', () => {
    const deleted = story([rule(4)], hears)
    deleted.step(0, [firing(4)])
    expect(deleted.step(1, [], { rules: new Map() }).told).toEqual([['end', 'warning', 'channel 1']])
    expect(deleted.log.at(-1)).toMatchObject({ ruleId: null, steps: [{ text: 'It ended: its rules were deleted.' }] })
    const quiet = story([rule(4, { kind: 'issue' })], hears)
    quiet.step(0, [about([1], [7])])
    expect(quiet.step(24 * 60, []).told).toEqual([['end', 'warning', 'channel 1']])
  })

  test('ends are told in a flood, too', () => {
    const { step } = story([rule(4, { kind: 'issue' })], hears)
    const issues = Array.from({ length: 12 }, (_, at) => at + 1)
    step(
      0,
      issues.map((issue) => firing(4, { id: issue, issue })),
    )
    const told = step(
      5,
      issues.map((issue) => firing(4, { id: 20 + issue, issue, change: 'end' })),
    ).told
    // Ten single incidents, and one that collects the others.
    expect(told.filter(([change]) => change === 'end')).toHaveLength(11)
  })

  test('it hears once that somebody acknowledged, and of a rise after that; a chat hears nothing of it', () => {
    const { step, incidents } = story([rule(4)], hears)
    const acknowledge = () => Object.assign(incidents.get(1)?.incident ?? {}, { state: 'acknowledged' })
    step(0, [firing(4)])
    acknowledge()
    const { told, decided } = step(1, [], { mutes: [mute('organization')] })
    expect(told).toEqual([['change', 'warning', 'channel 1']])
    expect(decided.deliveries[0]?.delivery.steps[0]?.text).toBe('Somebody acknowledged the incident.')
    expect(step(2, []).told).toEqual([])
    expect(step(3, [firing(4, { change: 'change', level: 'critical' })]).told).toEqual([
      ['change', 'critical', 'channel 1'],
    ])
    acknowledge()
    expect(step(4, []).told).toEqual([['change', 'critical', 'channel 1']])

    const chat = story([rule(4)])
    chat.step(0, [firing(4)])
    Object.assign(chat.incidents.get(1)?.incident ?? {}, { state: 'acknowledged' })
    expect(chat.step(1, []).told).toEqual([])
  })
})
