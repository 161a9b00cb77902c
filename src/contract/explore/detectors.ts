import { z } from 'zod'
import { digits, line, time } from '../scalars.ts'

const finite = z.number().min(-1e15).max(1e15)
const condition = z.looseObject({
  type: z.string().max(50),
  comparison: z.unknown(),
  conditionResult: z.int().describe('75: critical. 50: warning. 0: resolved.'),
})

/** organizations/{org}/detectors/: what is watched, in the newer shape: a metric rule, or the errors of a project. */
export const restDetector = z
  .strictObject({
    id: digits,
    projectId: z.string().describe('Empty: all projects.'),
    name: z.string(),
    description: z.string().nullable(),
    type: z.enum(['metric_issue', 'error', 'issue_stream']),
    enabled: z.boolean(),
    owner: z.looseObject({ type: z.string(), id: z.string(), name: z.string() }).nullable(),
    dataSources: z.array(z.record(z.string(), z.unknown())),
    conditionGroup: z
      .strictObject({ logicType: z.string(), conditions: z.array(z.record(z.string(), z.unknown())) })
      .nullable(),
    config: z.record(z.string(), z.unknown()),
    workflowIds: z.array(z.string()),
    errors: z.array(z.strictObject({ detail: z.string() })).describe('Why the detector is off.'),
    dateCreated: time,
    dateUpdated: time,
  })
  .meta({ id: 'Detector' })
export type RestDetector = z.infer<typeof restDetector>

/** Body of a detector of metrics. */
export const detectorBody = z.object({
  name: line(200, 'A name.'),
  type: z.string().max(50),
  description: z.string().max(2000).nullable().optional(),
  projectId: z.union([z.string().max(50), z.int()]).optional(),
  enabled: z.boolean().default(true),
  owner: z.string().max(70).nullable().default(null),
  dataSources: z
    .array(
      z.looseObject({
        aggregate: z.string().min(1).max(300),
        dataset: z.string().max(50),
        query: z.string().max(4096).nullable().default(''),
        environment: z.string().max(64).nullable().default(null),
        timeWindow: z.int().min(60).max(2_592_000).describe('Seconds.'),
      }),
    )
    .max(1)
    .default([]),
  conditionGroup: z
    .object({ logicType: z.string().max(20).default('any'), conditions: z.array(condition).max(10) })
    .optional(),
  config: z
    .looseObject({
      detectionType: z.enum(['static', 'percent', 'dynamic']).default('static'),
      comparisonDelta: finite.nullable().optional().describe('Seconds.'),
    })
    .default({ detectionType: 'static' }),
})
export type WrittenDetector = z.output<typeof detectorBody>
