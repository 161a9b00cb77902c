import type { AlertAction } from '../../../contract/alerts/alerts.ts'
import type { RestWorkflow, WrittenWorkflow } from '../../../contract/alerts/workflows.ts'
import type { Workflow, WorkflowChange } from '../../../store/meta/alerts/workflows.ts'
import { distinct, type Part, readParts } from './part.ts'
import type { Targets } from './targets.ts'
import { type Action, type Condition, readAction, readCondition, readTrigger } from './workflow.ts'
import { writtenWorkflowId } from './workflow-ids.ts'

// organizations/{org}/workflows/: workflows of detectors of metrics. Mishap sends each firing of the detectors, so it keeps
// triggers and filters without evaluating them.

/** The receivers of metric rules. Throws VALIDATION for an action that Mishap does not know or cannot perform. */
export function receiversOf({ actionFilters }: WrittenWorkflow, targets: Targets): AlertAction[] {
  const parts = actionFilters.flatMap(({ actions }) => actions)
  const { values } = readParts('actionFilters', parts, (part) => {
    const found = readAction(part as Action, targets)
    return 'unevaluable' in found ? { mistake: `Mishap cannot perform ${found.unevaluable}.` } : found
  })
  return distinct(values)
}

/**
 * Converts a workflow of metric rules. Throws VALIDATION for what Mishap does not know, and for an action that it cannot
 * perform.
 */
export function fromMetricWorkflow(written: WrittenWorkflow, ruleIds: number[], targets: Targets): WorkflowChange {
  const filters: Part[] = written.actionFilters.flatMap(({ conditions }) => conditions)
  readParts('triggers', written.triggers?.conditions ?? [], readTrigger)
  readParts('actionFilters', filters, (part) => readCondition(part as Condition, false, targets))
  return {
    name: written.name,
    enabled: written.enabled,
    environment: written.environment || null,
    intervalMinutes: written.config.frequency,
    triggers: written.triggers ?? null,
    actionFilters: written.actionFilters,
    actions: receiversOf(written, targets),
    ruleIds,
  }
}

/** What a workflow of metric rules says and Mishap does not evaluate, in sentences. */
function unevaluated({ environment, actionFilters }: Workflow): string[] {
  const types = (actionFilters as WrittenWorkflow['actionFilters']).flatMap(({ conditions }) =>
    conditions.map(({ type }) => type),
  )
  return [
    ...(environment === null ? [] : ['Mishap does not evaluate the environment: each detector has its own.']),
    ...distinct(types).map((type) => `Mishap does not evaluate ${type}: each firing of the detectors is sent.`),
  ]
}

/** Converts a workflow of metric rules to this shape: as it was written. */
export const toMetricWorkflow = (workflow: Workflow): RestWorkflow => ({
  id: writtenWorkflowId(workflow.id),
  name: workflow.name,
  enabled: workflow.enabled,
  environment: workflow.environment,
  config: { frequency: workflow.intervalMinutes },
  detectorIds: workflow.ruleIds.map(String),
  triggers: workflow.triggers,
  actionFilters: workflow.actionFilters,
  errors: unevaluated(workflow).map((detail) => ({ detail })),
  dateCreated: new Date(workflow.createdMs).toISOString(),
  dateUpdated: new Date(workflow.changedMs ?? workflow.createdMs).toISOString(),
  revision: workflow.rev,
})
