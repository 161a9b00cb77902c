import { MishapError } from '../../base/errors.ts'
import type { RestAlertRule } from '../../contract/alerts/alerts.ts'
import type { App } from '../../processes/parts.ts'
import { type AlertRuleFilter, alertRulesPage, toRestAlertRules } from '../../query/alerts/alert-rules.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { pageHeaders } from '../page.ts'
import { type Call, limitOf, organizationOf } from '../route.ts'
import { type Targets, targetsOf } from './shapes/targets.ts'

/** Rules of a page without a limit. */
const pageRules = 100

/** Converts a rule to another shape. `targets`: what its receivers can name. */
type ToShape<Shape> = (rule: RestAlertRule, targets: Targets, nowMs: number, organizationId: number) => Shape

/** Converts one rule to the API's own shape. Throws NOT_FOUND if its organization is gone. */
export async function restRule(app: App, rule: AlertRule): Promise<RestAlertRule> {
  const [rest] = await toRestAlertRules(app, rule.organizationId, [rule])
  if (!rest) throw new MishapError('NOT_FOUND')
  return rest
}

/** Converts one rule to another shape. */
export async function shapedRule<Shape>(app: App, rule: AlertRule, toShape: ToShape<Shape>): Promise<Shape> {
  const { organizationId } = rule
  return toShape(await restRule(app, rule), await targetsOf(app, organizationId), app.clock.now(), organizationId)
}

type PageQuery = { cursor?: string | undefined; limit?: string | undefined; per_page?: string | undefined }
type PageCall = Pick<Call<PageQuery, unknown>, 'app' | 'found' | 'query' | 'request'>

/** Answers a page of the rules of the path's organization, by name, in the API's own shape. */
export async function rulePage({ app, found, query, request }: PageCall, filter: AlertRuleFilter) {
  const at = { cursor: query.cursor, limit: limitOf(query, pageRules) }
  const page = await alertRulesPage(app, organizationOf(found).id, filter, at)
  return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
}

/** Answers a page of the rules of the path's organization, by name, in another shape. */
export async function shapedPage<Shape>(call: PageCall, filter: AlertRuleFilter, toShape: ToShape<Shape>) {
  const { body, headers } = await rulePage(call, filter)
  const { id } = organizationOf(call.found)
  const targets = await targetsOf(call.app, id)
  const nowMs = call.app.clock.now()
  return { body: body.map((rule) => toShape(rule, targets, nowMs, id)), headers }
}

/**
 * Whether a rule is active after another shape replaced it. A rule that cannot be evaluated is not, and begins when it can.
 * Otherwise it stays as it is: the older shapes have no switch.
 */
export function activeAfter(rule: AlertRule, unevaluable: readonly string[]): { isActive?: boolean } {
  if (unevaluable.length > 0) return { isActive: false }
  return rule.definition.unevaluable.length > 0 ? { isActive: true } : {}
}
