import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type { AlertTables } from '../database/alert-tables.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import { definitionCharactersMax, type Receivers, ruleSteps } from './rules.ts'

/** What a workflow of metric rules says, as the API got it. */
type WorkflowDefinition = {
  /** A workflow that is off has rules without receivers. */
  enabled: boolean
  environment: string | null
  intervalMinutes: number
  triggers: Record<string, unknown> | null
  actionFilters: Record<string, unknown>[]
}
type WorkflowValues = WorkflowDefinition & { name: string }

/** A workflow that was written for metric rules. */
export type Workflow = WorkflowValues & {
  id: number
  organizationId: number
  /** Its rules in the order of their ids. Never empty. */
  ruleIds: number[]
  createdMs: number
  rev: number
  changedMs: number | null
}

/** A workflow to write. `actions`: what each of its rules gets. */
export type WorkflowChange = WorkflowValues & Pick<Receivers, 'actions'> & { ruleIds: readonly number[] }

type By = { organizationId: number; userId: string }

export type WorkflowStore = {
  /**
   * Stores a workflow and gives its rules the receivers, all or nothing. Throws VALIDATION for a rule that is not there,
   * is no metric rule or has another workflow, and for a workflow that is too large.
   */
  createWorkflow(by: By, value: WorkflowChange): Promise<Workflow>
  /**
   * Replaces a workflow. Rules that it no longer names have no receivers afterwards. Throws NOT_FOUND, CONFLICT (outdated
   * `rev`), and what createWorkflow throws.
   */
  updateWorkflow(id: number, by: By, value: WorkflowChange, rev?: number): Promise<Workflow>
  /** Deletes a workflow, and the receivers of its rules. Throws NOT_FOUND, CONFLICT (outdated `rev`). */
  deleteWorkflow(id: number, userId: string, rev?: number): Promise<void>
  workflowById(id: number): Promise<Workflow | undefined>
  /** The workflows of an organization that were written for metric rules, by id. */
  listWorkflows(organizationId: number): Promise<Workflow[]>
}

type WorkflowRow = Selectable<AlertTables['workflow']>

const toWorkflow = (row: WorkflowRow, ruleIds: number[]): Workflow => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  ...fromJson<WorkflowDefinition>(row.definition),
  ruleIds,
  createdMs: row.created_ms,
  rev: row.rev,
  changedMs: row.changed_ms,
})

function rowOf({ name, enabled, environment, intervalMinutes, triggers, actionFilters }: WorkflowValues) {
  const definition = JSON.stringify({ enabled, environment, intervalMinutes, triggers, actionFilters })
  if (definition.length > definitionCharactersMax)
    throw new MishapError('VALIDATION', {
      fields: { detail: [`The workflow is over ${definitionCharactersMax / 1024} KiB.`] },
    })
  return { name, definition }
}

const mistake = (sentence: string) => new MishapError('VALIDATION', { fields: { detectorIds: [sentence] } })

/** The changes of one workflow, inside a transaction of the caller. */
function workflowSteps(store: Store) {
  const { write } = store
  const { builder } = store.dialect
  const { setReceivers } = ruleSteps(store)
  const rules = () => builder.selectFrom('alert_rule').select(['id', 'organization_id', 'kind', 'workflow_id'])

  /** Throws VALIDATION for a rule that the workflow cannot have. */
  async function demandFree(ruleId: number, organizationId: number, workflowId: number): Promise<void> {
    const rule = await write.get(rules().where('id', '=', ruleId))
    if (!rule || rule.organization_id !== organizationId || rule.kind !== 'metric')
      throw mistake(`There is no detector ${ruleId}.`)
    if (rule.workflow_id === null || rule.workflow_id === workflowId) return
    const other = await write.get(builder.selectFrom('workflow').select('name').where('id', '=', rule.workflow_id))
    throw mistake(
      `Detector ${ruleId} has the workflow ${JSON.stringify(other?.name)}, and a detector has one workflow. Take the detector out of it or delete it first.`,
    )
  }
  return {
    /** Returns a workflow for a change from the revision `rev`. */
    async forChange(id: number, rev: number | undefined): Promise<WorkflowRow> {
      const old = await write.get(builder.selectFrom('workflow').selectAll().where('id', '=', id))
      if (!old) throw new MishapError('NOT_FOUND')
      if (rev !== undefined && rev !== old.rev)
        throw await staleError(store, { rev: old.rev, userId: old.changed_by, atMs: old.changed_ms })
      return old
    },
    /** Makes exactly these rules those of the workflow. */
    async setRules(
      id: number,
      { organizationId, userId }: By,
      { ruleIds, actions, intervalMinutes }: Receivers & { ruleIds: readonly number[] },
    ): Promise<void> {
      for (const ruleId of ruleIds) await demandFree(ruleId, organizationId, id)
      for (const rule of await write.all(rules().where('workflow_id', '=', id)))
        if (!ruleIds.includes(rule.id)) await setReceivers(rule.id, null, { actions: [], intervalMinutes }, userId)
      for (const ruleId of ruleIds) await setReceivers(ruleId, id, { actions, intervalMinutes }, userId)
    },
  }
}

function readPart({ read, dialect: { builder } }: Store): Pick<WorkflowStore, 'workflowById' | 'listWorkflows'> {
  const all = () => builder.selectFrom('workflow').selectAll()
  const rules = () => builder.selectFrom('alert_rule').select(['id', 'workflow_id']).orderBy('id')
  return {
    workflowById: async (id) => {
      const row = await read.get(all().where('id', '=', id))
      if (!row) return undefined
      const own = await read.all(rules().where('workflow_id', '=', id))
      return toWorkflow(
        row,
        own.map((rule) => rule.id),
      )
    },
    listWorkflows: async (organizationId) => {
      const rows = await read.all(all().where('organization_id', '=', organizationId).orderBy('id'))
      const linked = rules().where('organization_id', '=', organizationId).where('workflow_id', 'is not', null)
      const byWorkflow = Map.groupBy(await read.all(linked), (rule) => rule.workflow_id)
      return rows.map((row) =>
        toWorkflow(
          row,
          (byWorkflow.get(row.id) ?? []).map((rule) => rule.id),
        ),
      )
    },
  }
}

/** Implements workflows of metric rules. The receivers of a workflow are in its rules. */
export function workflowPart(store: Store): WorkflowStore {
  const { write, clock } = store
  const { builder } = store.dialect
  const { forChange, setRules } = workflowSteps(store)
  const reads = readPart(store)
  /** Returns a workflow that was written just now. */
  const written = async (id: number): Promise<Workflow> => {
    const found = await reads.workflowById(id)
    if (!found) throw new MishapError('NOT_FOUND')
    return found
  }
  return {
    ...reads,
    createWorkflow: async (by, value) => {
      const row = {
        organization_id: by.organizationId,
        ...rowOf(value),
        created_ms: clock.now(),
        created_by: by.userId,
      }
      const id = await write.transaction(async () => {
        const created = await insertedId(write, builder.insertInto('workflow').values(row))
        await setRules(created, by, value)
        return created
      })
      return written(id)
    },
    updateWorkflow: async (id, by, value, rev) => {
      await write.transaction(async () => {
        const old = await forChange(id, rev)
        const next = { ...rowOf(value), rev: old.rev + 1, changed_ms: clock.now(), changed_by: by.userId }
        await write.run(builder.updateTable('workflow').set(next).where('id', '=', id))
        await setRules(id, by, value)
      })
      return written(id)
    },
    deleteWorkflow: (id, userId, rev) =>
      write.transaction(async () => {
        const { organization_id: organizationId, definition } = await forChange(id, rev)
        const { intervalMinutes } = fromJson<WorkflowDefinition>(definition)
        await setRules(id, { organizationId, userId }, { ruleIds: [], actions: [], intervalMinutes })
        await write.run(builder.deleteFrom('workflow').where('id', '=', id))
      }),
  }
}
