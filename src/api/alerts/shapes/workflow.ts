import { z } from 'zod'
import type { AlertAction, IssueCondition, NewAlertRuleBody, RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { type RestWorkflow, type WrittenWorkflow, workflowBody } from '../../../contract/alerts/workflows.ts'
import { projectDetectorId } from './detector.ts'
import { ageTerm, categoryTerm, commonFilters, type FilterReader, joined } from './filters.ts'
import type { Kept } from './issue-rule.ts'
import {
  beforeOf,
  errorsOf,
  meansReceivers,
  minutesOf,
  numberOf,
  ownReceiver,
  type Part,
  type Reading,
  readParts,
  readReceiver,
  textOf,
  windowOf,
  windowOfBefore,
} from './part.ts'
import { channelAction, mailAction, type Targets } from './targets.ts'
import { ownWorkflowId } from './workflow-ids.ts'

// organizations/{org}/workflows/: the newer shape of issue rules, and of the receivers of a metric rule. Workflows that
// were written for metric rules: metric-workflow.ts.

type Trigger = IssueCondition['when'][number]
export type Condition = WrittenWorkflow['actionFilters'][number]['conditions'][number]
export type Action = WrittenWorkflow['actionFilters'][number]['actions'][number]

const triggerTypes: Readonly<Record<string, Trigger>> = {
  first_seen_event: { type: 'new' },
  regression_event: { type: 'regression' },
  reappeared_event: { type: 'escalation' },
}
const typesOfTriggers = new Map(Object.entries(triggerTypes).map(([name, { type }]) => [type, name]))

export function readTrigger({ type }: Part): Reading<Trigger> {
  const trigger = Object.hasOwn(triggerTypes, String(type)) ? triggerTypes[String(type)] : undefined
  if (trigger) return { value: trigger }
  if (type === 'issue_resolved_trigger') return { unevaluable: 'that an issue is resolved' }
  if (type === 'every_event') return { value: { type: 'events', count: 1, windowMinutes: 1 } }
  return { mistake: `Unknown condition ${JSON.stringify(String(type).slice(0, 50))}.` }
}

const priorities: Readonly<Record<number, string>> = { 75: 'high', 50: '[high, medium]', 25: '[high, medium, low]' }

const termReaders: Readonly<Record<string, FilterReader>> = {
  ...commonFilters,
  age_comparison: (part, negated) => ageTerm(part, textOf(part, 'comparisonType'), negated),
  issue_category: (part, negated) => categoryTerm(textOf(part, 'value'), negated !== (part.include === false)),
  issue_type: (part, negated) =>
    negated ? { unevaluable: 'the opposite of an issue type' } : { value: `issue.type:${textOf(part, 'value')}` },
  issue_priority_deescalating: () => ({ unevaluable: 'a falling priority' }),
  issue_priority_greater_or_equal: (part, negated) => {
    const words = priorities[numberOf(part, 'value') ?? -1]
    return words
      ? { value: `${negated ? '!' : ''}issue.priority:${words}` }
      : { mistake: 'A priority is 75, 50 or 25.' }
  },
}

function frequencyOf(type: string, part: Part): Reading<Trigger> {
  const [value, windowMinutes] = [numberOf(part, 'value'), minutesOf(textOf(part, 'interval'))]
  if (value === undefined || value < 0 || windowMinutes === undefined)
    return { mistake: 'A frequency has a value and an interval of 1m, 5m, 15m, 1h, 1d, 1w or 30d.' }
  if (Array.isArray(part.filters) && part.filters.length > 0) return { unevaluable: 'filters of a frequency' }
  if (type !== 'event_frequency_percent')
    return {
      value: {
        type: type === 'event_frequency_count' ? 'events' : 'users',
        count: Math.floor(value) + 1,
        windowMinutes,
      },
    }
  const before = beforeOf(textOf(part, 'comparisonInterval'))
  if (!before || value <= 0) return { unevaluable: `a change against ${textOf(part, 'comparisonInterval')}` }
  return { value: { type: 'rate', percent: value, windowMinutes, before } }
}

const frequencies = new Set(['event_frequency_count', 'event_unique_user_frequency_count', 'event_frequency_percent'])

/** A condition's values: those of its comparison, or the comparison itself as `value`. */
const valuesOf = ({ comparison }: Condition): Part =>
  typeof comparison === 'object' && comparison !== null ? (comparison as Part) : { value: comparison }

type Term = { term: string } | { trigger: Trigger }

export function readCondition(condition: Condition, negated: boolean, targets: Targets): Reading<Term> {
  const { type, conditionResult } = condition
  if (conditionResult === false) return { unevaluable: `the opposite of ${type}` }
  if (frequencies.has(type)) {
    const found = frequencyOf(type, valuesOf(condition))
    return 'value' in found ? { value: { trigger: found.value } } : found
  }
  if (type.startsWith('percent_sessions_')) return { unevaluable: 'a share of sessions' }
  if (type === 'mishap_search') return { value: { term: textOf(valuesOf(condition), 'query') } }
  const read = Object.hasOwn(termReaders, type) ? termReaders[type] : undefined
  if (!read) return { mistake: `Unknown condition ${JSON.stringify(type)}.` }
  const found = read(valuesOf(condition), negated, targets)
  return 'value' in found ? { value: { term: found.value } } : found
}

const channelKindsOf: Readonly<Record<string, readonly string[]>> = {
  slack: ['slack', 'slack_app'],
  pagerduty: ['pagerduty'],
  opsgenie: ['opsgenie'],
  discord: ['discord'],
  msteams: ['teams'],
  webhook: ['webhook'],
}

export function readAction({ type, config, integrationId }: Action, targets: Targets): Reading<AlertAction> {
  if (type === 'email') return mailAction(targets, textOf(config, 'targetType'), textOf(config, 'targetIdentifier'))
  if (type === 'mishap_channel')
    return channelAction(
      targets,
      targets.channels.map(({ kind }) => kind),
      [textOf(config, 'targetIdentifier')],
    )
  if (type === ownReceiver) return readReceiver(config.target)
  const kinds = Object.hasOwn(channelKindsOf, type) ? channelKindsOf[type] : undefined
  if (kinds)
    return channelAction(targets, kinds, [
      textOf(config, 'targetDisplay') || textOf(config, 'targetIdentifier'),
      textOf(config, 'targetIdentifier'),
      String(integrationId ?? ''),
    ])
  if (['jira', 'jira_server', 'github', 'github_enterprise', 'vsts', 'sentry_app', 'plugin'].includes(type))
    return { unevaluable: `the action ${type}` }
  return { mistake: `Unknown action ${JSON.stringify(type)}.` }
}

/** The triggers of a workflow: its own, with frequencies of its filters beside them. */
function whenOf(own: readonly Trigger[], more: readonly Trigger[], isAny: boolean) {
  if (more.length === 0) return { when: [...own], match: isAny ? ('any' as const) : ('all' as const), unevaluable: [] }
  const isSimple = own.length <= 1
  return {
    when: [...own, ...more],
    match: 'all' as const,
    unevaluable: isSimple ? [] : ['a frequency beside several triggers'],
  }
}

/**
 * Converts a workflow of projects to an issue rule. What it cannot evaluate is kept, and the rule is inactive. Throws
 * VALIDATION for what it does not know.
 */
export function fromWorkflow(
  written: WrittenWorkflow,
  projects: string[],
  targets: Targets,
): { body: NewAlertRuleBody; kept: Kept } {
  const [filter] = written.actionFilters
  const logic = filter?.logicType ?? 'all'
  const own = readParts('triggers', written.triggers?.conditions ?? [], readTrigger)
  const terms = readParts('actionFilters', filter?.conditions ?? [], (part) =>
    readCondition(part as Condition, logic === 'none', targets),
  )
  const receivers = readParts('actionFilters', filter?.actions ?? [], (part) => readAction(part as Action, targets))
  const more = terms.values.flatMap((value) => ('trigger' in value ? [value.trigger] : []))
  const when = whenOf(own.values, more, written.triggers?.logicType !== 'all')
  const texts = terms.values.flatMap((value) => ('term' in value ? [value.term] : []))
  const unevaluable = [
    ...own.unevaluable,
    ...when.unevaluable,
    ...(written.triggers?.logicType === 'none' ? ['that no trigger is met'] : []),
    ...(more.length > 0 && logic !== 'all' ? ['a frequency that is one of several filters'] : []),
    ...terms.unevaluable,
    ...receivers.unevaluable,
    ...(written.actionFilters.length > 1 ? ['several groups of filters'] : []),
  ]
  const everyEvent: Trigger = { type: 'events', count: 1, windowMinutes: 1 }
  return {
    body: {
      name: written.name,
      projects,
      environment: written.environment || null,
      owner: null,
      isActive: written.enabled && unevaluable.length === 0,
      issue: {
        when: when.when.length > 0 || unevaluable.length > 0 ? when.when : [everyEvent],
        match: when.match,
        filter: joined(texts, logic === 'none' ? 'none' : logic === 'all' ? 'all' : 'any'),
        unless: { noise: false, skew: false, quietHours: null },
      },
      metric: null,
      actions: receivers.values,
      intervalMinutes: written.config.frequency,
      resolveMessage: false,
      escalation: [],
    },
    kept: {
      unevaluable,
      original: { shape: 'workflows', triggers: written.triggers ?? null, actionFilters: written.actionFilters },
    },
  }
}

function conditionOf(trigger: Trigger): Record<string, unknown> | undefined {
  if (trigger.type === 'events' || trigger.type === 'users') {
    const type = trigger.type === 'events' ? 'event_frequency_count' : 'event_unique_user_frequency_count'
    const comparison = { value: trigger.count - 1, interval: windowOf(trigger.windowMinutes) }
    return { type, comparison, conditionResult: true }
  }
  if (trigger.type !== 'rate') return undefined
  const comparison = {
    value: trigger.percent,
    interval: windowOf(trigger.windowMinutes),
    comparisonInterval: windowOfBefore[trigger.before],
  }
  return { type: 'event_frequency_percent', comparison, conditionResult: true }
}

function actionOf(action: AlertAction): Record<string, unknown> {
  if (action.type === 'channel')
    return { type: 'mishap_channel', config: { targetType: 'specific', targetIdentifier: action.channel }, data: {} }
  if (action.type === 'person')
    return { type: 'email', config: { targetType: 'user', targetIdentifier: action.person }, data: {} }
  if (action.type === 'members') return { type: 'email', config: { targetType: 'team' }, data: {} }
  if (action.type === 'owners') return { type: 'email', config: { targetType: 'issue_owners' }, data: {} }
  return { type: ownReceiver, config: { target: action }, data: {} }
}

/** What fromWorkflow keeps of a rule. A configuration file may contain anything else. */
const keptRule = workflowBody.pick({ triggers: true, actionFilters: true }).extend({ shape: z.literal('workflows') })

/** The filters as they were written, with the receivers of now: these may have been changed in another shape since. */
function writtenFilters(
  { actionFilters }: Pick<WrittenWorkflow, 'actionFilters'>,
  actions: readonly AlertAction[],
  targets: Targets,
) {
  const written = actionFilters.flatMap((filter) => filter.actions)
  if (meansReceivers(written, (part) => readAction(part as Action, targets), actions)) return actionFilters
  return actionFilters.map((filter, at) => ({ ...filter, actions: at === 0 ? actions.map(actionOf) : [] }))
}

/** Converts a rule to this shape: as it was written, else from its triggers, filter and receivers. */
export function toWorkflow(
  rule: RestAlertRule,
  idOf: (slug: string) => number | undefined,
  targets: Targets,
): RestWorkflow {
  const original = keptRule.safeParse(rule.original).data
  const when = rule.issue?.when ?? []
  const triggers = when.flatMap(({ type }) => typesOfTriggers.get(type) ?? [])
  const query = rule.issue?.filter ?? ''
  const conditions = [
    ...when.flatMap((trigger) => conditionOf(trigger) ?? []),
    ...(query === '' ? [] : [{ type: 'mishap_search', comparison: { query }, conditionResult: true }]),
  ]
  return {
    id: rule.kind === 'metric' ? ownWorkflowId(rule.id) : rule.id,
    name: rule.name,
    enabled: rule.isActive,
    environment: rule.environment,
    config: { frequency: rule.intervalMinutes },
    detectorIds:
      rule.kind === 'metric'
        ? [rule.id]
        : rule.projects.flatMap((slug) => {
            const id = idOf(slug)
            return id === undefined ? [] : [projectDetectorId(id)]
          }),
    triggers: original
      ? (original.triggers ?? null)
      : {
          logicType: rule.issue?.match === 'all' ? 'all' : 'any-short',
          conditions: triggers.map((type) => ({ type, comparison: true, conditionResult: true })),
        },
    actionFilters: original
      ? writtenFilters(original, rule.actions, targets)
      : [{ logicType: 'all', conditions, actions: rule.actions.map(actionOf) }],
    errors: errorsOf(rule),
    dateCreated: rule.dateCreated,
    dateUpdated: rule.dateUpdated,
    revision: rule.revision,
  }
}
