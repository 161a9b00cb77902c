import { MishapError } from '../base/errors.ts'
import { alertActionsMax } from '../contract/alerts/alerts.ts'
import type { Workflow, WorkflowChange } from '../store/meta/alerts/workflows.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import { type TargetDeps, targetMistakes } from './alerts/alert-targets.ts'

type Deps = TargetDeps & {
  meta: MetaWith<'alertRules.createWorkflow' | 'alertRules.updateWorkflow' | 'alertRules.deleteWorkflow'>
}

/** Throws VALIDATION with fields for receivers that metric rules cannot have. */
async function demandReceivers(deps: Deps, organizationId: number, { actions }: WorkflowChange): Promise<void> {
  const count =
    actions.length === 0
      ? { actions: ['At least one action.'] }
      : actions.length > alertActionsMax
        ? { actions: [`At most ${alertActionsMax} actions.`] }
        : {}
  const rule = { actions, escalation: [], ownerId: null, metric: true }
  const fields = { ...count, ...(await targetMistakes(deps, organizationId, rule)) }
  if (Object.keys(fields).length > 0) throw new MishapError('VALIDATION', { fields })
}

/** The receivers of a workflow that is off are kept in it, and its rules have none. */
const effective = (value: WorkflowChange): WorkflowChange => ({ ...value, actions: value.enabled ? value.actions : [] })

/**
 * Creates a workflow of metric rules: its actions become the receivers of each rule. Throws VALIDATION with fields, also
 * for a rule that has another workflow. Nothing of a refused workflow is stored.
 */
export async function createWorkflow(
  deps: Deps,
  by: { organizationId: number; userId: string },
  value: WorkflowChange,
): Promise<Workflow> {
  await demandReceivers(deps, by.organizationId, value)
  return deps.meta.alertRules.createWorkflow(by, effective(value))
}

/**
 * Replaces a workflow of metric rules. A rule that it no longer names has no receivers afterwards. Throws NOT_FOUND,
 * VALIDATION with fields, CONFLICT for an older revision. Nothing of a refused change is stored.
 */
export async function updateWorkflow(
  deps: Deps,
  { id, organizationId }: Workflow,
  value: WorkflowChange,
  userId: string,
  revision: number | undefined,
): Promise<Workflow> {
  await demandReceivers(deps, organizationId, value)
  return deps.meta.alertRules.updateWorkflow(id, { organizationId, userId }, effective(value), revision)
}

/** Deletes a workflow of metric rules with the receivers of these. Throws NOT_FOUND, CONFLICT for an older revision. */
export const deleteWorkflow = (
  { meta }: Deps,
  { id }: Workflow,
  userId: string,
  revision: number | undefined,
): Promise<void> => meta.alertRules.deleteWorkflow(id, userId, revision)
