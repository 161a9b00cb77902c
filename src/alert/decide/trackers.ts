import { reasonData, reasonText, type StepReason } from '../../domain/alerts/step-reasons.ts'
import type { RuleIssue } from '../../store/meta/trackers/rule-issues.ts'
import type { Question } from './facts.ts'
import { holdOf } from './impact.ts'
import type { Draft } from './join.ts'

/**
 * Returns the issues of trackers that the firings of an incident create. A mute, a snooze and a flood create none: a
 * deploy that breaks everything would fill the tracker. The history of the incident says so.
 */
export function trackerIssuesOf(draft: Draft, question: Question): RuleIssue[] {
  const { incident, firings, members } = draft
  const open = members.filter((member) => member.endedMs === null)
  const held = new Map<string, StepReason>()
  const wanted = firings.flatMap((firing): RuleIssue[] => {
    const rule = firing.ruleId === null ? undefined : question.rules.get(firing.ruleId)
    if (rule?.kind !== 'issue' || rule.trackers.length === 0 || firing.change === 'end') return []
    const reason: StepReason | undefined = incident.isBurst ? { why: 'flood' } : holdOf(incident, open, rule, question)
    if (reason) {
      held.set(reasonText(reason), reason)
      return []
    }
    const { organizationId, cause } = firing
    return rule.trackers.flatMap((integrationId) =>
      cause.issueIds.map((issueId) => ({ organizationId, ruleId: rule.id, integrationId, issueId })),
    )
  })
  // A flood would write its history thousands of times.
  if (!incident.isBurst || draft.isNew)
    for (const reason of held.values())
      draft.activities.push({ kind: 'tracker_held', userId: null, data: reasonData(reason) })
  return wanted
}
