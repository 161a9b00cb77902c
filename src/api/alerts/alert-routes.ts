import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { MishapError } from '../../base/errors.ts'
import { alertRuleChangeBody, newAlertRuleBody, restAlertRule, ruleStatus } from '../../contract/alerts/alerts.ts'
import { createAlertRule, deleteAlertRule, restoreAlertRule, updateAlertRule } from '../../operations/alert-rules.ts'
import { demandChange, revisionOf } from '../input.ts'
import { type Found, organizationOf, pageQuery, type Route, route } from '../route.ts'
import { restRule, rulePage } from './rule-answers.ts'
import { ruleIdOf, ruleNamed } from './rule-named.ts'

const path = '/organizations/:org/alerts'

const authorOf = (found: Found, actor: Actor) => ({
  organizationId: organizationOf(found).id,
  userId: actor.person.id,
})

/** Alert rules. */
export const alertRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listAlertRules',
    summary: 'Alert rules by name, with their states.',
    action: 'alert:read',
    query: z.object({
      ...pageQuery,
      query: z.string().max(200).optional().describe('Text that names must contain.'),
      kind: z.enum(['issue', 'metric']).optional(),
      status: ruleStatus.optional(),
      project: z.array(z.string().max(50)).max(200).describe('Slug of a project, repeated; none: all.'),
    }),
    response: z.array(restAlertRule),
    handle: async ({ app, found, query, request }) => {
      const { id } = organizationOf(found)
      const named = (await app.meta.projects.projectsOf(id)).filter(({ slug }) => query.project.includes(slug))
      if (named.length < new Set(query.project).size)
        throw new MishapError('VALIDATION', { fields: { project: ['There is no such project.'] } })
      const filter = { ...query, projectIds: named.map((project) => project.id) }
      return rulePage({ app, found, query, request }, filter)
    },
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createAlertRule',
    summary: 'Creates an alert rule. Answers 400 with each field that is wrong; nothing of a refused rule is stored.',
    action: 'alert:write',
    body: newAlertRuleBody,
    status: 201,
    response: restAlertRule,
    handle: async ({ app, found, actor, body }) => ({
      body: await restRule(app, await createAlertRule(app, authorOf(found, actor), body)),
    }),
  }),
  route({
    method: 'GET',
    path: `${path}/:alert`,
    operationId: 'alertRule',
    summary: 'One alert rule with its state.',
    action: 'alert:read',
    response: restAlertRule,
    handle: async ({ app, found, params }) => ({
      body: await restRule(app, await ruleNamed(app, found, params.alert)),
    }),
  }),
  route({
    method: 'PUT',
    path: `${path}/:alert`,
    operationId: 'updateAlertRule',
    summary: 'Changes the given fields, or mutes the rule. 409 if `revision` or If-Match is outdated.',
    action: 'alert:write',
    body: alertRuleChangeBody,
    response: restAlertRule,
    handle: async ({ app, found, actor, params, body, request }) => {
      demandChange(alertRuleChangeBody, body)
      const change = { ...body, revision: revisionOf(body, request) }
      const rule = await ruleNamed(app, found, params.alert)
      return { body: await restRule(app, await updateAlertRule(app, rule, change, actor.person.id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:alert`,
    operationId: 'deleteAlertRule',
    summary: 'Deletes an alert rule. It can be restored for a day. 409 if If-Match is outdated.',
    action: 'alert:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params, request }) => {
      await deleteAlertRule(app, await ruleNamed(app, found, params.alert), revisionOf({}, request))
      return { status: 204, body: undefined }
    },
  }),
  route({
    method: 'POST',
    path: `${path}/:alert/restore`,
    operationId: 'restoreAlertRule',
    summary: 'Brings back a rule that was deleted within a day, as it was and with its id. Its firings are gone.',
    action: 'alert:write',
    response: restAlertRule,
    handle: async ({ app, found, params }) => ({
      body: await restRule(app, await restoreAlertRule(app, organizationOf(found).id, ruleIdOf(params.alert))),
    }),
  }),
]
