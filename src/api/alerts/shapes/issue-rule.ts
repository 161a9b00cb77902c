import { z } from 'zod'
import {
  type AlertAction,
  alertTrigger,
  type IssueCondition,
  type NewAlertRuleBody,
  type RestAlertRule,
} from '../../../contract/alerts/alerts.ts'
import { issueRuleBody, type RestIssueRule, type WrittenIssueRule } from '../../../contract/alerts/issue-rules.ts'
import { ageTerm, categoryTerm, commonFilters, type FilterReader, joined } from './filters.ts'
import {
  beforeOf,
  errorsOf,
  meansReceivers,
  minutesOf,
  numberOf,
  type Part,
  type Reading,
  readParts,
  readReceiver,
  textOf,
  windowOf,
  windowOfBefore,
} from './part.ts'
import { channelAction, mailAction, type Targets } from './targets.ts'

// projects/{org}/{project}/rules/: the older shape of issue rules, which Terraform and other clients use.

type Trigger = IssueCondition['when'][number]
/** A part of this shape: its id says what it is. */
type RulePart = Part & { id: string }

const conditionPrefix = 'sentry.rules.conditions.'
const filterPrefix = 'sentry.rules.filters.'
/** Parts that only Mishap has, so that each of its rules can be read and written in this shape. */
const own = {
  trigger: 'mishap.rules.conditions.TriggerCondition',
  search: 'mishap.rules.filters.SearchFilter',
  action: 'mishap.rules.actions.NotifyAction',
}

const plainConditions: Readonly<Record<string, Trigger>> = {
  'first_seen_event.FirstSeenEventCondition': { type: 'new' },
  'regression_event.RegressionEventCondition': { type: 'regression' },
  'reappeared_event.ReappearedEventCondition': { type: 'escalation' },
  'every_event.EveryEventCondition': { type: 'events', count: 1, windowMinutes: 1 },
}
const frequency = 'event_frequency.EventFrequencyCondition'
const users = 'event_frequency.EventUniqueUserFrequencyCondition'
const newPriority = 'high_priority_issue.NewHighPriorityIssueCondition'
const raisedPriority = 'high_priority_issue.ExistingHighPriorityIssueCondition'
/** They compare with sessions. */
const sessionConditions = new Set(['event_frequency.EventFrequencyPercentCondition'])

const unknown = (what: string, id: string): { mistake: string } => ({
  mistake: `Unknown ${what} ${JSON.stringify(id.slice(0, 200))}.`,
})

/** "More than n" there is "every n + 1" here. */
function frequencyTrigger(name: string, part: Part): Reading<Trigger> {
  const value = numberOf(part, 'value')
  const windowMinutes = minutesOf(textOf(part, 'interval'))
  if (value === undefined || value < 0 || windowMinutes === undefined)
    return { mistake: 'A frequency has a value and an interval of 1m, 5m, 15m, 1h, 1d, 1w or 30d.' }
  if (textOf(part, 'comparisonType') !== 'percent')
    return { value: { type: name === users ? 'users' : 'events', count: Math.floor(value) + 1, windowMinutes } }
  const before = beforeOf(textOf(part, 'comparisonInterval'))
  if (name === users) return { unevaluable: 'a change of the number of users' }
  if (!before || value <= 0)
    return { unevaluable: `a change against ${textOf(part, 'comparisonInterval') || 'nothing'}` }
  return { value: { type: 'rate', percent: value, windowMinutes, before } }
}

function readCondition(part: Part): Reading<Trigger> {
  const id = textOf(part, 'id')
  if (id === own.trigger) {
    const { data } = alertTrigger.safeParse(part.trigger)
    return data ? { value: data } : { mistake: 'trigger is a trigger of Mishap, such as {"type":"new"}.' }
  }
  if (!id.startsWith(conditionPrefix)) return unknown('condition', id)
  const name = id.slice(conditionPrefix.length)
  const plain = Object.hasOwn(plainConditions, name) ? plainConditions[name] : undefined
  if (plain) return { value: plain }
  if (name === frequency || name === users) return frequencyTrigger(name, part)
  if (name === newPriority) return { value: { type: 'new' } }
  if (name === raisedPriority) return { value: { type: 'priority' } }
  if (sessionConditions.has(name)) return { unevaluable: 'a share of sessions' }
  return unknown('condition', id)
}

const filterReaders: Readonly<Record<string, FilterReader>> = {
  'age_comparison.AgeComparisonFilter': (part, negated) => ageTerm(part, textOf(part, 'comparison_type'), negated),
  'issue_occurrences.IssueOccurrencesFilter': commonFilters.issue_occurrences,
  'assigned_to.AssignedToFilter': commonFilters.assigned_to,
  'latest_release.LatestReleaseFilter': commonFilters.latest_release,
  'latest_adopted_release_filter.LatestAdoptedReleaseFilter': commonFilters.latest_adopted_release,
  'issue_category.IssueCategoryFilter': (part, negated) => categoryTerm(textOf(part, 'value'), negated),
  'event_attribute.EventAttributeFilter': commonFilters.event_attribute,
  'tagged_event.TaggedEventFilter': commonFilters.tagged_event,
  'level.LevelFilter': commonFilters.level,
}

function readFilter(part: Part, negated: boolean, targets: Targets): Reading<string> {
  const id = textOf(part, 'id')
  if (id === own.search) {
    const query = textOf(part, 'query')
    return negated ? { unevaluable: 'the opposite of a search' } : { value: query }
  }
  const name = id.startsWith(filterPrefix) ? id.slice(filterPrefix.length) : ''
  const read = Object.hasOwn(filterReaders, name) ? filterReaders[name] : undefined
  return read ? read(part, negated, targets) : unknown('filter', id)
}

const actionReaders: Readonly<Record<string, (part: Part, targets: Targets) => Reading<AlertAction>>> = {
  'sentry.mail.actions.NotifyEmailAction': (part, targets) =>
    mailAction(targets, textOf(part, 'targetType'), textOf(part, 'targetIdentifier')),
  'sentry.rules.actions.notify_event.NotifyEventAction': () => ({ unevaluable: 'all legacy integrations' }),
  'sentry.rules.actions.notify_event_service.NotifyEventServiceAction': (part, targets) =>
    channelAction(targets, ['webhook', 'email'], [textOf(part, 'service')]),
  'sentry.rules.actions.notify_event_sentry_app.NotifyEventSentryAppAction': () => ({ unevaluable: 'a Sentry app' }),
  'sentry.integrations.opsgenie.notify_action.OpsgenieNotifyTeamAction': (part, targets) =>
    channelAction(targets, ['opsgenie'], [textOf(part, 'team'), textOf(part, 'account')]),
  'sentry.integrations.pagerduty.notify_action.PagerDutyNotifyServiceAction': (part, targets) =>
    channelAction(targets, ['pagerduty'], [textOf(part, 'service'), textOf(part, 'account')]),
  'sentry.integrations.slack.notify_action.SlackNotifyServiceAction': (part, targets) =>
    channelAction(targets, ['slack', 'slack_app'], [textOf(part, 'channel'), textOf(part, 'workspace')]),
  'sentry.integrations.msteams.notify_action.MsTeamsNotifyServiceAction': (part, targets) =>
    channelAction(targets, ['teams'], [textOf(part, 'channel'), textOf(part, 'team')]),
  'sentry.integrations.discord.notify_action.DiscordNotifyServiceAction': (part, targets) =>
    channelAction(targets, ['discord'], [textOf(part, 'channel_id'), textOf(part, 'server')]),
  'sentry.integrations.vsts.notify_action.AzureDevopsCreateTicketAction': () => ({ unevaluable: 'Azure DevOps' }),
}
/** Actions that create an issue in a tracker, which is set up in Mishap. */
const ticketAction =
  /^sentry\.integrations\.(jira|jira_server|github|github_enterprise)\.notify_action\.\w+CreateTicketAction$/

function readAction(part: Part, targets: Targets): Reading<AlertAction> {
  const id = textOf(part, 'id')
  if (id === own.action) return readReceiver(part.target)
  const ticket = ticketAction.exec(id)
  if (ticket) return { unevaluable: `an issue in ${ticket[1]}` }
  const read = Object.hasOwn(actionReaders, id) ? actionReaders[id] : undefined
  return read ? read(part, targets) : unknown('action', id)
}

/** What Mishap keeps of a rule beside its own model. */
export type Kept = { unevaluable: string[]; original: unknown }

/**
 * Converts a rule of this shape to a rule of Mishap. Conditions that it cannot evaluate are kept, and the rule is
 * inactive. Throws VALIDATION with `conditions`, `filters` or `actions` for what it does not know.
 */
export function fromIssueRule(
  written: WrittenIssueRule,
  projects: string[],
  targets: Targets,
): { body: NewAlertRuleBody; kept: Kept } {
  const { name, actionMatch, filterMatch, conditions, filters, actions, environment, owner } = written
  const when = readParts('conditions', conditions, readCondition)
  const terms = readParts('filters', filters, (part) => readFilter(part, filterMatch === 'none', targets))
  const receivers = readParts('actions', actions, (part) => readAction(part, targets))
  const ids = conditions.map((part) => textOf(part, 'id').slice(conditionPrefix.length))
  const isPriority = ids.includes(newPriority) || ids.includes(raisedPriority)
  const unevaluable = [
    ...when.unevaluable,
    ...(actionMatch === 'none' ? ['that no condition is met'] : []),
    // The priority would narrow the other conditions, too.
    ...(isPriority && ids.length > 1 ? ['a high priority beside other conditions'] : []),
    ...terms.unevaluable,
    ...receivers.unevaluable,
  ]
  const filter = joined(terms.values, filterMatch)
  return {
    body: {
      name,
      projects,
      environment: environment || null,
      owner: owner?.startsWith('user:') ? owner : null,
      isActive: true,
      issue: {
        // Without a condition, a rule of this shape looks at each event.
        when:
          when.values.length > 0 || unevaluable.length > 0
            ? when.values
            : [{ type: 'events', count: 1, windowMinutes: 1 }],
        match: actionMatch === 'all' ? 'all' : 'any',
        filter: isPriority ? ['issue.priority:high', filter].filter(Boolean).join(' ') : filter,
        unless: { noise: false, skew: false, quietHours: null },
      },
      metric: null,
      actions: receivers.values,
      intervalMinutes: written.frequency,
      resolveMessage: false,
      escalation: [],
    },
    kept: { unevaluable, original: { shape: 'rules', conditions, filters, actions, actionMatch, filterMatch, owner } },
  }
}

const plainNames = new Map(Object.entries(plainConditions).map(([name, { type }]) => [type, name]))

function conditionOf(trigger: Trigger): RulePart {
  switch (trigger.type) {
    case 'events':
    case 'users': {
      const interval = windowOf(trigger.windowMinutes)
      if (minutesOf(interval) !== trigger.windowMinutes) return { id: own.trigger, trigger }
      const id = `${conditionPrefix}${trigger.type === 'users' ? users : frequency}`
      return { id, comparisonType: 'count', value: trigger.count - 1, interval }
    }
    case 'rate': {
      const interval = windowOf(trigger.windowMinutes)
      if (minutesOf(interval) !== trigger.windowMinutes) return { id: own.trigger, trigger }
      const comparisonInterval = windowOfBefore[trigger.before]
      return {
        id: conditionPrefix + frequency,
        comparisonType: 'percent',
        value: trigger.percent,
        interval,
        comparisonInterval,
      }
    }
    default: {
      const name = plainNames.get(trigger.type)
      return name === undefined ? { id: own.trigger, trigger } : { id: conditionPrefix + name }
    }
  }
}

function actionOf(action: AlertAction, { channels }: Targets): RulePart {
  if (action.type === 'owners') return { id: 'sentry.mail.actions.NotifyEmailAction', targetType: 'IssueOwners' }
  if (action.type === 'members') return { id: 'sentry.mail.actions.NotifyEmailAction', targetType: 'Team' }
  if (action.type === 'person')
    return { id: 'sentry.mail.actions.NotifyEmailAction', targetType: 'Member', targetIdentifier: action.person }
  const channel = action.type === 'channel' ? channels.find(({ id }) => String(id) === action.channel) : undefined
  if (channel?.kind === 'slack')
    return {
      id: 'sentry.integrations.slack.notify_action.SlackNotifyServiceAction',
      workspace: String(channel.id),
      channel: channel.name,
    }
  return { id: own.action, target: action }
}

/** What fromIssueRule keeps of a rule. A configuration file may contain anything else. */
const keptRule = issueRuleBody
  .pick({ conditions: true, filters: true, actions: true, actionMatch: true, filterMatch: true, owner: true })
  .extend({ shape: z.literal('rules') })
type Original = z.output<typeof keptRule>

/** The actions as they were written, unless another shape changed the receivers since. */
function actionsOf({ actions }: RestAlertRule, original: Original | undefined, targets: Targets): RulePart[] {
  const isWritten = original && meansReceivers(original.actions, (part) => readAction(part, targets), actions)
  return isWritten ? original.actions : actions.map((action) => actionOf(action, targets))
}

/** Converts a rule to this shape: as it was written, else its conditions with ids of this shape where there are any. */
export function toIssueRule(rule: RestAlertRule, targets: Targets, nowMs: number): RestIssueRule {
  const { issue } = rule
  const original = keptRule.safeParse(rule.original).data
  const filters = issue?.filter ? [{ id: own.search, query: issue.filter }] : []
  return {
    id: rule.id,
    name: rule.name,
    projects: rule.projects,
    environment: rule.environment,
    owner: original?.owner ?? rule.owner,
    frequency: rule.intervalMinutes,
    actionMatch: original?.actionMatch ?? issue?.match ?? 'any',
    filterMatch: original?.filterMatch ?? 'all',
    conditions: original?.conditions ?? issue?.when.map(conditionOf) ?? [],
    filters: original?.filters ?? filters,
    actions: actionsOf(rule, original, targets),
    status: rule.isActive ? 'active' : 'disabled',
    snooze: rule.mutedUntil !== null && Date.parse(rule.mutedUntil) > nowMs,
    errors: errorsOf(rule),
    createdBy: rule.createdBy,
    dateCreated: rule.dateCreated,
  }
}
