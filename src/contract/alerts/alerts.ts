import { z } from 'zod'
import { alertReasonCodes } from '../../domain/alerts/alert-reasons.ts'
import { restPlan } from '../explore/explore.ts'
import { restPerson } from '../people.ts'
import { digits, line, moment, revisionField, time } from '../scalars.ts'

/** Longest window of a rule: 30 days. */
const windowMinutesMax = 43_200
const minutes = (min: number) => z.int().min(min).max(windowMinutesMax)
const positive = z.number().positive().max(1e15)
const finite = z.number().min(-1e15).max(1e15)

/** What makes an issue rule look at an issue. */
export const alertTrigger = z.discriminatedUnion('type', [
  z.strictObject({
    type: z
      .enum(['new', 'regression', 'escalation', 'priority', 'first_of_release', 'performance', 'feedback'])
      .describe('priority: it was raised. first_of_release: the first event of a release in its project.'),
  }),
  z.strictObject({
    type: z.enum(['events', 'users']),
    count: z.int().min(1).max(1e9).describe('Every so many events or users in the window.'),
    windowMinutes: minutes(1),
  }),
  z.strictObject({
    type: z.literal('rate'),
    percent: positive.describe('Events of the window above those of the same window before, in percent: 100 is twice.'),
    windowMinutes: minutes(1),
    before: z.enum(['hour', 'day', 'week']),
  }),
])

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time such as 22:00.')

const quietHours = z
  .strictObject({
    from: clockTime,
    to: clockTime.describe('Earlier than `from`: on the next day.'),
    timeZone: z
      .string()
      .max(64)
      .refine((name) => isTimeZone(name), 'An IANA time zone such as Europe/Berlin.'),
  })
  .nullable()

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** When and if of an issue rule. */
export const issueCondition = z.strictObject({
  when: z.array(alertTrigger).max(20).describe('At least one.'),
  match: z.enum(['any', 'all']).default('any').describe('Whether one trigger is enough.'),
  filter: z
    .string()
    .max(4096)
    .default('')
    .describe('Search text that the issue and its event must meet. Empty: every issue.'),
  unless: z
    .strictObject({
      noise: z.boolean().default(false).describe('Not for issues whose events are all noise.'),
      skew: z.boolean().default(false).describe('Not for version skew after a deploy that decays within half an hour.'),
      quietHours: quietHours.default(null).describe('Not in these hours.'),
    })
    .default({ noise: false, skew: false, quietHours: null }),
})
export type IssueCondition = z.output<typeof issueCondition>

/** Measure and thresholds of a metric rule. */
export const metricCondition = z.strictObject({
  plan: restPlan,
  of: z.string().max(20).describe('Name of the series or formula of the plan that decides.'),
  windowMinutes: minutes(1),
  threshold: z.strictObject({
    type: z
      .enum(['fixed', 'change', 'weekly'])
      .describe('change: percent against before. weekly: percent off the pattern.'),
    direction: z.enum(['above', 'below']),
    warning: finite.nullable().default(null),
    critical: finite,
    resolve: finite.nullable().default(null).describe('Null: the value must leave the lowest level.'),
    before: z.enum(['hour', 'day', 'week']).optional().describe('Of change: the period that is compared.'),
  }),
  minimum: z.int().min(0).max(1e12).default(0).describe('Rows that the window must have.'),
  missing: z.enum(['fire', 'resolve', 'keep']).default('keep').describe('What a window without data means.'),
})
export type MetricCondition = z.output<typeof metricCondition>

const id = digits.max(15)

/** Receivers that follow from the issue. */
export const namelessAction = z.strictObject({ type: z.enum(['assignee', 'owners', 'authors', 'members']) })
export const trackerOptions = z
  .record(z.string().max(64), z.union([z.string().max(500), z.array(z.string().max(200)).max(50)]))
  .default({})

/** Who hears of a firing, or what it creates. */
export const alertAction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('channel'), channel: id }),
  z.strictObject({ type: z.literal('person'), person: z.string().min(1).max(64) }),
  namelessAction,
  z.strictObject({ type: z.literal('on_call'), schedule: id }),
  z.strictObject({
    type: z.literal('tracker'),
    tracker: id,
    options: trackerOptions,
  }),
])
export type AlertAction = z.output<typeof alertAction>

export const escalationStep = z.strictObject({ afterMinutes: z.int().min(1).max(1440), schedule: id })
export type EscalationStep = z.output<typeof escalationStep>

const name = line(200, 'A name.')
const projects = z.array(z.string().max(50)).max(200).describe('Slugs; empty: all projects.')
const environment = z.string().max(64).nullable()
const owner = z
  .string()
  .max(70)
  .regex(/^user:.+$/, 'user: and the id of a member.')
  .nullable()
/** Receivers of a rule. */
export const alertActionsMax = 20
const actions = z.array(alertAction).max(alertActionsMax)
const intervalMinutes = minutes(5).describe('At most one message per cause in this time.')
const escalation = z.array(escalationStep).max(10)

/** States of a rule. `waiting`: for data, or for ingest to catch up. */
export const ruleStatus = z.enum(['ok', 'warning', 'critical', 'waiting', 'not_evaluated', 'inactive'])
export type RuleStatus = z.output<typeof ruleStatus>

/** organizations/{org}/alerts/: a rule with its state. */
export const restAlertRule = z
  .strictObject({
    id: digits,
    name: z.string(),
    kind: z.enum(['issue', 'metric']),
    projects: z.array(z.string()).describe('Slugs; empty: all projects.'),
    areProjectsGone: z.boolean().describe('All of its projects were deleted: it watches none.'),
    environment: z.string().nullable().describe('Null: all environments.'),
    owner: z.string().nullable().describe('user: and the id of a member.'),
    isActive: z.boolean(),
    mutedUntil: time.nullable().describe('A muted rule is evaluated, but sends nothing.'),
    state: z.strictObject({
      status: ruleStatus,
      reason: z.string().describe('Why the rule waits, is inactive or was not evaluated. Empty otherwise.'),
      reasonCode: z.enum(alertReasonCodes).nullable().describe('The code of `reason`, if its sentence has no figures.'),
      since: time.nullable(),
      evaluatedTo: time.nullable().describe('Processed time up to which the rule has decided.'),
      value: z.number().nullable().describe('Of a rule by groups: that of its worst group.'),
      groups: z
        .strictObject({
          watched: z.int(),
          beyond: z.int().describe('Groups of the last window that are not watched, at least.'),
          firing: z
            .array(
              z.strictObject({
                name: z.string(),
                level: z.enum(['warning', 'critical']),
                value: z.number().nullable(),
              }),
            )
            .describe('At most 100. The name has the slug of a project, or its id once it is deleted.'),
        })
        .nullable()
        .describe('Null: the rule has no groups, or was not judged yet.'),
    }),
    issue: issueCondition.nullable(),
    metric: metricCondition.nullable(),
    actions: z.array(alertAction),
    intervalMinutes: z.int(),
    resolveMessage: z.boolean().describe('Whether the end of an incident is sent, too.'),
    escalation: z.array(escalationStep),
    unevaluable: z
      .array(z.string())
      .describe('Conditions that Mishap keeps and cannot evaluate. The rule is inactive.'),
    original: z.unknown().describe('The rule as another shape of the API sent it, or null.'),
    workflow: z
      .string()
      .nullable()
      .describe('Name of the workflow that the receivers belong to. With other receivers the rule leaves it.'),
    lastFired: time.nullable().describe('Start of its last firing of the last 90 days.'),
    createdBy: restPerson.nullable(),
    dateCreated: time,
    dateUpdated: time,
    revision: z.int(),
  })
  .meta({ id: 'AlertRule' })
export type RestAlertRule = z.infer<typeof restAlertRule>

/** Body of a new rule: either `issue` or `metric`. */
export const newAlertRuleBody = z.object({
  name,
  projects: projects.default([]),
  environment: environment.default(null),
  owner: owner.default(null),
  isActive: z.boolean().default(true),
  issue: issueCondition.nullable().default(null),
  metric: metricCondition.nullable().default(null),
  actions: actions.default([]),
  intervalMinutes: intervalMinutes.default(30),
  resolveMessage: z.boolean().default(true),
  escalation: escalation.default([]),
})
export type NewAlertRuleBody = z.output<typeof newAlertRuleBody>

/** Body to change a rule. Absent fields stay. The kind of a rule does not change. */
export const alertRuleChangeBody = z.object({
  name: name.optional(),
  projects: projects.optional(),
  environment: environment.optional(),
  owner: owner.optional(),
  isActive: z.boolean().optional(),
  mutedUntil: moment.nullable().optional().describe('Null ends it.'),
  issue: issueCondition.optional(),
  metric: metricCondition.optional(),
  actions: actions.optional(),
  intervalMinutes: intervalMinutes.optional(),
  resolveMessage: z.boolean().optional(),
  escalation: escalation.optional(),
  revision: revisionField,
})
export type AlertRuleChangeBody = z.output<typeof alertRuleChangeBody>
