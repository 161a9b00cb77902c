import type { AlertAction, IssueCondition, MetricCondition, RestAlertRule } from '../../../contract/alerts/alerts.ts'
import type { Plan } from '../../../contract/explore/explore.ts'
import type { Dataset } from '../../../domain/datasets.ts'

/** The part of a rule that a person edits. Both parts stay while the person changes between the kinds. */
export type RuleDraft = Pick<
  RestAlertRule,
  | 'name'
  | 'kind'
  | 'projects'
  | 'environment'
  | 'owner'
  | 'isActive'
  | 'actions'
  | 'intervalMinutes'
  | 'resolveMessage'
  | 'escalation'
> & { issue: IssueCondition; metric: MetricPart }

export type AlertTrigger = IssueCondition['when'][number]

/** A number field that is empty is null. */
export type MetricPart = Omit<MetricCondition, 'threshold'> & {
  threshold: Omit<MetricCondition['threshold'], 'critical'> & { critical: number | null }
}

/** What a metric rule measures, by name. `query`: any other plan. */
export const measures = ['errors', 'users', 'p95', 'failures', 'logs', 'query'] as const
type Measure = (typeof measures)[number]

export const triggerTypes = [
  'new',
  'regression',
  'escalation',
  'priority',
  'first_of_release',
  'events',
  'users',
  'rate',
  'performance',
  'feedback',
] as const satisfies readonly AlertTrigger['type'][]

const planOf = (dataset: Dataset, aggregate: string, query = ''): Plan => ({
  dataset,
  query,
  columns: [],
  groupBy: [],
  series: [{ name: 'a', aggregate }],
  formulas: [],
  order: '',
  limit: 100,
})

/** The plans of the measures that have a name. */
const plans: Readonly<Record<Exclude<Measure, 'query'>, readonly [Dataset, string]>> = {
  errors: ['errors', 'count()'],
  users: ['errors', 'count_unique(user)'],
  p95: ['spans', 'p95(span.duration)'],
  failures: ['spans', 'failure_rate()'],
  logs: ['logs', 'count()'],
}

/** The name of what a plan measures. Its filter is free. */
export function measureOf({ plan }: Pick<MetricPart, 'plan'>): Measure {
  const [series, ...others] = plan.series
  const isPlain = others.length === 0 && plan.formulas.length === 0 && plan.groupBy.length === 0 && !series?.query
  if (!isPlain) return 'query'
  const found = Object.entries(plans).find(
    ([, [dataset, aggregate]]) => dataset === plan.dataset && aggregate === series?.aggregate,
  )
  return measures.find((measure) => measure === found?.[0]) ?? 'query'
}

/** The part with another measure. The filter stays if the dataset does: other keys would not fit. */
export function withMeasure(part: MetricPart, measure: Measure): MetricPart {
  if (measure === 'query') return part
  const [dataset, aggregate] = plans[measure]
  const query = part.plan.dataset === dataset ? part.plan.query : ''
  return { ...part, plan: planOf(dataset, aggregate, query), of: 'a' }
}

/** The unit of a rule's values, for `measureText`; null for counts and unknown units. */
export function unitOf({ plan, of, threshold }: MetricPart): string | null {
  if (threshold.type === 'change') return 'percent'
  const aggregate = plan.series.find(({ name }) => name === of)?.aggregate ?? ''
  if (/^(failure_rate|share)\(/.test(aggregate)) return 'ratio'
  return /^(p\d+|avg|min|max)\((span\.duration|span\.self_time)?\)$/.test(aggregate) && plan.dataset === 'spans'
    ? 'millisecond'
    : null
}

const issuePart: IssueCondition = {
  when: [{ type: 'new' }],
  match: 'any',
  filter: '',
  unless: { noise: true, skew: false, quietHours: null },
}

const metricPart: MetricPart = {
  plan: planOf('errors', 'count()'),
  of: 'a',
  windowMinutes: 10,
  threshold: { type: 'fixed', direction: 'above', warning: null, critical: 50, resolve: null },
  minimum: 0,
  missing: 'resolve',
}

/** A rule that nobody has changed yet. */
export const emptyDraft: RuleDraft = {
  name: '',
  kind: 'issue',
  projects: [],
  environment: null,
  owner: null,
  isActive: true,
  issue: issuePart,
  metric: metricPart,
  actions: [],
  intervalMinutes: 60,
  resolveMessage: true,
  escalation: [],
}

/** The fields of a stored rule. */
export function draftOf(rule: RestAlertRule): RuleDraft {
  const { name, kind, projects, environment, owner, isActive, actions, intervalMinutes, resolveMessage, escalation } =
    rule
  return {
    name,
    kind,
    projects,
    environment,
    owner,
    isActive,
    actions,
    intervalMinutes,
    resolveMessage,
    escalation,
    issue: rule.issue ?? issuePart,
    metric: rule.metric ?? metricPart,
  }
}

/** The body that stores a draft: only the part of its kind, which no change of a rule can turn into the other. */
export function bodyOf({ kind, issue, metric, ...draft }: RuleDraft) {
  return { ...draft, name: draft.name.trim(), ...(kind === 'issue' ? { issue } : { metric }) }
}

/** Whether two drafts would be stored alike. */
export const isSame = (a: RuleDraft, b: RuleDraft): boolean => JSON.stringify(bodyOf(a)) === JSON.stringify(bodyOf(b))

/** A trigger of a type with its first numbers. */
export function triggerOf(type: AlertTrigger['type']): AlertTrigger {
  if (type === 'events') return { type, count: 100, windowMinutes: 60 }
  if (type === 'users') return { type, count: 10, windowMinutes: 60 }
  if (type === 'rate') return { type, percent: 100, windowMinutes: 60, before: 'week' }
  return { type }
}

/** The search of a draft: over issues and their events, or over the dataset of its plan. */
export const filterOf = ({ kind, issue, metric }: RuleDraft): string =>
  kind === 'issue' ? issue.filter : metric.plan.query

/** The draft with another search. */
export const withFilter = (draft: RuleDraft, filter: string): RuleDraft =>
  draft.kind === 'issue'
    ? { ...draft, issue: { ...draft.issue, filter } }
    : { ...draft, metric: { ...draft.metric, plan: { ...draft.metric.plan, query: filter } } }

/** The identity of an action: two equal ones would notify twice. */
export function actionKey(action: AlertAction): string {
  if (action.type === 'channel') return `channel:${action.channel}`
  if (action.type === 'person') return `person:${action.person}`
  if (action.type === 'on_call') return `on_call:${action.schedule}`
  if (action.type === 'tracker') return `tracker:${action.tracker}`
  return action.type
}

/** Fields of a draft that cannot be stored, as paths of the REST body. The server checks all others. */
export function mistakesIn(draft: RuleDraft): ('name' | 'metric.threshold.critical' | 'actions')[] {
  return [
    ...(draft.name.trim() === '' ? (['name'] as const) : []),
    ...(draft.kind === 'metric' && draft.metric.threshold.critical === null
      ? (['metric.threshold.critical'] as const)
      : []),
    ...(draft.actions.length === 0 ? (['actions'] as const) : []),
  ]
}

/** The sentences at a field and at the fields in it. `metric` also has those of `metric.plan.query`. */
export function errorsAt(fields: Readonly<Record<string, string[]>>, ...paths: string[]): string[] {
  return Object.entries(fields).flatMap(([field, sentences]) =>
    paths.some((path) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`))
      ? sentences
      : [],
  )
}
