import { MishapError } from '../../../base/errors.ts'
import type { MetricCondition, NewAlertRuleBody, RestAlertRule } from '../../../contract/alerts/alerts.ts'
import type { RestDetector, WrittenDetector } from '../../../contract/explore/detectors.ts'
import type { Project } from '../../../store/meta/meta.ts'
import type { Kept } from './issue-rule.ts'
import { askedOf, befores, datasetNames, deltas, detections, metricPlan } from './metric-rule.ts'
import { errorsOf } from './part.ts'

// organizations/{org}/detectors/: the newer shape splits a rule. A detector says what is watched, a workflow who hears of
// it. A metric rule is a detector, and its receivers are a workflow. The errors of a project are a detector, too, so that
// issue rules are workflows of it.

/** Ids of the detectors of projects follow after all ids of rules. */
const projectDetectors = 1_000_000_000_000
export const projectDetectorId = (projectId: number): string => String(projectDetectors + projectId)
/** The project of a detector, undefined for a metric rule. */
export const projectOfDetector = (id: string): number | undefined =>
  Number(id) > projectDetectors ? Number(id) - projectDetectors : undefined

/** Results of conditions: how serious it is. */
const [critical, warning, resolved] = [75, 50, 0]

const isBelow = (type: string) => type === 'lt' || type === 'lte'

function thresholdOf({ conditionGroup, config }: WrittenDetector): {
  threshold: MetricCondition['threshold']
  unevaluable: string[]
} {
  const conditions = conditionGroup?.conditions ?? []
  const wrong = (sentence: string) => new MishapError('VALIDATION', { fields: { conditionGroup: [sentence] } })
  const unknown = conditions.find(({ type }) => !['gt', 'gte', 'lt', 'lte', 'anomaly_detection'].includes(type))
  if (unknown) throw wrong(`Unknown condition ${JSON.stringify(unknown.type)}.`)
  const levelOf = (result: number) => {
    const { comparison } = conditions.find(({ conditionResult }) => conditionResult === result) ?? {}
    return typeof comparison === 'number' && Number.isFinite(comparison) ? comparison : undefined
  }
  const first = conditions.find(({ conditionResult }) => conditionResult === critical)
  const comparison = levelOf(critical)
  if (first?.type === 'anomaly_detection')
    return {
      threshold: { type: 'weekly', direction: 'above', warning: null, critical: 100, resolve: null },
      unevaluable: ['the sensitivity of an anomaly detection'],
    }
  if (!first || comparison === undefined) throw wrong('A condition with the result 75 and a number.')
  const common = {
    direction: isBelow(first.type) ? ('below' as const) : ('above' as const),
    warning: levelOf(warning) ?? null,
    critical: comparison,
    resolve: levelOf(resolved) ?? null,
  }
  const { detectionType, comparisonDelta } = config
  if (detectionType === 'dynamic') return { threshold: { type: 'weekly', ...common }, unevaluable: [] }
  if (detectionType === 'static') return { threshold: { type: 'fixed', ...common }, unevaluable: [] }
  const before = befores[(comparisonDelta ?? 0) / 60]
  return {
    threshold: { type: 'change', ...common, before: before ?? 'day' },
    unevaluable: before ? [] : [`a change against ${comparisonDelta ?? 0} seconds before`],
  }
}

/** Converts a detector of metrics to a metric rule of projects, by slug, without receivers. Throws VALIDATION for what it does not know. */
export function fromDetector(written: WrittenDetector, projects: string[]): { body: NewAlertRuleBody; kept: Kept } {
  if (written.type !== 'metric_issue')
    throw new MishapError('VALIDATION', { fields: { type: ['Mishap has detectors of type metric_issue.'] } })
  const [source] = written.dataSources
  if (!source) throw new MishapError('VALIDATION', { fields: { dataSources: ['One data source.'] } })
  const { threshold, unevaluable } = thresholdOf(written)
  const asked = metricPlan({ ...source, query: source.query ?? '' })
  return {
    body: {
      name: written.name,
      projects,
      environment: source.environment || null,
      owner: written.owner?.startsWith('user:') ? written.owner : null,
      isActive: written.enabled,
      issue: null,
      metric: {
        plan: asked.plan,
        of: 'a',
        windowMinutes: Math.round(source.timeWindow / 60),
        threshold,
        minimum: 0,
        missing: 'keep',
      },
      actions: [],
      intervalMinutes: 30,
      resolveMessage: true,
      escalation: [],
    },
    kept: { unevaluable: [...asked.unevaluable, ...unevaluable], original: { shape: 'detectors', written } },
  }
}

const originalOf = (original: unknown): WrittenDetector | undefined => {
  const found = original as { shape: string; written: WrittenDetector } | null
  return found?.shape === 'detectors' ? found.written : undefined
}

function conditionsOf({ threshold }: MetricCondition): Record<string, unknown>[] {
  const isAbove = threshold.direction === 'above'
  const at = (type: string, comparison: number | null, conditionResult: number) =>
    comparison === null ? [] : [{ type, comparison, conditionResult }]
  return [
    ...at(isAbove ? 'gt' : 'lt', threshold.critical, critical),
    ...at(isAbove ? 'gt' : 'lt', threshold.warning, warning),
    ...at(isAbove ? 'lte' : 'gte', threshold.resolve, resolved),
  ]
}

/** Converts a metric rule to this shape: as it was written, else from its plan. */
export function toDetector(rule: RestAlertRule, projects: readonly Project[], workflowIds: string[]): RestDetector {
  const { metric } = rule
  const original = originalOf(rule.original)
  const asked = askedOf(metric)
  const before = metric?.threshold.before
  const [slug] = rule.projects
  return {
    id: rule.id,
    projectId: String(projects.find((project) => project.slug === slug)?.id ?? ''),
    name: rule.name,
    description: original?.description ?? null,
    type: 'metric_issue',
    enabled: rule.isActive,
    owner: rule.owner === null ? null : { type: 'user', id: rule.owner.slice('user:'.length), name: '', email: '' },
    dataSources: [
      {
        type: 'snuba_query_subscription',
        queryObj: {
          snubaQuery: {
            eventTypes: [],
            extrapolationMode: null,
            aggregate: asked.aggregate,
            dataset: datasetNames[metric?.plan.dataset ?? 'errors'],
            query: asked.query,
            ...original?.dataSources[0],
            environment: rule.environment,
            timeWindow: (metric?.windowMinutes ?? 1) * 60,
          },
        },
      },
    ],
    conditionGroup: original?.conditionGroup ?? { logicType: 'any', conditions: metric ? conditionsOf(metric) : [] },
    config: original?.config ?? {
      detectionType: detections[metric?.threshold.type ?? 'fixed'],
      comparisonDelta: before ? deltas[before] * 60 : null,
    },
    workflowIds,
    errors: errorsOf(rule),
    dateCreated: rule.dateCreated,
    dateUpdated: rule.dateUpdated,
  }
}

/** The detector of the errors of a project. Issue rules are its workflows. */
export function projectDetector(project: Project, workflowIds: string[]): RestDetector {
  const created = new Date(project.createdMs).toISOString()
  return {
    id: projectDetectorId(project.id),
    projectId: String(project.id),
    name: `Issues of ${project.slug}`,
    description: null,
    type: 'issue_stream',
    enabled: true,
    owner: null,
    dataSources: [],
    conditionGroup: null,
    config: {},
    workflowIds,
    errors: [],
    dateCreated: created,
    dateUpdated: created,
  }
}
