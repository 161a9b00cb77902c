import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  detectorBody,
  type RestDetector,
  restDetector,
  type WrittenDetector,
} from '../../contract/explore/detectors.ts'
import { createAlertRule, deleteAlertRule, updateAlertRule } from '../../operations/alert-rules.ts'
import type { App } from '../../processes/parts.ts'
import { toRestAlertRules } from '../../query/alerts/alert-rules.ts'
import { readCursor, sliceByOffset } from '../../query/cursor.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import type { Project } from '../../store/meta/meta.ts'
import { revisionOf } from '../input.ts'
import { pageHeaders } from '../page.ts'
import { type Found, limitOf, organizationOf, pageQuery, type Route, route } from '../route.ts'
import { ruleNamed } from './rule-named.ts'
import { fromDetector, projectDetector, projectOfDetector, toDetector } from './shapes/detector.ts'
import { withUnnamed } from './shapes/metric-rule.ts'
import { renamed } from './shapes/part.ts'
import { workflowIdsOf } from './shapes/workflow-ids.ts'

const path = '/organizations/:org/detectors'
const pageDetectors = 100
const fieldNames = { 'metric.plan': 'dataSources', 'metric.threshold': 'conditionGroup', metric: 'dataSources' }

const ruleOf = (app: App, found: Found, id: string | undefined): Promise<AlertRule> =>
  ruleNamed(app, found, id, 'metric')

/** All detectors of an organization: those of its projects, then its metric rules by name. */
async function detectorsOf(app: App, organizationId: number): Promise<RestDetector[]> {
  const projects = await app.meta.projects.projectsOf(organizationId)
  const stored = await app.meta.alertRules.listAlertRules(organizationId)
  const workflowIds = new Map(stored.map((rule) => [String(rule.id), workflowIdsOf(rule)]))
  const rules = await toRestAlertRules(app, organizationId, stored)
  const workflowsOf = ({ slug }: Project) =>
    rules.filter(({ kind, projects: watched }) => kind === 'issue' && watched.includes(slug)).map(({ id }) => id)
  return [
    ...projects.map((project) => projectDetector(project, workflowsOf(project))),
    ...rules
      .filter(({ kind }) => kind === 'metric')
      .map((rule) => toDetector(rule, projects, workflowIds.get(rule.id) ?? [])),
  ]
}

async function detectorOf(app: App, organizationId: number, id: string): Promise<RestDetector> {
  const detector = (await detectorsOf(app, organizationId)).find((detector) => detector.id === id)
  if (!detector) throw new MishapError('NOT_FOUND')
  return detector
}

/** The project of a body, by its id or slug. Throws VALIDATION. */
async function projectNamed(app: App, organizationId: number, name: string | number | undefined): Promise<Project> {
  const projects = await app.meta.projects.projectsOf(organizationId)
  const project = projects.find(({ id, slug }) => String(id) === String(name) || slug === name)
  if (!project) throw new MishapError('VALIDATION', { fields: { projectId: ['There is no such project.'] } })
  return project
}

/**
 * The projects of a rule after a change; undefined: as before. This shape shows the first of several projects, and none
 * for all, so one that is sent as it was shown means the projects that the rule has.
 */
async function projectsAfter(app: App, rule: AlertRule, name: string | number | undefined) {
  if (name === undefined || name === '') return undefined
  const { id, slug } = await projectNamed(app, rule.organizationId, name)
  const { projectId } = await detectorOf(app, rule.organizationId, String(rule.id))
  return projectId === String(id) ? undefined : [slug]
}

async function created(
  app: App,
  by: { organizationId: number; userId: string },
  written: WrittenDetector,
  name: string,
) {
  const project = await projectNamed(app, by.organizationId, name)
  const { body, kept } = fromDetector(written, [project.slug])
  const rule = await renamed(fieldNames, () => createAlertRule(app, by, body, kept))
  return { body: await detectorOf(app, by.organizationId, String(rule.id)) }
}

/** Detectors: what is watched, in the newer shape of the API. */
export const detectorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listDetectors',
    summary: 'What is watched, in the newer shape: the issues of each project, and the metric rules.',
    action: 'alert:read',
    query: z.object({
      ...pageQuery,
      project: z.array(z.string().max(50)).max(200).describe('Id of a project, repeated; none: all.'),
      query: z.string().max(200).optional().describe('Text of names, and type:metric_issue or type:issue_stream.'),
    }),
    response: z.array(restDetector),
    handle: async ({ app, found, query, request }) => {
      const words = (query.query ?? '').toLowerCase().split(/\s+/).filter(Boolean)
      const isFound = ({ type, name, projectId }: RestDetector) =>
        (query.project.length === 0 || query.project.includes(projectId)) &&
        words.every((word) =>
          word.startsWith('type:') ? type === word.slice('type:'.length) : name.toLowerCase().includes(word),
        )
      const { id } = organizationOf(found)
      const detectors = (await detectorsOf(app, id)).filter(isFound)
      const [{ offset }, limit] = [readCursor(query.cursor), limitOf(query, pageDetectors)]
      const page = sliceByOffset(detectors, offset, limit)
      return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
    },
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createDetector',
    summary: 'Creates a detector of metrics. Its receivers are a workflow.',
    action: 'alert:write',
    body: detectorBody,
    status: 201,
    response: restDetector,
    handle: ({ app, found, actor, body }) =>
      created(app, { organizationId: organizationOf(found).id, userId: actor.person.id }, body, String(body.projectId)),
  }),
  route({
    method: 'POST',
    path: '/organizations/:org/projects/:named/detectors',
    operationId: 'createProjectDetector',
    summary: 'Creates a detector of metrics in a project.',
    action: 'alert:write',
    body: detectorBody,
    status: 201,
    response: restDetector,
    handle: ({ app, found, actor, body, params }) =>
      created(app, { organizationId: organizationOf(found).id, userId: actor.person.id }, body, params.named ?? ''),
  }),
  route({
    method: 'GET',
    path: `${path}/:detector`,
    operationId: 'detector',
    summary: 'One detector.',
    action: 'alert:read',
    response: restDetector,
    handle: async ({ app, found, params }) => ({
      body: await detectorOf(app, organizationOf(found).id, params.detector ?? ''),
    }),
  }),
  route({
    method: 'PUT',
    path: `${path}/:detector`,
    operationId: 'updateDetector',
    summary: 'Replaces a detector of metrics. Its receivers stay. 409 if If-Match is outdated.',
    action: 'alert:write',
    body: detectorBody,
    response: restDetector,
    handle: async ({ app, found, actor, params, body: written, request }) => {
      if (projectOfDetector(params.detector ?? '') !== undefined)
        throw new MishapError('VALIDATION', { fields: { type: ['The detector of a project does not change.'] } })
      const rule = await ruleOf(app, found, params.detector)
      const slugs = await projectsAfter(app, rule, written.projectId)
      const { body, kept } = fromDetector(written, slugs ?? [])
      const { name, environment, owner, metric, isActive } = body
      const change = {
        name,
        ...(slugs ? { projects: slugs } : {}),
        environment,
        owner,
        ...(metric ? { metric: withUnnamed(metric, rule) } : {}),
        isActive: isActive && kept.unevaluable.length === 0,
        revision: revisionOf({}, request),
      }
      await renamed(fieldNames, () => updateAlertRule(app, rule, change, actor.person.id, kept))
      return { body: await detectorOf(app, rule.organizationId, String(rule.id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:detector`,
    operationId: 'deleteDetector',
    summary: 'Deletes a detector of metrics with its receivers.',
    action: 'alert:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params, request }) => {
      await deleteAlertRule(app, await ruleOf(app, found, params.detector), revisionOf({}, request))
      return { status: 204, body: undefined }
    },
  }),
]
