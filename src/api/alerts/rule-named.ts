import { MishapError } from '../../base/errors.ts'
import type { App } from '../../processes/parts.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import { type Found, organizationOf } from '../route.ts'

/** Returns the id of a rule in a path; -1, which no rule has, for another text. */
export const ruleIdOf = (id: string | undefined): number => (/^\d{1,15}$/.test(id ?? '') ? Number(id) : -1)

/** Returns the alert rule of a path in its organization. Throws NOT_FOUND, also for a rule of another kind. */
export async function ruleNamed(
  app: App,
  found: Found,
  id: string | undefined,
  kind?: AlertRule['kind'],
): Promise<AlertRule> {
  const rule = await app.meta.alertRules.alertRuleById(ruleIdOf(id))
  if (!rule || rule.organizationId !== organizationOf(found).id || (kind !== undefined && rule.kind !== kind))
    throw new MishapError('NOT_FOUND')
  return rule
}
