import type { IssueCondition } from '../../contract/alerts/alerts.ts'
import type { RestBackTest } from '../../contract/alerts/alerts-back-test.ts'
import { messagesOf } from './back-test.ts'
import { evaluateIssueRule, type IssueFacts, type IssueVerdict, isWindow, type WindowTrigger } from './issue.ts'

/** A moment of the past at which a rule was judged for an issue. Null: it is about no issue. */
export type PastMoment = { issueId: number | null; facts: IssueFacts }

/** A firing of a back-test. An issue rule fires at a moment: it has no end. */
export type IssueRunFiring = IssueVerdict & { issueId: number | null; atMs: number }

/** Runs a rule over moments by the function of the evaluator. Returns the firings, the oldest first. Pure. */
export function runIssueRule(condition: IssueCondition, moments: Iterable<PastMoment>): IssueRunFiring[] {
  const firings: IssueRunFiring[] = []
  for (const { issueId, facts } of moments) {
    const verdict = evaluateIssueRule(condition, facts)
    if (verdict) firings.push({ ...verdict, issueId, atMs: facts.atMs })
  }
  return firings.toSorted((a, b) => a.atMs - b.atMs || (a.issueId ?? 0) - (b.issueId ?? 0))
}

/** The first trigger with a number: the one that the chart shows and that other choices change. */
export const numbered = ({ when }: Pick<IssueCondition, 'when'>): WindowTrigger | undefined => when.find(isWindow)

const numberOf = (trigger: WindowTrigger): number => (trigger.type === 'rate' ? trigger.percent : trigger.count)

/** The measured value of a trigger with a window. Of a rate it is the percent; null without events before. */
function measuredBy(trigger: WindowTrigger, facts: IssueFacts): number | null {
  const { now } = facts.counted(trigger)
  if (trigger.type !== 'rate') return now
  const earlier = facts.earlier(trigger).now
  return earlier > 0 ? (now / earlier - 1) * 100 : null
}

/**
 * The chart: for each bar the highest value of one issue, of a rule with a window; else the number of issues to which
 * something happened. Only what meets the filter counts.
 */
export function issuePoints(
  condition: IssueCondition,
  moments: Iterable<PastMoment>,
  { fromMs, toMs, barMs }: { fromMs: number; toMs: number; barMs: number },
): RestBackTest['points'] {
  const trigger = numbered(condition)
  const bars = Array.from({ length: Math.ceil((toMs - fromMs) / barMs) }, () => ({
    value: 0,
    issues: new Set<number | string>(),
  }))
  for (const { issueId, facts } of moments) {
    const bar = bars[Math.floor((facts.atMs - 1 - fromMs) / barMs)]
    if (!bar || !facts.meetsFilter) continue
    if (trigger) bar.value = Math.max(bar.value, measuredBy(trigger, facts) ?? 0)
    else if (condition.when.some(({ type }) => (facts.happened as ReadonlySet<string>).has(type)))
      bar.issues.add(issueId ?? `at ${facts.atMs}`)
  }
  return bars.map(({ value, issues }, at) => ({
    startMs: fromMs + at * barMs,
    value: trigger ? value : issues.size,
  }))
}

/** The rule with another number in its first trigger that has a number. */
function withNumber(condition: IssueCondition, number: number): IssueCondition {
  const chosen = numbered(condition)
  const when = condition.when.map((trigger) => {
    if (trigger !== chosen || !isWindow(trigger)) return trigger
    return trigger.type === 'rate' ? { ...trigger, percent: number } : { ...trigger, count: number }
  })
  return { ...condition, when }
}

/** Other numbers by their ratio to the chosen number. */
const ratios = [0.4, 0.6, 1.5, 2, 3]

/** The numbers that are tried beside the chosen number, in ascending order with it. None: the rule has no number. */
export function numbersOf(condition: Pick<IssueCondition, 'when'>): number[] {
  const trigger = numbered(condition)
  if (!trigger) return []
  const chosen = numberOf(trigger)
  const tried = ratios.map((ratio) => Math.max(1, Math.round(Number((chosen * ratio).toPrecision(2)))))
  return [...new Set([...tried, chosen])].toSorted((a, b) => a - b)
}

/** How often the rule would have fired with other numbers, with the chosen number, in ascending order. */
export function issueOthers(
  condition: IssueCondition,
  moments: () => Iterable<PastMoment>,
  chosen: readonly IssueRunFiring[],
): RestBackTest['others'] {
  const trigger = numbered(condition)
  return numbersOf(condition).map((threshold) => {
    const isChosen = trigger !== undefined && numberOf(trigger) === threshold
    const run = isChosen ? chosen : runIssueRule(withNumber(condition, threshold), moments())
    return { threshold, times: run.length, totalMs: 0, isChosen }
  })
}

/** The number of a firing as the chart shows it: a count, or the percent of a rate. */
export function peakOf({ trigger, value, threshold }: IssueVerdict, condition: IssueCondition): number | null {
  const rate = condition.when.find(({ type }) => type === 'rate' && type === trigger)
  if (!rate || rate.type !== 'rate' || value === null || threshold === null) return value
  return (value / (threshold / (1 + rate.percent / 100)) - 1) * 100
}

/** Messages of one receiver: at most one in the interval for each cause, which is the issue. */
export const issueMessages = (firings: readonly IssueRunFiring[], intervalMinutes: number): number =>
  [...Map.groupBy(firings, ({ issueId, atMs }) => issueId ?? `at ${atMs}`).values()].reduce(
    (sum, own) =>
      sum +
      messagesOf(
        own.map(({ atMs }) => ({ change: 'start', atMs })),
        { intervalMinutes, resolveMessage: false },
      ),
    0,
  )
