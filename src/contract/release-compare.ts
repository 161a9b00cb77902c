import { z } from 'zod'
import { restIssue } from './issues.ts'
import { healthChange, releaseHealthPart } from './release-health.ts'
import { textOrNull, time } from './scalars.ts'

/** Shapes of the comparison of two releases. Rates are events per session or per event. */

const rate = z
  .strictObject({ rate: z.number(), low: z.number(), high: z.number() })
  .describe('Rate with its 99% interval.')

const occurrences = z.strictObject({
  events: z.int(),
  users: z.int().describe('An estimate; 0 if the events name no user.'),
  rate: rate.nullable().describe('Null: the release has no sessions and no events in the project.'),
})

const comparedIssue = z.strictObject({
  issue: restIssue.pick({
    id: true,
    shortId: true,
    title: true,
    metadata: true,
    decodedTitle: true,
    culprit: true,
    level: true,
    status: true,
    substatus: true,
    project: true,
    assignedTo: true,
  }),
  basis: z.enum(['sessions', 'events']).nullable().describe('What the rates count: per session, or per event.'),
  a: occurrences,
  b: occurrences,
  difference: z
    .strictObject({ by: z.number(), low: z.number(), high: z.number() })
    .nullable()
    .describe('Rate of b less rate of a with its 99% interval.'),
  verdict: z.enum(['more', 'fewer', 'same']).describe('same: the interval contains 0, so no difference is seen yet.'),
})
export type RestComparedIssue = z.infer<typeof comparedIssue>

const list = z.strictObject({
  total: z.int(),
  sure: z.int().describe('How many of them have an interval without 0.'),
  rows: z.array(comparedIssue).describe('The surest and most frequent, at most 50.'),
})
export type RestComparedIssues = z.infer<typeof list>

const side = z.strictObject({
  version: z.string(),
  shortVersion: z.string(),
  dateCreated: time,
  dateReleased: time.nullable(),
  lastEvent: time.nullable(),
  projects: z.array(z.string()).describe('Slugs.'),
  events: z.int().describe('Stored error events of the last 90 days.'),
  health: releaseHealthPart.nullable().describe('Null: no sessions.'),
  lastDeploy: z.strictObject({ environment: z.string(), name: textOrNull, dateFinished: time }).nullable(),
})
export type RestComparedRelease = z.infer<typeof side>

/** GET organizations/{org}/releases/compare/: a is the release before, b the release after. */
export const restReleaseCompare = z
  .strictObject({
    a: side,
    b: side,
    change: healthChange.nullable().describe('Crash-free sessions of b less those of a, at equal adoption.'),
    new: list.describe('Issues with events of b and none of a.'),
    gone: list.describe('Issues with events of a and none of b.'),
    more: list.describe('Issues of both that are more frequent in b.'),
    fewer: list.describe('Issues of both that are less frequent in b.'),
    same: z.int().describe('Issues of both without a difference that can be seen yet.'),
    truncated: z.boolean().describe('A release has more issues than are compared.'),
  })
  .meta({ id: 'ReleaseCompare' })
export type RestReleaseCompare = z.infer<typeof restReleaseCompare>
