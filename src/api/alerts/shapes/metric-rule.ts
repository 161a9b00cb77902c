import { z } from 'zod'
import { MishapError } from '../../../base/errors.ts'
import type { AlertAction, MetricCondition, NewAlertRuleBody, RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { metricRuleBody, type RestMetricRule, type WrittenMetricRule } from '../../../contract/alerts/metric-rules.ts'
import type { Dataset } from '../../../domain/datasets.ts'
import type { AlertRule } from '../../../store/meta/alerts/rules.ts'
import type { Kept } from './issue-rule.ts'
import {
  distinct,
  errorsOf,
  meansReceivers,
  ownReceiver,
  type Part,
  type Reading,
  readParts,
  readReceiver,
  textOf,
} from './part.ts'
import { channelAction, mailAction, type Targets } from './targets.ts'

// organizations/{org}/alert-rules/: the older shape of metric rules.

/** Datasets of this shape. null: sessions and metrics that Mishap has no plan over. */
const datasets: Readonly<Record<string, Dataset | null>> = {
  events: 'errors',
  errors: 'errors',
  transactions: 'spans',
  generic_metrics: 'spans',
  events_analytics_platform: 'spans',
  spans: 'spans',
  ourlogs: 'logs',
  logs: 'logs',
  tracemetrics: 'metrics',
  sessions: null,
  metrics: null,
  discover: null,
}
export const datasetNames: Readonly<Record<Dataset, string>> = {
  errors: 'events',
  spans: 'events_analytics_platform',
  logs: 'ourlogs',
  metrics: 'tracemetrics',
  outcomes: 'outcomes',
}
export const befores: Readonly<Record<number, 'hour' | 'day' | 'week'>> = { 60: 'hour', 1440: 'day', 10080: 'week' }
export const deltas = { hour: 60, day: 1440, week: 10_080 } as const

/** Clients of older SDKs call the duration of a segment so. */
const aggregateOf = (aggregate: string): string => aggregate.replaceAll('transaction.duration', 'span.duration')

/** The plan of one aggregate. Throws VALIDATION for an unknown dataset; `unevaluable` names one that has no plan. */
export function metricPlan({
  dataset: name,
  query,
  aggregate,
}: {
  dataset: string
  query: string
  aggregate: string
}): {
  plan: MetricCondition['plan']
  unevaluable: string[]
} {
  const dataset = Object.hasOwn(datasets, name) ? datasets[name] : undefined
  if (dataset === undefined)
    throw new MishapError('VALIDATION', { fields: { dataset: [`Unknown dataset ${JSON.stringify(name)}.`] } })
  const isAsked = dataset !== null
  return {
    plan: {
      dataset: dataset ?? 'errors',
      // What cannot be asked is kept in `original` only.
      query: isAsked ? query : '',
      columns: [],
      groupBy: [],
      series: [{ name: 'a', aggregate: isAsked ? aggregateOf(aggregate) : 'count()' }],
      formulas: [],
      order: '',
      limit: 1,
    },
    unevaluable: isAsked ? [] : [`the dataset ${name}`],
  }
}

/** The condition with what this shape has no name for, and must not remove: groups, minimum volume and missing data. */
export function withUnnamed(metric: MetricCondition, { definition }: AlertRule): MetricCondition {
  const before = definition.metric
  if (before?.plan.dataset !== metric.plan.dataset) return metric
  const { minimum, missing, plan } = before
  const { groupBy, order, limit } = plan
  return { ...metric, minimum, missing, plan: { ...metric.plan, groupBy, order, limit } }
}

/** The filter and the aggregate of a plan's deciding series, as one query. */
export function askedOf(metric: MetricCondition | null): { query: string; aggregate: string } {
  const { plan, of } = metric ?? {}
  const series = plan?.series.find(({ name }) => name === of)
  const expression = plan?.formulas.find(({ name }) => name === of)?.expression
  return {
    query: [plan?.query, series?.query].filter(Boolean).join(' '),
    aggregate: series?.aggregate ?? expression ?? '',
  }
}

function readAction(part: Part, targets: Targets): Reading<AlertAction> {
  const [target, integration] = [textOf(part, 'targetIdentifier'), textOf(part, 'integrationId')]
  switch (textOf(part, 'type')) {
    case 'email':
      return mailAction(targets, textOf(part, 'targetType'), target)
    case 'slack':
      return channelAction(targets, ['slack', 'slack_app'], [target, integration])
    case 'pagerduty':
      return channelAction(targets, ['pagerduty'], [target, integration])
    case 'opsgenie':
      return channelAction(targets, ['opsgenie'], [target, integration])
    case 'discord':
      return channelAction(targets, ['discord'], [target, integration])
    case 'msteams':
      return channelAction(targets, ['teams'], [target, integration])
    case 'sentry_app':
      return { unevaluable: 'a Sentry app' }
    case 'channel':
      return channelAction(
        targets,
        targets.channels.map(({ kind }) => kind),
        [target],
      )
    case ownReceiver:
      return readReceiver(part.target)
    default:
      return { mistake: `Unknown action ${JSON.stringify(textOf(part, 'type').slice(0, 50))}.` }
  }
}

function thresholdOf(written: WrittenMetricRule): { threshold: MetricCondition['threshold']; unevaluable: string[] } {
  const { thresholdType, resolveThreshold, comparisonDelta, detectionType, triggers } = written
  const levelOf = (label: string) => triggers.find((trigger) => trigger.label === label)?.alertThreshold
  const [critical, warning] = [levelOf('critical'), levelOf('warning')]
  if (critical === undefined)
    throw new MishapError('VALIDATION', { fields: { triggers: ['A rule needs a critical trigger.'] } })
  const common = {
    direction: thresholdType === 1 ? ('below' as const) : ('above' as const),
    warning: warning ?? null,
    critical,
    resolve: resolveThreshold,
  }
  if (detectionType === 'dynamic') return { threshold: { type: 'weekly', ...common }, unevaluable: [] }
  if (comparisonDelta === null) return { threshold: { type: 'fixed', ...common }, unevaluable: [] }
  const before = befores[comparisonDelta]
  return {
    threshold: { type: 'change', ...common, before: before ?? 'day' },
    unevaluable: before ? [] : [`a change against ${comparisonDelta} minutes before`],
  }
}

/**
 * Converts a rule of this shape to a rule of Mishap. What it cannot evaluate is kept, and the rule is inactive. Throws
 * VALIDATION for what it does not know.
 */
export function fromMetricRule(written: WrittenMetricRule, targets: Targets): { body: NewAlertRuleBody; kept: Kept } {
  const { name, projects, environment, owner, timeWindow } = written
  const asked = metricPlan(written)
  const { threshold, unevaluable } = thresholdOf(written)
  const receivers = readParts(
    'triggers',
    written.triggers.flatMap(({ actions }) => actions),
    (part) => readAction(part, targets),
  )
  return {
    body: {
      name,
      projects,
      environment: environment || null,
      owner: owner?.startsWith('user:') ? owner : null,
      isActive: true,
      issue: null,
      metric: {
        plan: asked.plan,
        of: 'a',
        windowMinutes: timeWindow,
        threshold,
        minimum: 0,
        missing: 'keep',
      },
      actions: distinct(receivers.values),
      intervalMinutes: 30,
      resolveMessage: true,
      escalation: [],
    },
    kept: {
      unevaluable: [...asked.unevaluable, ...unevaluable, ...receivers.unevaluable],
      original: { shape: 'alert-rules', written },
    },
  }
}

/** What fromMetricRule keeps of a rule. A configuration file may contain anything else. */
const keptRule = z.object({ shape: z.literal('alert-rules'), written: metricRuleBody })

const actionOf = (action: AlertAction): Record<string, unknown> => {
  if (action.type === 'channel') return { type: 'channel', targetType: 'specific', targetIdentifier: action.channel }
  if (action.type === 'person') return { type: 'email', targetType: 'user', targetIdentifier: action.person }
  if (action.type === 'members') return { type: 'email', targetType: 'team', targetIdentifier: null }
  if (action.type === 'owners') return { type: 'email', targetType: 'issue_owners', targetIdentifier: null }
  return { type: ownReceiver, target: action }
}

/** The triggers as they were written, with the receivers of now: these may have been changed in another shape since. */
function writtenTriggers({ triggers }: WrittenMetricRule, actions: readonly AlertAction[], targets: Targets) {
  const written = triggers.flatMap((trigger) => trigger.actions)
  if (meansReceivers(written, (part) => readAction(part, targets), actions)) return triggers
  return triggers.map((trigger) => ({ ...trigger, actions: actions.map(actionOf) }))
}

/** The levels of a rule as triggers, the critical one first. */
function triggersOf({ metric, actions }: RestAlertRule): RestMetricRule['triggers'] {
  if (!metric) return []
  const { critical, warning } = metric.threshold
  const each = actions.map(actionOf)
  return [
    { label: 'critical', alertThreshold: critical, actions: each },
    ...(warning === null ? [] : [{ label: 'warning', alertThreshold: warning, actions: each }]),
  ]
}

export const detections = { fixed: 'static', change: 'percent', weekly: 'dynamic' } as const

/** Converts a metric rule to this shape: as it was written, else from its plan. */
export function toMetricRule(
  rule: RestAlertRule,
  targets: Targets,
  nowMs: number,
  organizationId: number,
): RestMetricRule {
  const original = keptRule.safeParse(rule.original).data?.written
  const { metric } = rule
  const threshold = metric?.threshold
  const plan = metric?.plan
  const asked = askedOf(metric)
  return {
    id: rule.id,
    name: rule.name,
    organizationId: String(organizationId),
    status: rule.isActive ? 0 : 4,
    dataset: original?.dataset ?? datasetNames[plan?.dataset ?? 'errors'],
    query: original?.query ?? asked.query,
    aggregate: original?.aggregate ?? asked.aggregate,
    timeWindow: metric?.windowMinutes ?? 1,
    resolution: 1,
    thresholdPeriod: 1,
    thresholdType: threshold?.direction === 'below' ? 1 : 0,
    resolveThreshold: threshold?.resolve ?? null,
    comparisonDelta: original?.comparisonDelta ?? (threshold?.before ? deltas[threshold.before] : null),
    detectionType: detections[threshold?.type ?? 'fixed'],
    triggers: original ? writtenTriggers(original, rule.actions, targets) : triggersOf(rule),
    projects: rule.projects,
    environment: rule.environment,
    owner: original?.owner ?? rule.owner,
    snooze: rule.mutedUntil !== null && Date.parse(rule.mutedUntil) > nowMs,
    errors: errorsOf(rule),
    createdBy: rule.createdBy,
    dateCreated: rule.dateCreated,
    dateModified: rule.dateUpdated,
  }
}
