import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { bodyOf, type RuleDraft } from './draft.ts'

/** The parts of a rule in which people recognize a change. */
const parts = ['name', 'where', 'condition', 'receivers', 'often', 'owner', 'active'] as const
type RulePart = (typeof parts)[number]

const valuesOf = (draft: RuleDraft): Record<RulePart, unknown> => {
  const body = bodyOf(draft)
  return {
    name: body.name,
    where: [body.projects, body.environment],
    condition: draft.kind === 'issue' ? draft.issue : draft.metric,
    receivers: body.actions,
    often: [body.intervalMinutes, body.resolveMessage, body.escalation],
    owner: body.owner,
    active: body.isActive,
  }
}

/** The parts in which two drafts differ, in the order of the form. */
export function changedParts(before: RuleDraft, after: RuleDraft): RulePart[] {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  return parts.filter((part) => JSON.stringify(old[part]) !== JSON.stringify(now[part]))
}

/**
 * Returns the rule that a changed form is compared with, after the menu muted or paused that rule. If somebody else saved
 * in between, the form keeps the revision that it began from, so that saving shows the conflict.
 */
export function mergeConcurrentChange(rule: RestAlertRule, next: RestAlertRule): RestAlertRule {
  const { isActive, mutedUntil, state } = next
  return next.revision === rule.revision + 1 ? next : { ...rule, isActive, mutedUntil, state }
}
