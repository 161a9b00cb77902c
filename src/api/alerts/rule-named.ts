import { MishapError } from '../../base/errors.ts'
import type { App } from '../../processes/parts.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { type Found, organizationOf } from '../route.ts'

/** Returns the alert rule of a path in its organization. Throws NOT_FOUND, also for a rule of another kind. */
export async function ruleNamed(
  app: App,
  found: Found,
  id: string | undefined,
  kind?: AlertRule['kind'],
): Promise<AlertRule> {
  const rule = /^\d{1,15}$/.test(id ?? '') ? await app.meta.alertRules.alertRuleById(Number(id)) : undefined
  if (!rule || rule.organizationId !== organizationOf(found).id || (kind !== undefined && rule.kind !== kind))
    throw new MishapError('NOT_FOUND')
  return rule
}
