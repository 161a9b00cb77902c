import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { type RestWorkflow, restWorkflow, type WrittenWorkflow, workflowBody } from '../../contract/alerts/workflows.ts'
import { createAlertRule, deleteAlertRule, updateAlertRule } from '../../operations/alert-rules.ts'
import type { App } from '../../processes/parts.ts'
import { toRestAlertRules } from '../../query/alerts/alert-rules.ts'
import { pageByOffset, readCursor } from '../../query/cursor.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { revisionOf } from '../input.ts'
import { pageHeaders } from '../page.ts'
import { type Found, limitOf, organizationOf, pageQuery, type Route, route } from '../route.ts'
import { ruleNamed } from './rule-named.ts'
import { projectOfDetector } from './shapes/detector.ts'
import { renamed } from './shapes/part.ts'
import { targetsOf } from './shapes/targets.ts'
import { fromWorkflow, receiversOf, ruleOfWorkflow, toWorkflow } from './shapes/workflow.ts'

const path = '/organizations/:org/workflows'
const pageWorkflows = 100
const fieldNames = {
  issue: 'triggers',
  'issue.filter': 'actionFilters',
  actions: 'actionFilters',
  projects: 'detectorIds',
  intervalMinutes: 'config',
}

/** Issue rules, and metric rules that have receivers. */
const isWorkflow = ({ kind, definition }: AlertRule) => kind === 'issue' || definition.actions.length > 0

async function ruleOf(app: App, found: Found, id = ''): Promise<AlertRule> {
  const metricId = ruleOfWorkflow(id)
  const rule = await ruleNamed(app, found, metricId ?? id, metricId === undefined ? 'issue' : 'metric')
  if (!isWorkflow(rule)) throw new MishapError('NOT_FOUND')
  return rule
}

async function shown(app: App, organizationId: number, rules: readonly AlertRule[]): Promise<RestWorkflow[]> {
  const projects = new Map((await app.meta.projects.projectsOf(organizationId)).map(({ slug, id }) => [slug, id]))
  const rest = await toRestAlertRules(app, organizationId, rules)
  return rest.map((rule) => toWorkflow(rule, (slug) => projects.get(slug)))
}

async function shownOne(app: App, id: number): Promise<RestWorkflow> {
  const rule = await app.meta.alertRules.alertRuleById(id)
  const [one] = rule ? await shown(app, rule.organizationId, [rule]) : []
  if (!one) throw new MishapError('NOT_FOUND')
  return one
}

/** What a workflow belongs to: projects by their slugs, or one metric rule. Throws VALIDATION. */
async function belongsTo(
  app: App,
  found: Found,
  { detectorIds }: WrittenWorkflow,
): Promise<{ projects: string[] } | { rule: AlertRule }> {
  const wrong = (sentence: string) => new MishapError('VALIDATION', { fields: { detectorIds: [sentence] } })
  const { id: organizationId } = organizationOf(found)
  const projects = await app.meta.projects.projectsOf(organizationId)
  const slugs: string[] = []
  const rules: AlertRule[] = []
  for (const id of new Set(detectorIds.map(String))) {
    const projectId = projectOfDetector(id)
    const slug = projects.find((project) => project.id === projectId)?.slug
    const rule = projectId === undefined ? await app.meta.alertRules.alertRuleById(Number(id)) : undefined
    if (slug !== undefined) slugs.push(slug)
    else if (rule?.organizationId === organizationId && rule.kind === 'metric') rules.push(rule)
    else throw wrong(`There is no detector ${id}.`)
  }
  const [rule] = rules
  if (!rule) return { projects: slugs }
  if (slugs.length > 0 || rules.length > 1)
    throw wrong('A workflow of Mishap belongs to projects, or to one detector of metrics.')
  return { rule }
}

/** Gives a metric rule the receivers of a workflow. Its conditions are those of its detector. */
async function withReceivers(
  app: App,
  rule: AlertRule,
  written: WrittenWorkflow,
  { userId, revision }: { userId: string; revision: number | undefined },
): Promise<RestWorkflow> {
  const actions = receiversOf(written, await targetsOf(app, rule.organizationId))
  if (actions.length === 0) throw new MishapError('VALIDATION', { fields: { actionFilters: ['At least one action.'] } })
  const change = { actions, intervalMinutes: written.config.frequency, revision }
  await renamed(fieldNames, () => updateAlertRule(app, rule, change, userId))
  return shownOne(app, rule.id)
}

/** Workflows: who hears of what detectors find, in the newer shape of the API. */
export const workflowRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listWorkflows',
    summary: 'Who hears of what is found, in the newer shape: issue rules, and metric rules with receivers.',
    action: 'alert:read',
    query: z.object(pageQuery),
    response: z.array(restWorkflow),
    handle: async ({ app, found, query, request }) => {
      const { id } = organizationOf(found)
      const rules = (await app.meta.alertRules.listAlertRules(id)).filter(isWorkflow)
      const [{ offset }, limit] = [readCursor(query.cursor), limitOf(query, pageWorkflows)]
      const rows = await shown(app, id, rules.slice(offset, offset + limit))
      const page = pageByOffset(rows, offset, limit, rules.length > offset + limit, rules.length)
      return { body: rows, headers: pageHeaders(app.config.url, request.url, page) }
    },
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createWorkflow',
    summary: 'Creates an issue rule in the newer shape, or gives a detector of metrics its receivers.',
    action: 'alert:write',
    body: workflowBody,
    status: 201,
    response: restWorkflow,
    handle: async ({ app, found, actor, body: written }) => {
      const userId = actor.person.id
      const organizationId = organizationOf(found).id
      const of = await belongsTo(app, found, written)
      if ('rule' in of) return { body: await withReceivers(app, of.rule, written, { userId, revision: undefined }) }
      const { body, kept } = fromWorkflow(written, of.projects, await targetsOf(app, organizationId))
      const by = { organizationId, userId }
      const rule = await renamed(fieldNames, () => createAlertRule(app, by, body, kept))
      return { body: await shownOne(app, rule.id) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:workflow`,
    operationId: 'workflow',
    summary: 'One workflow.',
    action: 'alert:read',
    response: restWorkflow,
    handle: async ({ app, found, params }) => ({
      body: await shownOne(app, (await ruleOf(app, found, params.workflow)).id),
    }),
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
      const rule = await ruleOf(app, found, params.workflow)
      const by = { userId: actor.person.id, revision: revisionOf({}, request) }
      const of = await belongsTo(app, found, written)
      const isSame = 'rule' in of ? of.rule.id === rule.id : rule.kind === 'issue'
      if (!isSame)
        throw new MishapError('VALIDATION', {
          fields: { detectorIds: ['A workflow does not move between projects and detectors of metrics.'] },
        })
      if ('rule' in of) return { body: await withReceivers(app, rule, written, by) }
      const { body, kept } = fromWorkflow(written, of.projects, await targetsOf(app, rule.organizationId))
      const { name, projects, environment, actions, intervalMinutes, isActive, issue } = body
      const change = {
        name,
        projects,
        environment,
        actions,
        intervalMinutes,
        isActive,
        ...(issue ? { issue } : {}),
        revision: by.revision,
      }
      await renamed(fieldNames, () => updateAlertRule(app, rule, change, by.userId, kept))
      return { body: await shownOne(app, rule.id) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:workflow`,
    operationId: 'deleteWorkflow',
    summary: 'Deletes an issue rule, or takes the receivers of a detector of metrics away.',
    action: 'alert:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, actor, params, request }) => {
      const rule = await ruleOf(app, found, params.workflow)
      const revision = revisionOf({}, request)
      if (rule.kind === 'issue') await deleteAlertRule(app, rule, revision)
      else await updateAlertRule(app, rule, { actions: [], revision }, actor.person.id)
      return { status: 204, body: undefined }
    },
  }),
]
