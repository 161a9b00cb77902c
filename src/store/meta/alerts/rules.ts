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

/** Maximum size of a rule as JSON. A plan and 20 actions need a tenth of it; the rest is for other shapes. */
const definitionCharactersMax = 128 * 1024

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
   * with a firing. Throws NOT_FOUND, VALIDATION, CONFLICT (outdated `rev`).
   */
  updateAlertRule(id: number, change: Partial<AlertRuleValues>, userId: string | null, rev?: number): Promise<AlertRule>
  /** Throws CONFLICT when `rev` is outdated. */
  deleteAlertRule(id: number, rev?: number): Promise<void>
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
/** A rule with its state; without a state, its columns are null. */
type RuleRow = Selectable<AlertTables['alert_rule']> & { [Column in keyof StateRow]: StateRow[Column] | null }

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
      .selectAll('alert_rule')
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

/** The changes of one rule, inside a transaction of the caller. */
function changeSteps(store: Store) {
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
      const others = builder.selectFrom('alert_rule').select('id').where('organization_id', '=', organizationId)
      if ((await write.all(others.limit(max))).length >= max)
        throw new MishapError('CONFLICT', { detail: `There are already ${max} alert rules. Delete a rule first.` })
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
      return { ...about, ...values, rev: 0, changedMs: null, changedBy: null, state: initial }
    },
    async update(...[id, change, userId, rev]: Parameters<AlertRuleStore['updateAlertRule']>): Promise<AlertRule> {
      const old = await byId(id)
      if (!old) throw new MishapError('NOT_FOUND')
      await demandRev(old, rev)
      const next = {
        ...rowOf({ ...toRule(old), ...change }),
        rev: old.rev + 1,
        changed_ms: clock.now(),
        changed_by: userId,
      }
      await write.run(builder.updateTable('alert_rule').set(next).where('id', '=', id))
      const [before, rule] = [toRule(old), toRule({ ...old, ...next })]
      if (evaluatedPart(before) === evaluatedPart(rule)) return rule
      await write.run(builder.deleteFrom('alert_rule_state').where('rule_id', '=', id))
      if (['warning', 'critical'].includes(before.state.status))
        await write.run(builder.insertInto('alert_firing').values(firingRow(endOf(before, clock.now()))))
      return { ...rule, state: initial }
    },
    async remove(id: number, rev: number | undefined): Promise<void> {
      if (rev !== undefined) await demandRev(await byId(id), rev)
      await write.run(builder.deleteFrom('alert_rule').where('id', '=', id))
    },
  }
}

type Changes = Pick<AlertRuleStore, 'createAlertRule' | 'updateAlertRule' | 'deleteAlertRule' | 'changeAlertRules'>

function changePart(store: Store): Changes {
  const { write } = store
  const { create, update, remove } = changeSteps(store)
  return {
    createAlertRule: (value) => write.transaction(() => create(value)),
    updateAlertRule: (...words) => write.transaction(() => update(...words)),
    deleteAlertRule: (id, rev) => write.transaction(() => remove(id, rev)),
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
