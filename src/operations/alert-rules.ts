import type { z } from 'zod'
import { MishapError } from '../base/errors.ts'
import {
  type AlertRuleChangeBody,
  type IssueCondition,
  issueCondition,
  type MetricCondition,
  metricCondition,
  type NewAlertRuleBody,
} from '../contract/alerts/alerts.ts'
import { weeklyWindowMinutesMax } from '../domain/alerts/metric-rules.ts'
import { ruleBranches } from '../query/alerts/rule-filter.ts'
import { checkPlan } from '../query/explore/explore.ts'
import { type CheckDeps, checkOnly } from '../query/issues/issue.ts'
import { compileMeasure } from '../query/metrics/measures.ts'
import { unmetKeys } from '../query/search.ts'
import {
  type AlertDefinition,
  type AlertRule,
  type AlertRuleValues,
  ruleSizeMistake,
} from '../store/meta/alerts/rules.ts'
import type { Project } from '../store/meta/meta.ts'
import { type TargetDeps, targetMistakes } from './alerts/alert-targets.ts'

type Deps = CheckDeps & TargetDeps
type Fields = Record<string, string[]>
/** What another shape of the API keeps beside a rule (AlertDefinition). */
export type Kept = Pick<AlertDefinition, 'unevaluable' | 'original'>

const nothingKept: Kept = { unevaluable: [], original: null }

/** Runs a check and returns its mistakes under the name of a field of the rule. */
async function mistakesAt(field: string, check: () => Promise<unknown>): Promise<Fields> {
  try {
    await check()
    return {}
  } catch (error) {
    if (!(error instanceof MishapError) || error.status !== 400) throw error
    const sentences = Object.values(error.fields ?? {}).flat()
    return { [field]: sentences.length > 0 ? sentences : [error.message] }
  }
}

async function issueMistakes(
  deps: Deps,
  projects: Project[],
  issue: IssueCondition,
  { unevaluable }: Kept,
): Promise<Fields> {
  const unmet = unmetKeys(issue.filter)
  return {
    ...(issue.when.length === 0 && unevaluable.length === 0 ? { 'issue.when': ['At least one.'] } : {}),
    ...(unmet.length > 0
      ? { 'issue.filter': unmet.map((key) => `No error has ${key}.`) }
      : await mistakesAt('issue.filter', () =>
          ruleBranches(checkOnly(deps), { projects, environments: [] }, issue.filter),
        )),
  }
}

/** Whether a level is farther out than another level. */
const isBeyond = (direction: 'above' | 'below', level: number, other: number): boolean =>
  direction === 'above' ? level > other : level < other

function thresholdMistakes({ threshold }: MetricCondition): Fields {
  const { type, direction, warning, critical, resolve, before } = threshold
  const least = warning ?? critical
  const mistakes = [
    ...(warning !== null && !isBeyond(direction, critical, warning) ? [`critical must be ${direction} warning.`] : []),
    ...(resolve !== null && isBeyond(direction, resolve, least)
      ? [`resolve must not be ${direction} the lowest level.`]
      : []),
    ...(type === 'change' && before === undefined ? ['before: hour, day or week.'] : []),
  ]
  return mistakes.length > 0 ? { 'metric.threshold': mistakes } : {}
}

/** What a rule cannot watch, such as a share or a window between two steps, by the field of the rule. */
async function measureMistakes(deps: Deps, projects: Project[], metric: MetricCondition): Promise<Fields> {
  const { threshold, windowMinutes } = metric
  if (threshold.type === 'weekly' && windowMinutes > weeklyWindowMinutesMax)
    return { 'metric.windowMinutes': [`A weekly pattern has windows of up to ${weeklyWindowMinutesMax} minutes.`] }
  try {
    await compileMeasure(checkOnly(deps), { projects, environments: [] }, metric)
    return {}
  } catch (error) {
    if (!(error instanceof MishapError) || !error.fields) throw error
    return Object.fromEntries(Object.entries(error.fields).map(([field, texts]) => [`metric.${field}`, texts]))
  }
}

async function metricMistakes(deps: Deps, projects: Project[], metric: MetricCondition): Promise<Fields> {
  const { plan, of } = metric
  const names = [...plan.series, ...plan.formulas].map(({ name }) => name)
  const shape =
    plan.columns.length > 0
      ? { 'metric.plan': ['A rule watches one series, without columns.'] }
      : await mistakesAt('metric.plan', () => checkPlan(deps, projects, plan))
  const unknown = names.includes(of)
    ? {}
    : { 'metric.of': [`The plan has no series or formula ${JSON.stringify(of)}.`] }
  const others = { ...shape, ...unknown, ...thresholdMistakes(metric) }
  return Object.keys(others).length > 0 ? others : measureMistakes(deps, projects, metric)
}

/** Ids of projects by their slugs, with the mistake of an unknown slug. */
function projectsNamed(all: readonly Project[], slugs: readonly string[]): { projects: Project[]; fields: Fields } {
  const found = [...new Set(slugs)].map((slug) => ({ slug, project: all.find((item) => item.slug === slug) }))
  const unknown = found.filter(({ project }) => !project)
  return {
    projects: found.flatMap(({ project }) => project ?? []),
    fields:
      unknown.length > 0 ? { projects: unknown.map(({ slug }) => `There is no project ${JSON.stringify(slug)}.`) } : {},
  }
}

/**
 * The projects that a rule keeps if a change names none. One whose projects were all deleted keeps their ids: without
 * ids it would watch every project.
 */
function projectsKept(all: readonly Project[], projectIds: number[]): { projects: Project[]; projectIds: number[] } {
  const projects = all.filter(({ id }) => projectIds.includes(id))
  return { projects, projectIds: projects.length > 0 ? projects.map(({ id }) => id) : projectIds }
}

/** What is outside of the limits of a condition. Other shapes of the API convert numbers that no schema has seen. */
function limitMistakes(field: 'issue' | 'metric', schema: z.ZodType, value: unknown): Fields {
  const { error } = schema.safeParse(value)
  return error ? { [field]: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) } : {}
}

/** Throws VALIDATION with every mistake of a rule, so that a form shows all of them at once. */
async function demandValid(deps: Deps, organizationId: number, values: AlertRuleValues, slugs: string[] | undefined) {
  const { definition, active } = values
  const all = await deps.meta.projects.projectsOf(organizationId)
  const named = slugs && projectsNamed(all, slugs)
  const { projects, projectIds } = named
    ? { ...named, projectIds: named.projects.map(({ id }) => id) }
    : projectsKept(all, definition.projectIds)
  const watched = projects.length > 0 ? projects : all
  const { issue, metric } = definition
  const size = ruleSizeMistake(definition)
  const mistakes: Fields = {
    ...named?.fields,
    ...(size ? { detail: [size] } : {}),
    ...(issue && metric ? { metric: ['A rule has either issue or metric.'] } : {}),
    ...(!issue && !metric ? { issue: ['A rule has issue or metric.'] } : {}),
    ...(issue ? limitMistakes('issue', issueCondition, issue) : {}),
    ...(metric ? limitMistakes('metric', metricCondition, metric) : {}),
    ...(issue ? await issueMistakes(deps, watched, issue, definition) : {}),
    ...(metric ? await metricMistakes(deps, watched, metric) : {}),
    ...(await targetMistakes(deps, organizationId, definition)),
    ...(active && definition.unevaluable.length > 0
      ? { isActive: [`Mishap cannot evaluate ${definition.unevaluable.join(', ')}.`] }
      : {}),
  }
  if (Object.keys(mistakes).length > 0) throw new MishapError('VALIDATION', { fields: mistakes })
  return { ...values, definition: { ...definition, projectIds } }
}

const ownerIdOf = (owner: string | null): string | null => owner?.replace(/^user:/, '') ?? null

/**
 * Returns the row of a new rule, or of one that replaces another. With conditions that cannot be evaluated it must be
 * off. Throws VALIDATION with fields.
 */
export async function validAlertRule(
  deps: Deps,
  organizationId: number,
  { name, projects, owner, isActive, ...rest }: NewAlertRuleBody,
  kept: Kept,
): Promise<AlertRuleValues> {
  const definition = { projectIds: [], ...rest, ownerId: ownerIdOf(owner), ...kept }
  return demandValid(deps, organizationId, { name, active: isActive, mutedUntilMs: null, definition }, projects)
}

/**
 * Creates a rule. `kept`: what another shape of the API keeps beside it; with conditions that cannot be evaluated the
 * rule is inactive. Throws VALIDATION with fields, CONFLICT when there are too many. Nothing of a refused rule is stored.
 */
export async function createAlertRule(
  deps: Deps & { config: { alertRulesMax: number } },
  by: { organizationId: number; userId: string },
  body: NewAlertRuleBody,
  kept: Kept = nothingKept,
): Promise<AlertRule> {
  const isActive = body.isActive && kept.unevaluable.length === 0
  const valid = await validAlertRule(deps, by.organizationId, { ...body, isActive }, kept)
  return deps.meta.alertRules.createAlertRule({ ...by, max: deps.config.alertRulesMax, ...valid })
}

type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }

/** The fields that have a value. */
const given = <Values extends object>(values: Values): Given<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<Values>

/** Whether all projects of a rule were deleted. */
async function hasNoProject({ meta }: Deps, { organizationId, definition }: AlertRule): Promise<boolean> {
  if (definition.projectIds.length === 0) return false
  const all = await meta.projects.projectsOf(organizationId)
  return !all.some(({ id }) => definition.projectIds.includes(id))
}

/** Throws VALIDATION if a rule would be switched on without a project that it can watch. */
function demandProjects(isOrphan: boolean, isActive: boolean | undefined): void {
  const sentence = 'All projects of this rule were deleted. Name those that it should watch.'
  if (isOrphan && isActive) throw new MishapError('VALIDATION', { fields: { projects: [sentence] } })
}

async function changeRule(
  deps: Deps,
  rule: AlertRule,
  { revision, ...body }: AlertRuleChangeBody & { revision: number },
  userId: string | null,
  kept: Kept | undefined,
): Promise<AlertRule> {
  const { name, projects, isActive, mutedUntil, owner, issue, metric, ...rest } = body
  const wrongKind = rule.kind === 'issue' ? metric && 'metric' : issue && 'issue'
  if (wrongKind)
    throw new MishapError('VALIDATION', { fields: { [wrongKind]: ['The kind of a rule does not change.'] } })
  // A form that was filled from such a rule has no projects: that does not mean all of them.
  const isOrphan = !projects?.length && (await hasNoProject(deps, rule))
  demandProjects(isOrphan, isActive)
  const definition: AlertDefinition = {
    ...rule.definition,
    ...given(rest),
    ...given({ issue, metric }),
    ...(owner === undefined ? {} : { ownerId: ownerIdOf(owner) }),
    ...(kept ?? (issue || metric ? nothingKept : {})),
  }
  const values: AlertRuleValues = {
    name: name ?? rule.name,
    active: isActive ?? (rule.active && definition.unevaluable.length === 0),
    mutedUntilMs: mutedUntil === undefined ? rule.mutedUntilMs : mutedUntil,
    definition,
  }
  // Muting, renaming and switching off must work although a channel or a member of the rule is gone.
  const isDefined =
    Object.keys(given({ projects, owner, issue, metric, ...rest, kept })).length > 0 || isActive === true
  const valid = isDefined
    ? await demandValid(deps, rule.organizationId, values, isOrphan ? undefined : projects)
    : values
  return deps.meta.alertRules.updateAlertRule(rule.id, valid, userId, revision)
}

/**
 * Changes the given fields of a rule. New conditions replace what another shape kept, unless `kept` is given. Without a
 * revision it changes the rule as it is: what somebody else changes meanwhile, such as a mute, stays. Throws NOT_FOUND,
 * VALIDATION with fields, CONFLICT for an older revision.
 */
export async function updateAlertRule(
  deps: Deps,
  rule: AlertRule,
  { revision, ...body }: AlertRuleChangeBody,
  userId: string | null,
  kept?: Kept,
): Promise<AlertRule> {
  if (revision !== undefined) return changeRule(deps, rule, { ...body, revision }, userId, kept)
  try {
    return await changeRule(deps, rule, { ...body, revision: rule.rev }, userId, kept)
  } catch (error) {
    if (!(error instanceof MishapError) || error.code !== 'CONFLICT') throw error
    const current = await deps.meta.alertRules.alertRuleById(rule.id)
    if (!current) throw new MishapError('NOT_FOUND')
    return changeRule(deps, current, { ...body, revision: current.rev }, userId, kept)
  }
}

/**
 * Brings back a rule of an organization that was deleted within a day, as it was. Throws NOT_FOUND, CONFLICT when there
 * are too many.
 */
export const restoreAlertRule = (
  { meta, config }: { meta: Deps['meta']; config: { alertRulesMax: number } },
  organizationId: number,
  id: number,
): Promise<AlertRule> => meta.alertRules.restoreAlertRule({ organizationId, id, max: config.alertRulesMax })

/** Deletes a rule with its state and its firings. It can be brought back. Throws CONFLICT for an older revision. */
export const deleteAlertRule = (
  { meta }: Pick<Deps, 'meta'>,
  rule: AlertRule,
  revision: number | undefined,
): Promise<void> => meta.alertRules.deleteAlertRule(rule.id, revision)
