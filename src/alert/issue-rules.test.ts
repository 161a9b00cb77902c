import { beforeEach, describe, expect, test } from 'vitest'
import { appForFile } from '../api/app.cases.ts'
import { hex } from '../api/seed.cases.ts'
import { storeSessions } from '../api/sessions.cases.ts'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import { createRecent } from '../base/recent.ts'
import type { IssueCondition } from '../contract/alerts/alerts.ts'
import { releaseStagesAge, type StagedRelease } from '../query/release-stages.ts'
import type { AlertDefinition } from '../store/meta/alerts/rules.ts'
import { createIssueRules, type IssueRulesDeps } from './issue-rules.ts'

const { made } = appForFile()
const minuteMs = 60_000

type Event = { type: string; level?: string; environment?: string; release?: string; user?: string }

let stored = 0

/** Stores errors: one issue for each type. */
const store = (...events: Event[]) =>
  made().store(
    events.map(({ type, level = 'error', environment = 'prod', release, user }) => ({
      event_id: hex(++stored),
      level,
      environment,
      ...(release ? { release } : {}),
      ...(user ? { user: { id: user } } : {}),
      exception: { values: [{ type, value: 'x', stacktrace: { frames: [{ function: type, filename: 'a.js' }] } }] },
    })),
  )

const many = (count: number, event: Event): Event[] =>
  Array.from({ length: count }, (_, at) => ({ ...event, user: `u${at % 3}` }))

async function ruleOf(issue: Partial<IssueCondition>, more: Partial<AlertDefinition> = {}) {
  const { app, organization } = made()
  return app.meta.alertRules.createAlertRule({
    organizationId: organization.id,
    userId: 'ann',
    max: 2000,
    name: 'R',
    active: true,
    mutedUntilMs: null,
    definition: {
      projectIds: [],
      environment: null,
      ownerId: null,
      issue: {
        when: [{ type: 'new' }],
        match: 'any',
        filter: '',
        ...issue,
        unless: { noise: false, skew: false, quietHours: null, ...issue.unless },
      },
      metric: null,
      actions: [],
      intervalMinutes: 30,
      resolveMessage: true,
      escalation: [],
      unevaluable: [],
      original: null,
      ...more,
    },
  })
}

/** An evaluator that begins now, with how far everything is processed. */
function evaluator(more: Partial<IssueRulesDeps> = {}) {
  const { app } = made()
  const clock = testClock(Math.floor(Date.now() / minuteMs) * minuteMs)
  const state = { lagMs: 0, fired: 0 }
  const deps: IssueRulesDeps = {
    ...app,
    clock,
    observe: silent,
    fired: () => void state.fired++,
    processedTo: async () => ({ events: clock.now() - state.lagMs, bulk: 0 }),
    ...more,
  }
  return { clock, state, rules: createIssueRules(deps), deps }
}

async function titlesOf(ruleId: number): Promise<string[]> {
  const { meta } = made().app
  const found = await meta.alertRules.firingsOf(ruleId, 0, 100)
  return Array.fromAsync(found.toReversed(), async ({ trigger, cause, value }) => {
    const issue = await meta.issues.issueById(cause.issueIds[0] ?? 0)
    return `${trigger} ${issue?.title.split(':')[0] ?? 'nothing'}${value === null ? '' : ` ${value}`}`
  })
}

const stateOf = async (id: number) => (await made().app.meta.alertRules.alertRuleById(id))?.state

beforeEach(async () => {
  const { meta } = made().app
  for (const rule of await meta.alertRules.listAlertRules(made().organization.id))
    await meta.alertRules.deleteAlertRule(rule.id)
  const left = await meta.alertRules.issueTriggersDue(1000, Number.MAX_SAFE_INTEGER)
  await meta.alertRules.saveEvaluation({ doneIds: left.map(({ id }) => id) })
})

describe('what happens to an issue', () => {
  test('fires the rules that watch it, once, and leaves the outbox empty', async () => {
    const { rules, state } = evaluator()
    const { meta } = made().app
    const fits = await ruleOf({})
    const others = [
      await ruleOf({}, { environment: 'dev' }),
      await ruleOf({}, { projectIds: [999] }),
      await ruleOf({ when: [{ type: 'regression' }] }),
    ]
    await store({ type: 'FirstError' }, { type: 'FirstError' })
    expect(await rules.run()).toMatchObject({ rules: 4, triggers: 1, firings: 1 })
    expect([await titlesOf(fits.id), state.fired]).toEqual([['new FirstError'], 1])
    for (const { id } of others) expect(await titlesOf(id)).toEqual([])
    expect(await meta.alertRules.issueTriggersDue(9, Number.MAX_SAFE_INTEGER)).toEqual([])
    const [firing] = await meta.alertRules.firingsOf(fits.id, 0, 1)
    const issue = await meta.issues.issueById(firing?.cause.issueIds[0] ?? 0)
    expect(firing).toMatchObject({
      change: 'start',
      level: 'critical',
      eventId: expect.stringMatching(/^[0-9a-f]{32}$/),
      sinceMs: issue?.firstSeenMs,
      cause: { projectIds: [made().project.id] },
    })
    await rules.run()
    expect(await titlesOf(fits.id)).toHaveLength(1)
  })

  test('fires by the stage of a release, in the environment of the rule', async () => {
    const [current, old] = ['staged@2', 'staged@1']
    await storeSessions(made(), [
      { release: current, environment: 'prod', quantity: 950 },
      { release: old, environment: 'prod', quantity: 50 },
      { release: old, environment: 'beta', quantity: 40 },
    ])
    const adopted = 'release.stage:adopted'
    const rulesOf = [
      await ruleOf({ filter: adopted }),
      await ruleOf({ filter: adopted }, { environment: 'beta' }),
      await ruleOf({ filter: 'release.stage:low' }),
      await ruleOf({ filter: `!${adopted}` }),
    ]
    await store(
      { type: 'AdoptedError', release: current },
      { type: 'LowError', release: old },
      { type: 'BetaError', release: old, environment: 'beta' },
      { type: 'BareError' },
    )
    await evaluator().rules.run()
    const fired = await Array.fromAsync(rulesOf, async ({ id }) => (await titlesOf(id)).toSorted())
    expect(fired).toEqual([
      ['new AdoptedError'],
      ['new BetaError'],
      ['new BetaError', 'new LowError'],
      ['new BareError', 'new BetaError', 'new LowError'],
    ])
  })

  test('waits with a rule about stages while the events store is away, and then fires', async () => {
    const { app } = made()
    const away = { ...app.events, sessionGroups: () => Promise.reject(new MishapError('STORE_UNAVAILABLE')) }
    const rule = await ruleOf({ filter: '!release.stage:adopted' })
    await store({ type: 'AwayError' })
    const releaseStages = createRecent<readonly StagedRelease[]>(testClock(), releaseStagesAge)
    await expect(evaluator({ events: away, releaseStages }).rules.run()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    expect(await titlesOf(rule.id)).toEqual([])
    await evaluator().rules.run()
    expect(await titlesOf(rule.id)).toEqual(['new AwayError'])
  })

  test('fires once, however often a run ends before it is stored', async () => {
    const rule = await ruleOf({})
    await store({ type: 'KilledError' })
    const { meta } = made().app
    const kept = await meta.alertRules.issueTriggersDue(9, Date.now())
    const broken = {
      ...meta,
      alertRules: { ...meta.alertRules, saveEvaluation: () => Promise.reject(new Error('killed')) },
    }
    const { rules } = evaluator({ meta: broken })
    await expect(rules.run()).rejects.toThrow('killed')
    expect(await titlesOf(rule.id)).toEqual([])
    // A kill after the transaction: the trigger is not there twice, but its key would be.
    const later = evaluator().rules
    await later.run()
    await meta.alertRules.saveEvaluation({ firings: await meta.alertRules.firingsOf(rule.id, 0, 9) })
    expect([kept.length, await titlesOf(rule.id)]).toEqual([1, ['new KilledError']])
  })

  test('must meet the filter: conditions on the issue and on its event', async () => {
    const warning = await ruleOf({ filter: 'level:warning' })
    const assigned = await ruleOf({ filter: 'is:assigned' })
    const event = await ruleOf({ filter: 'release:web@7 !is:assigned' })
    const either = await ruleOf({ filter: 'level:warning OR release:web@7' })
    await store({ type: 'WarnError', level: 'warning', release: 'web@6' }, { type: 'SevenError', release: 'web@7' })
    await evaluator().rules.run()
    expect(await titlesOf(warning.id)).toEqual(['new WarnError'])
    expect(await titlesOf(assigned.id)).toEqual([])
    expect(await titlesOf(event.id)).toEqual(['new SevenError'])
    expect((await titlesOf(either.id)).sort()).toEqual(['new SevenError', 'new WarnError'])
  })

  test('of several events in one round is judged by the environment and the fields of each', async () => {
    const of = (type: 'new' | 'first_of_release', filter: string, environment: string | null) =>
      ruleOf({ when: [{ type }], filter }, { environment })
    const firsts = [
      await of('first_of_release', '', 'prod'),
      await of('first_of_release', 'release:web@11', null),
      await of('first_of_release', 'release:web@11', 'prod'),
    ]
    const never = [
      await of('new', '', 'prod'),
      await of('new', 'release:web@11', null),
      await of('first_of_release', 'release:web@11', 'staging'),
    ]
    await store({ type: 'TwoError', environment: 'staging' })
    await store({ type: 'TwoError', environment: 'prod', release: 'web@11' })
    expect(await evaluator().rules.run()).toMatchObject({ triggers: 2, firings: 3 })
    for (const { id } of firsts) {
      expect(await titlesOf(id)).toEqual(['first_of_release TwoError'])
      expect(await made().app.meta.alertRules.firingsOf(id, 0, 1)).toMatchObject([{ cause: { release: 'web@11' } }])
    }
    for (const { id } of never) expect(await titlesOf(id)).toEqual([])
  })

  test('of a project that came after the rule was read fires a rule of all projects', async () => {
    const { app } = made()
    const known = { isCreated: false }
    const projectsOf: typeof app.meta.projects.projectsOf = async (...args) =>
      known.isCreated ? app.meta.projects.projectsOf(...args) : []
    const { rules } = evaluator({ meta: { ...app.meta, projects: { ...app.meta.projects, projectsOf } } })
    const rule = await ruleOf({})
    await store({ type: 'EarlyError' })
    await rules.run()
    expect(await titlesOf(rule.id)).toEqual([])
    known.isCreated = true
    await store({ type: 'FirstOfProjectError' })
    await rules.run()
    expect(await titlesOf(rule.id)).toEqual(['new FirstOfProjectError'])
  })

  test('fires a rule that was renamed while it was evaluated again after a failure', async () => {
    const { app } = made()
    const rule = await ruleOf({ filter: 'release:web@12' })
    await store({ type: 'RenamedError', release: 'web@12' })
    const failing = () => Promise.reject(new MishapError('QUERY_TIMEOUT'))
    await evaluator({ events: { ...app.events, groupRows: failing } }).rules.run()
    expect(await stateOf(rule.id)).toMatchObject({ status: 'not_evaluated' })
    const groupRows: typeof app.events.groupRows = async (query) => {
      await app.meta.alertRules.updateAlertRule(rule.id, { name: 'Renamed' }, 'ann')
      return app.events.groupRows(query)
    }
    await evaluator({ events: { ...app.events, groupRows } }).rules.run()
    expect(await titlesOf(rule.id)).toEqual(['new RenamedError'])
  })

  test('waits while the events store is down, and says why a rule cannot be evaluated', async () => {
    const { app } = made()
    const rule = await ruleOf({ filter: 'release:web@8' })
    const plain = await ruleOf({})
    await store({ type: 'DownError', release: 'web@8' })
    const failing = (error: MishapError) => ({ events: { ...app.events, groupRows: () => Promise.reject(error) } })
    const down = evaluator(failing(new MishapError('STORE_UNAVAILABLE')))
    await expect(down.rules.run()).rejects.toThrow('down')
    const slow = evaluator(failing(new MishapError('QUERY_TIMEOUT')))
    await slow.rules.run()
    await slow.rules.run()
    expect([await titlesOf(rule.id), await titlesOf(plain.id)]).toEqual([[], ['new DownError']])
    expect(await stateOf(rule.id)).toMatchObject({ status: 'not_evaluated', reason: expect.stringMatching(/\w+/) })
    await evaluator().rules.run()
    expect([await titlesOf(rule.id), await titlesOf(plain.id)]).toEqual([['new DownError'], ['new DownError']])
    expect(await stateOf(rule.id)).toMatchObject({ status: 'ok', reason: '' })
  })

  test('a rule that cannot be evaluated holds up no other trigger, and its own are tried again', async () => {
    const { app } = made()
    const asked = { count: 0, isSlow: true }
    const groupRows: typeof app.events.groupRows = (query) => {
      asked.count++
      return asked.isSlow ? Promise.reject(new MishapError('QUERY_TIMEOUT')) : app.events.groupRows(query)
    }
    const { issueTriggersDue } = app.meta.alertRules
    const slow = await ruleOf({ filter: 'release:web@8' })
    await store({ type: 'HeldError', release: 'web@8' })
    const held = (await issueTriggersDue(1, Date.now()))[0]
    const plain = await ruleOf({})
    await store({ type: 'LaterError' })
    // Older triggers of the same issue: as many as one transaction takes.
    const crowd = held ? Array.from({ length: 500 }, (_, at) => ({ ...held, id: -1 - at })) : []
    const alertRules: typeof app.meta.alertRules = {
      ...app.meta.alertRules,
      issueTriggersDue: async (max, nowMs) => [...crowd, ...(await issueTriggersDue(max, nowMs))].slice(0, max),
    }
    const { rules, clock } = evaluator({ meta: { ...app.meta, alertRules }, events: { ...app.events, groupRows } })
    await rules.run()
    expect([asked.count, crowd.length]).toEqual([1, 500])
    expect(await titlesOf(plain.id)).toContain('new LaterError')
    await rules.run()
    expect([asked.count, await titlesOf(slow.id)]).toEqual([1, []])
    asked.isSlow = false
    crowd.length = 0
    clock.advance(minuteMs)
    await rules.run()
    expect([await titlesOf(slow.id), await issueTriggersDue(10, clock.now())]).toEqual([['new HeldError'], []])
  })

  test('of a release without an issue fires only without a filter', async () => {
    const when: IssueCondition['when'] = [{ type: 'first_of_release' }]
    const [plain, filtered] = [await ruleOf({ when }), await ruleOf({ when, filter: 'level:error' })]
    const { meta } = made().app
    const use = { projectId: made().project.id, release: 'web@9', environment: 'prod', firstMs: 1, lastMs: 1 }
    const batch = await meta.batches.openBatch(1, 2, 'bulk')
    await meta.batches.commitBatch(
      batch,
      { events: [], releases: [use], attachments: [], outcomes: [], dead: [] },
      Date.now(),
    )
    await evaluator().rules.run()
    expect([await titlesOf(plain.id), await titlesOf(filtered.id)]).toEqual([['first_of_release nothing'], []])
  })
})

describe('windows', () => {
  const events = (count: number) => ({ type: 'events' as const, count, windowMinutes: 5 })
  const users = (count: number) => ({ type: 'users' as const, count, windowMinutes: 5 })

  test('fire for every n events and people, at the minute that is processed', async () => {
    const all = await ruleOf({ when: [events(10)] })
    const few = await ruleOf({ when: [events(30)] })
    const people = await ruleOf({ when: [users(3)] })
    const filtered = await ruleOf({ when: [events(10)], filter: 'level:warning' })
    const dev = await ruleOf({ when: [events(1)] }, { environment: 'dev' })
    const { rules, clock } = evaluator()
    await rules.run()
    await store(...many(25, { type: 'BusyError' }), ...many(2, { type: 'CalmError' }))
    for (let minute = 0; minute < 4; minute++) {
      clock.advance(minuteMs)
      await rules.run()
    }
    expect(await titlesOf(all.id)).toEqual(['events BusyError 25'])
    expect(await titlesOf(few.id)).toEqual([])
    expect(await titlesOf(people.id)).toEqual(['users BusyError 3'])
    expect([await titlesOf(filtered.id), await titlesOf(dev.id)]).toEqual([[], []])
    expect(await stateOf(all.id)).toMatchObject({ status: 'ok', evaluatedMs: clock.now() })
  })

  test('wait while processing is behind, and then see the same minutes', async () => {
    const rule = await ruleOf({ when: [events(10)] }, { environment: 'late' })
    const { rules, clock, state } = evaluator()
    await rules.run()
    const beganMs = clock.now()
    await store(...many(12, { type: 'LateError', environment: 'late' }))
    clock.advance(10 * minuteMs)
    state.lagMs = 10 * minuteMs
    await rules.run()
    expect([await titlesOf(rule.id), await stateOf(rule.id)]).toMatchObject([
      [],
      { status: 'waiting', evaluatedMs: beganMs },
    ])
    state.lagMs = 0
    await rules.run()
    expect([await titlesOf(rule.id), await stateOf(rule.id)]).toMatchObject([
      ['events LateError 12'],
      { status: 'ok', reason: '', evaluatedMs: clock.now() },
    ])
    const [firing] = await made().app.meta.alertRules.firingsOf(rule.id, 0, 1)
    expect(firing?.atMs).toBeLessThanOrEqual(beganMs + 2 * minuteMs)
  })

  test('and what happened must both hold for a rule that wants all', async () => {
    const when: IssueCondition['when'] = [{ type: 'new' }, { type: 'events', count: 3, windowMinutes: 5 }]
    const rule = await ruleOf({ when, match: 'all' })
    const { rules, clock } = evaluator()
    await rules.run()
    await store(...many(4, { type: 'SuddenError' }), { type: 'SingleError' })
    await rules.run()
    expect(await titlesOf(rule.id)).toEqual(['new SuddenError'])
    clock.advance(minuteMs)
    await store(...many(9, { type: 'SingleError' }))
    await rules.run()
    expect(await titlesOf(rule.id)).toEqual(['new SuddenError'])
  })

  test('of many rules with the same part are asked once', async () => {
    for (let at = 0; at < 20; at++) await ruleOf({ when: [events(5 + at)] })
    const { app } = made()
    const asked: unknown[] = []
    const counted = {
      ...app.events,
      groupRows: (question: Parameters<typeof app.events.groupRows>[0]) => {
        asked.push(question)
        return app.events.groupRows(question)
      },
    }
    const { rules, clock } = evaluator({ events: counted })
    await rules.run()
    await store(...many(6, { type: 'SharedError' }))
    clock.advance(2 * minuteMs)
    await rules.run()
    // The step with events asks which issues had some, and counts them at both ends. The step without asks only that.
    expect(asked).toHaveLength(4)
  })
})

describe('skew and feedback', () => {
  const skewed = { unless: { noise: false, skew: true, quietHours: null } }

  /** Marks every event of an issue as skew of an old tab, with so many events before and in the last ten minutes. */
  function withSkew(counts: () => [all: number, last: number]) {
    const { app } = made()
    const isSkew = <Row extends { count: number }>(issue: Row) => ({
      ...issue,
      diagnosticCounts: { skew: issue.count },
    })
    const meta = {
      ...app.meta,
      issues: {
        ...app.meta.issues,
        issuesByIds: async (ids: number[]) => (await app.meta.issues.issuesByIds(ids)).map(isSkew),
        issueById: async (id: number) => {
          const issue = await app.meta.issues.issueById(id)
          return issue && isSkew(issue)
        },
      },
    }
    const events = {
      ...app.events,
      countsOf: async (scope: { fromMs: number; toMs: number }) => {
        const [all, last] = counts()
        return [{ events: scope.toMs - scope.fromMs > 11 * minuteMs ? all : last }] as never
      },
    }
    return { meta, events }
  }

  test.each<[string, [number, number], boolean]>([
    ['Lasting', [30, 10], true],
    ['Decaying', [30, 1], false],
  ])('a rule that leaves skew out waits half an hour: %s skew', async (name, counts, fires) => {
    const [patient, plain] = [await ruleOf(skewed), await ruleOf({})]
    await store({ type: `${name}Error` })
    const fired = [`new ${name}Error`]
    const { rules, clock } = evaluator(withSkew(() => counts))
    clock.advance(minuteMs)
    await rules.run()
    expect([await titlesOf(patient.id), await titlesOf(plain.id)]).toEqual([[], fired])
    clock.advance(29 * minuteMs)
    await rules.run()
    expect(await titlesOf(patient.id)).toEqual([])
    clock.advance(3 * minuteMs)
    await rules.run()
    expect([await titlesOf(patient.id), await titlesOf(plain.id)]).toEqual([fires ? fired : [], fired])
    const { meta } = made().app
    expect(await meta.alertRules.issueTriggersDue(9, Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  test('feedback waits for its issue, and fires without one if there is none', async () => {
    const when: IssueCondition['when'] = [{ type: 'feedback' }]
    const [plain, filtered] = [await ruleOf({ when }), await ruleOf({ when, filter: 'level:error' })]
    const { app, project } = made()
    await store({ type: 'TalkedError' })
    const trigger = (feedbackId: string) => ({
      projectId: project.id,
      feedbackId,
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
    })
    const outcome = { projectId: project.id, keyId: 1, category: 'feedback', outcome: 'stored', reason: 'ok' } as const
    const counted = { ...outcome, itemType: 'feedback', quantity: 1, bytes: 1 }
    const batch = await app.meta.batches.openBatch(3, 4, 'bulk')
    const feedback = ['a', 'b'].map((id) => ({ row: trigger(id.repeat(32)), outcome: counted }))
    const nothing = { events: [], attachments: [], outcomes: [], dead: [] }
    await app.meta.batches.commitBatch(batch, { ...nothing, feedback }, Date.now())
    const [latest] = await app.meta.feedback.listFeedback({ projectIds: [project.id], max: 1 })
    const issues = await app.meta.issues.listIssues({ projectIds: [project.id], sort: 'first', max: 1 })
    await app.meta.feedback.linkFeedback(latest?.id ?? 0, { issueId: issues[0]?.id ?? 0 })
    const { rules, clock } = evaluator()
    clock.advance(minuteMs)
    await rules.run()
    expect(await titlesOf(plain.id)).toEqual(['feedback TalkedError'])
    clock.advance(minuteMs)
    await rules.run()
    expect(await titlesOf(plain.id)).toEqual(['feedback TalkedError', 'feedback nothing'])
    expect(await titlesOf(filtered.id)).toEqual(['feedback TalkedError'])
  })
})
