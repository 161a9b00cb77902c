import { z } from 'zod'
import { metricRuleBody, restCombinedRule, restMetricRule } from '../../contract/alerts/metric-rules.ts'
import { createAlertRule, deleteAlertRule, updateAlertRule } from '../../operations/alert-rules.ts'
import type { App } from '../../processes/parts.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { revisionOf } from '../input.ts'
import { type Found, organizationOf, pageQuery, type Route, route } from '../route.ts'
import { activeAfter, shapedPage, shapedRule } from './rule-answers.ts'
import { ruleNamed } from './rule-named.ts'
import { toIssueRule } from './shapes/issue-rule.ts'
import { fromMetricRule, toMetricRule, withUnnamed } from './shapes/metric-rule.ts'
import { renamed } from './shapes/part.ts'
import { targetsOf } from './shapes/targets.ts'

const path = '/organizations/:org/alert-rules'

/** Fields of a rule by their names in this shape. */
const fieldNames = {
  'metric.plan': 'aggregate',
  'metric.threshold': 'triggers',
  actions: 'triggers',
  metric: 'aggregate',
}

const ruleOf = (app: App, found: Found, id: string | undefined): Promise<AlertRule> =>
  ruleNamed(app, found, id, 'metric')

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
    handle: (call) => shapedPage(call, { kind: 'metric', projectIds: [] }, toMetricRule),
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
      const rule = await renamed(fieldNames, () => createAlertRule(app, by, body, kept))
      return { body: await shapedRule(app, rule, toMetricRule) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:rule`,
    operationId: 'metricRule',
    summary: 'One metric rule in the older shape.',
    action: 'alert:read',
    response: restMetricRule,
    handle: async ({ app, found, params }) => ({
      body: await shapedRule(app, await ruleOf(app, found, params.rule), toMetricRule),
    }),
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
      const change = {
        name,
        projects,
        environment,
        owner,
        actions,
        ...(metric ? { metric: withUnnamed(metric, rule) } : {}),
        ...activeAfter(rule, kept.unevaluable),
        revision: revisionOf({}, request),
      }
      const changed = await renamed(fieldNames, () => updateAlertRule(app, rule, change, actor.person.id, kept))
      return { body: await shapedRule(app, changed, toMetricRule) }
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
    handle: (call) =>
      shapedPage(call, { projectIds: [] }, (rule, targets, nowMs, organizationId) =>
        rule.kind === 'issue'
          ? { type: 'rule', ...toIssueRule(rule, targets, nowMs) }
          : { type: 'alert_rule', ...toMetricRule(rule, targets, nowMs, organizationId) },
      ),
  }),
]
