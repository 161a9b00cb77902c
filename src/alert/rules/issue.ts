import type { IssueCondition } from '../../contract/alerts/alerts.ts'
import { stepMinutesOf } from '../../domain/alerts/metric-rules.ts'
import type { TriggerKind } from '../../store/meta/alerts/triggers.ts'

type Trigger = IssueCondition['when'][number]
export type WindowTrigger = Extract<Trigger, { windowMinutes: number }>

/** A count at the end of a step, and at the end of the step before. */
export type Counted = { now: number; before: number }

/** What is known of an issue at a moment of processed time. */
export type IssueFacts = {
  atMs: number
  /** What happened to the issue since the last evaluation. */
  happened: ReadonlySet<TriggerKind>
  /** Events, or people, of the issue in the window that ends at `atMs`. */
  counted(trigger: WindowTrigger): Counted
  /** Events in the window before, of a rate. */
  earlier(trigger: Extract<WindowTrigger, { type: 'rate' }>): Counted
  /** Whether the issue and its event meet the filter of the rule. */
  meetsFilter: boolean
  isNoise: boolean
  /** Skew after a deploy that is not known to last. */
  isDecayingSkew: boolean
}

/** What made an issue rule fire. */
export type IssueVerdict = { trigger: Trigger['type']; value: number | null; threshold: number | null }

/** Whether a trigger holds, and whether it began to hold in this step. */
type Holding = { holds: boolean; begins: boolean; value: number | null; threshold: number | null }

export const isWindow = (trigger: Trigger): trigger is WindowTrigger => 'windowMinutes' in trigger

/** How often a rule with these windows is evaluated: as its shortest window needs it. Without windows, a minute. */
export const stepMsOf = (windows: readonly WindowTrigger[]): number =>
  60_000 *
  Math.min(...windows.map(({ windowMinutes }) => stepMinutesOf('errors', windowMinutes)), windows.length ? 60 : 1)

function holding(trigger: Trigger, facts: IssueFacts): Holding {
  if (!isWindow(trigger)) {
    const holds = facts.happened.has(trigger.type)
    return { holds, begins: holds, value: null, threshold: null }
  }
  const { now, before } = facts.counted(trigger)
  if (trigger.type !== 'rate') {
    const { count } = trigger
    // Every n: a window that reaches the next multiple fires again.
    const begins = Math.floor(now / count) > Math.floor(before / count)
    return { holds: now >= count, begins, value: now, threshold: count }
  }
  const earlier = facts.earlier(trigger)
  const limit = (count: number) => count * (1 + trigger.percent / 100)
  // Nothing before is no rate: the first event of an issue would be infinitely more.
  const isOver = (count: number, base: number) => base > 0 && count > limit(base)
  const holds = isOver(now, earlier.now)
  return { holds, begins: holds && !isOver(before, earlier.before), value: now, threshold: limit(earlier.now) }
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** Returns whether a moment is in quiet hours. Hours that end before they begin last over midnight. */
export function isQuiet(hours: IssueCondition['unless']['quietHours'], atMs: number): boolean {
  if (!hours) return false
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: hours.timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const at = minutesOf(clock.format(atMs))
  const [from, to] = [minutesOf(hours.from), minutesOf(hours.to)]
  return from <= to ? at >= from && at < to : at >= from || at < to
}

/**
 * Decides whether an issue rule fires for an issue. Live evaluation and the back-test call this one function. Pure. With
 * `match: all` every trigger must hold and one must begin. Returns the first trigger that began.
 */
export function evaluateIssueRule(condition: IssueCondition, facts: IssueFacts): IssueVerdict | undefined {
  const { when, match, unless } = condition
  if (!facts.meetsFilter) return undefined
  if ((unless.noise && facts.isNoise) || (unless.skew && facts.isDecayingSkew)) return undefined
  const all = when.map((trigger) => ({ trigger, ...holding(trigger, facts) }))
  if (match === 'all' && !all.every(({ holds }) => holds)) return undefined
  const first = all.find(({ begins }) => begins)
  // Last, because it takes the most time.
  if (!first || isQuiet(unless.quietHours, facts.atMs)) return undefined
  return { trigger: first.trigger.type, value: first.value, threshold: first.threshold }
}
