import type { AlertRule } from '../../../store/meta/alerts/rules.ts'
import { idOf } from '../../route.ts'

// Ids of workflows: those of issue rules are the ids of the rules. Those below follow after all ids of rules and of the
// detectors of projects.

/** The receivers that a metric rule got in another shape or on the screen: a workflow of this rule alone. */
const ownReceivers = 2_000_000_000_000
/** Workflows that were written for metric rules. */
const written = 3_000_000_000_000

export const ownWorkflowId = (ruleId: string | number): string => String(ownReceivers + Number(ruleId))
export const writtenWorkflowId = (workflowId: number): string => String(written + workflowId)

/** The id of the workflow of a metric rule. None: nobody hears of the rule. */
export function workflowIdsOf({ id, workflow, definition }: AlertRule): string[] {
  if (workflow) return [writtenWorkflowId(workflow.id)]
  return definition.actions.length > 0 ? [ownWorkflowId(id)] : []
}

/** What an id of a workflow means: a written workflow, or a rule of a kind. Neither needs to be there. */
export function readWorkflowId(id: string): { workflow: number } | { kind: AlertRule['kind']; rule: string } {
  const number = idOf(id)
  if (number > written) return { workflow: number - written }
  return number > ownReceivers ? { kind: 'metric', rule: String(number - ownReceivers) } : { kind: 'issue', rule: id }
}
