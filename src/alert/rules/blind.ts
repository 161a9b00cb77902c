import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { RestBackTest } from '../../contract/alerts/alerts-back-test.ts'
import { beforeMs } from '../../domain/alerts/metric-rules.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import { lateRows } from '../../query/metrics/measures.ts'
import type { History } from './history.ts'
import type { MetricMeasure } from './metric.ts'

type Blind = RestBackTest['blind'][number]
type Range = { fromMs: number; toMs: number }
type Deps = QueryDeps & {
  config: {
    retentionErrorsDays: number
    retentionSpansDays: number
    retentionLogsDays: number
    retentionMetricsDays: number
  }
}

const dayMs = 86_400_000
/** Days of outcomes: the ledger covers 13 months. */
const ledgerDays = 400

const daysOf = ({ config }: Deps, { dataset }: Pick<Measure, 'dataset'>): number =>
  ({
    errors: config.retentionErrorsDays,
    spans: config.retentionSpansDays,
    logs: config.retentionLogsDays,
    metrics: config.retentionMetricsDays,
    outcomes: ledgerDays,
  })[dataset]

/** Conditions whose answer changes with time, such as `is:unresolved`. */
export const ofState =
  /(?:^|[\s(!])"?(?:is|assigned|assigned_or_suggested|bookmarks|issue\.priority|priority|release\.stage)"?:|has:(?:\[[^\]]*)?"?(?:assigned|release\.stage)|release:latest/
/** What they ask about, for a sentence. */
export const ofStateWords = 'the state of issues, the latest release or the stage of releases'

type Question = {
  measure: Measure
  metric: MetricCondition
  history: History
  measures: readonly MetricMeasure[]
  range: Range
}

/** Windows that wait for what they compare with. */
function waitingPart({ measures, metric, measure, range }: Question): Blind[] {
  const last = measures.findLast(({ waits }) => waits !== '')
  if (!last) return []
  const isWeekly = metric.threshold.type === 'weekly'
  const reason = isWeekly ? 'pattern' : 'before'
  const sentence = isWeekly
    ? last.waits
    : `There are no rows of the ${metric.threshold.before ?? 'hour'} before, up to ${beforeMs[metric.threshold.before ?? 'hour'] / 3_600_000} hours and the window of ${measure.windowMs / 60_000} minutes.`
  return [{ fromMs: range.fromMs, toMs: last.atMs, reason, sentence }]
}

/** Rows that were deleted, by age or for the disk budget. */
export async function deletedParts(
  deps: Deps,
  { measure, range }: { measure: Pick<Measure, 'dataset' | 'windowMs' | 'projectIds'>; range: Range },
): Promise<Blind[]> {
  const parts: Blind[] = []
  const days = daysOf(deps, measure)
  const keptFrom = deps.clock.now() - days * dayMs
  if (keptFrom > range.fromMs - measure.windowMs)
    parts.push({
      fromMs: range.fromMs,
      toMs: Math.min(range.toMs, keptFrom + measure.windowMs),
      reason: 'retention',
      sentence: `Rows are deleted after ${days} days.`,
    })
  if (measure.dataset !== 'errors') return parts
  const removed = await deps.events.removedHours({
    projectIds: measure.projectIds,
    fromMs: range.fromMs - measure.windowMs,
    toMs: range.toMs,
  })
  if (removed)
    parts.push({
      fromMs: Math.max(range.fromMs, removed.fromMs),
      toMs: Math.min(range.toMs, removed.toMs),
      reason: 'downsampled',
      sentence: 'The disk budget removed errors of these hours, so their counts are too low.',
    })
  return parts
}

/** Returns the parts of a back-test that it cannot judge, or judges with less than all rows. */
export async function blindParts(deps: Deps, question: Question): Promise<Blind[]> {
  const { measure, metric, history, range } = question
  const [deleted, late] = await Promise.all([deletedParts(deps, question), lateRows(deps, measure, range)])
  const parts = [...deleted, ...waitingPart(question)]
  if (history.readFrom > range.fromMs - measure.windowMs)
    parts.push({
      fromMs: range.fromMs,
      toMs: Math.min(range.toMs, history.readFrom + measure.windowMs),
      reason: 'partial',
      sentence: 'The query reached its limit of time or memory. Only the newest part was read.',
    })
  if (late > 0)
    parts.push({
      ...range,
      reason: 'late',
      sentence: `${late} rows came over 7 days after their own time. Rules leave them out.`,
    })
  const texts = [metric.plan.query, ...metric.plan.series.map(({ query }) => query ?? '')]
  if (measure.dataset === 'errors' && texts.some((text) => ofState.test(text)))
    parts.push({
      ...range,
      reason: 'state',
      sentence: `The filter asks about ${ofStateWords}, which is only known as it is now.`,
    })
  return parts
}
