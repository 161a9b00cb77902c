import { z } from 'zod'
import { digits, line, time } from '../scalars.ts'

const logic = z.enum(['any', 'any-short', 'all', 'none'], { error: 'any, any-short, all or none.' })
const condition = z.looseObject({ type: z.string().max(50), comparison: z.unknown(), conditionResult: z.unknown() })
const action = z.looseObject({
  type: z.string().max(50),
  config: z.record(z.string(), z.unknown()).default({}),
  data: z.record(z.string(), z.unknown()).default({}),
  integrationId: z
    .union([z.string().max(50), z.int()])
    .nullable()
    .optional(),
})
const triggers = z.looseObject({ logicType: logic.default('any-short'), conditions: z.array(condition).max(20) })
const actionFilter = z.looseObject({
  logicType: logic.default('all'),
  conditions: z.array(condition).max(50).default([]),
  actions: z.array(action).max(20).default([]),
})

/** organizations/{org}/workflows/: who hears of what detectors find, in the newer shape. */
export const restWorkflow = z
  .strictObject({
    id: digits,
    name: z.string(),
    enabled: z.boolean(),
    environment: z.string().nullable(),
    config: z.strictObject({ frequency: z.int().describe('Minutes in which a cause is sent at most once.') }),
    detectorIds: z.array(digits).describe('Projects, or detectors of metrics.'),
    triggers: z.record(z.string(), z.unknown()).nullable(),
    actionFilters: z.array(z.record(z.string(), z.unknown())),
    errors: z
      .array(z.strictObject({ detail: z.string() }))
      .describe('Why the workflow is off, or what Mishap does not evaluate of it.'),
    dateCreated: time,
    dateUpdated: time,
    revision: z.int(),
  })
  .meta({ id: 'Workflow' })
export type RestWorkflow = z.infer<typeof restWorkflow>

/** Body of a workflow. */
export const workflowBody = z.object({
  name: line(200, 'A name.'),
  enabled: z.boolean().default(true),
  environment: z.string().max(64).nullable().default(null),
  config: z.looseObject({ frequency: z.int().min(5).max(43_200).default(30) }).default({ frequency: 30 }),
  detectorIds: z
    .array(z.union([digits.max(16), z.int().min(0)]))
    .max(200)
    .default([]),
  triggers: triggers.nullable().optional(),
  actionFilters: z.array(actionFilter).max(20).default([]),
})
export type WrittenWorkflow = z.output<typeof workflowBody>
