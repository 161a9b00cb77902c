import type { RuleStatus } from '../../../contract/alerts/alerts.ts'

export const ruleStatuses = [
  'critical',
  'warning',
  'not_evaluated',
  'waiting',
  'ok',
  'inactive',
] as const satisfies readonly RuleStatus[]

/** Rules of a page. */
export const pageRules = 50

/** The state of the list, as in its URL. */
export type AlertListParams = { q: string; status: RuleStatus | ''; project: string; at: number }

/** Reads the query string. Unknown values fall back to the whole list. */
export function alertListParams(search: URLSearchParams): AlertListParams {
  const at = Number(search.get('at') ?? '')
  return {
    q: (search.get('q') ?? '').slice(0, 200),
    status: ruleStatuses.find((status) => status === search.get('status')) ?? '',
    project: search.get('project') ?? '',
    at: Number.isInteger(at) && at > 0 && at <= 1e6 ? at : 0,
  }
}

/** Whether the list shows everything from its start. Without rules it is then empty, not filtered away. */
export const isWhole = ({ q, status, project, at }: AlertListParams): boolean =>
  q === '' && status === '' && project === '' && at === 0
