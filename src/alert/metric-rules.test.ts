import { beforeAll, expect, test } from 'vitest'
import { appForFile } from '../api/app.cases.ts'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { silent } from '../base/observe.ts'
import type { MetricCondition } from '../contract/alerts/alerts.ts'
import type { BackTestBody } from '../contract/alerts/alerts-back-test.ts'
import { toRestAlertRules } from '../query/alerts/alert-rules.ts'
import { randomOf } from '../random.cases.ts'
import { encodeSpanRow } from '../store/events/traces/encode-span.ts'
import { spanRow } from '../store/events/traces/span-rows.cases.ts'
import type { AlertDefinition, AlertRule } from '../store/meta/alerts/rules.ts'
import { backTestRule } from './back-test.ts'
import { createMetricRules, type MetricRulesDeps } from './metric-rules.ts'

const { made: open } = appForFile()
const minuteMs = 60_000
const startMs = Date.UTC(2026, 10, 16, 10)
/** Rules are judged from here on. What came before is what they compare with. */
const beginMin = 69
/** The first burst that rules judge. */
const burstMin = 70
const lengthMin = 98

/** A burst that the second one is compared with, and two that are judged: the first and the last minute of each. */
const bursts = [
  [26, 31],
  [burstMin, 75],
  [89, 91],
] as const

/** When the evaluator runs: each minute of the first burst, and then for five minutes at once. Each run takes 14 queries. */
const minutes = Array.from({ length: lengthMin - beginMin + 1 }, (_, at) => beginMin + at).filter(
  (minute) => minute <= burstMin + 5 || minute % 5 === 0 || minute === lengthMin,
)

/** Spans of a quiet service with bursts. */
function linesOf(projectId: number): string {
  const random = randomOf(7)
  const lines: string[] = []
  for (let minute = 0; minute < lengthMin; minute++) {
    const isBurst = bursts.some(([first, last]) => minute >= first && minute <= last)
    const count = Math.floor(random() * 4) + (isBurst ? 20 : 0)
    for (let n = 0; n < count; n++) {
      const receivedMs = startMs + minute * minuteMs + Math.floor(random() * minuteMs)
      lines.push(
        encodeSpanRow(
          spanRow(1, {
            projectId,
            receivedMs,
            startUs: receivedMs * 1000,
            durationUs: Math.floor(random() * (isBurst ? 900_000 : 90_000)),
            failed: random() < (isBurst ? 0.5 : 0.1),
            weight: 1,
            route: random() < 0.5 ? '/cart' : '/pay',
            attributes: { user: `u${Math.floor(random() * 30)}` },
            jpos: 981_000_000 + minute,
            place: n,
          }),
        ),
      )
    }
  }
  return lines.join('')
}

type Watched = Omit<Partial<MetricCondition>, 'threshold'> & { threshold?: Partial<MetricCondition['threshold']> }

const metricOf = (aggregate: string, { threshold, ...rest }: Watched = {}): MetricCondition => ({
  plan: {
    dataset: 'spans',
    query: '',
    columns: [],
    groupBy: [],
    series: [{ name: 'a', aggregate }],
    formulas: [],
    order: '',
    limit: 10,
  },
  of: 'a',
  windowMinutes: 5,
  threshold: { type: 'fixed', direction: 'above', warning: null, critical: 40, resolve: null, ...threshold },
  minimum: 0,
  missing: 'keep',
  ...rest,
})

function byRoute(aggregate: string, watched: Watched): MetricCondition {
  const metric = metricOf(aggregate, watched)
  return { ...metric, plan: { ...metric.plan, groupBy: ['route'] } }
}

const definitionOf = (metric: MetricCondition): AlertDefinition => ({
  projectIds: [],
  environment: null,
  ownerId: null,
  issue: null,
  metric,
  actions: [],
  intervalMinutes: 30,
  resolveMessage: true,
  escalation: [],
  unevaluable: [],
  original: null,
})

/** Rules of every kind of measure, over the spans of the file's project. */
const conditions: Record<string, MetricCondition> = {
  count: metricOf('count()', { threshold: { warning: 30, critical: 60, resolve: 15 } }),
  failures: metricOf('failure_rate()', { threshold: { critical: 0.4 }, minimum: 20, missing: 'resolve' }),
  slow: metricOf('p95(span.duration)', { threshold: { critical: 400 }, windowMinutes: 10 }),
  users: metricOf('count_unique(user)', { threshold: { critical: 20 } }),
  change: metricOf('count()', { threshold: { type: 'change', before: 'hour', critical: 300 }, minimum: 30 }),
  changedUsers: metricOf('count_unique(user)', {
    threshold: { type: 'change', before: 'hour', critical: 100 },
    minimum: 20,
  }),
  userRoutes: byRoute('count_unique(user)', { threshold: { warning: 8, critical: 14, resolve: 6 } }),
  changedUserRoutes: byRoute('count_unique(user)', {
    threshold: { type: 'change', before: 'hour', critical: 100 },
    minimum: 15,
  }),
  routes: byRoute('count()', { threshold: { warning: 15, critical: 40, resolve: 8 } }),
  slowRoutes: byRoute('p95(span.duration)', { threshold: { critical: 400 }, windowMinutes: 10, minimum: 8 }),
  changedRoutes: byRoute('count()', { threshold: { type: 'change', before: 'hour', critical: 300 }, minimum: 20 }),
  silence: metricOf('sum(span.duration)', {
    threshold: { direction: 'below', critical: 1 },
    missing: 'fire',
    windowMinutes: 1,
  }),
}

beforeAll(async () => {
  const { app, project } = open()
  await app.events.insert('spans', Buffer.from(linesOf(project.id)), 'spans:981-982')
})

async function createRules(names: readonly string[]): Promise<AlertRule[]> {
  const { app, organization } = open()
  for (const rule of await app.meta.alertRules.listAlertRules(organization.id))
    await app.meta.alertRules.deleteAlertRule(rule.id)
  return Array.fromAsync(names, (name) =>
    app.meta.alertRules.createAlertRule({
      organizationId: organization.id,
      userId: 'ann',
      max: 100,
      name,
      active: true,
      mutedUntilMs: null,
      definition: definitionOf(conditions[name] ?? metricOf('count()')),
    }),
  )
}

/** An evaluator at a time, and how far everything is processed then. */
function evaluatorAt() {
  const { app } = open()
  const clock = testClock(startMs)
  const state = { processedMs: startMs }
  const deps: MetricRulesDeps = {
    ...app,
    clock,
    observe: silent,
    fired: () => undefined,
    processedTo: async () => ({ events: state.processedMs, bulk: state.processedMs }),
  }
  return {
    deps,
    evaluator: createMetricRules(deps),
    /** Goes to a minute. `lagMin`: processing is so far behind. */
    at: (minute: number, lagMin = 0) => {
      clock.advance(startMs + minute * minuteMs - clock.now())
      state.processedMs = startMs + (minute - lagMin) * minuteMs
    },
  }
}

/** What fired, such as `41 start warning`, the oldest first. */
async function firingsOf(rule: AlertRule): Promise<string[]> {
  const found = await open().app.meta.alertRules.firingsOf(rule.id, 0, 1000)
  return found
    .toReversed()
    .map(({ atMs, change, level, group }) =>
      [(atMs - startMs) / minuteMs, change, level, ...(group ? [group.name] : [])].join(' '),
    )
}

const stateOf = async (rule: AlertRule) => (await open().app.meta.alertRules.alertRuleById(rule.id))?.state

/** Runs rules, and returns what each fired. */
async function replay(names: readonly string[], lagAt: (minute: number) => number = () => 0) {
  const rules = await createRules(names)
  const { evaluator, at } = evaluatorAt()
  for (const minute of minutes) {
    at(minute, lagAt(minute))
    await evaluator.run()
  }
  return Array.fromAsync(rules, firingsOf)
}

/** What each rule fires when nothing goes wrong. */
const undisturbed = replayOnce()

function replayOnce() {
  const found = new Map<string, string[]>()
  return async (names: readonly string[]) => {
    const all = Object.keys(conditions)
    if (found.size === 0) for (const [at, firings] of (await replay(all)).entries()) found.set(all[at] ?? '', firings)
    return names.map((name) => found.get(name) ?? [])
  }
}

test('rules of every kind fire at their minute, and end', async () => {
  const [count, ...others] = await undisturbed(Object.keys(conditions))
  expect(count).toEqual([
    '72 start warning',
    '73 change critical',
    '79 change warning',
    '81 end warning',
    '91 start warning',
    '92 change critical',
    '95 change warning',
    '97 end warning',
  ])
  for (const firings of others) expect(firings.length).toBeGreaterThan(1)
})

test('ingest that lags by 10 minutes and catches up fires the same, and says meanwhile that the rule waits', async () => {
  const names = Object.keys(conditions)
  const without = await undisturbed(names)
  // Behind around the first burst, which is processed when it is long over.
  const [fromMin, toMin] = [beginMin, burstMin + 18]
  const lagAt = (minute: number) => (minute >= fromMin && minute < toMin ? Math.min(10, minute - fromMin) : 0)
  expect(await replay(names, lagAt)).toEqual(without)

  const [rule] = await createRules(['count'])
  if (!rule) throw new Error('no rule')
  const { evaluator, at } = evaluatorAt()
  at(beginMin)
  await evaluator.run()
  at(beginMin + 10, 10)
  await evaluator.run()
  expect(await stateOf(rule)).toMatchObject({ status: 'waiting', reason: expect.stringContaining('not processed yet') })
  at(lengthMin)
  await evaluator.run()
  expect(await stateOf(rule)).toMatchObject({ status: 'ok', reason: '', evaluatedMs: startMs + lengthMin * minuteMs })
})

test('a rule that is killed at any step goes on where it was saved, and skips and doubles nothing', async () => {
  const names = ['count', 'users', 'change', 'userRoutes']
  const without = await undisturbed(names)
  const rules = await createRules(names)
  const random = randomOf(3)
  let current = evaluatorAt()
  for (let minute = beginMin; minute <= lengthMin; minute++) {
    current.at(minute)
    // A kill before or after the transaction: the process is gone, and with it all that it had read.
    const { alertRules } = current.deps.meta
    const saveEvaluation: typeof alertRules.saveEvaluation = async (...args) => {
      if (random() < 0.5) await alertRules.saveEvaluation(...args)
      throw new Error('killed')
    }
    const isKilled = random() < 0.5
    const { deps } = current
    if (!isKilled) await current.evaluator.run()
    else {
      const meta = { ...deps.meta, alertRules: { ...alertRules, saveEvaluation } }
      await expect(createMetricRules({ ...deps, meta }).run()).rejects.toThrow('killed')
      current = evaluatorAt()
    }
  }
  current.at(lengthMin)
  await current.evaluator.run()
  expect(await Array.fromAsync(rules, firingsOf)).toEqual(without)
})

test('after a stop, missed minutes are judged in order, up to a day', async () => {
  const without = await undisturbed(['count'])
  const [rule] = await createRules(['count'])
  if (!rule) throw new Error('no rule')
  const { evaluator, at } = evaluatorAt()
  at(beginMin)
  await evaluator.run()
  at(lengthMin)
  expect(await evaluator.run()).toMatchObject({ steps: lengthMin - beginMin })
  expect([await firingsOf(rule)]).toEqual(without)
  at(lengthMin + 3 * 1440)
  expect(await evaluator.run()).toMatchObject({ steps: 1440 })
})

test('a query over its limit keeps the state, says why, and is asked again; the others are judged', async () => {
  const [slow, count] = await createRules(['slow', 'count'])
  if (!slow || !count) throw new Error('no rules')
  const { deps, at } = evaluatorAt()
  let isSlow = true
  const seriesOfRows: typeof deps.events.seriesOfRows = (question) => {
    if (isSlow && question.aggregates.some(({ fn }) => fn === 'bins')) throw new MishapError('QUERY_TIMEOUT')
    return deps.events.seriesOfRows(question)
  }
  const evaluator = createMetricRules({ ...deps, events: { ...deps.events, seriesOfRows } })
  at(burstMin + 4)
  expect(await evaluator.run()).toMatchObject({ failed: 1, steps: 1 })
  expect(await stateOf(slow)).toMatchObject({ status: 'not_evaluated', reason: 'The query took longer than 20 s.' })
  expect(await stateOf(count)).toMatchObject({ status: 'critical', evaluatedMs: startMs + (burstMin + 4) * minuteMs })
  isSlow = false
  at(burstMin + 5)
  await evaluator.run()
  expect(await stateOf(slow)).toMatchObject({ status: expect.stringMatching(/ok|critical/), reason: '' })
})

test('a rule of all projects watches a new one at once', async () => {
  const [rule] = await createRules(['count'])
  if (!rule) throw new Error('no rule')
  const { deps, at } = evaluatorAt()
  const known = { isCreated: false }
  const projectsOf: typeof deps.meta.projects.projectsOf = async (...args) =>
    known.isCreated ? deps.meta.projects.projectsOf(...args) : []
  const meta = { ...deps.meta, projects: { ...deps.meta.projects, projectsOf } }
  const evaluator = createMetricRules({ ...deps, meta })
  at(burstMin + 4)
  expect(await evaluator.run()).toMatchObject({ steps: 0 })
  known.isCreated = true
  at(burstMin + 5)
  expect(await evaluator.run()).toMatchObject({ steps: 1 })
  expect(await stateOf(rule)).toMatchObject({ status: 'critical' })
})

test('different values that are too many keep the state and say why, alone and by group; the others are judged', async () => {
  const [users, userRoutes, count] = await createRules(['users', 'userRoutes', 'count'])
  if (!users || !userRoutes || !count) throw new Error('no rules')
  const { deps, at } = evaluatorAt()
  let isTooMuch = true
  const uniqueOfWindows: typeof deps.events.uniqueOfWindows = (question) => {
    if (isTooMuch) throw new MishapError('QUERY_TIMEOUT', { causes: ['memory'] })
    return deps.events.uniqueOfWindows(question)
  }
  const evaluator = createMetricRules({ ...deps, events: { ...deps.events, uniqueOfWindows } })
  at(burstMin + 4)
  expect(await evaluator.run()).toMatchObject({ failed: 2, steps: 1 })
  const reason = 'The query needs more memory than one query may use.'
  for (const rule of [users, userRoutes])
    expect(await stateOf(rule)).toMatchObject({ status: 'not_evaluated', reason, evaluatedMs: null })
  expect(await stateOf(count)).toMatchObject({ status: 'critical' })
  isTooMuch = false
  at(burstMin + 5)
  await evaluator.run()
  for (const rule of [users, userRoutes]) expect(await stateOf(rule)).toMatchObject({ status: 'critical', reason: '' })
})

test('a changed rule begins anew, and one that is switched off is not judged', async () => {
  const [rule] = await createRules(['count'])
  if (!rule) throw new Error('no rule')
  const { deps, evaluator, at } = evaluatorAt()
  at(burstMin + 4)
  await evaluator.run()
  expect(await stateOf(rule)).toMatchObject({ status: 'critical' })
  const higher = definitionOf(metricOf('count()', { threshold: { critical: 900 } }))
  await deps.meta.alertRules.updateAlertRule(rule.id, { definition: higher }, 'ann')
  at(burstMin + 5)
  await evaluator.run()
  expect(await stateOf(rule)).toMatchObject({ status: 'ok', evaluatedMs: startMs + (burstMin + 5) * minuteMs })
  await deps.meta.alertRules.updateAlertRule(rule.id, { active: false }, 'ann')
  at(burstMin + 6)
  expect(await evaluator.run()).toMatchObject({ rules: 0 })
})

test('a rule by projects names them by their slugs, in REST and in its firings', async () => {
  const [rule] = await createRules(['count'])
  if (!rule) throw new Error('no rule')
  const { deps, evaluator, at } = evaluatorAt()
  const metric = metricOf('count()', { threshold: { critical: 60 } })
  const definition = definitionOf({ ...metric, plan: { ...metric.plan, groupBy: ['project'] } })
  await deps.meta.alertRules.updateAlertRule(rule.id, { definition }, 'ann')
  at(burstMin + 4)
  await evaluator.run()
  const changed = await deps.meta.alertRules.alertRuleById(rule.id)
  const [rest] = changed ? await toRestAlertRules(deps, rule.organizationId, [changed]) : []
  expect(rest?.state.groups?.firing).toMatchObject([{ name: 'web', level: 'critical' }])
  const firings = await deps.meta.alertRules.firingsOf(rule.id, 0, 9)
  expect(firings.map(({ group, change }) => [group?.name, change])).toEqual([['web', 'start']])
})

const bodyOf = (metric: MetricCondition): BackTestBody['rule'] => ({
  projects: [],
  environment: null,
  owner: null,
  isActive: true,
  issue: null,
  metric,
  actions: [{ type: 'channel', channel: '7' }, { type: 'members' }],
  intervalMinutes: 5,
  resolveMessage: true,
  escalation: [],
})

test.each(Object.keys(conditions))('the back-test of %s equals what it then fired', async (name) => {
  const { project } = open()
  const [live = []] = await undisturbed([name])
  const { deps, at } = evaluatorAt()
  at(lengthMin)
  const view = { projects: [project], environments: [] }
  const metric = conditions[name] ?? metricOf('count()')
  const { firings } = await backTestRule({ ...deps, config: open().app.config }, view, {
    rule: bodyOf(metric),
    days: 1,
    noise: [],
  })
  const minuteOf = (ms: number | null) => (ms === null ? null : (ms - startMs) / minuteMs)
  const tested = firings
    // The evaluator began later: what fires then, began before it in the back-test.
    .filter((firing) => firing.startMs > startMs + beginMin * minuteMs)
    .map((firing) => [minuteOf(firing.startMs), minuteOf(firing.endMs), firing.group ?? ''])
  const changes = live.map((text) => {
    const [minute = '', change, , group = ''] = text.split(' ')
    return { minute: Number(minute), change, group }
  })
  const fired = changes
    .filter(({ change }) => change === 'start')
    .map(({ minute, group }) => {
      const end = changes.find((other) => other.change === 'end' && other.group === group && other.minute > minute)
      return [minute, end?.minute ?? null, group]
    })
  expect(tested).toEqual(fired.filter(([start]) => start !== beginMin))
  expect(tested.length).toBeGreaterThan(0)
})
