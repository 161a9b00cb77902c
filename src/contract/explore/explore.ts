import { z } from 'zod'
import { datasets, planLimits } from '../../domain/datasets.ts'

export const restDataset = z.enum(datasets)

const name = z.string().regex(/^[a-z][a-z0-9_]{0,19}$/)

/**
 * A question over one dataset. Projects, environments and range are those of the view and no part of it. Saved queries
 * and tiles of dashboards store it, so a later version only adds optional fields.
 */
export const restPlan = z
  .strictObject({
    dataset: restDataset.describe('What is asked: errors, spans, logs, metrics or outcomes.'),
    query: z.string().max(4096).default('').describe('Filter of all series, in the search language of the dataset.'),
    columns: z
      .array(z.string().max(300))
      .max(planLimits.columns)
      .default([])
      .describe('Fields of each row, if there are no series.'),
    groupBy: z
      .array(z.string().max(300))
      .max(planLimits.groups)
      .default([])
      .describe('Fields, attributes or JSON paths such as body.order.items[].id.'),
    series: z
      .array(
        z.strictObject({
          name: name.describe('Name in formulas and in the order: a, b, and so on.'),
          aggregate: z.string().max(300).describe('count(), p95(span.duration), sum(value) and so on.'),
          query: z.string().max(4096).optional().describe('A further filter of this series.'),
        }),
      )
      .max(planLimits.series)
      .default([]),
    formulas: z
      .array(z.strictObject({ name, expression: z.string().max(300).describe('For example a / (a + b) * 100.') }))
      .max(planLimits.formulas)
      .default([]),
    order: z
      .string()
      .max(301)
      .default('')
      .describe('A name of an answered column, with - for the largest first. Empty: the first series, largest first.'),
    limit: z.int().min(1).max(planLimits.rows).default(100).describe('Rows or groups.'),
    compare: z.literal('previous').optional().describe('Answers the period before the range, too.'),
  })
  .meta({ id: 'Plan' })
export type Plan = z.output<typeof restPlan>

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
/** A value of an answer. Null: the row or group does not have it. */
export type PlanCell = z.infer<typeof cell>

const column = z.strictObject({
  name: z.string().describe('A field, or the name of a series or formula.'),
  label: z.string().describe('The field, aggregate or expression as the plan has it.'),
  role: z
    .enum(['field', 'group', 'series', 'formula', 'previous'])
    .describe('previous: the value of the series or formula of this name in the period before the range.'),
  type: z.enum(['string', 'number', 'integer', 'duration', 'percentage', 'date', 'boolean', 'rate']),
  unit: z.string().nullable(),
})
export type PlanColumn = z.infer<typeof column>

/** A part of a plan in words. Screens word it in their language. */
const phrase = z.discriminatedUnion('part', [
  z.strictObject({ part: z.literal('rows'), dataset: restDataset, columns: z.array(z.string()) }),
  z.strictObject({
    part: z.literal('series'),
    dataset: restDataset,
    name: z.string(),
    aggregate: z.string(),
    query: z.string().describe('Its own filter, or an empty text.'),
  }),
  z.strictObject({ part: z.literal('formula'), name: z.string(), expression: z.string() }),
  z.strictObject({ part: z.literal('filter'), query: z.string() }),
  z.strictObject({ part: z.literal('groups'), fields: z.array(z.string()) }),
  z.strictObject({ part: z.literal('order'), by: z.string(), descending: z.boolean() }),
  z.strictObject({ part: z.literal('limit'), rows: z.int(), of: z.enum(['rows', 'groups']) }),
  z.strictObject({ part: z.literal('previous') }),
])
export type PlanPhrase = z.infer<typeof phrase>

/** POST organizations/{org}/explore/explain/: what a plan asks, without running it. */
export const restPlanExplained = z
  .strictObject({
    words: z.array(phrase).describe('The plan in the order in which a sentence says it.'),
    sql: z
      .string()
      .nullable()
      .describe('Readable SQL with its values in place. Null: outcomes are answered from the ledger, without SQL.'),
  })
  .meta({ id: 'PlanExplained' })

/** Why an answer is from a part of the range. */
export const restPartial = z
  .strictObject({ reason: z.enum(['time', 'memory', 'rows']), sentence: z.string() })
  .nullable()
  .describe('Why only the newest part of the range was read. Null: all of it was read.')

/** An answer to a plan. Tables have rows, charts have series. */
export const restPlanAnswer = z
  .strictObject({
    columns: z.array(column).describe('Columns of the rows. Of series: the groups, then the series and formulas.'),
    rows: z.array(z.array(cell)),
    series: z.array(
      z.strictObject({
        name: z.string(),
        group: z.array(cell).describe('Values of groupBy; empty without.'),
        points: z.array(
          z.strictObject({
            startMs: z.int(),
            value: z.number().nullable(),
            previous: z.number().nullable().optional().describe('The value of the period before, at the same place.'),
            incomplete: z.boolean().describe('The bucket is not over yet, or was not read completely.'),
          }),
        ),
      }),
    ),
    meta: z.strictObject({
      fromMs: z.int(),
      toMs: z.int(),
      scannedFromMs: z.int().describe('Start of the part of the range that was read.'),
      partial: restPartial,
      samples: z.int().nullable().describe('Stored rows that match. Null: unknown.'),
      sampled: z.boolean().describe('Stored rows stand for others, so counts are extrapolated.'),
      more: z.boolean().describe('There are more rows or groups than the limit.'),
      beforeStored: z
        .boolean()
        .optional()
        .describe(
          'With compare: whether all rows of the period before are still stored. False: there is nothing to compare with where retention deleted them, and previous is null there.',
        ),
      rowsRead: z.int(),
      bytesRead: z.int(),
      elapsedMs: z.int(),
    }),
  })
  .meta({ id: 'PlanAnswer' })
export type PlanAnswer = z.infer<typeof restPlanAnswer>
