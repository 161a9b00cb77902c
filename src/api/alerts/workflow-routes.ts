import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { type RestWorkflow, restWorkflow, type WrittenWorkflow, workflowBody } from '../../contract/alerts/workflows.ts'
import { createAlertRule, deleteAlertRule, updateAlertRule } from '../../operations/alert-rules.ts'
import { createWorkflow, deleteWorkflow, updateWorkflow } from '../../operations/workflows.ts'
import type { App } from '../../processes/parts.ts'
import { toRestAlertRules } from '../../query/alerts/alert-rules.ts'
import { readCursor, sliceByOffset } from '../../query/cursor.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import type { Workflow } from '../../store/meta/alerts/workflows.ts'
import { revisionOf } from '../input.ts'
import { pageHeaders } from '../page.ts'
import { type Found, limitOf, organizationOf, pageQuery, type Route, route } from '../route.ts'
import { ruleNamed } from './rule-named.ts'
import { projectOfDetector } from './shapes/detector.ts'
import { fromMetricWorkflow, receiversOf, toMetricWorkflow } from './shapes/metric-workflow.ts'
import { renamed } from './shapes/part.ts'
import { targetsOf } from './shapes/targets.ts'
import { fromWorkflow, toWorkflow } from './shapes/workflow.ts'
import { readWorkflowId } from './shapes/workflow-ids.ts'

const path = '/organizations/:org/workflows'
const pageWorkflows = 100
const fieldNames = {
  issue: 'triggers',
  'issue.filter': 'actionFilters',
  actions: 'actionFilters',
  projects: 'detectorIds',
  intervalMinutes: 'config',
}

/** What a workflow is: an issue rule, the own receivers of a metric rule, or what was written for metric rules. */
type Stored = { rule: AlertRule } | { workflow: Workflow }

/** Issue rules, and metric rules with receivers of their own. */
const isWorkflow = ({ kind, definition, workflow }: AlertRule) =>
  kind === 'issue' || (workflow === null && definition.actions.length > 0)

/** The workflow of a path. Throws NOT_FOUND. */
async function storedOf(app: App, found: Found, id = ''): Promise<Stored> {
  const means = readWorkflowId(id)
  if ('workflow' in means) {
    const workflow = await app.meta.alertRules.workflowById(means.workflow)
    if (workflow?.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
    return { workflow }
  }
  const rule = await ruleNamed(app, found, means.rule, means.kind)
  if (!isWorkflow(rule)) throw new MishapError('NOT_FOUND')
  return { rule }
}

/** All workflows of an organization by name. */
async function allStored(app: App, organizationId: number): Promise<Stored[]> {
  const rules = (await app.meta.alertRules.listAlertRules(organizationId)).filter(isWorkflow)
  const workflows = await app.meta.alertRules.listWorkflows(organizationId)
  const named = [
    ...rules.map((rule) => ({ name: rule.name, stored: { rule } })),
    ...workflows.map((workflow) => ({ name: workflow.name, stored: { workflow } })),
  ]
  return named.sort((a, b) => a.name.localeCompare(b.name)).map(({ stored }) => stored)
}

async function shown(app: App, organizationId: number, all: readonly Stored[]): Promise<RestWorkflow[]> {
  const projects = new Map((await app.meta.projects.projectsOf(organizationId)).map(({ slug, id }) => [slug, id]))
  const targets = await targetsOf(app, organizationId)
  const rules = all.flatMap((stored) => ('rule' in stored ? [stored.rule] : []))
  const rest = new Map((await toRestAlertRules(app, organizationId, rules)).map((rule) => [rule.id, rule]))
  return all.flatMap((stored) => {
    if ('workflow' in stored) return [toMetricWorkflow(stored.workflow)]
    const rule = rest.get(String(stored.rule.id))
    return rule ? [toWorkflow(rule, (slug) => projects.get(slug), targets)] : []
  })
}

async function shownOne(app: App, { id, organizationId }: AlertRule): Promise<RestWorkflow> {
  const rule = await app.meta.alertRules.alertRuleById(id)
  const [one] = rule ? await shown(app, organizationId, [{ rule }]) : []
  if (!one) throw new MishapError('NOT_FOUND')
  return one
}

const mistake = (sentence: string) => new MishapError('VALIDATION', { fields: { detectorIds: [sentence] } })

/** What a workflow belongs to: projects by their slugs, or metric rules. Throws VALIDATION. */
async function belongsTo(
  app: App,
  found: Found,
  { detectorIds }: WrittenWorkflow,
): Promise<{ projects: string[] } | { ruleIds: number[] }> {
  const { id: organizationId } = organizationOf(found)
  const projects = await app.meta.projects.projectsOf(organizationId)
  const slugs: string[] = []
  const ruleIds: number[] = []
  for (const id of new Set(detectorIds.map(String))) {
    const projectId = projectOfDetector(id)
    const slug = projects.find((project) => project.id === projectId)?.slug
    const rule = projectId === undefined ? await app.meta.alertRules.alertRuleById(Number(id)) : undefined
    if (slug !== undefined) slugs.push(slug)
    else if (rule?.organizationId === organizationId && rule.kind === 'metric') ruleIds.push(rule.id)
    else throw mistake(`There is no detector ${id}.`)
  }
  if (ruleIds.length === 0) return { projects: slugs }
  if (slugs.length > 0)
    throw mistake('A workflow belongs to projects, or to detectors of metrics. Create a workflow for each.')
  return { ruleIds }
}

type By = { userId: string; revision: number | undefined }

/** Gives a metric rule other receivers of its own. Its conditions are those of its detector. Throws VALIDATION. */
async function withReceivers(app: App, rule: AlertRule, written: WrittenWorkflow, { userId, revision }: By) {
  const actions = receiversOf(written, await targetsOf(app, rule.organizationId))
  if (actions.length === 0) throw new MishapError('VALIDATION', { fields: { actionFilters: ['At least one action.'] } })
  const change = { actions, intervalMinutes: written.config.frequency, revision }
  await renamed(fieldNames, () => updateAlertRule(app, rule, change, userId))
  return shownOne(app, rule)
}

/** Replaces an issue rule. Throws VALIDATION. */
async function withRule(
  app: App,
  rule: AlertRule,
  { body, kept }: ReturnType<typeof fromWorkflow>,
  { userId, revision }: By,
) {
  const { name, projects, environment, actions, intervalMinutes, isActive, issue } = body
  const change = {
    name,
    projects,
    environment,
    actions,
    intervalMinutes,
    isActive,
    // This shape has no name for noise, skew and quiet hours: they stay.
    ...(issue ? { issue: { ...issue, unless: rule.definition.issue?.unless ?? issue.unless } } : {}),
    revision,
  }
  await renamed(fieldNames, () => updateAlertRule(app, rule, change, userId, kept))
  return shownOne(app, rule)
}

/** Replaces what is behind a workflow. Throws VALIDATION, also if that would have to become something else. */
async function replaced(app: App, found: Found, stored: Stored, written: WrittenWorkflow, by: By) {
  const { id: organizationId } = organizationOf(found)
  const of = await belongsTo(app, found, written)
  const targets = await targetsOf(app, organizationId)
  const issueRule = 'rule' in stored && stored.rule.kind === 'issue' ? stored.rule : undefined
  if (issueRule && 'projects' in of) return withRule(app, issueRule, fromWorkflow(written, of.projects, targets), by)
  if (issueRule || 'projects' in of)
    throw mistake('A workflow does not move between projects and detectors of metrics. Create another workflow.')
  if ('workflow' in stored) {
    const value = fromMetricWorkflow(written, of.ruleIds, targets)
    const change = () => updateWorkflow(app, stored.workflow, value, by.userId, by.revision)
    return toMetricWorkflow(await renamed(fieldNames, change))
  }
  const { rule } = stored
  if (of.ruleIds.some((id) => id !== rule.id))
    throw mistake(`This workflow is of detector ${rule.id} alone. Create a workflow for several detectors.`)
  return withReceivers(app, rule, written, by)
}

/** Workflows: who hears of what detectors find, in the newer shape of the API. */
export const workflowRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listWorkflows',
    summary: 'Who hears of what is found, in the newer shape: issue rules, and the receivers of metric rules.',
    action: 'alert:read',
    query: z.object(pageQuery),
    response: z.array(restWorkflow),
    handle: async ({ app, found, query, request }) => {
      const { id } = organizationOf(found)
      const [{ offset }, limit] = [readCursor(query.cursor), limitOf(query, pageWorkflows)]
      const page = sliceByOffset(await allStored(app, id), offset, limit)
      const headers = pageHeaders(app.config.url, request.url, page)
      return { body: await shown(app, id, page.rows), headers }
    },
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createWorkflow',
    summary: 'Creates an issue rule in the newer shape, or gives detectors of metrics their receivers.',
    action: 'alert:write',
    body: workflowBody,
    status: 201,
    response: restWorkflow,
    handle: async ({ app, found, actor, body: written }) => {
      const by = { organizationId: organizationOf(found).id, userId: actor.person.id }
      const of = await belongsTo(app, found, written)
      const targets = await targetsOf(app, by.organizationId)
      if ('ruleIds' in of) {
        const value = fromMetricWorkflow(written, of.ruleIds, targets)
        return { body: toMetricWorkflow(await renamed(fieldNames, () => createWorkflow(app, by, value))) }
      }
      const { body, kept } = fromWorkflow(written, of.projects, targets)
      return { body: await shownOne(app, await renamed(fieldNames, () => createAlertRule(app, by, body, kept))) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:workflow`,
    operationId: 'workflow',
    summary: 'One workflow.',
    action: 'alert:read',
    response: restWorkflow,
    handle: async ({ app, found, params }) => {
      const [body] = await shown(app, organizationOf(found).id, [await storedOf(app, found, params.workflow)])
      if (!body) throw new MishapError('NOT_FOUND')
      return { body }
    },
  }),
  route({
    method: 'PUT',
    path: `${path}/:workflow`,
    operationId: 'updateWorkflow',
    summary: 'Replaces a workflow. 409 if If-Match is outdated.',
    action: 'alert:write',
    body: workflowBody,
    response: restWorkflow,
    handle: async ({ app, found, actor, params, body: written, request }) => {
      const stored = await storedOf(app, found, params.workflow)
      const by = { userId: actor.person.id, revision: revisionOf({}, request) }
      return { body: await replaced(app, found, stored, written, by) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:workflow`,
    operationId: 'deleteWorkflow',
    summary: 'Deletes an issue rule, or takes the receivers of detectors of metrics away.',
    action: 'alert:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, actor, params, request }) => {
      const stored = await storedOf(app, found, params.workflow)
      const [revision, userId] = [revisionOf({}, request), actor.person.id]
      if ('workflow' in stored) await deleteWorkflow(app, stored.workflow, userId, revision)
      else if (stored.rule.kind === 'issue') await deleteAlertRule(app, stored.rule, revision)
      else await updateAlertRule(app, stored.rule, { actions: [], revision }, userId)
      return { status: 204, body: undefined }
    },
  }),
]
