import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type {
  AlertAction,
  EscalationStep,
  IssueCondition,
  MetricCondition,
  RuleStatus,
} from '../../../contract/alerts/alerts.ts'
import { reasonText } from '../../../domain/alerts/step-reasons.ts'
import type { AlertTables } from '../database/alert-tables.ts'
import { staleError } from '../database/revision.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import { firingRow, type NewFiring } from './firing.ts'
import { deletedRuleMs } from './prune.ts'

/** Maximum size of a rule or a workflow as JSON. A plan and 20 actions need a tenth of it; the rest is for other shapes. */
export const definitionCharactersMax = 128 * 1024

/** What a rule says: exactly one of `issue` and `metric` is set. */
export type AlertDefinition = {
  /** Ids; empty: all projects. Ids of deleted projects stay, so that a rule never widens by itself. */
  projectIds: number[]
  environment: string | null
  /** Id of a person. */
  ownerId: string | null
  issue: IssueCondition | null
  metric: MetricCondition | null
  actions: AlertAction[]
  intervalMinutes: number
  resolveMessage: boolean
  escalation: EscalationStep[]
  /** Conditions of another shape that cannot be evaluated. Such a rule is inactive. */
  unevaluable: string[]
  /** The rule as another shape of the API sent it, or null. */
  original: unknown
}

/** The state of a rule. Times are processed times (docs/alerts.md). */
export type AlertRuleState = {
  status: Exclude<RuleStatus, 'inactive'>
  reason: string
  sinceMs: number | null
  evaluatedMs: number | null
  value: number | null
  /** What the evaluator of this kind of rule remembers between two evaluations. JSON. */
  memory: unknown
}

export type AlertRuleValues = {
  name: string
  active: boolean
  mutedUntilMs: number | null
  definition: AlertDefinition
}

export type AlertRule = AlertRuleValues & {
  id: number
  organizationId: number
  kind: 'issue' | 'metric'
  createdMs: number
  createdBy: string
  rev: number
  changedMs: number | null
  changedBy: string | null
  /** The workflow of the API that its receivers belong to. null: they are its own, or it is an issue rule. */
  workflow: { id: number; name: string } | null
  state: AlertRuleState
}

/** Changes of several rules of one organization, each from the revision that it began from. */
export type AlertRuleChanges = {
  organizationId: number
  userId: string
  /** Maximum rules of the organization. */
  max: number
  created: readonly AlertRuleValues[]
  changed: readonly { id: number; rev: number; values: AlertRuleValues }[]
  deleted: readonly { id: number; rev: number }[]
}

export type AlertRuleStore = {
  /** Throws VALIDATION with fields, CONFLICT when the organization already has `max` rules. */
  createAlertRule(value: { organizationId: number; userId: string; max: number } & AlertRuleValues): Promise<AlertRule>
  /**
   * Changes the given fields. Another condition, scope or `active` begins a new state; what the old one had found ends
   * with a firing. A rule with other receivers leaves its workflow. Throws NOT_FOUND, VALIDATION, CONFLICT (outdated `rev`).
   */
  updateAlertRule(id: number, change: Partial<AlertRuleValues>, userId: string | null, rev?: number): Promise<AlertRule>
  /** A deleted rule is kept for a day. Throws CONFLICT when `rev` is outdated. */
  deleteAlertRule(id: number, rev?: number): Promise<void>
  /**
   * Brings back a rule that was deleted within a day: the same id, everything as it was, without its state and firings.
   * Throws NOT_FOUND, CONFLICT when the organization already has `max` rules.
   */
  restoreAlertRule(value: { organizationId: number; id: number; max: number }): Promise<AlertRule>
  /** Deletes, changes and creates rules of one organization in one transaction: all or none. Throws like each of them. */
  changeAlertRules(changes: AlertRuleChanges): Promise<void>
  alertRuleById(id: number): Promise<AlertRule | undefined>
  /** The rules of an organization by name. */
  listAlertRules(organizationId: number): Promise<AlertRule[]>
  /** The rules of one kind that are switched on, of all organizations, by id. */
  listActiveAlertRules(kind: AlertRule['kind']): Promise<AlertRule[]>
  /** A text that is another one after each change of a rule, for those who keep rules in memory. States do not count. */
  getAlertRuleVersion(): Promise<string>
}

const initial: AlertRuleState = {
  status: 'ok',
  reason: '',
  sinceMs: null,
  evaluatedMs: null,
  value: null,
  memory: null,
}

type StateRow = Omit<AlertTables['alert_rule_state'], 'rule_id'>
/** A rule with its state and the name of its workflow; without these, their columns are null. */
type RuleRow = Selectable<AlertTables['alert_rule']> & { workflow_name: string | null } & {
  [Column in keyof StateRow]: StateRow[Column] | null
}

/** Converts a state to its row. */
export const alertStateRow = (ruleId: number, state: AlertRuleState): AlertTables['alert_rule_state'] => ({
  rule_id: ruleId,
  status: state.status,
  reason: state.reason,
  since_ms: state.sinceMs,
  evaluated_ms: state.evaluatedMs,
  value: state.value === null ? null : JSON.stringify(state.value),
  memory: JSON.stringify(state.memory),
})

const toState = (row: RuleRow): AlertRuleState =>
  row.status === null
    ? initial
    : {
        status: row.status as AlertRuleState['status'],
        reason: row.reason ?? '',
        sinceMs: row.since_ms,
        evaluatedMs: row.evaluated_ms,
        value: row.value === null ? null : fromJson<number>(row.value),
        memory: fromJson<unknown>(row.memory ?? 'null'),
      }

const toRule = (row: RuleRow): AlertRule => ({
  id: row.id,
  organizationId: row.organization_id,
  kind: row.kind as AlertRule['kind'],
  name: row.name,
  active: row.active === 1,
  mutedUntilMs: row.muted_until_ms,
  definition: fromJson<AlertDefinition>(row.definition),
  createdMs: row.created_ms,
  createdBy: row.created_by,
  rev: row.rev,
  changedMs: row.changed_ms,
  changedBy: row.changed_by,
  workflow: row.workflow_id === null ? null : { id: row.workflow_id, name: row.workflow_name ?? '' },
  state: toState(row),
})

/** What is wrong with the size of a rule, or undefined. */
export const ruleSizeMistake = (definition: AlertDefinition): string | undefined =>
  JSON.stringify(definition).length > definitionCharactersMax
    ? `The rule is over ${definitionCharactersMax / 1024} KiB.`
    : undefined

function rowOf({ name, active, mutedUntilMs, definition }: AlertRuleValues) {
  const mistake = ruleSizeMistake(definition)
  if (mistake) throw new MishapError('VALIDATION', { fields: { detail: [mistake] } })
  return { name, active: active ? 1 : 0, muted_until_ms: mutedUntilMs, definition: JSON.stringify(definition) }
}

function ruleReads({ read, write, dialect: { builder } }: Store) {
  const all = () =>
    builder
      .selectFrom('alert_rule')
      .leftJoin('alert_rule_state as state', 'state.rule_id', 'alert_rule.id')
      .leftJoin('workflow', 'workflow.id', 'alert_rule.workflow_id')
      .selectAll('alert_rule')
      .select('workflow.name as workflow_name')
      .select(['state.status', 'state.reason', 'state.since_ms', 'state.evaluated_ms', 'state.value', 'state.memory'])
  return {
    byId: (id: number) => write.get(all().where('alert_rule.id', '=', id)),
    shownById: (id: number) => read.get(all().where('alert_rule.id', '=', id)),
    ofOrganization: (id: number) => read.all(all().where('alert_rule.organization_id', '=', id)),
    active: (kind: string) =>
      read.all(all().where('alert_rule.kind', '=', kind).where('alert_rule.active', '=', 1).orderBy('alert_rule.id')),
  }
}

/** What a state depends on. Names and receivers can change without a new start. */
const evaluatedPart = ({ active, definition: { projectIds, environment, issue, metric } }: AlertRule): string =>
  JSON.stringify([active, projectIds, environment, issue, metric])

/** The firing that ends what a rule had found before it was changed. */
const endOf = ({ id, organizationId, definition, rev, state }: AlertRule, nowMs: number): NewFiring => ({
  organizationId,
  ruleId: id,
  key: `${id} changed ${rev}`,
  change: 'end',
  level: state.status === 'critical' ? 'critical' : 'warning',
  atMs: nowMs,
  value: state.value,
  threshold: null,
  sentence: reasonText({ why: 'rule_changed' }),
  why: { why: 'rule_changed' },
  cause: { projectIds: definition.projectIds, issueIds: [], release: '', deployId: null },
  trigger: 'changed',
  eventId: '',
  sinceMs: state.sinceMs ?? nowMs,
})

/** Throws CONFLICT if an organization already has so many rules. */
async function demandRoom({ write, dialect: { builder } }: Store, organizationId: number, max: number): Promise<void> {
  const others = builder.selectFrom('alert_rule').select('id').where('organization_id', '=', organizationId)
  if ((await write.all(others.limit(max))).length >= max)
    throw new MishapError('CONFLICT', { detail: `There are already ${max} alert rules. Delete a rule first.` })
}

/** Inserts a deleted rule again, inside a transaction of the caller. */
async function restoreRule(
  store: Store,
  { organizationId, id, max }: Parameters<AlertRuleStore['restoreAlertRule']>[0],
): Promise<AlertRule> {
  const { write, clock } = store
  const { builder } = store.dialect
  const found = await write.get(
    builder
      .selectFrom('deleted_alert_rule')
      .select('content')
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('deleted_ms', '>=', clock.now() - deletedRuleMs),
  )
  if (!found) throw new MishapError('NOT_FOUND')
  await demandRoom(store, organizationId, max)
  const old = fromJson<Selectable<AlertTables['alert_rule']>>(found.content)
  // Another revision: a form that was open before the deletion must not pass for one that knows of it.
  // It left its workflow, which may be gone. Its receivers are its own.
  const row = { ...old, workflow_id: null, rev: old.rev + 1 }
  await write.run(builder.insertInto('alert_rule').values(row))
  await write.run(builder.deleteFrom('deleted_alert_rule').where('id', '=', id))
  const none = { status: null, reason: null, since_ms: null, evaluated_ms: null, value: null, memory: null }
  return toRule({ ...row, ...none, workflow_name: null })
}

/** Who hears of a rule, and how often: what a workflow says of its rules. */
export type Receivers = Pick<AlertDefinition, 'actions' | 'intervalMinutes'>

const receiversOf = ({ actions, intervalMinutes }: Receivers): Receivers => ({ actions, intervalMinutes })
const hasReceivers = (definition: Receivers, receivers: Receivers): boolean =>
  isDeepStrictEqual(receiversOf(definition), receiversOf(receivers))

/** Notes that a rule left a workflow. Without rules, the workflow is deleted. */
async function leaveWorkflow(
  { write, clock, dialect: { builder } }: Store,
  workflowId: number,
  userId: string | null,
): Promise<void> {
  const rules = builder.selectFrom('alert_rule').select('id').where('workflow_id', '=', workflowId)
  if (await write.get(rules.limit(1))) {
    const change = { changed_ms: clock.now(), changed_by: userId }
    const workflow = builder.updateTable('workflow').where('id', '=', workflowId)
    await write.run(workflow.set(({ eb }) => ({ rev: eb('rev', '+', 1), ...change })))
  } else await write.run(builder.deleteFrom('workflow').where('id', '=', workflowId))
}

/** Writes what a rule says, and its workflow. What the rule had found ends if that depends on what changed. */
async function saveRule(
  { write, clock, dialect: { builder } }: Store,
  old: RuleRow,
  { workflowId, ...change }: Partial<AlertRuleValues> & { workflowId: number | null },
  userId: string | null,
): Promise<AlertRule> {
  const next = {
    ...rowOf({ ...toRule(old), ...change }),
    workflow_id: workflowId,
    rev: old.rev + 1,
    changed_ms: clock.now(),
    changed_by: userId,
  }
  await write.run(builder.updateTable('alert_rule').set(next).where('id', '=', old.id))
  const [before, rule] = [toRule(old), toRule({ ...old, ...next })]
  if (evaluatedPart(before) === evaluatedPart(rule)) return rule
  await write.run(builder.deleteFrom('alert_rule_state').where('rule_id', '=', old.id))
  if (['warning', 'critical'].includes(before.state.status))
    await write.run(builder.insertInto('alert_firing').values(firingRow(endOf(before, clock.now()))))
  return { ...rule, state: initial }
}

/** The changes of one rule, inside a transaction of the caller. */
export function ruleSteps(store: Store) {
  const { write, clock } = store
  const { builder } = store.dialect
  const { byId } = ruleReads(store)
  const demandRev = async (old: RuleRow | undefined, rev: number | undefined) => {
    if (old && rev !== undefined && rev !== old.rev)
      throw await staleError(store, { rev: old.rev, userId: old.changed_by, atMs: old.changed_ms })
  }
  return {
    async create({
      organizationId,
      userId,
      max,
      ...values
    }: Parameters<AlertRuleStore['createAlertRule']>[0]): Promise<AlertRule> {
      await demandRoom(store, organizationId, max)
      const created = {
        organization_id: organizationId,
        kind: values.definition.metric ? 'metric' : 'issue',
        ...rowOf(values),
        created_ms: clock.now(),
        created_by: userId,
      }
      const id = await insertedId(write, builder.insertInto('alert_rule').values(created))
      const kind = created.kind as AlertRule['kind']
      const about = { id, organizationId, kind, createdMs: created.created_ms, createdBy: userId }
      return { ...about, ...values, rev: 0, changedMs: null, changedBy: null, workflow: null, state: initial }
    },
    async update(...[id, change, userId, rev]: Parameters<AlertRuleStore['updateAlertRule']>): Promise<AlertRule> {
      const old = await byId(id)
      if (!old) throw new MishapError('NOT_FOUND')
      await demandRev(old, rev)
      const workflowId = old.workflow_id
      const isSame = !change.definition || hasReceivers(change.definition, toRule(old).definition)
      const rule = await saveRule(store, old, { ...change, workflowId: isSame ? workflowId : null }, userId)
      if (!isSame && workflowId !== null) await leaveWorkflow(store, workflowId, userId)
      return rule
    },
    /** Gives a metric rule the receivers of a workflow; null: of none. Nothing happens if it has them. */
    async setReceivers(id: number, workflowId: number | null, receivers: Receivers, userId: string): Promise<void> {
      const old = await byId(id)
      if (!old || (old.workflow_id === workflowId && hasReceivers(receivers, toRule(old).definition))) return
      const definition = { ...toRule(old).definition, ...receivers }
      await saveRule(store, old, { definition, workflowId }, userId)
    },
    async remove(id: number, rev: number | undefined): Promise<void> {
      const old = await write.get(builder.selectFrom('alert_rule').selectAll().where('id', '=', id))
      if (!old) return
      if (rev !== undefined) await demandRev(await byId(id), rev)
      const kept = { id, organization_id: old.organization_id, content: JSON.stringify(old), deleted_ms: clock.now() }
      await write.run(builder.insertInto('deleted_alert_rule').values(kept))
      await write.run(builder.deleteFrom('alert_rule').where('id', '=', id))
      if (old.workflow_id !== null) await leaveWorkflow(store, old.workflow_id, null)
    },
  }
}

type Changes = Pick<
  AlertRuleStore,
  'createAlertRule' | 'updateAlertRule' | 'deleteAlertRule' | 'restoreAlertRule' | 'changeAlertRules'
>

function changePart(store: Store): Changes {
  const { write } = store
  const { create, update, remove } = ruleSteps(store)
  return {
    createAlertRule: (value) => write.transaction(() => create(value)),
    updateAlertRule: (...words) => write.transaction(() => update(...words)),
    deleteAlertRule: (id, rev) => write.transaction(() => remove(id, rev)),
    restoreAlertRule: (value) => write.transaction(() => restoreRule(store, value)),
    changeAlertRules: ({ created, changed, deleted, ...by }) =>
      write.transaction(async () => {
        for (const { id, rev } of deleted) await remove(id, rev)
        for (const { id, rev, values } of changed) await update(id, values, by.userId, rev)
        for (const values of created) await create({ ...by, ...values })
      }),
  }
}

/** Implements alert rules. */
export function alertRulePart(store: Store): AlertRuleStore {
  const {
    read,
    dialect: { builder },
  } = store
  const { shownById, ofOrganization, active } = ruleReads(store)
  return {
    ...changePart(store),
    alertRuleById: async (id) => {
      const row = await shownById(id)
      return row && toRule(row)
    },
    listAlertRules: async (organizationId) =>
      (await ofOrganization(organizationId)).map(toRule).sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id),
    listActiveAlertRules: async (kind) => (await active(kind)).map(toRule),
    getAlertRuleVersion: async () => {
      // Ids are never reused, so a rule that is deleted and one that is created cannot cancel each other out.
      const sums = builder
        .selectFrom('alert_rule')
        .select(({ fn }) => [
          fn.countAll<number>().as('rules'),
          fn.max('id').as('last'),
          fn.sum<number>('rev').as('changes'),
          fn.sum<number>('id').as('ids'),
        ])
      const row = await read.get(sums)
      return `${row?.rules ?? 0} ${row?.last ?? 0} ${row?.changes ?? 0} ${row?.ids ?? 0}`
    },
  }
}
