import { isOutage, MishapError } from '../base/errors.ts'
import type { Lane } from '../base/lane.ts'
import type { Observe } from '../base/observe.ts'
import { alertReasons } from '../domain/alerts/alert-reasons.ts'
import type { QueryDeps } from '../query/issues/issue.ts'
import { compileMeasure, type Measure } from '../query/metrics/measures.ts'
import type { Cell } from '../store/events/question.ts'
import type { NewFiring } from '../store/meta/alerts/firing.ts'
import type { Project } from '../store/meta/meta.ts'
import { describeFiring } from './rules/firings.ts'
import { forgetGroups, type GroupedBuckets, judgeGroups } from './rules/grouped.ts'
import { groupedState } from './rules/groups.ts'
import { type MetricFiring, type MetricState, stepMetricRule } from './rules/metric.ts'
import { queryLimits } from './rules/query-limits.ts'
import { readWindows } from './rules/reads.ts'
import {
  dueEnds,
  forgetBuckets,
  measureEnds,
  setMeasure,
  storedState,
  type WatchedRule,
  watchRule,
} from './rules/watched.ts'

export type MetricRulesDeps = QueryDeps & {
  observe: Observe
  /** The time of receipt before which everything in each lane is committed. */
  processedTo(): Promise<Record<Lane, number>>
  /** Called after firings were saved. */
  fired(): void
}

/** The evaluator of metric rules (docs/alerts-metrics.md). */
export type MetricRules = {
  /**
   * Judges every rule for each step that was processed since the last run, in order, and saves states with their firings.
   * Safe to repeat: a firing has the same key each time.
   */
  run(): Promise<Record<string, unknown>>
}

const [minuteMs, hourMs] = [60_000, 3_600_000]
/** Steps of so long are judged after a stop. What is older is left out: nobody wants to hear of it any more. */
const boundMs = 24 * hourMs
/** Processing that is further behind makes rules wait. In between, a batch is about to be committed. */
const behindMs = 90_000
/** Conditions on issues and the latest release are read again after this time. */
const compiledForMs = 10 * minuteMs
/** A rule whose query failed is asked again after 1, 2, 4 and so on minutes, at most this. */
const retryMsMax = 30 * minuteMs
/** Rules that are judged before others of the process run. */
const rulesAtOnce = 50
/** Firings of a rule in one run whose issues are looked up. Each takes a query. */
const explainedMax = 20
/** Rules whose states are saved in one transaction. */
const savedAtOnce = 500

/** Lets other work of the process run. */
const others = () => new Promise<void>((done) => setImmediate(done))

type Memory = { version: string; rules: Map<number, WatchedRule> }

/** Reads the rules again if any has changed. A rule that is the same keeps what was read for it. */
async function refresh({ meta }: MetricRulesDeps, memory: Memory): Promise<void> {
  const version = await meta.alertRules.getAlertRuleVersion()
  if (version === memory.version) return
  const rules = new Map<number, WatchedRule>()
  for (const rule of await meta.alertRules.listActiveAlertRules('metric')) {
    const { metric } = rule.definition
    const known = memory.rules.get(rule.id)
    if (metric) rules.set(rule.id, known?.rule.rev === rule.rev ? known : watchRule(rule, metric))
  }
  memory.rules = rules
  memory.version = version
}

type Blocked = NonNullable<MetricState['blocked']>

/** Sets why a rule is not judged. Returns whether that is news. */
function block(watched: WatchedRule, blocked: Blocked): boolean {
  const { state } = watched
  if (state.blocked?.status === blocked.status && state.blocked.reason === blocked.reason) return false
  watched.state = { ...state, blocked }
  return true
}

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof MishapError)) return alertReasons.query_failed
  if (error.code === 'QUERY_TIMEOUT')
    return error.causes.includes('memory')
      ? alertReasons.query_memory
      : `The query took longer than ${queryLimits.seconds} s.`
  const [field] = Object.values(error.fields ?? {})
  return field?.[0] ?? error.message
}

/** Marks a rule whose query failed. It keeps its level and is asked again later. */
function fail(watched: WatchedRule, error: unknown, nowMs: number): void {
  watched.retryMs = nowMs + Math.min(retryMsMax, minuteMs * 2 ** watched.failures)
  watched.failures++
  block(watched, { status: 'not_evaluated', reason: sentenceOf(error) })
}

/** The processed time of a dataset: errors are in one lane, and everything else can be in both. */
const processedOf = (processed: Record<Lane, number>, dataset: string): number =>
  dataset === 'errors' ? processed.events : Math.min(processed.events, processed.bulk)

/**
 * Compiles what a rule watches, if that is not done or is long ago. Throws VALIDATION and QUERY_* for what cannot be
 * measured any more, and STORE_UNAVAILABLE.
 */
async function compile(deps: MetricRulesDeps, watched: WatchedRule, projects: readonly Project[], nowMs: number) {
  const isCompiled = watched.compiledMs > nowMs - compiledForMs
  if (isCompiled && watched.projects === projects) return
  const { projectIds, environment } = watched.rule.definition
  const own = projectIds.length === 0 ? [...projects] : projects.filter(({ id }) => projectIds.includes(id))
  const projectKey = own.map(({ id }) => id).join()
  // A rule of all projects watches a new one at once.
  if (!isCompiled || watched.projectKey !== projectKey) {
    const view = { projects: own, environments: environment === null ? [] : [environment], meUserId: undefined }
    setMeasure(watched, await compileMeasure(deps, view, watched.condition), nowMs)
  }
  Object.assign(watched, { projects, projectKey })
}

/** Compiles rules. Those that cannot be measured are marked, and the others are returned. */
async function compiled(deps: MetricRulesDeps, rules: readonly WatchedRule[], news: News): Promise<WatchedRule[]> {
  const nowMs = deps.clock.now()
  const projectsOf = new Map<number, Project[]>()
  const usable: WatchedRule[] = []
  for (const [at, watched] of rules.entries()) {
    if (watched.retryMs > nowMs) continue
    if (at % rulesAtOnce === 0) await others()
    const { organizationId } = watched.rule
    try {
      const projects = projectsOf.get(organizationId) ?? (await deps.meta.projects.projectsOf(organizationId))
      projectsOf.set(organizationId, projects)
      await compile(deps, watched, projects, nowMs)
      if ((watched.measure?.projectIds.length ?? 0) > 0) usable.push(watched)
    } catch (error) {
      if (isOutage(error)) throw error
      fail(watched, error, nowMs)
      news.changed.add(watched)
    }
  }
  return usable
}

/** What a run leaves: rules whose state changed, and firings. */
type News = {
  changed: Set<WatchedRule>
  firings: { watched: WatchedRule; firing: MetricFiring & { cells?: Cell[] } }[]
}

/** Saves states with their firings, so that a kill neither loses nor doubles any. */
async function save(deps: MetricRulesDeps, { changed, firings }: News): Promise<void> {
  const byRule = Map.groupBy(firings, ({ watched }) => watched)
  const all = [...changed]
  for (let at = 0; at < all.length; at += savedAtOnce) {
    const part = all.slice(at, at + savedAtOnce)
    const described: NewFiring[] = []
    for (const watched of part)
      for (const [at, { firing }] of (byRule.get(watched) ?? []).entries())
        described.push(await describeFiring(deps, watched, firing, at < explainedMax))
    const states = part.map(({ rule, state }) => ({ ruleId: rule.id, rev: rule.rev, state: storedState(state) }))
    await deps.meta.alertRules.saveEvaluation({ states, firings: described })
  }
}

/** Judges the windows of a rule by groups. */
function judgeByGroup(watched: WatchedRule, grouped: GroupedBuckets, ends: readonly number[], news: News): void {
  let state = groupedState(watched.state)
  for (const endMs of ends) {
    const step = judgeGroups(grouped, watched.condition, state, endMs)
    state = step.state
    news.firings.push(...step.firings.map((firing) => ({ watched, firing })))
  }
  watched.state = state
  forgetGroups(grouped, state, ends.at(-1) ?? 0)
}

/** Judges the windows of a rule. */
function judge(watched: WatchedRule, ends: readonly number[], news: News): void {
  if (watched.grouped) judgeByGroup(watched, watched.grouped, ends, news)
  for (const measured of watched.grouped ? [] : measureEnds(watched, ends)) {
    const { state, firing } = stepMetricRule(watched.condition, watched.state, measured)
    watched.state = state
    if (firing) news.firings.push({ watched, firing })
  }
  watched.failures = 0
  watched.readTo = watched.referenceTo = ends.at(-1) ?? watched.readTo
  forgetBuckets(watched, watched.readTo)
  news.changed.add(watched)
}

type Due = { watched: WatchedRule; measure: Measure; ends: number[] }

/** The windows that rules have to judge. Rules whose data is far behind say that they wait. */
function dueOf(
  rules: readonly WatchedRule[],
  processed: Record<Lane, number>,
  nowMs: number,
  news: News,
): { due: Due[]; waiting: number; skippedMs: number } {
  const found = { due: [] as Due[], waiting: 0, skippedMs: 0 }
  for (const watched of rules) {
    const { measure } = watched
    if (!measure) continue
    const processedMs = processedOf(processed, measure.dataset)
    const { ends, skippedMs } = dueEnds(watched, processedMs, boundMs)
    found.skippedMs = Math.max(found.skippedMs, skippedMs)
    if (ends.length > 0) found.due.push({ watched, measure, ends })
    else if (processedMs < nowMs - behindMs) {
      found.waiting++
      if (block(watched, { status: 'waiting', reason: alertReasons.data_behind })) news.changed.add(watched)
    }
  }
  return found
}

async function run(deps: MetricRulesDeps, memory: Memory): Promise<Record<string, unknown>> {
  await refresh(deps, memory)
  const totals = { rules: memory.rules.size, steps: 0, firings: 0, waiting: 0, failed: 0 }
  if (memory.rules.size === 0) return totals
  const processed = await deps.processedTo()
  const news: News = { changed: new Set(), firings: [] }
  try {
    const rules = await compiled(deps, [...memory.rules.values()], news)
    const nowMs = deps.clock.now()
    const { due, waiting, skippedMs } = dueOf(rules, processed, nowMs, news)
    if (skippedMs > 0)
      deps.observe.warn({ minutes: skippedMs / minuteMs }, 'alert rules leave out what came over a day before a stop')
    const failures = await readWindows(deps, due, queryLimits)
    for (const [watched, error] of failures) {
      fail(watched, error, nowMs)
      news.changed.add(watched)
    }
    for (const [at, { watched, ends }] of due.entries()) {
      if (at % rulesAtOnce === 0) await others()
      if (failures.has(watched)) continue
      judge(watched, ends, news)
      totals.steps += ends.length
    }
    Object.assign(totals, { firings: news.firings.length, waiting, failed: failures.size })
    await save(deps, news)
    if (news.firings.length > 0) deps.fired()
    return { ...totals, processedTo: new Date(Math.min(...Object.values(processed))).toISOString() }
  } catch (error) {
    // What is not saved is judged again from the stored states.
    memory.version = ''
    memory.rules.clear()
    throw error
  }
}

/** Creates the evaluator. It keeps what it has read in memory, so a step reads only what is new. */
export function createMetricRules(deps: MetricRulesDeps): MetricRules {
  const memory: Memory = { version: '', rules: new Map() }
  return { run: () => run(deps, memory) }
}
