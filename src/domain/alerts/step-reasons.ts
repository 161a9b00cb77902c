/**
 * Why a step of an incident happened: a code, and the facts of its sentence. The history stores them, so that each reader
 * gets the sentence in their language.
 */
export type StepReason =
  | { why: 'issue_resolved' | 'issue_archived'; issue: string }
  | { why: 'issue_gone' | 'rule_gone' | 'rule_changed' | 'quiet' | 'snoozed' | 'rule_muted' | 'flood' }
  | { why: 'muted'; mute: string }

/** What a metric was when its rule stopped to fire. `group`: '' for none. `value` null: there was no data. */
export type MetricReason = {
  why: 'metric'
  rule: string
  measured: string
  group: string
  value: number | null
  windowMinutes: number
  direction: 'above' | 'below'
  /** A percentage, unless `compared` is `fixed`. */
  threshold: number
  compared: 'fixed' | 'hour' | 'day' | 'week' | 'weekly'
}

const plainTexts = {
  issue_gone: 'The issue was deleted or merged.',
  rule_gone: 'The rule was deleted or switched off.',
  rule_changed: 'The rule was changed.',
  quiet: 'Nothing happened for a day.',
  snoozed: 'The incident is snoozed.',
  rule_muted: 'The rule is muted.',
  flood: 'Too many issues at once.',
} as const

/** The sentence of a reason in English: for logs, and for programs that read the history. */
export function reasonText(reason: StepReason): string {
  if (reason.why === 'muted') return `Muted: ${reason.mute}`
  if (reason.why === 'issue_resolved') return `${reason.issue} was resolved.`
  if (reason.why === 'issue_archived') return `${reason.issue} was archived.`
  return plainTexts[reason.why]
}

/** What the history stores of a reason: the English sentence, the code and the facts. */
export const reasonData = (reason: StepReason): { reason: string } & StepReason => ({
  reason: reasonText(reason),
  ...reason,
})
