import { z } from 'zod'
import { newAlertRuleBody } from './alerts.ts'

const ms = z.int().describe('Milliseconds since 1970.')

/** A part of the range that a back-test cannot judge, or judges with less than all rows. */
const blind = z.strictObject({
  fromMs: ms,
  toMs: ms,
  reason: z
    .enum(['retention', 'downsampled', 'pattern', 'before', 'partial', 'late', 'state', 'events', 'groups'])
    .describe(
      'retention: rows were deleted by age. downsampled: rows were removed for the disk budget. pattern: the weekly pattern was not known yet. before: there are no rows of the period that is compared with. partial: not all rows were read in time. late: rows came over 7 days after their own time, so they are left out. state: the rule asks about the state of issues, which is only known as it is now. events: what happened has no event any more that could be judged. groups: some steps have more groups than are ranked.',
    ),
  sentence: z.string(),
})

const firing = z.strictObject({
  startMs: ms.describe('Processed time: the end of the window that fired, or when it happened to the issue.'),
  endMs: ms.nullable().describe('Null: it goes on. An issue rule fires at a moment: the same as `startMs`.'),
  level: z.enum(['warning', 'critical']).describe('The highest level that it reached.'),
  peak: z
    .number()
    .nullable()
    .describe('The value furthest beyond the threshold. Null: it fired without data, or without a window.'),
  trigger: z.string().nullable().describe('The trigger of an issue rule that fired. Null: a metric rule.'),
  group: z.string().nullable().describe('The group that fired. Null: a rule without groups.'),
  groupId: z.string().nullable().describe('Names the group in `noise`. Null: a rule without groups.'),
  mostly: z
    .strictObject({
      issue: z.string().describe('Short id of the issue.'),
      title: z.string(),
      share: z.number().describe('Its part of the events of the firing, 0 to 1.'),
    })
    .nullable()
    .describe('The issue with most events in the firing; of an issue rule, its issue. Null: there is none.'),
})

/** A firing that is marked as noise. Groups of one rule can fire at one moment, so their marks name the group. */
const mark = z
  .union([ms, z.strictObject({ startMs: ms, groupId: z.string().max(64) })])
  .describe(
    'The start of a firing. Of a rule by groups, start and `groupId`; the start alone means all groups that fired then.',
  )

const barPoints = z.array(z.strictObject({ startMs: ms, value: z.number().nullable() }))

/** A change of the rule that marked firings would not have survived. */
const suggestion = z.strictObject({
  change: z.enum(['threshold', 'window', 'minimum', 'filter']),
  value: z
    .union([z.number(), z.string()])
    .describe('The critical threshold, the window in minutes, the minimum of rows, or what is added to the filter.'),
  critical: z.number().describe('The critical threshold with it: a longer window of a count has a higher one.'),
  avoids: z.array(mark).describe('Marked firings that would not have happened.'),
  loses: z.array(mark).describe('Other firings that would not have happened, of all groups.'),
  times: z.int().describe('How often the changed rule would have fired, in all groups.'),
})

/** Body of a back-test: a rule as it would be created. Its name does not matter. */
export const backTestBody = z.object({
  rule: newAlertRuleBody.omit({ name: true }),
  days: z.union([z.literal(1), z.literal(14)]).default(14),
  noise: z.array(mark).max(200).default([]).describe('Firings that are marked as noise, for suggestions.'),
})
export type BackTestBody = z.output<typeof backTestBody>

/** POST organizations/{org}/alerts/back-test/: what an unsaved rule would have done. */
export const restBackTest = z
  .strictObject({
    fromMs: ms,
    toMs: ms.describe('Up to here everything is processed.'),
    stepMinutes: z.int().describe('The rule is judged once in so many minutes.'),
    barMs: z.int().describe('Length of a bar of the chart.'),
    points: barPoints.describe(
      'For each bar, the window that is furthest towards the threshold. Null: no data. Of an issue rule, the highest value of one issue in a window; without windows, the number of issues.',
    ),
    firings: z.array(firing).describe('The oldest first.'),
    others: z
      .array(
        z.strictObject({
          threshold: z.number(),
          times: z.int(),
          totalMs: z.int().describe('How long it would have fired in all.'),
          isChosen: z.boolean(),
        }),
      )
      .describe(
        'The critical threshold of the rule, with others beside it, in ascending order. Of an issue rule, the number of its first trigger that has one.',
      ),
    messages: z
      .array(
        z.strictObject({
          receiver: z.strictObject({ type: z.string(), id: z.string().nullable() }).describe('An action of the rule.'),
          count: z.int().describe('Messages that it would have received, with the interval of the rule applied.'),
        }),
      )
      .describe('One for each action of the rule.'),
    blind: z.array(blind).describe('Parts that cannot be judged.'),
    samples: z.int().describe('Stored rows that match. Of a rule without windows, what happened to issues.'),
    sampled: z.boolean().describe('Stored rows stand for others, so counts are extrapolated.'),
    groups: z
      .strictObject({
        shown: z
          .array(z.strictObject({ name: z.string(), times: z.int(), points: barPoints }))
          .describe('Those that fired most or are furthest out, at most 5.'),
        others: z.array(z.strictObject({ name: z.string(), times: z.int() })).describe('At most 100.'),
        more: z.int().describe('Groups that were watched and are not named here.'),
        beyond: z.int().describe('Most groups of a window that were not watched, at least.'),
      })
      .nullable()
      .describe('Null: a rule without groups.'),
    suggest: z.array(suggestion).nullable().describe('Null: no firing was marked as noise.'),
  })
  .meta({ id: 'AlertBackTest' })
export type RestBackTest = z.infer<typeof restBackTest>
