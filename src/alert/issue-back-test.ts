import type { Lane } from '../base/lane.ts'
import type { Observe } from '../base/observe.ts'
import type { IssueCondition } from '../contract/alerts/alerts.ts'
import type { BackTestBody, RestBackTest } from '../contract/alerts/alerts-back-test.ts'
import { isHighPriority } from '../domain/priority.ts'
import { skewWaitMs } from '../domain/skew.ts'
import { type RuleBranch, ruleBranches } from '../query/alerts/rule-filter.ts'
import type { QueryDeps } from '../query/issues/issue.ts'
import { isSkewOnly } from '../store/meta/ingest/diagnostic-counts.ts'
import type { Issue, Project } from '../store/meta/meta.ts'
import { barMsOf, receiverOf } from './rules/back-test.ts'
import { deletedParts, ofState, ofStateWords } from './rules/blind.ts'
import { type Counted, type IssueFacts, isWindow, stepMsOf, type WindowTrigger } from './rules/issue.ts'
import {
  type IssueRunFiring,
  issueMessages,
  issueOthers,
  issuePoints,
  numbered,
  numbersOf,
  type PastMoment,
  peakOf,
  runIssueRule,
} from './rules/issue-back-test.ts'
import { type CountedPart, type Counts, countsOfIssue } from './rules/issue-counts.ts'
import { type PastCounts, readPastCounts } from './rules/past-counts.ts'
import {
  fittingHappenings,
  joinHappenings,
  type PastHappening,
  type PastHappenings,
  readHappenings,
} from './rules/past-happenings.ts'
import { lasts } from './skew.ts'

type IssueBackTestDeps = QueryDeps & {
  observe: Observe
  processedTo(): Promise<Record<Lane, number>>
  config: Parameters<typeof deletedParts>[0]['config']
}

type Blind = RestBackTest['blind'][number]
type Range = { fromMs: number; toMs: number }
type Tested = {
  deps: IssueBackTestDeps
  condition: IssueCondition
  windows: WindowTrigger[]
  branches: RuleBranch[]
  environments: string[]
  stepMs: number
  range: Range
}

const minuteMs = 60_000
const dayMs = 86_400_000
/** When a change was stored is not known. It is stored seconds after its receipt, so windows with it end then. */
const storedAfterMs = 5000
/** Happenings of a rule that also wants a window, each with queries of its own. */
const countedMax = 300

const none: Counted = { now: 0, before: 0 }
const nothing: Pick<IssueFacts, 'counted' | 'earlier'> = { counted: () => none, earlier: () => none }

const isSkew = (issue: Issue): boolean => isSkewOnly(issue.diagnosticCounts, issue.count)
const partOf = ({ environments }: Tested, { projectIds, event }: RuleBranch): CountedPart => ({
  projectIds,
  environments,
  event,
})

// ---- what happened to issues

/** Whether the evaluator would have seen skew that decays half an hour after it happened. */
async function decays({ deps, condition }: Tested, { issue, kinds, atMs }: PastHappening): Promise<boolean> {
  if (!condition.unless.skew || !issue || kinds.has('feedback') || !isSkew(issue)) return false
  const clock = { ...deps.clock, now: () => Math.min(deps.clock.now(), atMs + skewWaitMs) }
  return (await lasts({ ...deps, clock }, { issueId: issue.id, atMs })) !== true
}

/** The counts of an issue at a moment, by trigger, as the evaluator asks them. */
async function lookupOf(counts: Counts, windows: readonly WindowTrigger[], issueId: number) {
  const found = new Map<string, { counted: Counted; earlier: Counted }>()
  const keyOf = ({ type, windowMinutes }: WindowTrigger) => `${type} ${windowMinutes}`
  for (const window of windows)
    found.set(keyOf(window), {
      counted: (await counts.counted(window)).get(issueId) ?? none,
      earlier: window.type === 'rate' ? ((await counts.earlier(window)).get(issueId) ?? none) : none,
    })
  return {
    counted: (trigger: WindowTrigger) => found.get(keyOf(trigger))?.counted ?? none,
    earlier: (trigger: WindowTrigger) => found.get(keyOf(trigger))?.earlier ?? none,
  }
}

async function happeningMoment(tested: Tested, happening: PastHappening, meetsFilter: boolean): Promise<PastMoment> {
  const { deps, condition, windows, branches, stepMs } = tested
  const { issue, kinds, atMs } = happening
  const [branch] = branches
  const isCounted = meetsFilter && condition.match === 'all' && windows.length > 0 && issue && branch
  const lookup = isCounted
    ? await lookupOf(
        await countsOfIssue(deps, partOf(tested, branch), issue, { endMs: atMs + storedAfterMs, stepMs }),
        windows,
        issue.id,
      )
    : nothing
  const isDecayingSkew = meetsFilter && (await decays(tested, happening))
  const facts = { atMs, happened: kinds, meetsFilter, isNoise: issue?.noise != null, isDecayingSkew, ...lookup }
  return { issueId: issue?.id ?? null, facts }
}

/** What happened, as moments of the rule. What cannot be judged is left out and named. */
async function happeningMoments(tested: Tested, blind: Blind[]) {
  const { deps, condition, windows, branches, environments, range } = tested
  const kinds = new Set(condition.when.filter((trigger) => !isWindow(trigger)).map(({ type }) => type))
  if (kinds.size === 0) return []
  const projectIds = [...new Set(branches.flatMap((branch) => branch.projectIds))]
  const found: PastHappenings = await readHappenings(deps, { projectIds, kinds, range })
  const asksEvents = branches.some(({ event }) => event) || environments.length > 0
  const judged = found.happenings.filter(({ isGone }) => !(isGone && asksEvents))
  const gone = found.happenings.length - judged.length
  if (gone > 0)
    blind.push({
      ...range,
      reason: 'events',
      sentence: `${gone} changes have no stored error whose fields could be compared with the filter or the environment.`,
    })
  const mine = judged.filter(
    ({ environment }) => environments.length === 0 || environment === '' || environments.includes(environment),
  )
  const isCounted = condition.match === 'all' && windows.length > 0
  const taken = isCounted ? mine.slice(-countedMax) : mine
  if (found.isCut || taken.length < mine.length)
    blind.push({
      fromMs: range.fromMs,
      toMs: taken[0]?.atMs ?? range.toMs,
      reason: 'partial',
      sentence: `More happened than a back-test reads. Only the newest ${taken.length} changes were judged.`,
    })
  const fitting = await fittingHappenings(deps, branches, taken, range)
  // As the evaluator does it: what is in the rule's environment and meets its filter is one moment.
  const joined = new Set(joinHappenings(taken.filter((happening) => fitting.has(happening))))
  const others = taken.filter((happening) => !fitting.has(happening))
  const moments = [...joined, ...others].toSorted((a, b) => a.atMs - b.atMs)
  return Array.fromAsync(moments, (happening) => happeningMoment(tested, happening, joined.has(happening)))
}

// ---- windows

type Windows = { counts: PastCounts; issues: Map<number, Issue>; fitting: ReadonlyMap<number, number> | undefined }

async function readWindows(tested: Tested, blind: Blind[]): Promise<Windows[]> {
  const { deps, condition, windows, branches, stepMs, range } = tested
  if (windows.length === 0) return []
  // Other numbers are tried, too, so the smallest of them decides whose people are counted.
  const [smallest = 1] = numbersOf(condition)
  const least = (trigger: WindowTrigger) =>
    trigger.type === 'rate' ? 1 : Math.min(trigger.count, trigger === numbered(condition) ? smallest : trigger.count)
  return Array.fromAsync(branches, async (branch) => {
    const counts = await readPastCounts(deps, partOf(tested, branch), windows, { range, least, stepMs })
    if (counts.readFrom > range.fromMs)
      blind.push({
        fromMs: range.fromMs,
        toMs: Math.min(range.toMs, counts.readFrom),
        reason: 'partial',
        sentence: 'There are more events than a back-test reads. Only the newest part was read.',
      })
    if (counts.isPartial)
      blind.push({
        ...range,
        reason: 'partial',
        sentence: 'There are more groups than a back-test counts. Those with most events were counted.',
      })
    const issues = await deps.meta.issues.issuesByIds(counts.issueIds)
    const fitting = branch.issue && (await deps.meta.issues.issueStarts(counts.issueIds, branch.issue))
    return { counts, issues: new Map(issues.map((issue) => [issue.id, issue])), fitting }
  })
}

/** The steps of all issues: the evaluator looks at an issue when a step had events of it. */
function* windowMoments({ stepMs, range }: Tested, parts: readonly Windows[]): Generator<PastMoment> {
  // Branches of an `OR` that see the same step of an issue are one firing.
  const seen = new Set<string>()
  for (const { counts, issues, fitting } of parts)
    for (const [issueId, issue] of issues) {
      if (fitting && !fitting.has(issueId)) continue
      const fromMs = Math.max(range.fromMs, counts.readFrom)
      for (const atMs of counts.stepsOf(issueId, { fromMs, toMs: range.toMs }, stepMs)) {
        const key = `${issueId}/${atMs}`
        if (parts.length > 1 && seen.has(key)) continue
        if (parts.length > 1) seen.add(key)
        yield {
          issueId,
          facts: {
            atMs,
            happened: new Set(),
            meetsFilter: true,
            isNoise: issue.noise != null,
            isDecayingSkew: isSkew(issue),
            counted: (trigger) => counts.counted(issueId, trigger, atMs, stepMs),
            earlier: (trigger) => counts.earlier(issueId, trigger, atMs, stepMs),
          },
        }
      }
    }
}

// ---- the answer

async function restFirings(
  { meta }: Pick<QueryDeps, 'meta'>,
  condition: IssueCondition,
  firings: readonly IssueRunFiring[],
): Promise<RestBackTest['firings']> {
  const ids = [...new Set(firings.flatMap(({ issueId }) => issueId ?? []))]
  const issues = new Map((await meta.issues.issuesByIds(ids)).map((issue) => [issue.id, issue]))
  return firings.map((firing) => {
    const issue = issues.get(firing.issueId ?? 0)
    return {
      startMs: firing.atMs,
      endMs: firing.atMs,
      level: issue && !isHighPriority(issue) ? 'warning' : 'critical',
      peak: peakOf(firing, condition),
      trigger: firing.trigger,
      group: null,
      groupId: null,
      mostly: issue ? { issue: issue.shortId, title: issue.title, share: 1 } : null,
    }
  })
}

/** What is known only as it is now, or not at all. */
function stateParts({ condition: { when, match, filter, unless }, range }: Tested): Blind[] {
  const sentences = [
    ...(ofState.test(filter) ? [`The filter asks about ${ofStateWords}.`] : []),
    ...(unless.noise ? ['The rule leaves out noise.'] : []),
    ...(unless.skew ? ['The rule leaves out skew after a deploy.'] : []),
    ...(when.some(({ type }) => type === 'priority')
      ? ['A priority that rose by the level of an event leaves no row, and other rises are seen with the level of now.']
      : []),
    ...(match === 'all' && when.some(isWindow) && !when.every(isWindow)
      ? [`When a change was stored is not known, so its windows end ${storedAfterMs / 1000} s after it was received.`]
      : []),
  ]
  if (sentences.length === 0) return []
  return [{ ...range, reason: 'state', sentence: `${sentences.join(' ')} States are only known as they are now.` }]
}

/**
 * Runs an unsaved issue rule over the last days by the function of the evaluator. Throws VALIDATION (names the wrong part),
 * QUERY_*, STORE_UNAVAILABLE.
 */
export async function backTestIssueRule(
  deps: IssueBackTestDeps,
  { projects, environments }: { projects: Project[]; environments: string[] },
  { rule, days }: Pick<BackTestBody, 'rule' | 'days'>,
  condition: IssueCondition,
): Promise<RestBackTest> {
  const windows = condition.when.filter(isWindow)
  const stepMs = stepMsOf(windows)
  const branches = await ruleBranches(deps, { projects, environments }, condition.filter)
  const { events: processedMs } = await deps.processedTo()
  const toMs = Math.floor(processedMs / stepMs) * stepMs
  const range = { fromMs: toMs - days * dayMs, toMs }
  const tested: Tested = { deps, condition, windows, branches, environments, stepMs, range }
  const longest = Math.max(0, ...windows.map(({ windowMinutes }) => windowMinutes)) * minuteMs
  const measure = { dataset: 'errors' as const, windowMs: longest, projectIds: projects.map(({ id }) => id) }
  const blind = [...(await deletedParts(deps, { measure, range })), ...stateParts(tested)]
  const happened = await happeningMoments(tested, blind)
  const parts = await readWindows(tested, blind)
  const moments = function* () {
    yield* happened
    yield* windowMoments(tested, parts)
  }
  const firings = runIssueRule(condition, moments())
  const barMs = barMsOf(days, stepMs)
  const count = issueMessages(firings, rule.intervalMinutes)
  return {
    ...range,
    stepMinutes: stepMs / minuteMs,
    barMs,
    points: issuePoints(condition, moments(), { ...range, barMs }),
    firings: await restFirings(deps, condition, firings),
    others: issueOthers(condition, moments, firings),
    messages: rule.actions.map((action) => ({ receiver: receiverOf(action), count })),
    blind,
    samples: happened.length + parts.reduce((sum, { counts }) => sum + counts.samples(range), 0),
    sampled: false,
    groups: null,
    suggest: null,
  }
}
