import type { MetricReason, StepReason } from '../../../domain/alerts/step-reasons.ts'

/** Objects that firings of one incident have in common. */
type AlertCause = { projectIds: number[]; issueIds: number[]; release: string; deployId: number | null }

/** A group: its key, and its values in one clean line. */
export type FiringGroup = { key: string; name: string }

/** A change of a rule's level. Times are processed times. */
export type NewFiring = {
  organizationId: number
  /** Null: the built-in notifications. */
  ruleId: number | null
  /** Rule, issue or group, minute and change. A second firing with the same key is the same firing. */
  key: string
  change: 'start' | 'change' | 'end'
  level: 'warning' | 'critical'
  atMs: number
  value: number | null
  threshold: number | null
  /** What changed, in words; '' if the trigger says it all. */
  sentence: string
  /** Of an end: the sentence as facts. Absent in firings of earlier versions. */
  why?: StepReason | MetricReason
  cause: AlertCause
  /** Type of the trigger of an issue rule, or type of the threshold of a metric rule. */
  trigger: string
  /** The group of a metric rule by groups. Absent in firings of earlier versions. */
  group?: FiringGroup | null
  /** An event that shows it; '' for none. */
  eventId: string
  /** When what the rule found began. */
  sinceMs: number
}

/** What a row has as JSON. */
export type FiringContent = Omit<NewFiring, 'organizationId' | 'ruleId' | 'key' | 'atMs'>

/** Converts a firing to its row. */
export const firingRow = ({ organizationId, ruleId, key, atMs, ...content }: NewFiring) => ({
  organization_id: organizationId,
  rule_id: ruleId,
  firing_key: key,
  at_ms: atMs,
  content: JSON.stringify(content satisfies FiringContent),
  decided_ms: null,
})
