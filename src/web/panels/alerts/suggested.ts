import type { RestBackTest } from '../../../contract/alerts/alerts-back-test.ts'
import { type AlertTrigger, filterOf, type RuleDraft, withFilter } from './draft.ts'

type Suggestion = Pick<NonNullable<RestBackTest['suggest']>[number], 'change' | 'value'>

/** The number of a trigger that a threshold stands for; undefined for triggers without a number. */
const numberOf = (trigger: AlertTrigger): number | undefined =>
  trigger.type === 'events' || trigger.type === 'users'
    ? trigger.count
    : trigger.type === 'rate'
      ? trigger.percent
      : undefined

function withNumber(trigger: AlertTrigger, value: number): AlertTrigger {
  if (trigger.type === 'events' || trigger.type === 'users')
    return { ...trigger, count: Math.max(1, Math.round(value)) }
  return trigger.type === 'rate' ? { ...trigger, percent: value } : trigger
}

/** The threshold of a rule: that of a metric, or the number of the first trigger that has a number. Null: it has none. */
export function thresholdOf({ kind, issue, metric }: RuleDraft): number | null {
  if (kind === 'metric') return metric.threshold.critical
  return issue.when.map(numberOf).find((number) => number !== undefined) ?? null
}

/** The draft with another threshold. */
export function withThreshold(draft: RuleDraft, value: number): RuleDraft {
  const { kind, issue, metric } = draft
  if (kind === 'metric') return { ...draft, metric: { ...metric, threshold: { ...metric.threshold, critical: value } } }
  const at = issue.when.findIndex((trigger) => numberOf(trigger) !== undefined)
  const when = issue.when.map((trigger, place) => (place === at ? withNumber(trigger, value) : trigger))
  return { ...draft, issue: { ...issue, when } }
}

function withWindow(draft: RuleDraft, windowMinutes: number): RuleDraft {
  const { kind, issue, metric } = draft
  if (kind === 'metric') return { ...draft, metric: { ...metric, windowMinutes } }
  const when = issue.when.map((trigger) => ('windowMinutes' in trigger ? { ...trigger, windowMinutes } : trigger))
  return { ...draft, issue: { ...issue, when } }
}

/** The draft with a change that a back-test suggests. */
export function applied(draft: RuleDraft, { change, value }: Suggestion): RuleDraft {
  if (change === 'filter') return withFilter(draft, `${filterOf(draft)} ${value}`.trim())
  const number = Number(value)
  if (change === 'threshold') return withThreshold(draft, number)
  if (change === 'window') return withWindow(draft, number)
  return { ...draft, metric: { ...draft.metric, minimum: number } }
}
