import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  metricRuleBody,
  type RestMetricRule,
  restCombinedRule,
  restMetricRule,
} from '../../contract/alerts/metric-rules.ts'
import { createAlertRule, deleteAlertRule, updateAlertRule } from '../../operations/alert-rules.ts'
import type { App } from '../../processes/parts.ts'
import { alertRulesPage, toRestAlertRules } from '../../query/alerts/alert-rules.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { revisionOf } from '../input.ts'
import { pageHeaders } from '../page.ts'
import { type Found, limitOf, organizationOf, pageQuery, type Route, route } from '../route.ts'
import { ruleNamed } from './rule-named.ts'
import { toIssueRule } from './shapes/issue-rule.ts'
import { fromMetricRule, toMetricRule, withGroups } from './shapes/metric-rule.ts'
import { renamed } from './shapes/part.ts'
import { targetsOf } from './shapes/targets.ts'

const path = '/organizations/:org/alert-rules'
const pageRules = 100

/** Fields of a rule by their names in this shape. */
const fieldNames = {
  'metric.plan': 'aggregate',
  'metric.threshold': 'triggers',
  actions: 'triggers',
  metric: 'aggregate',
}

const ruleOf = (app: App, found: Found, id: string | undefined): Promise<AlertRule> =>
  ruleNamed(app, found, id, 'metric')

async function shownOne(app: App, rule: AlertRule): Promise<RestMetricRule> {
  const [one] = await toRestAlertRules(app, rule.organizationId, [rule])
  if (!one) throw new MishapError('NOT_FOUND')
  return toMetricRule(one, rule.organizationId, await targetsOf(app, rule.organizationId), app.clock.now())
}

/** Metric rules in the older shape, and both kinds in one list. The rules are those of `alerts/`. */
export const metricRuleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listMetricRules',
    summary: 'Metric rules in the older shape.',
    action: 'alert:read',
    query: z.object(pageQuery),
    response: z.array(restMetricRule),
    handle: async ({ app, found, query, request }) => {
      const { id } = organizationOf(found)
      const filter = { kind: 'metric' as const, projectIds: [] }
      const page = await alertRulesPage(app, id, filter, { cursor: query.cursor, limit: limitOf(query, pageRules) })
      const targets = await targetsOf(app, id)
      const body = page.rows.map((rule) => toMetricRule(rule, id, targets, app.clock.now()))
      return { body, headers: pageHeaders(app.config.url, request.url, page) }
    },
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createMetricRule',
    summary: 'Creates a metric rule in the older shape. What Mishap cannot evaluate makes it inactive.',
    action: 'alert:write',
    body: metricRuleBody,
    status: 201,
    response: restMetricRule,
    handle: async ({ app, found, actor, body: written }) => {
      const by = { organizationId: organizationOf(found).id, userId: actor.person.id }
      const { body, kept } = fromMetricRule(written, await targetsOf(app, by.organizationId))
      return { body: await shownOne(app, await renamed(fieldNames, () => createAlertRule(app, by, body, kept))) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:rule`,
    operationId: 'metricRule',
    summary: 'One metric rule in the older shape.',
    action: 'alert:read',
    response: restMetricRule,
    handle: async ({ app, found, params }) => ({ body: await shownOne(app, await ruleOf(app, found, params.rule)) }),
  }),
  route({
    method: 'PUT',
    path: `${path}/:rule`,
    operationId: 'updateMetricRule',
    summary: 'Replaces a metric rule in the older shape. 409 if If-Match is outdated.',
    action: 'alert:write',
    body: metricRuleBody,
    response: restMetricRule,
    handle: async ({ app, found, actor, params, body: written, request }) => {
      const rule = await ruleOf(app, found, params.rule)
      const { body, kept } = fromMetricRule(written, await targetsOf(app, rule.organizationId))
      const { name, projects, environment, owner, actions, metric } = body
      const isLost = kept.unevaluable.length > 0
      const change = {
        name,
        projects,
        environment,
        owner,
        actions,
        ...(metric ? { metric: withGroups(metric, rule) } : {}),
        ...(isLost ? { isActive: false } : rule.definition.unevaluable.length > 0 ? { isActive: true } : {}),
        revision: revisionOf({}, request),
      }
      const changed = await renamed(fieldNames, () => updateAlertRule(app, rule, change, actor.person.id, kept))
      return { body: await shownOne(app, changed) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:rule`,
    operationId: 'deleteMetricRule',
    summary: 'Deletes a metric rule.',
    action: 'alert:write',
    status: 202,
    response: z.strictObject({}),
    handle: async ({ app, found, params, request }) => {
      await deleteAlertRule(app, await ruleOf(app, found, params.rule), revisionOf({}, request))
      return { status: 202, body: {} }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/combined-rules',
    operationId: 'listCombinedRules',
    summary: 'Issue and metric rules by name, each in its older shape with its type.',
    action: 'alert:read',
    query: z.object(pageQuery),
    response: z.array(restCombinedRule),
    handle: async ({ app, found, query, request }) => {
      const { id } = organizationOf(found)
      const page = await alertRulesPage(
        app,
        id,
        { projectIds: [] },
        { cursor: query.cursor, limit: limitOf(query, pageRules) },
      )
      const targets = await targetsOf(app, id)
      const nowMs = app.clock.now()
      const body = page.rows.map((rule) =>
        rule.kind === 'issue'
          ? { type: 'rule', ...toIssueRule(rule, targets, nowMs) }
          : { type: 'alert_rule', ...toMetricRule(rule, id, targets, nowMs) },
      )
      return { body, headers: pageHeaders(app.config.url, request.url, page) }
    },
  }),
]
