import { isOutage, MishapError } from '../base/errors.ts'
import type { Lane } from '../base/lane.ts'
import { faultOf, type Observe } from '../base/observe.ts'
import { alertReasons } from '../domain/alerts/alert-reasons.ts'
import { isHighPriority } from '../domain/priority.ts'
import { skewWaitMs } from '../domain/skew.ts'
import type { RuleBranch } from '../query/alerts/rule-filter.ts'
import type { QueryDeps } from '../query/issues/issue.ts'
import type { NewFiring } from '../store/meta/alerts/firing.ts'
import type { AlertRuleState } from '../store/meta/alerts/rules.ts'
import type { IssueTrigger } from '../store/meta/alerts/triggers.ts'
import { isSkewOnly } from '../store/meta/ingest/diagnostic-counts.ts'
import type { Issue } from '../store/meta/meta.ts'
import { createDueTriggers, type DueTriggers } from './rules/due-triggers.ts'
import { eventOf, fittingTriggers, type Happening, happeningsOf, watches } from './rules/happenings.ts'
import {
  type Counted,
  evaluateIssueRule,
  type IssueFacts,
  type IssueVerdict,
  type WindowTrigger,
} from './rules/issue.ts'
import { type CountedPart, type Counts, countsOfIssue, countsOfStep } from './rules/issue-counts.ts'
import {
  compileIssueRule,
  createProjectsOf,
  environmentsOf,
  type ProjectsOf,
  type WatchedIssueRule,
  watchIssueRule,
} from './rules/watched-issue.ts'
import { lasts } from './skew.ts'

export type IssueRulesDeps = QueryDeps & {
  observe: Observe
  /** The time of receipt before which everything in each lane is committed. */
  processedTo(): Promise<Record<Lane, number>>
  /** Called when there are new firings. */
  fired(): void
}

/** The evaluator of issue rules (docs/alerts.md). */
export type IssueRules = {
  /**
   * Evaluates what happened to issues since the last run, and the windows that were processed since. Safe to repeat: a
   * firing has the same key each time. Returns numbers for the jobs table.
   */
  run(): Promise<Record<string, unknown>>
  /** Like `run`, after a commit. Returns at once. */
  kick(): void
}

const minuteMs = 60_000
/** Steps of so long are evaluated after a stop. What is older is left out: nobody wants to hear of it any more. */
const boundMs = 60 * minuteMs
/** Processing that is further behind makes rules wait. In between, a batch is about to be committed. */
const behindMs = 90_000
/** A feedback is about an event whose issue is looked up a moment later (jobs/feedback.ts). */
const feedbackWaitMs = 30_000

const waitingReason = alertReasons.data_behind

/** Lets other work of the process run. */
const others = () => new Promise<void>((done) => setImmediate(done))

type Memory = { version: string; rules: Map<number, WatchedIssueRule>; due: DueTriggers }

async function refresh({ meta }: IssueRulesDeps, memory: Memory): Promise<void> {
  const version = await meta.alertRules.getAlertRuleVersion()
  if (version === memory.version) return
  const rules = new Map<number, WatchedIssueRule>()
  for (const rule of await meta.alertRules.listActiveAlertRules('issue')) {
    const { issue } = rule.definition
    const known = memory.rules.get(rule.id)
    if (issue) rules.set(rule.id, known?.rule.rev === rule.rev ? known : watchIssueRule(rule, issue))
  }
  Object.assign(memory, { version, rules })
}

/** Marks a rule whose evaluation failed. Its windows are evaluated again after a minute. */
function fail(deps: IssueRulesDeps, watched: WatchedIssueRule, error: unknown): void {
  const reason = error instanceof MishapError ? error.message : alertReasons.query_failed
  watched.retryMs = deps.clock.now() + minuteMs
  watched.state = { ...watched.state, status: 'not_evaluated', reason }
  deps.observe.warn({ rule: watched.rule.id, reason }, 'an issue rule was not evaluated')
}

const statesOf = (changed: Iterable<WatchedIssueRule>) =>
  [...changed].map(({ rule: { id, rev }, state }) => ({ ruleId: id, rev, state }))

type Found = { key: string; atMs: number; release: string; eventId: string; sinceMs: number; projectId: number }

function firingOf(
  { rule }: WatchedIssueRule,
  issue: Issue | undefined,
  verdict: IssueVerdict,
  found: Found,
): NewFiring {
  const { key, atMs, release, eventId, sinceMs, projectId } = found
  return {
    organizationId: rule.organizationId,
    ruleId: rule.id,
    key: `${rule.id}/${rule.rev}/${key}`,
    change: 'start',
    level: issue && !isHighPriority(issue) ? 'warning' : 'critical',
    atMs,
    value: verdict.value,
    threshold: verdict.threshold,
    sentence: '',
    cause: { projectIds: [projectId], issueIds: issue ? [issue.id] : [], release, deployId: null },
    trigger: verdict.trigger,
    eventId,
    sinceMs,
  }
}

/** What does not depend on the rule. */
const issueFacts = (issue: Issue | undefined) => ({
  isNoise: issue?.noise != null,
  isDecayingSkew: issue !== undefined && isSkewOnly(issue.diagnosticCounts, issue.count),
})

type Answers = Map<WindowTrigger, { counted: Map<number, Counted>; earlier: Map<number, Counted> }>

/** Asks the counts of all windows of a rule. */
async function answersOf(counts: Counts, windows: readonly WindowTrigger[]): Promise<Answers> {
  const answers: Answers = new Map()
  for (const trigger of windows)
    answers.set(trigger, {
      counted: await counts.counted(trigger),
      earlier: trigger.type === 'rate' ? await counts.earlier(trigger) : new Map(),
    })
  return answers
}

const none: Counted = { now: 0, before: 0 }
const lookup = (answers: Answers, issueId: number): Pick<IssueFacts, 'counted' | 'earlier'> => ({
  counted: (trigger) => answers.get(trigger)?.counted.get(issueId) ?? none,
  earlier: (trigger) => answers.get(trigger)?.earlier.get(issueId) ?? none,
})

const partOf = (watched: WatchedIssueRule, { projectIds, event }: RuleBranch): CountedPart => ({
  projectIds,
  environments: environmentsOf(watched),
  event,
})

// ---- what happened to an issue

async function verdictOn(
  deps: IssueRulesDeps,
  watched: WatchedIssueRule,
  happening: Happening,
  isDecayingSkew: boolean,
) {
  const { condition, windows, branches, stepMs } = watched
  const { issue } = happening
  const fitting = await fittingTriggers(deps, watched, happening)
  const [lead] = fitting
  if (!lead) return undefined
  const happened = new Set(fitting.map(({ kind }) => kind))
  const { atMs, projectId, release } = lead
  const eventId = eventOf(lead)
  const [branch] = branches
  const isCounted = condition.match === 'all' && windows.length > 0 && issue && branch
  const answers = isCounted
    ? await answersOf(await countsOfIssue(deps, partOf(watched, branch), issue, { endMs: atMs + 1, stepMs }), windows)
    : new Map()
  const facts = { atMs, happened, meetsFilter: true, isNoise: issueFacts(issue).isNoise, isDecayingSkew }
  const verdict = evaluateIssueRule(condition, { ...facts, ...lookup(answers, issue?.id ?? 0) })
  const sinceMs = issue && (happened.has('new') || happened.has('performance')) ? issue.firstSeenMs : atMs
  return (
    verdict && firingOf(watched, issue, verdict, { key: `t${lead.id}`, atMs, release, eventId, sinceMs, projectId })
  )
}

type Round = {
  doneIds: number[]
  postponed: { id: number; untilMs: number }[]
  firings: NewFiring[]
  /** Rules with another state. */
  changed: Set<WatchedIssueRule>
  /** Triggers that stay in the outbox as they are. */
  keptIds: number[]
  /** How many may. */
  keptMax: number
  projectsOf: ProjectsOf
}

/** Ends the state of a rule without windows that could not be evaluated. Returns whether it had that state. */
function recover(watched: WatchedIssueRule): boolean {
  if (watched.windows.length > 0 || watched.state.status !== 'not_evaluated') return false
  watched.state = { ...watched.state, status: 'ok', reason: '' }
  return true
}

/** Evaluates the rules for what happened to one issue. Skew is evaluated twice: rules that leave it out wait. */
async function evaluateHappening(
  deps: IssueRulesDeps,
  rules: readonly WatchedIssueRule[],
  happening: Happening,
  round: Round,
) {
  const { first, triggers } = happening
  // Words of a person are no skew.
  const issue = first.kind === 'feedback' ? undefined : happening.issue
  const nowMs = deps.clock.now()
  const isLater = first.untilMs > 0
  const isSkew = issueFacts(issue).isDecayingSkew
  let isDecaying = isSkew
  if (isLater && isSkew && issue) {
    const goesOn = await lasts(deps, { issueId: issue.id, atMs: first.atMs })
    // The events store is away, or there is too little to see: the job tries again.
    if (goesOn === undefined) {
      round.postponed.push(...triggers.map(({ id }) => ({ id, untilMs: nowMs + minuteMs })))
      return
    }
    isDecaying = !goesOn
  }
  let isFailed = false
  const mine = rules.filter((watched) => watches(watched, happening))
  const waits = (watched: WatchedIssueRule) => isSkew && watched.condition.unless.skew
  for (const watched of mine) {
    if (isLater ? !watched.condition.unless.skew : waits(watched)) continue
    // It has just failed: a query that runs into its time limit must not do so for each trigger.
    if (watched.retryMs > nowMs) {
      isFailed = true
      continue
    }
    try {
      await compileIssueRule(deps, watched, round.projectsOf)
      const firing = await verdictOn(deps, watched, happening, isDecaying)
      if (firing) round.firings.push(firing)
      if (recover(watched)) round.changed.add(watched)
    } catch (error) {
      if (isOutage(error)) throw error
      fail(deps, watched, error)
      round.changed.add(watched)
      isFailed = true
    }
  }
  // A rule that cannot be asked now is asked again for an hour; for the others the keys are the same.
  const canWait = round.keptIds.length + triggers.length <= round.keptMax
  if (isFailed && canWait && first.atMs > nowMs - boundMs) round.keptIds.push(...triggers.map(({ id }) => id))
  else if (!isLater && mine.some(waits))
    round.postponed.push(...triggers.map(({ id }) => ({ id, untilMs: nowMs + skewWaitMs })))
  else round.doneIds.push(...triggers.map(({ id }) => id))
}

/** Feedback waits for its issue, and has it then. Others are returned as they are. */
async function withIssues({ meta, clock }: IssueRulesDeps, triggers: readonly IssueTrigger[], round: Round) {
  const ready: IssueTrigger[] = []
  for (const trigger of triggers) {
    if (trigger.kind !== 'feedback' || trigger.issueId !== null) ready.push(trigger)
    else {
      const issueId = await meta.alertRules.issueOfFeedback(trigger.projectId, trigger.eventId)
      if (issueId === null && trigger.untilMs === 0)
        round.postponed.push({ id: trigger.id, untilMs: clock.now() + feedbackWaitMs })
      else ready.push({ ...trigger, issueId, untilMs: 0 })
    }
  }
  return ready
}

async function evaluateTriggers(deps: IssueRulesDeps, memory: Memory): Promise<{ triggers: number; firings: number }> {
  const totals = { triggers: 0, firings: 0 }
  const rules = [...memory.rules.values()]
  for (;;) {
    const triggers = await memory.due.next()
    if (triggers.length === 0) return totals
    const keptMax = memory.due.room()
    const found = { doneIds: [], postponed: [], firings: [], changed: new Set<WatchedIssueRule>(), keptIds: [] }
    const round: Round = { ...found, keptMax, projectsOf: createProjectsOf(deps) }
    const ready = rules.length === 0 ? triggers : await withIssues(deps, triggers, round)
    for (const happening of await happeningsOf(deps, ready)) await evaluateHappening(deps, rules, happening, round)
    const { doneIds, postponed, firings } = round
    const states = statesOf(round.changed)
    await deps.meta.alertRules.saveEvaluation({ doneIds, postponed, states, triggered: firings })
    totals.triggers += triggers.length
    totals.firings += round.firings.length
    memory.due.keep(round.keptIds)
  }
}

// ---- windows

type Step = { watched: WatchedIssueRule; endMs: number }

/** The steps that a rule has to evaluate: those that were processed since the last evaluation. */
function stepsOf(watched: WatchedIssueRule, processedMs: number): Step[] {
  const { stepMs } = watched
  const last = Math.floor(processedMs / stepMs) * stepMs
  // A new rule begins with what comes after it.
  if (watched.evaluatedMs === null) {
    watched.evaluatedMs = last
    return []
  }
  const first = Math.max(watched.evaluatedMs, last - Math.max(boundMs, stepMs)) + stepMs
  const steps: Step[] = []
  for (let endMs = first; endMs <= last; endMs += stepMs) steps.push({ watched, endMs })
  return steps
}

/** Evaluates the rules of one step that count the same events. */
async function evaluateStep(
  deps: IssueRulesDeps,
  part: CountedPart,
  own: readonly { watched: WatchedIssueRule; branch: RuleBranch }[],
  at: { endMs: number; stepMs: number },
): Promise<NewFiring[]> {
  const counts = await countsOfStep(deps, part, at)
  if (counts.issueIds.length === 0) return []
  const issues = await deps.meta.issues.issuesByIds(counts.issueIds)
  const firings: NewFiring[] = []
  const known = new Map<string, Promise<Map<number, number>>>()
  const fittingOf = (filter: NonNullable<RuleBranch['issue']>) => {
    const key = JSON.stringify(filter)
    const found = known.get(key) ?? deps.meta.issues.issueStarts(counts.issueIds, filter)
    known.set(key, found)
    return found
  }
  for (const { watched, branch } of own) {
    const fitting = branch.issue && (await fittingOf(branch.issue))
    const answers = await answersOf(counts, watched.windows)
    const longestMs = Math.max(...watched.windows.map(({ windowMinutes }) => windowMinutes)) * minuteMs
    for (const issue of issues) {
      const verdict = evaluateIssueRule(watched.condition, {
        atMs: at.endMs,
        happened: new Set(),
        meetsFilter: fitting === undefined || fitting.has(issue.id),
        ...issueFacts(issue),
        ...lookup(answers, issue.id),
      })
      const found = { atMs: at.endMs, release: '', eventId: '', projectId: issue.projectId }
      const sinceMs = Math.max(issue.firstSeenMs, at.endMs - longestMs)
      if (verdict)
        firings.push(firingOf(watched, issue, verdict, { ...found, key: `${issue.id}/${at.endMs}`, sinceMs }))
    }
  }
  return firings
}

/** Rules of one step by what they count, so that each part is asked once. */
function partsOf(steps: readonly Step[]) {
  const entries = steps.flatMap(({ watched, endMs }) =>
    watched.branches.map((branch) => ({ watched, branch, endMs, part: partOf(watched, branch) })),
  )
  const { stepMs = minuteMs } = steps[0]?.watched ?? {}
  return [
    ...Map.groupBy(entries, ({ watched, endMs, part }) => JSON.stringify([endMs, watched.stepMs, part])).values(),
  ].flatMap((own) => {
    const [first] = own
    return first ? [{ own, part: first.part, at: { endMs: first.endMs, stepMs: first.watched.stepMs ?? stepMs } }] : []
  })
}

const isSame = (state: AlertRuleState, status: string, reason: string): boolean =>
  state.status === status && state.reason === reason

/** Sets the states of rules whose steps are evaluated or wait. */
function advance(
  rules: readonly WatchedIssueRule[],
  steps: readonly Step[],
  failed: ReadonlySet<WatchedIssueRule>,
  isBehind: boolean,
) {
  const changed: WatchedIssueRule[] = []
  const last = new Map(steps.map(({ watched, endMs }) => [watched, endMs]))
  for (const watched of rules) {
    const evaluatedMs = failed.has(watched) ? watched.evaluatedMs : (last.get(watched) ?? watched.evaluatedMs)
    const status = failed.has(watched) ? watched.state.status : isBehind ? 'waiting' : 'ok'
    const reason = failed.has(watched) ? watched.state.reason : isBehind ? waitingReason : ''
    const { state } = watched
    if (state.evaluatedMs === evaluatedMs && isSame(state, status, reason) && !failed.has(watched)) continue
    watched.evaluatedMs = evaluatedMs
    watched.state = { ...state, status, reason, evaluatedMs }
    changed.push(watched)
  }
  return changed
}

async function evaluateWindows(deps: IssueRulesDeps, memory: Memory): Promise<{ steps: number; firings: number }> {
  const nowMs = deps.clock.now()
  const rules = [...memory.rules.values()].filter(({ windows, retryMs }) => windows.length > 0 && retryMs <= nowMs)
  if (rules.length === 0) return { steps: 0, firings: 0 }
  const { events: processedMs } = await deps.processedTo()
  const failed = new Set<WatchedIssueRule>()
  const steps: Step[] = []
  const projectsOf = createProjectsOf(deps)
  for (const watched of rules) {
    const own = stepsOf(watched, processedMs)
    if (own.length === 0) continue
    try {
      await compileIssueRule(deps, watched, projectsOf)
      steps.push(...own)
    } catch (error) {
      if (isOutage(error)) throw error
      fail(deps, watched, error)
      failed.add(watched)
    }
  }
  const firings: NewFiring[] = []
  for (const { own, part, at } of partsOf(steps)) {
    await others()
    try {
      firings.push(...(await evaluateStep(deps, part, own, at)))
    } catch (error) {
      if (isOutage(error)) throw error
      for (const { watched } of own) {
        fail(deps, watched, error)
        failed.add(watched)
      }
    }
  }
  const changed = advance(rules, steps, failed, processedMs < nowMs - behindMs)
  const states = statesOf(changed)
  const sure = firings.filter(({ ruleId }) => ![...failed].some((watched) => watched.rule.id === ruleId))
  if (states.length > 0) await deps.meta.alertRules.saveEvaluation({ states, firings: sure })
  return { steps: steps.length, firings: sure.length }
}

async function run(deps: IssueRulesDeps, memory: Memory): Promise<Record<string, unknown>> {
  try {
    await refresh(deps, memory)
    const { triggers, firings } = await evaluateTriggers(deps, memory)
    const windows = await evaluateWindows(deps, memory)
    if (firings + windows.firings > 0) deps.fired()
    return { rules: memory.rules.size, triggers, steps: windows.steps, firings: firings + windows.firings }
  } catch (error) {
    // What is not saved is evaluated again from the stored states.
    memory.version = ''
    memory.rules.clear()
    throw error
  }
}

/** Creates the evaluator of issue rules. Runs never overlap: a run during a run waits for it and follows. */
export function createIssueRules(deps: IssueRulesDeps): IssueRules {
  const memory: Memory = { version: '', rules: new Map(), due: createDueTriggers(deps) }
  const state = { last: Promise.resolve() as Promise<unknown>, isKicked: false }
  const next = () => {
    const running = state.last.then(() => {
      state.isKicked = false
      return run(deps, memory)
    })
    state.last = running.catch(() => undefined)
    return running
  }
  return {
    run: next,
    kick: () => {
      // One run that has not begun is enough for all commits before it.
      if (state.isKicked) return
      state.isKicked = true
      next().catch((error: unknown) => deps.observe.warn({ error: faultOf(error) }, 'issue rules are evaluated again'))
    },
  }
}
