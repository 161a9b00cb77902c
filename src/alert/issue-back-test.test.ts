import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { appForFile } from '../api/app.cases.ts'
import { hex } from '../api/seed.cases.ts'
import { systemClock } from '../base/clock.ts'
import { silent } from '../base/observe.ts'
import type { IssueCondition } from '../contract/alerts/alerts.ts'
import type { BackTestBody, RestBackTest } from '../contract/alerts/alerts-back-test.ts'
import { backTestRule } from './back-test.ts'
import { createIssueRules, type IssueRulesDeps } from './issue-rules.ts'

const { made } = appForFile()
const minuteMs = 60_000
const startMs = Math.floor(Date.now() / minuteMs - 60) * minuteMs

type Change = Partial<Omit<IssueCondition, 'unless'>> & { unless?: Partial<IssueCondition['unless']> }
const conditionOf = ({ unless, ...change }: Change): IssueCondition => ({
  when: [{ type: 'new' }],
  match: 'any',
  filter: '',
  ...change,
  unless: { noise: false, skew: false, quietHours: null, ...unless },
})

const events = (count: number, windowMinutes = 5) => ({ type: 'events' as const, count, windowMinutes })

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 16)
/** All of the day but the minute before the story begins, at whatever time the test runs. */
const alwaysQuiet = { from: timeOf(startMs), to: timeOf(startMs - minuteMs), timeZone: 'UTC' }

/** Rules of every kind, with their environment. */
const rules: Record<string, [condition: IssueCondition, environment?: string]> = {
  new: [conditionOf({})],
  'new with a filter': [conditionOf({ filter: 'level:warning OR release:web@2' })],
  'new in an environment': [conditionOf({}), 'staging'],
  'new outside quiet hours': [conditionOf({ unless: { quietHours: alwaysQuiet } })],
  'regression or priority': [conditionOf({ when: [{ type: 'regression' }, { type: 'priority' }] })],
  'the first of a release': [conditionOf({ when: [{ type: 'first_of_release' }] })],
  'the first of a release in an environment': [conditionOf({ when: [{ type: 'first_of_release' }] }), 'prod'],
  'new or the first of a release, with a filter': [
    conditionOf({ when: [{ type: 'new' }, { type: 'first_of_release' }], filter: 'release:web@3' }),
  ],
  feedback: [conditionOf({ when: [{ type: 'feedback' }], filter: 'level:error' })],
  'every 10 events': [conditionOf({ when: [events(10)] })],
  'every 4 events of a filter': [conditionOf({ when: [events(4)], filter: 'release:web@2' })],
  'every 2 events in an environment': [conditionOf({ when: [events(2)] }), 'staging'],
  'every 3 people': [conditionOf({ when: [{ type: 'users', count: 3, windowMinutes: 5 }] })],
  'a rate': [conditionOf({ when: [{ type: 'rate', percent: 50, windowMinutes: 5, before: 'hour' }] })],
  'new with events': [conditionOf({ when: [{ type: 'new' }, events(4)], match: 'all' })],
}

type Sent = { count?: number; release?: string; level?: string; environment?: string }

let stored = 0

/** Stores errors of one type in this moment. */
const store = (type: string, { count = 1, release, level = 'error', environment = 'prod' }: Sent = {}) =>
  made().store(
    Array.from({ length: count }, (_, at) => ({
      event_id: hex(++stored),
      level,
      environment,
      ...(release ? { release } : {}),
      user: { id: `u${at % 4}` },
      exception: { values: [{ type, value: 'x', stacktrace: { frames: [{ function: type, filename: 'a.js' }] } }] },
    })),
  )

async function issueOf(type: string) {
  const { app, project } = made()
  const issues = await app.meta.issues.listIssues({ projectIds: [project.id], sort: 'first', max: 100 })
  const found = issues.find(({ title }) => title.startsWith(type))
  if (!found) throw new Error(`no issue ${type}`)
  return found
}

async function sendFeedback(type: string): Promise<void> {
  const { app, project } = made()
  const row = {
    projectId: project.id,
    feedbackId: 'f'.repeat(32),
    eventId: '',
    kind: 'feedback' as const,
    name: '',
    email: '',
    message: 'It broke',
    url: '',
    replayId: '',
    environment: '',
    release: '',
    receivedMs: Date.now(),
  }
  const outcome = { projectId: project.id, keyId: 1, category: 'feedback', outcome: 'stored', reason: 'ok' } as const
  const batch = await app.meta.batches.openBatch(900, 901, 'bulk')
  const feedback = [{ row, outcome: { ...outcome, itemType: 'feedback', quantity: 1, bytes: 1 } }]
  await app.meta.batches.commitBatch(
    batch,
    { events: [], attachments: [], outcomes: [], dead: [], feedback },
    Date.now(),
  )
  const [latest] = await app.meta.feedback.listFeedback({ projectIds: [project.id], max: 1 })
  await app.meta.feedback.linkFeedback(latest?.id ?? 0, { issueId: (await issueOf(type)).id })
}

/** What happens, by minute. */
const story: Record<number, () => Promise<unknown>> = {
  1: () => store('BusyError', { count: 4 }),
  2: async () => {
    await store('BusyError', { count: 8 })
    await store('WarnError', { level: 'warning', release: 'web@1' })
  },
  3: async () => {
    await made().app.meta.issues.updateIssue((await issueOf('WarnError')).id, { status: 'resolved' }, 'ann', Date.now())
    await store('StageError', { environment: 'staging', count: 3 })
  },
  5: async () => {
    await store('WarnError', { level: 'warning', release: 'web@2', count: 5 })
    await store('BusyError', { count: 15 })
  },
  6: async () => {
    await made().app.meta.issues.updateIssue((await issueOf('WarnError')).id, { priority: 'high' }, 'ann', Date.now())
    await store('LateError', { release: 'web@2' })
  },
  7: () => sendFeedback('BusyError'),
  // Two events of a new issue before the rules are evaluated.
  8: async () => {
    await store('TwoError', { environment: 'staging' })
    await store('TwoError', { release: 'web@3' })
  },
  62: () => store('BusyError', { count: 9 }),
  64: () => store('BusyError', { count: 30 }),
}

const bodyOf = (issue: IssueCondition, environment: string | null): BackTestBody['rule'] => ({
  projects: [],
  environment,
  owner: null,
  isActive: true,
  issue,
  metric: null,
  actions: [{ type: 'channel', channel: '7' }, { type: 'assignee' }],
  intervalMinutes: 5,
  resolveMessage: true,
  escalation: [],
})

const ruleIds = new Map<string, number>()

async function createRules(): Promise<void> {
  const { app, organization } = made()
  for (const [name, [issue, environment = null]] of Object.entries(rules)) {
    const { projects: _projects, owner: _owner, isActive: _active, ...rest } = bodyOf(issue, environment)
    const rule = await app.meta.alertRules.createAlertRule({
      organizationId: organization.id,
      userId: 'ann',
      max: 100,
      name,
      active: true,
      mutedUntilMs: null,
      definition: { ...rest, projectIds: [], ownerId: null, unevaluable: [], original: null },
    })
    ruleIds.set(name, rule.id)
  }
}

const toMinute = (minute: number, seconds = 0) => vi.setSystemTime(startMs + minute * minuteMs + seconds * 1000)
const processedTo = async () => ({ events: Date.now(), bulk: Date.now() })

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  toMinute(0)
  await createRules()
  const deps: IssueRulesDeps = {
    ...made().app,
    clock: systemClock,
    observe: silent,
    fired: () => undefined,
    processedTo,
  }
  const live = createIssueRules(deps)
  await live.run()
  for (let minute = 1; minute <= 70; minute++) {
    toMinute(minute, 20)
    await story[minute]?.()
    await live.run()
  }
  toMinute(71)
  await live.run()
}, 120_000)

afterAll(() => void vi.useRealTimers())

/** What a rule fired live: the trigger, the issue, the second and the value. */
async function firedLive(name: string): Promise<string[]> {
  const { meta } = made().app
  const found = await meta.alertRules.firingsOf(ruleIds.get(name) ?? 0, 0, 100)
  const texts = await Array.fromAsync(found, async ({ trigger, cause, value, atMs }) => {
    const issue = await meta.issues.issueById(cause.issueIds[0] ?? 0)
    return `${Math.floor((atMs - startMs) / 1000)} ${trigger} ${issue?.shortId} ${trigger === 'rate' ? '' : value}`
  })
  return texts.toSorted()
}

async function backTest(condition: IssueCondition, environment?: string): Promise<RestBackTest> {
  const { app, project } = made()
  const view = { projects: [project], environments: environment ? [environment] : [] }
  const rule = bodyOf(condition, environment ?? null)
  return backTestRule({ ...app, processedTo }, view, { rule, days: 1, noise: [] })
}

describe('the back-test of an issue rule equals what it fired', () => {
  test.each(Object.entries(rules))('%s', async (name, [condition, environment]) => {
    const { firings } = await backTest(condition, environment)
    const tested = firings.map(
      ({ startMs: ms, trigger, mostly, peak }) =>
        `${Math.floor((ms - startMs) / 1000)} ${trigger} ${mostly?.issue} ${trigger === 'rate' ? '' : peak}`,
    )
    const live = await firedLive(name)
    expect(tested.toSorted()).toEqual(live)
    // Quiet hours hold everything back.
    expect(live.length > 0).toBe(!name.includes('quiet'))
  })
})

test('a rule with a count has its values, other counts and messages by issue', async () => {
  const found = await backTest(conditionOf({ when: [events(10)] }))
  expect(found.others.filter(({ isChosen }) => isChosen)).toEqual([
    { threshold: 10, times: found.firings.length, totalMs: 0, isChosen: true },
  ])
  const times = found.others.map((other) => other.times)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(Math.max(...found.points.map(({ value }) => value ?? 0))).toBe(39)
  expect(found.samples).toBe(4 + 8 + 1 + 3 + 5 + 15 + 1 + 2 + 9 + 30)
  // Minutes 3 and 6 are within the interval of 5 minutes; then 65.
  expect(found.messages).toEqual([
    { receiver: { type: 'channel', id: '7' }, count: 2 },
    { receiver: { type: 'assignee', id: null }, count: 2 },
  ])
  expect(found.blind).toEqual([])
})

test('a rule without a window has the issues of each bar', async () => {
  const { points, others, samples } = await backTest(conditionOf({}))
  expect(points.reduce((sum, { value }) => sum + (value ?? 0), 0)).toBe(5)
  expect([others, samples]).toEqual([[], 5])
})

test('names what stored rows cannot tell', async () => {
  const reasons = async (condition: IssueCondition, environment?: string) =>
    (await backTest(condition, environment)).blind.map(({ reason }) => reason)
  expect(await reasons(conditionOf({ filter: 'is:unresolved' }))).toEqual(['state'])
  const [ofStage] = (await backTest(conditionOf({ filter: '!release.stage:adopted' }))).blind
  expect(ofStage).toMatchObject({
    reason: 'state',
    sentence: expect.stringMatching(
      /^The filter asks about .*stage of releases\. States are only known as they are now/,
    ),
  })
  expect(await reasons(conditionOf({ when: [{ type: 'priority' }] }))).toEqual(['state'])
  // The release began with a session, which has no error that could be in an environment.
  const { app, project } = made()
  const use = {
    projectId: project.id,
    release: 'web@9',
    environment: 'prod',
    firstMs: Date.now() - 1000,
    lastMs: Date.now(),
  }
  const batch = await app.meta.batches.openBatch(902, 903, 'bulk')
  const nothing = { events: [], attachments: [], outcomes: [], dead: [] }
  await app.meta.batches.commitBatch(batch, { ...nothing, releases: [use] }, Date.now())
  const first = conditionOf({ when: [{ type: 'first_of_release' }] })
  expect(await reasons(first, 'prod')).toEqual(['events'])
  expect((await backTest(first)).firings.at(-1)).toMatchObject({ mostly: null, trigger: 'first_of_release' })
})
