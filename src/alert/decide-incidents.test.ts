import { describe, expect, test } from 'vitest'
import type { Firing } from '../store/meta/alerts/firings.ts'
import type { Mute } from '../store/meta/alerts/mutes.ts'
import type { Question } from './decide/facts.ts'
import {
  base,
  channel,
  closed,
  due,
  firing,
  many,
  minuteMs,
  nowMs,
  person,
  rule,
  slack,
  story,
} from './decide.cases.ts'
import { decide } from './decide.ts'

test('a person hears at each place, and a critical message to who is on call wakes them at each', () => {
  const lateMs = nowMs + 60 * minuteMs
  const ann = { ...person('ann'), recipients: ['ann@x.test', 'push:4', 'push:5'], notBeforeMs: lateMs }
  const tell = (level: 'warning' | 'critical', isOnCall: boolean) =>
    decide({
      ...base,
      rules: new Map([[4, rule(4)]]),
      firings: [firing(4, { level })],
      receiversOf: () => [isOnCall ? { ...ann, isOnCall: true } : ann],
    }).deliveries.map(({ delivery }) => [delivery.recipient, delivery.nextMs])
  expect(tell('critical', false)).toEqual(ann.recipients.map((recipient) => [recipient, lateMs]))
  expect(tell('warning', true)).toEqual(ann.recipients.map((recipient) => [recipient, lateMs]))
  expect(tell('critical', true)).toEqual(ann.recipients.map((recipient) => [recipient, nowMs]))
})

describe('an incident of a metric', () => {
  test('start, rise, fall and end are one message each', () => {
    const { step, incidents } = story([rule(4)])
    expect(step(0, [firing(4)]).told).toEqual([['start', 'warning', 'channel 1']])
    expect(step(1, []).decided).toMatchObject({ deliveries: [], incidents: [] })
    expect(step(2, [firing(4, { change: 'change', level: 'critical' })]).told).toEqual([
      ['change', 'critical', 'channel 1'],
    ])
    expect(step(3, [firing(4, { change: 'change', level: 'warning' })]).told).toEqual([])
    expect(step(31, []).told).toEqual([])
    expect(step(32, []).told).toEqual([['change', 'warning', 'channel 1']])
    expect(step(40, [firing(4, { change: 'end' })]).told).toEqual([['end', 'warning', 'channel 1']])
    expect(incidents.get(1)?.incident).toMatchObject({
      state: 'resolved',
      peak: 'critical',
      endedMs: nowMs + 40 * minuteMs,
    })
    expect(step(41, []).told).toEqual([])
  })

  test('a value around the threshold does not flap within the interval', () => {
    const { step, incidents } = story([rule(4)])
    const messages = Array.from(
      { length: 30 },
      (_, minute) => step(minute, [firing(4, { change: minute % 2 === 0 ? 'start' : 'end' })]).told,
    ).flat()
    expect(messages.map(([change]) => change)).toEqual(['start', 'end'])
    expect(incidents.size).toBe(1)
    expect(step(60, [firing(4)]).told).toEqual([['start', 'warning', 'channel 1']])
    expect(incidents.size).toBe(2)
  })

  test.each([
    ['does not want the end', rule(4, { resolveMessage: false }), []],
    ['wants it', rule(4), [['end', 'warning', 'channel 1']]],
  ])('a rule that %s', (_name, given, expected) => {
    const { step } = story([given])
    step(0, [firing(4)])
    expect(step(5, [firing(4, { change: 'end' })]).told).toEqual(expected)
  })

  test('an end without a start, and a firing of a deleted rule or of no rule, have no effect', () => {
    const { step } = story([rule(4)])
    const { decided } = step(0, [
      firing(4, { id: 1, change: 'end' }),
      firing(5, { id: 2 }),
      { ...firing(4, { id: 3 }), ruleId: null },
    ])
    expect(decided).toMatchObject({ incidents: [], deliveries: [], firingIds: [1, 2, 3] })
  })

  test('an incident of a rule that was switched off ends without a message', () => {
    const given = rule(4)
    const { step, incidents } = story([given])
    step(0, [firing(4)])
    given.isActive = false
    expect(step(1, [])).toMatchObject({ told: [], activities: ['ended'] })
    expect(incidents.get(1)?.incident.endedMs).toBe(nowMs + minuteMs)
  })
})

describe('one incident per cause', () => {
  const cause = (change: Partial<Firing['cause']>) => ({
    projectIds: [1],
    issueIds: [],
    release: '',
    deployId: null,
    ...change,
  })
  test.each<[string, Firing, Firing, number, number]>([
    ['the same issue', firing(4, { issue: 7 }), firing(5, { issue: 7 }), 5, 1],
    ['an issue that a metric is about', firing(4, { issue: 7 }), firing(6, { issue: 7 }), 5, 1],
    ['a metric about an issue, then the issue', firing(6, { issue: 7 }), firing(4, { issue: 7 }), 5, 1],
    ['another issue', firing(4, { issue: 7 }), firing(5, { issue: 8 }), 5, 2],
    [
      'the same deploy',
      firing(6, { cause: cause({ deployId: 3 }) }),
      firing(7, { cause: cause({ deployId: 3 }) }),
      5,
      1,
    ],
    [
      'another deploy',
      firing(6, { cause: cause({ deployId: 3 }) }),
      firing(7, { cause: cause({ deployId: 4 }) }),
      5,
      2,
    ],
    [
      'the same release',
      firing(6, { cause: cause({ release: 'a@1' }) }),
      firing(7, { cause: cause({ release: 'a@1' }) }),
      60,
      1,
    ],
    [
      'the same release, later',
      firing(6, { cause: cause({ release: 'a@1' }) }),
      firing(7, { cause: cause({ release: 'a@1' }) }),
      61,
      2,
    ],
    [
      'the same release of another project',
      firing(6, { cause: cause({ release: 'a@1' }) }),
      firing(7, { cause: cause({ release: 'a@1', projectIds: [2] }) }),
      5,
      2,
    ],
    ['no release', firing(6), firing(7), 5, 2],
    [
      'the same issue number of another organization',
      firing(4, { issue: 7 }),
      firing(5, { issue: 7, organizationId: 2 }),
      5,
      2,
    ],
  ])('%s', (_name, first, second, minute, count) => {
    const { step, incidents } = story([rule(4, { kind: 'issue' }), rule(5, { kind: 'issue' }), rule(6), rule(7)])
    step(0, [first])
    step(minute, [second])
    expect(incidents.size).toBe(count)
  })

  test('two rules of one incident tell a channel once, and it ends with the last one', () => {
    const { step, incidents } = story([rule(6), rule(7, { intervalMinutes: 60 })])
    const deploy = { cause: cause({ deployId: 3 }) }
    expect(step(0, [firing(6, { ...deploy, id: 1 }), firing(7, { ...deploy, id: 2 })]).told).toHaveLength(1)
    expect(step(40, [firing(6, { ...deploy, change: 'end' })])).toMatchObject({ told: [], activities: ['left'] })
    expect(step(41, [firing(7, { ...deploy, change: 'end' })]).told).toEqual([['end', 'warning', 'channel 1']])
    expect(incidents.get(1)?.members).toHaveLength(2)
  })
})

describe('an incident of issues', () => {
  const issues = rule(4, { kind: 'issue' })
  test('has the issue’s title, tells it once, and again after the interval', () => {
    const { step, incidents, log } = story([issues], { titles: new Map([[7, 'WEB-7: TypeError']]) })
    expect(step(0, [firing(4, { issue: 7, trigger: 'new', eventId: 'e' })]).told).toEqual([
      ['start', 'warning', 'channel 1'],
    ])
    expect(incidents.get(1)?.incident.title).toBe('WEB-7: TypeError')
    expect(log[0]).toMatchObject({
      kind: 'issue',
      ruleId: 4,
      incidentId: 1,
      items: [{ issueId: 7, kind: 'new', eventId: 'e' }],
    })
    expect(step(10, [firing(4, { issue: 7, trigger: 'events' })]).told).toEqual([])
    expect(step(30, []).told).toEqual([['change', 'warning', 'channel 1']])
    expect(log.at(-1)?.items).toEqual([{ issueId: 7, kind: 'alert', eventId: '' }])
  })

  test.each([
    ['the issue is resolved', { closedIssues: closed(7, 'issue_resolved') }, 5, ['end'], ['ended']],
    ['nothing happens for a day', {}, 24 * 60, [], ['ended']],
    ['nothing happens for less than a day', {}, 24 * 60 - 1, [], []],
  ])('ends when %s', (_name, question, minute, changes, activities) => {
    const { step } = story([issues])
    step(0, [firing(4, { issue: 7 })])
    const found = step(minute, [], question)
    expect([found.told.map(([change]) => change), found.activities]).toEqual([changes, activities])
  })

  test('a rule and the built-in notifications tell a channel of an issue once', () => {
    const { step } = story([issues], { channels: [channel(1)] })
    const both = step(0, [firing(4, { issue: 7, trigger: 'new' })], { due: [due(7)] })
    expect(both.told).toEqual([['start', 'warning', 'channel 1']])
    expect(both.decided.dueIds).toEqual([70])
  })

  test('what the built-in notifications have told is not told again by a rule', () => {
    const { step, incidents } = story([issues], { channels: [channel(1)] })
    step(0, [], { due: [due(7)] })
    expect(step(0, [firing(4, { issue: 7, trigger: 'new' })]).told).toEqual([])
    expect(incidents.size).toBe(1)
    expect(step(31, [firing(4, { issue: 7, trigger: 'events' })]).told).toEqual([['change', 'warning', 'channel 1']])
  })

  test('a flood of issues is ten incidents and one that collects the rest', () => {
    const { step, incidents, log } = story([issues])
    const flood = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => firing(4, { id: from + at, issue: from + at, trigger: 'new' }))
    step(0, flood(1, 300))
    step(1, flood(301, 200))
    expect(incidents.size).toBe(11)
    expect(incidents.get(11)).toMatchObject({ incident: { isBurst: true, title: 'Many issues: Rule 4' } })
    expect(incidents.get(11)?.members).toHaveLength(490)
    expect(log.map(({ kind }) => kind)).toEqual([...Array(10).fill('issue'), 'summary', 'summary'])
    expect(new Set(log.flatMap(({ issueIds }) => issueIds)).size).toBe(500)
    expect(log.at(-1)?.nextMs).toBe(nowMs + 10 * minuteMs)
  })
})

describe('what holds messages back', () => {
  const mute = (more: Partial<Mute>): Mute => ({
    id: 1,
    organizationId: 1,
    kind: 'organization',
    targetId: 0,
    name: 'Move of the database',
    fromMs: 0,
    toMs: null,
    userId: null,
    createdMs: 0,
    ...more,
  })
  test.each<[string, Partial<Question>, boolean]>([
    ['the organization', { mutes: [mute({})] }, true],
    ['another organization', { mutes: [mute({ organizationId: 2 })] }, false],
    ['the rule', { mutes: [mute({ kind: 'rule', targetId: 4 })] }, true],
    ['another rule', { mutes: [mute({ kind: 'rule', targetId: 5 })] }, false],
    ['the project', { mutes: [mute({ kind: 'project', targetId: 1 })] }, true],
    ['another project', { mutes: [mute({ kind: 'project', targetId: 2 })] }, false],
    ['the issue', { mutes: [mute({ kind: 'issue', targetId: 7 })] }, true],
    ['another issue', { mutes: [mute({ kind: 'issue', targetId: 8 })] }, false],
  ])('a mute of %s', (_name, question, isHeld) => {
    const { step, log, incidents } = story([rule(4, { kind: 'issue' })])
    const found = step(0, [firing(4, { issue: 7 })], question)
    expect(found.told).toHaveLength(isHeld ? 0 : 1)
    expect(incidents.size).toBe(1)
    if (!isHeld) return
    expect(log).toMatchObject([{ status: 'suppressed', error: 'Muted: Move of the database', items: [{ issueId: 7 }] }])
    expect(found.activities).toEqual(['started', 'suppressed'])
    // It is recorded once, and told when the mute ends while the incident goes on.
    expect(step(1, [], question).decided).toMatchObject({ deliveries: [], incidents: [] })
    expect(step(2, []).told).toEqual([['start', 'warning', 'channel 1']])
  })

  test('a rule that is muted for a time', () => {
    const { step } = story([rule(4, { mutedUntilMs: nowMs + 5 * minuteMs })])
    expect(step(0, [firing(4)]).told).toEqual([])
    expect(step(4, []).told).toEqual([])
    expect(step(5, []).told).toEqual([['start', 'warning', 'channel 1']])
  })

  test('an incident that starts and ends within a maintenance window is only recorded', () => {
    const { step, log } = story([rule(4)])
    const window = { mutes: [mute({})] }
    step(0, [firing(4)], window)
    step(5, [firing(4, { change: 'end' })], window)
    expect(step(10, []).told).toEqual([])
    expect(log.map(({ status, change }) => [status, change])).toEqual([['suppressed', 'start']])
  })

  test('the end within a window of what was told before it is recorded, and not told later', () => {
    const { step, log } = story([rule(4)])
    step(0, [firing(4)])
    step(5, [firing(4, { change: 'end' })], { mutes: [mute({})] })
    expect(step(10, []).told).toEqual([])
    expect(log.map(({ status, change }) => [status, change])).toEqual([
      ['queued', 'start'],
      ['suppressed', 'end'],
    ])
  })

  test('a snoozed incident is quiet until the snooze is over', () => {
    const { step, incidents } = story([rule(4)])
    step(0, [firing(4)])
    const found = incidents.get(1)
    if (found) found.incident.snoozedUntilMs = nowMs + 60 * minuteMs
    expect(step(40, [firing(4, { change: 'change', level: 'critical' })]).told).toEqual([])
    expect(step(60, []).told).toEqual([['change', 'critical', 'channel 1']])
  })

  test.each([
    ['organization', 0],
    ['project', 1],
    ['issue', 1],
  ] as const)('a mute of the %s holds the built-in notifications back in one row', (kind, targetId) => {
    const decided = decide({
      ...base,
      channels: [channel(1)],
      due: kind === 'issue' ? [due(1)] : many(1, 30),
      mutes: [mute({ kind, targetId })],
    })
    expect(decided.deliveries.map(({ delivery }) => [delivery.status, delivery.issueIds.length])).toEqual([
      ['suppressed', kind === 'issue' ? 1 : 30],
    ])
    expect(decided.dueIds).toHaveLength(kind === 'issue' ? 1 : 30)
  })
})

describe('acknowledge and escalate', () => {
  const onCall = rule(4, {
    escalation: [
      { afterMinutes: 10, schedule: '9' },
      { afterMinutes: 20, schedule: '9' },
    ],
    onCallSchedules: ['9'],
  })
  const order = { onCall: () => [person('ann'), person('bob'), person('cyd')] }
  const acknowledge = ({ incidents }: ReturnType<typeof story>, minute: number) => {
    const found = incidents.get(1)
    if (found)
      Object.assign(found.incident, {
        state: 'acknowledged',
        acknowledgedBy: 'ann',
        acknowledgedMs: nowMs + minute * minuteMs,
        escalation: null,
      })
  }

  test('without an answer the next persons of the order hear of it, and each hears of the end', () => {
    const { step } = story([onCall], order)
    expect(step(0, [firing(4)]).told).toEqual([['start', 'warning', 'channel 1']])
    expect(step(9, []).told).toEqual([])
    const first = step(10, [])
    expect([first.told, first.activities]).toEqual([[['change', 'warning', 'bob']], ['escalated']])
    expect(step(29, []).told).toEqual([])
    // Cyd is not reachable in this story's directory of receivers, but is in the order.
    expect(step(30, []).told).toEqual([['change', 'warning', 'cyd']])
    expect(step(500, []).told).toEqual([])
    expect(step(501, [firing(4, { change: 'end' })]).told).toEqual([
      ['end', 'warning', 'channel 1'],
      ['end', 'warning', 'bob'],
    ])
  })

  test('an order without the start’s own schedule begins with the one on call', () => {
    const { step } = story([rule(4, { ...onCall, onCallSchedules: [] })], order)
    step(0, [firing(4)])
    expect(step(10, []).told).toEqual([['change', 'warning', 'ann']])
  })

  test('an answer stops the order and further changes, a rise needs a new answer', () => {
    const given = story([onCall], order)
    given.step(0, [firing(4)])
    acknowledge(given, 5)
    expect(given.step(10, []).told).toEqual([])
    expect(given.step(45, [firing(4, { change: 'change', level: 'critical' })]).told).toEqual([
      ['change', 'critical', 'channel 1'],
    ])
    expect(given.incidents.get(1)?.incident).toMatchObject({ state: 'critical', acknowledgedBy: null })
    expect(given.step(55, []).told).toEqual([['change', 'critical', 'bob']])
    acknowledge(given, 56)
    expect(given.step(90, [firing(4, { change: 'change', level: 'warning' })]).told).toEqual([])
    expect(given.step(95, [firing(4, { change: 'end' })]).told).toHaveLength(2)
  })

  test('nobody in the schedule: the step is recorded', () => {
    const { step } = story([onCall], { onCall: () => [] })
    step(0, [firing(4)])
    expect(step(10, [])).toMatchObject({ told: [], activities: ['escalated'] })
  })
})

test('persons have limits of their own', () => {
  const { step } = story([rule(4), rule(5)], {
    receiversOf: (ruleId) => (ruleId === 4 ? [person('ann')] : [slack, person('bob')]),
  })
  expect(step(0, [firing(4, { id: 1 }), firing(5, { id: 2 })]).told.map(([, , who]) => who)).toEqual([
    'ann',
    'channel 1',
    'bob',
  ])
})

test('a thousand rules at once are ten messages and one summary, and every incident is counted', () => {
  const rules = Array.from({ length: 1000 }, (_, at) => rule(at + 1))
  const { step, log, incidents } = story(rules)
  step(
    0,
    rules.map(({ id }) => firing(id, { id })),
  )
  expect(incidents.size).toBe(1000)
  expect(log.map(({ kind }) => kind)).toEqual([...Array(10).fill('incident'), 'summary'])
  expect(log.at(-1)).toMatchObject({ more: 990, items: [], ruleId: null })
  const ends = step(
    1,
    rules.map(({ id }) => firing(id, { id, change: 'end' })),
  )
  expect(ends.decided.deliveries.filter(({ delivery }) => delivery.status === 'suppressed').length).toBeGreaterThan(900)
})
