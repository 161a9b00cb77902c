import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { issueRuleBody, restIssueRule, type WrittenIssueRule } from '../../contract/alerts/issue-rules.ts'
import { createAlertRule, deleteAlertRule, updateAlertRule } from '../../operations/alert-rules.ts'
import type { App } from '../../processes/parts.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { revisionOf } from '../input.ts'
import { type Found, organizationOf, pageQuery, projectOf, type Route, route } from '../route.ts'
import { activeAfter, shapedPage, shapedRule } from './rule-answers.ts'
import { ruleNamed } from './rule-named.ts'
import { fromIssueRule, toIssueRule } from './shapes/issue-rule.ts'
import { renamed } from './shapes/part.ts'
import { targetsOf } from './shapes/targets.ts'

const path = '/projects/:org/:project/rules'

/** Fields of a rule by their names in this shape. */
const fieldNames = { issue: 'conditions', 'issue.filter': 'filters', intervalMinutes: 'frequency' }

/** Returns the issue rule of the path. Throws NOT_FOUND if it does not watch the project. */
async function ruleOf(app: App, found: Found, id: string | undefined): Promise<AlertRule> {
  const rule = await ruleNamed(app, found, id, 'issue')
  const watches = rule.definition.projectIds
  if (watches.length > 0 && !watches.includes(projectOf(found).id)) throw new MishapError('NOT_FOUND')
  return rule
}

/** The projects of a body: those that it names, else the one of the path. */
const slugsOf = (found: Found, { projects }: WrittenIssueRule): string[] =>
  projects.length > 0 ? [...projects] : [projectOf(found).slug]

/** Issue rules in the older shape, for Terraform and other clients. The rules are those of `alerts/`. */
export const issueRuleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listIssueRules',
    summary: 'Issue rules that watch a project, in the older shape.',
    action: 'alert:read',
    query: z.object(pageQuery),
    response: z.array(restIssueRule),
    handle: (call) => shapedPage(call, { kind: 'issue', projectIds: [projectOf(call.found).id] }, toIssueRule),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createIssueRule',
    summary: 'Creates an issue rule in the older shape. A condition that Mishap cannot evaluate makes it inactive.',
    action: 'alert:write',
    body: issueRuleBody,
    status: 201,
    response: restIssueRule,
    handle: async ({ app, found, actor, body: written }) => {
      const by = { organizationId: organizationOf(found).id, userId: actor.person.id }
      const { body, kept } = fromIssueRule(written, slugsOf(found, written), await targetsOf(app, by.organizationId))
      const rule = await renamed(fieldNames, () => createAlertRule(app, by, body, kept))
      return { body: await shapedRule(app, rule, toIssueRule) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:rule`,
    operationId: 'issueRule',
    summary: 'One issue rule in the older shape.',
    action: 'alert:read',
    response: restIssueRule,
    handle: async ({ app, found, params }) => ({
      body: await shapedRule(app, await ruleOf(app, found, params.rule), toIssueRule),
    }),
  }),
  route({
    method: 'PUT',
    path: `${path}/:rule`,
    operationId: 'updateIssueRule',
    summary: 'Replaces an issue rule in the older shape. 409 if If-Match is outdated.',
    action: 'alert:write',
    body: issueRuleBody,
    response: restIssueRule,
    handle: async ({ app, found, actor, params, body: written, request }) => {
      const rule = await ruleOf(app, found, params.rule)
      const targets = await targetsOf(app, rule.organizationId)
      const slugs = written.projects.length > 0 ? [...written.projects] : undefined
      const { body, kept } = fromIssueRule(written, slugs ?? [], targets)
      const { name, environment, owner, issue, actions, intervalMinutes } = body
      // This shape has no name for escalation, the message of an end, noise, skew and quiet hours: they stay.
      const { unless } = rule.definition.issue ?? issue ?? {}
      const change = {
        name,
        environment,
        owner,
        actions,
        intervalMinutes,
        ...(issue ? { issue: { ...issue, unless: unless ?? issue.unless } } : {}),
        ...(slugs ? { projects: slugs } : {}),
        ...activeAfter(rule, kept.unevaluable),
        revision: revisionOf({}, request),
      }
      const changed = await renamed(fieldNames, () => updateAlertRule(app, rule, change, actor.person.id, kept))
      return { body: await shapedRule(app, changed, toIssueRule) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:rule`,
    operationId: 'deleteIssueRule',
    summary: 'Deletes an issue rule.',
    action: 'alert:write',
    status: 202,
    response: z.strictObject({}),
    handle: async ({ app, found, params, request }) => {
      await deleteAlertRule(app, await ruleOf(app, found, params.rule), revisionOf({}, request))
      return { status: 202, body: {} }
    },
  }),
]
