import { z } from 'zod'
import { restPerson } from '../people.ts'
import { digits, line, time } from '../scalars.ts'

const triggerAction = z.looseObject({ type: z.string().max(50) })
const finite = z.number().min(-1e15).max(1e15)
const trigger = z.object({
  label: z.enum(['critical', 'warning'], { error: 'critical or warning.' }),
  alertThreshold: finite,
  actions: z.array(triggerAction).max(20).default([]),
})

/** organizations/{org}/alert-rules/: a metric rule in the older shape of the API. */
export const restMetricRule = z
  .strictObject({
    id: digits,
    name: z.string(),
    organizationId: digits,
    status: z.int().describe('0: active. 4: disabled.'),
    dataset: z.string(),
    query: z.string(),
    aggregate: z.string(),
    timeWindow: z.int().describe('Minutes.'),
    resolution: z.int(),
    thresholdPeriod: z.int(),
    thresholdType: z.union([z.literal(0), z.literal(1)]).describe('0: above. 1: below.'),
    resolveThreshold: z.number().nullable(),
    comparisonDelta: z.int().nullable().describe('Minutes of the period that is compared; null: fixed thresholds.'),
    detectionType: z.enum(['static', 'percent', 'dynamic']),
    triggers: z.array(
      z.strictObject({
        label: z.string(),
        alertThreshold: z.number(),
        actions: z.array(z.record(z.string(), z.unknown())),
      }),
    ),
    projects: z.array(z.string()),
    environment: z.string().nullable(),
    owner: z.string().nullable(),
    snooze: z.boolean(),
    errors: z.array(z.strictObject({ detail: z.string() })).describe('Why the rule is inactive.'),
    createdBy: restPerson.nullable(),
    dateCreated: time,
    dateModified: time,
  })
  .meta({ id: 'MetricRule' })
export type RestMetricRule = z.infer<typeof restMetricRule>

/** Body of a metric rule in this shape. */
export const metricRuleBody = z.object({
  name: line(200, 'A name.'),
  dataset: z.string().max(50).default('events'),
  query: z.string().max(4096).default(''),
  aggregate: z.string().min(1).max(300),
  timeWindow: z.int().min(1).max(43_200),
  thresholdType: z.union([z.literal(0), z.literal(1)]),
  resolveThreshold: finite.nullable().default(null),
  comparisonDelta: z.int().nullable().default(null),
  detectionType: z.enum(['static', 'percent', 'dynamic']).optional(),
  triggers: z.array(trigger).min(1, 'At least one trigger.').max(2),
  projects: z.array(z.string().max(50)).max(200).default([]),
  environment: z.string().max(64).nullable().default(null),
  owner: z.string().max(70).nullable().default(null),
})
export type WrittenMetricRule = z.output<typeof metricRuleBody>

/** organizations/{org}/combined-rules/: both kinds, each in its older shape. */
export const restCombinedRule = z.record(z.string(), z.unknown()).describe('type is rule or alert_rule.')
