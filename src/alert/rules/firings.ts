import { isOutage } from '../../base/errors.ts'
import type { MetricCondition } from '../../contract/alerts/alerts.ts'
import type { MetricReason } from '../../domain/alerts/step-reasons.ts'
import { groupId, groupName, measureOfGroup } from '../../query/group-measures.ts'
import type { QueryDeps } from '../../query/issues/issue.ts'
import { mainIssues } from '../../query/issues/main-issues.ts'
import type { Measure } from '../../query/metrics/measures.ts'
import type { EventFilter } from '../../store/events/events.ts'
import type { Cell, Filter } from '../../store/events/question.ts'
import type { NewFiring } from '../../store/meta/alerts/firing.ts'
import { line } from '../message/message.ts'
import type { MetricFiring } from './metric.ts'
import type { WatchedRule } from './watched.ts'

/** Issues of a firing's cause: those that explain it. Rules that see the same ones join one incident. */
const issuesMax = 5
/** An issue with a smaller part of the events is no cause. */
const shareMin = 0.2

/** Characters of the name of a group. */
const groupNameMax = 120

const rounded = (value: number): number => Number(value.toPrecision(4))
const numberText = (value: number): string => String(rounded(value))
const measuredOf = ({ of, plan }: MetricCondition): string =>
  plan.series.find(({ name }) => name === of)?.aggregate ?? of

/** What ended, as facts for the history of an incident. */
function metricReason(
  rule: string,
  condition: MetricCondition,
  { value, threshold }: Pick<MetricFiring, 'value' | 'threshold'>,
  group: string,
): MetricReason {
  const { windowMinutes, threshold: levels } = condition
  return {
    why: 'metric',
    rule,
    measured: measuredOf(condition),
    group,
    value: value === null ? null : rounded(value),
    windowMinutes,
    direction: levels.direction,
    threshold: rounded(threshold),
    compared: levels.type === 'change' ? (levels.before ?? 'hour') : levels.type,
  }
}

/** Returns what changed, in words. */
export function metricSentence(
  name: string,
  condition: MetricCondition,
  { change, value, threshold }: Pick<MetricFiring, 'change' | 'value' | 'threshold'>,
  group = '',
): string {
  const { windowMinutes, threshold: levels } = condition
  const measured = measuredOf(condition)
  const ofGroup = group === '' ? '' : ` of ${group}`
  const found = value === null ? 'has no data' : `is ${numberText(value)}`
  const limit = levels.type === 'fixed' ? numberText(threshold) : `${numberText(threshold)}%`
  const against = {
    fixed: '',
    change: ` against the ${levels.before ?? 'hour'} before`,
    weekly: ' against the usual week',
  }
  const verb = change === 'end' ? 'ended' : 'fired'
  return `${name} ${verb}: ${measured}${ofGroup} ${found} in ${windowMinutes} min, threshold ${levels.direction} ${limit}${against[levels.type]}.`
}

/**
 * The one release that a filter demands; '' if it demands none or leaves a choice. The data are not asked for theirs:
 * the issues of the cause join what belongs together, and a query for each firing would be slower than the rule's own.
 */
function releaseOf(filter: Filter | EventFilter | undefined): string {
  switch (filter?.op) {
    case 'and': {
      const named = new Set(filter.of.map(releaseOf).filter(Boolean))
      return named.size === 1 ? ([...named][0] ?? '') : ''
    }
    case 'event':
      return releaseOf(filter.of)
    case 'releases':
      return filter.values.length === 1 ? (filter.values[0] ?? '') : ''
    case 'field':
      return filter.field === 'release' && filter.match === 'is' ? filter.value : ''
    case 'match': {
      const { value, match, text } = filter
      return match === 'is' && value.of === 'text' && value.column === 'release' ? text : ''
    }
    default:
      return ''
  }
}

/** Names a group. Its values are data of events, so the name is one line without control characters. */
const groupOf = (measure: Measure, cells: readonly Cell[]): { key: string; name: string } => ({
  key: groupId(cells),
  name: line(groupName(measure, cells), groupNameMax),
})

/**
 * The issues that have most of the events of a firing. They are read of the whole window, which can take longer than the
 * step that fired. A firing without them is worth more than none, so only an outage ends the evaluation.
 */
async function causesOf(
  deps: Pick<QueryDeps, 'events' | 'meta'>,
  measure: Measure,
  atMs: number,
): Promise<Awaited<ReturnType<typeof mainIssues>>> {
  try {
    const issues = await mainIssues(deps, measure, { fromMs: atMs - measure.windowMs, toMs: atMs })
    return issues.filter(({ share }) => share >= shareMin).slice(0, issuesMax)
  } catch (error) {
    if (isOutage(error)) throw error
    return []
  }
}

/**
 * Makes a firing for the outbox. Its cause is the issues that have most of the events, if the rule is about errors. The
 * key names revision, time and change, so a window that is judged twice is one firing.
 */
export async function describeFiring(
  deps: Pick<QueryDeps, 'events' | 'meta'>,
  watched: WatchedRule,
  firing: MetricFiring & { cells?: Cell[] },
  isExplained = true,
): Promise<NewFiring> {
  const { rule, condition } = watched
  const { cells } = firing
  const measure = watched.measure && cells ? measureOfGroup(watched.measure, cells) : watched.measure
  const group = watched.measure && cells ? groupOf(watched.measure, cells) : null
  const { change, level, atMs, value, threshold, sinceMs } = firing
  const causes = measure && isExplained ? await causesOf(deps, measure, atMs) : []
  return {
    organizationId: rule.organizationId,
    ruleId: rule.id,
    key: [rule.id, rule.rev, atMs, change, ...(group ? [group.key] : [])].join('/'),
    group,
    change,
    level,
    atMs,
    value,
    threshold,
    sentence: metricSentence(rule.name, condition, firing, group?.name),
    ...(change === 'end' ? { why: metricReason(rule.name, condition, firing, group?.name ?? '') } : {}),
    cause: {
      projectIds:
        causes.length > 0 ? [...new Set(causes.map(({ projectId }) => projectId))] : (measure?.projectIds ?? []),
      issueIds: causes.map(({ issueId }) => issueId),
      release: releaseOf(measure?.filter),
      deployId: null,
    },
    trigger: condition.threshold.type,
    eventId: '',
    sinceMs,
  }
}
