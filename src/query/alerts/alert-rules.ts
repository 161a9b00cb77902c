import type { RestAlertRule } from '../../contract/alerts/alerts.ts'
import { alertReasonCode, alertReasons } from '../../domain/alerts/alert-reasons.ts'
import type { AlertDefinition, AlertRule } from '../../store/meta/alerts/rules.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import { fieldsOfDataset } from '../compile/datasets.ts'
import { uniqueNames } from '../compile/fields.ts'
import { valueOfName } from '../compile/functions.ts'
import { type Page, readCursor, sliceByOffset } from '../cursor.ts'
import { type GroupNames, groupName } from '../group-measures.ts'

type RuleReads = 'projects.projectsOf' | 'people.people' | 'incidents.lastFiringsOf'
type Deps = { meta: MetaWith<'alertRules.listAlertRules' | RuleReads> }

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** Slugs of projects by their id. */
type Slugs = ReadonlyMap<number, string>

type GroupMemory = {
  level: 'ok' | 'warning' | 'critical'
  value: number | null
  cells: (string | number | boolean | null)[]
}

/** The fields that a rule groups by. A project is stored by its id and shown by its slug. */
function groupFieldsOf({ metric }: AlertDefinition, slugs: Slugs): GroupNames['groups'] {
  if (!metric) return []
  const { dataset, groupBy } = metric.plan
  return uniqueNames(groupBy).map((name) =>
    valueOfName(fieldsOfDataset(dataset), name)?.project === 'slug' ? { slugs: Object.fromEntries(slugs) } : {},
  )
}

/** The groups of a rule from what its evaluator remembers. */
function restGroups({ definition, state }: AlertRule, slugs: Slugs): RestAlertRule['state']['groups'] {
  const { groups: known, beyond = 0 } = (state.memory ?? {}) as { groups?: GroupMemory[]; beyond?: number }
  if (!known) return null
  const groups = groupFieldsOf(definition, slugs)
  const firing = known.flatMap(({ level, value, cells }) =>
    level === 'ok' ? [] : [{ level, value, name: groupName({ groups }, cells) }],
  )
  return { watched: known.length, beyond, firing }
}

/** The state that a reader sees: a rule that is off has no other. `isOrphan`: all of its projects are gone. */
function restState(rule: AlertRule, slugs: Slugs, isOrphan: boolean): RestAlertRule['state'] {
  const { active, state, definition } = rule
  const { status, reason, sinceMs, evaluatedMs, value } = state
  const groups = restGroups(rule, slugs)
  const shown = { reasonCode: null, since: iso(sinceMs), evaluatedTo: iso(evaluatedMs), value, groups }
  if (definition.unevaluable.length > 0)
    return { ...shown, status: 'inactive', reason: `Mishap cannot evaluate ${definition.unevaluable.join(', ')}.` }
  if (!active) return { ...shown, status: 'inactive', reason: '' }
  if (isOrphan) return { ...shown, status: 'inactive', reason: alertReasons.projects_gone, reasonCode: 'projects_gone' }
  return { ...shown, status, reason, reasonCode: alertReasonCode(reason) ?? null }
}

/** Converts rules of one organization to the API's shape. */
export async function toRestAlertRules(
  { meta }: { meta: MetaWith<RuleReads> },
  organizationId: number,
  rules: readonly AlertRule[],
): Promise<RestAlertRule[]> {
  const slugs = new Map((await meta.projects.projectsOf(organizationId)).map(({ id, slug }) => [id, slug]))
  const authors = [...new Set(rules.map(({ createdBy }) => createdBy))]
  const people = new Map((await meta.people.people(authors)).map(({ id, name, email }) => [id, { id, name, email }]))
  const fired = await meta.incidents.lastFiringsOf(rules.map(({ id }) => id))
  return rules.map((rule) => {
    const { projectIds, ownerId, ...definition } = rule.definition
    const projects = projectIds.flatMap((id) => slugs.get(id) ?? [])
    const areProjectsGone = projectIds.length > 0 && projects.length === 0
    return {
      id: String(rule.id),
      name: rule.name,
      kind: rule.kind,
      projects,
      areProjectsGone,
      owner: ownerId === null ? null : `user:${ownerId}`,
      isActive: rule.active,
      mutedUntil: iso(rule.mutedUntilMs),
      state: restState(rule, slugs, areProjectsGone),
      ...definition,
      workflow: rule.workflow?.name ?? null,
      lastFired: iso(fired.get(rule.id) ?? null),
      createdBy: people.get(rule.createdBy) ?? null,
      dateCreated: new Date(rule.createdMs).toISOString(),
      dateUpdated: new Date(rule.changedMs ?? rule.createdMs).toISOString(),
      revision: rule.rev,
    }
  })
}

/** What a list shows. Absent: everything. `project`: an id; rules of all projects watch it, too. */
export type AlertRuleFilter = {
  query?: string | undefined
  kind?: AlertRule['kind'] | undefined
  status?: RestAlertRule['state']['status'] | undefined
  projectIds: readonly number[]
}

/** Returns a page of the rules of an organization, by name. */
export async function alertRulesPage(
  deps: Deps,
  organizationId: number,
  { query, kind, status, projectIds }: AlertRuleFilter,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Page<RestAlertRule>> {
  const { offset } = readCursor(cursor)
  const text = query?.toLowerCase() ?? ''
  const watches = ({ definition }: AlertRule) =>
    projectIds.length === 0 ||
    definition.projectIds.length === 0 ||
    definition.projectIds.some((id) => projectIds.includes(id))
  const rules = (await deps.meta.alertRules.listAlertRules(organizationId)).filter(
    (rule) => rule.name.toLowerCase().includes(text) && (kind === undefined || rule.kind === kind) && watches(rule),
  )
  // A status depends on the projects that are still there, so only that filter converts every rule.
  const shown = status === undefined ? rules : await matching(deps, organizationId, rules, status)
  const page = sliceByOffset(shown, offset, limit)
  return { ...page, rows: await toRestAlertRules(deps, organizationId, page.rows) }
}

async function matching(deps: Deps, organizationId: number, rules: readonly AlertRule[], status: string) {
  const rest = await toRestAlertRules(deps, organizationId, rules)
  return rules.filter((_, at) => rest[at]?.state.status === status)
}
