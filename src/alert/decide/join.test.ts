import { describe, expect, test } from 'vitest'
import type { MetricReason } from '../../domain/alerts/step-reasons.ts'
import type { Firing } from '../../store/meta/alerts/firings.ts'
import { anIncident } from '../../store/meta/alerts/incidents.cases.ts'
import { base, closed, firing, minuteMs, nowMs, rule, story } from '../decide.cases.ts'
import type { Question } from './facts.ts'
import { joinFirings } from './join.ts'

const dayMs = 86_400_000
const cause = (more: Partial<Firing['cause']> = {}): Firing['cause'] => ({
  projectIds: [1],
  issueIds: [],
  release: '',
  deployId: null,
  ...more,
})
const issueRule = rule(4, { kind: 'issue' })

describe('when firings of one release share an incident', () => {
  test.each<[string, Partial<Firing['cause']>, Partial<Firing['cause']>, number, number]>([
    ['at once', { release: 'web@1' }, { release: 'web@1' }, 0, 1],
    ['an hour after it began', { release: 'web@1' }, { release: 'web@1' }, 60, 1],
    ['later than an hour', { release: 'web@1' }, { release: 'web@1' }, 61, 2],
    ['another release', { release: 'web@1' }, { release: 'web@2' }, 0, 2],
    ['no release', {}, {}, 0, 2],
    ['the same release of another project', { release: '1.0' }, { release: '1.0', projectIds: [2] }, 0, 2],
    ['a release of several projects', { release: '1.0' }, { release: '1.0', projectIds: [2, 1] }, 0, 1],
    ['one deploy, whatever the time', { deployId: 3 }, { deployId: 3 }, 600, 1],
    ['two deploys', { deployId: 3 }, { deployId: 4 }, 0, 2],
  ])('%s', (_says, first, second, minute, count) => {
    const { step, incidents } = story([rule(4), rule(5)])
    step(0, [firing(4, { cause: cause(first) })])
    step(minute, [firing(5, { id: 2, cause: cause(second) })])
    expect(incidents.size).toBe(count)
  })

  test('groups that fire at once share one that names them, and one that fires later is news', () => {
    const group = (key: string) => ({ key, name: `/${key}` })
    const { step, incidents } = story([rule(4)])
    step(0, [firing(4, { group: group('a') }), firing(4, { id: 2, group: group('b') })])
    step(3, [firing(4, { id: 3, group: group('c') })])
    expect([...incidents.values()].map(({ incident }) => incident.title)).toEqual(['Rule 4: /a and 2 more'])
    step(9, [firing(4, { id: 4, group: group('d') })])
    expect([...incidents.values()].map(({ incident }) => incident.title)).toEqual([
      'Rule 4: /a and 2 more',
      'Rule 4: /d',
    ])
    step(10, [firing(4, { id: 5, change: 'end', group: group('b') })])
    const [first] = incidents.values()
    const ended = first?.members.filter(({ endedMs }) => endedMs !== null)
    expect([first?.members.length, ended?.map(({ group: of }) => of?.name)]).toEqual([3, ['/b']])
    step(11, [firing(4, { id: 6, change: 'end' })])
    expect([...incidents.values()].map(({ incident }) => incident.state)).toEqual(['resolved', 'resolved'])
  })

  test('another organization never shares one', () => {
    const { step, incidents } = story([rule(4), rule(5)])
    step(0, [firing(4, { cause: cause({ deployId: 3 }) })])
    step(0, [firing(5, { organizationId: 2, cause: cause({ deployId: 3 }) })])
    expect([...incidents.values()].map(({ incident }) => incident.organizationId)).toEqual([1, 2])
  })

  test('an incident collects the projects of its firings, each once', () => {
    const { step, incidents } = story([rule(4), rule(5)])
    step(0, [firing(4, { cause: cause({ deployId: 3, projectIds: [1, 2] }) })])
    step(1, [firing(5, { cause: cause({ deployId: 3, projectIds: [2, 3] }) })])
    expect(incidents.get(1)?.incident.projectIds).toEqual([1, 2, 3])
  })
})

describe('a metric and an issue', () => {
  const both = [rule(4), rule(5, { kind: 'issue' })]
  const metric = firing(4, { cause: cause({ issueIds: [7, 8] }) })
  test.each<[string, Firing[], number]>([
    ['the metric names the issue', [metric, firing(5, { issue: 7 })], 1],
    ['the issue came first', [firing(5, { issue: 8 }), metric], 1],
    ['another issue', [metric, firing(5, { issue: 9 })], 2],
  ])('%s', (_says, firings, count) => {
    const { step, incidents } = story(both)
    firings.forEach((item, at) => void step(at, [{ ...item, id: at + 1 }]))
    expect(incidents.size).toBe(count)
  })
})

describe('the level of an incident', () => {
  const levels = (found: Firing[][]) => {
    const { step, incidents } = story([rule(4), rule(5)])
    found.forEach((firings, at) => void step(at, firings))
    const { level, peak, state } = incidents.get(1)?.incident ?? anIncident()
    return { level, peak, state }
  }
  const deploy = { cause: cause({ deployId: 3 }) }
  const [warning, critical] = [firing(4, deploy), firing(5, { ...deploy, level: 'critical' })]
  test.each<[string, Firing[][], object]>([
    ['a warning', [[warning]], { level: 'warning', peak: 'warning', state: 'warning' }],
    ['the worst of its members', [[warning], [critical]], { level: 'critical', peak: 'critical', state: 'critical' }],
    [
      'falls with the end of the worst one, and remembers the peak',
      [[warning], [critical], [{ ...critical, change: 'end' }]],
      { level: 'warning', peak: 'critical', state: 'warning' },
    ],
    [
      'stays after the end of a milder one',
      [[critical], [warning], [{ ...warning, change: 'end' }]],
      { level: 'critical', peak: 'critical', state: 'critical' },
    ],
    [
      'is the last one after the end',
      [[critical], [{ ...critical, change: 'end' }]],
      { level: 'critical', peak: 'critical', state: 'resolved' },
    ],
  ])('%s', (_says, found, expected) => {
    expect(levels(found)).toEqual(expected)
  })
})

describe('the end of members', () => {
  const two = firing(4, { cause: cause({ issueIds: [7, 8], deployId: 3 }) })

  test('the history says who left and when it ended', () => {
    const { step, incidents } = story([issueRule])
    expect(step(0, [two]).activities).toEqual(['started'])
    expect(step(1, [], { closedIssues: closed(7, 'issue_resolved') }).activities).toEqual(['left'])
    expect(incidents.get(1)?.incident.endedMs).toBeNull()
    expect(step(2, [], { closedIssues: closed(8, 'issue_archived') }).activities).toEqual(['ended'])
    expect(incidents.get(1)?.incident).toMatchObject({ state: 'resolved', endedMs: nowMs + 2 * minuteMs })
  })

  const metric: MetricReason = {
    why: 'metric',
    rule: 'Rule 4',
    measured: 'count()',
    group: '',
    value: 3,
    windowMinutes: 10,
    direction: 'above',
    threshold: 25,
    compared: 'fixed',
  }
  test.each<[string, Firing, Firing[], Partial<Question>, number, object]>([
    [
      'the end of a metric, with its facts',
      firing(4),
      [firing(4, { change: 'end', sentence: 'It ended.', why: metric })],
      {},
      1,
      { reason: 'It ended.', ...metric },
    ],
    [
      'a firing of an earlier version, which has no facts',
      firing(4),
      [firing(4, { change: 'end', sentence: 'It ended.' })],
      {},
      1,
      { reason: 'It ended.' },
    ],
    [
      'a rule that was switched off',
      firing(4),
      [],
      { rules: new Map() },
      1,
      { reason: 'The rule was deleted or switched off.', why: 'rule_gone' },
    ],
    [
      'a day without news',
      firing(4, { issue: 7 }),
      [],
      {},
      1440,
      { reason: 'Nothing happened for a day.', why: 'quiet' },
    ],
    [
      'an issue that is archived',
      firing(4, { issue: 7 }),
      [],
      { closedIssues: closed(7, 'issue_archived') },
      1,
      { reason: 'WEB-7 was archived.', why: 'issue_archived', issue: 'WEB-7' },
    ],
  ])('the history has the reason as a sentence and as facts: %s', (_says, first, firings, question, minute, data) => {
    const { step } = story([rule(4, { kind: first.cause.issueIds.length > 0 ? 'issue' : 'metric' })])
    step(0, [first])
    const { incidents } = step(minute, firings, question).decided
    expect(incidents.flatMap(({ activities }) => activities)).toEqual([{ kind: 'ended', userId: null, data }])
  })

  test.each([
    ['a moment before a day is over', dayMs / minuteMs - 1, null],
    ['when nothing happened for a day', dayMs / minuteMs, nowMs + dayMs],
  ])('an issue: %s', (_says, minute, endedMs) => {
    const { step, incidents } = story([issueRule])
    step(0, [firing(4, { issue: 7 })])
    expect(step(minute, []).told).toEqual([])
    expect(incidents.get(1)?.incident.endedMs).toBe(endedMs)
  })

  test('a metric that is still over its threshold does not end by itself', () => {
    const { step, incidents } = story([rule(4)])
    step(0, [firing(4)])
    step((30 * dayMs) / minuteMs, [])
    expect(incidents.get(1)?.incident.endedMs).toBeNull()
  })

  test('an issue that fires again begins a new day', () => {
    const { step, incidents } = story([issueRule])
    step(0, [firing(4, { issue: 7 })])
    step(1000, [firing(4, { issue: 7, id: 2 })])
    step(1440, [])
    expect(incidents.get(1)?.incident.endedMs).toBeNull()
    step(2440, [])
    expect(incidents.get(1)?.incident.endedMs).toBe(nowMs + 2440 * minuteMs)
  })
})

describe('a title', () => {
  test.each<[string, Firing, Map<number, string>, string]>([
    ['of a metric is the name of its rule', firing(5), new Map(), 'Rule 5'],
    ['of an issue is its own', firing(4, { issue: 7 }), new Map([[7, 'WEB-7: Boom']]), 'WEB-7: Boom'],
    ['of an issue that is gone is the name of the rule', firing(4, { issue: 7 }), new Map(), 'Rule 4'],
    ['is cut', firing(4, { issue: 7 }), new Map([[7, 'x'.repeat(5000)]]), 'x'.repeat(200)],
  ])('%s', (_says, item, titles, title) => {
    const rules = new Map([issueRule, rule(5)].map((known) => [known.id, known]))
    expect(joinFirings({ ...base, rules, titles, firings: [item] })[0]?.incident.title).toBe(title)
  })
})

test('a question is not changed by its answer', () => {
  const incidents = [{ incident: anIncident({ id: 1, deployId: 3 }), members: [] }]
  const question = {
    ...base,
    rules: new Map([[4, rule(4)]]),
    incidents,
    firings: [firing(4, { cause: cause({ deployId: 3, projectIds: [9] }) })],
  }
  const before = structuredClone(incidents)
  joinFirings(question)
  expect(incidents).toEqual(before)
})
