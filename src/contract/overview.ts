import { z } from 'zod'
import { restIssue, restPoint } from './issues.ts'
import { restShare } from './release-health.ts'
import { restAnnotations } from './releases.ts'
import { digits, restProjectName, time } from './scalars.ts'

/** Shape of an organization's overview. "Before" is the range of the same length that ends where this one starts. */

const count = z.int()
const nowAndBefore = z.strictObject({ now: count, before: count })

const segments = z.strictObject({
  count,
  failed: count.describe('With a status other than ok, cancelled, unknown or none.'),
  p75Ms: z.number().nullable(),
})
const segmentsNowAndBefore = z.strictObject({ now: segments, before: segments })
const crashFree = z.strictObject({ now: restShare.nullable(), before: restShare.nullable() })

const overviewProject = z.strictObject({
  project: restProjectName,
  unresolved: count.describe('Unresolved issues now, whatever the range.'),
  release: z.string().nullable().describe('The newest release.'),
  events: nowAndBefore.nullable(),
  trend: z.array(restPoint),
  crashFree: crashFree.nullable().describe('Sessions. Null: none in the range, or the part failed.'),
  segments: segmentsNowAndBefore.nullable().describe('Null: none in the range, or the part failed.'),
})
export type RestOverviewProject = z.infer<typeof overviewProject>

const decision = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('escalating'),
    issue: z.strictObject({ id: digits, shortId: z.string(), title: z.string() }),
    users: count,
    events: count,
  }),
  z.strictObject({
    kind: z.literal('release'),
    project: restProjectName,
    version: z.string(),
    previous: z.string(),
    own: restShare,
    before: restShare,
  }),
  z.strictObject({ kind: z.literal('regressed'), issues: count, shortIds: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('sourceMaps'), project: restProjectName, groups: count.nullable() }),
  z.strictObject({ kind: z.literal('channel'), id: digits, name: z.string(), error: z.string(), failingSince: time }),
  z.strictObject({ kind: z.literal('disk'), storedBytes: z.number(), budgetBytes: z.number() }),
  z.strictObject({ kind: z.literal('deadLetters'), items: count }),
  z.strictObject({ kind: z.literal('lag'), records: count, seconds: z.number() }),
])
export type RestDecision = z.infer<typeof decision>

/** Parts that are read on their own. A part that fails leaves its values null or empty and is named in `failed`. */
const overviewParts = ['events', 'users', 'sessions', 'segments', 'issues', 'release', 'disk'] as const
export type OverviewPart = (typeof overviewParts)[number]

/** GET organizations/{org}/overview/ */
export const restOverview = z
  .strictObject({
    start: time,
    end: time,
    previousStart: time,
    bucketSeconds: count,
    events: nowAndBefore.nullable(),
    users: nowAndBefore.nullable(),
    crashFree: crashFree.nullable(),
    segments: segmentsNowAndBefore.nullable(),
    unresolved: z.strictObject({ all: count, new: count, regressed: count, escalating: count }),
    series: z
      .array(z.tuple([count, count.nullable(), count.nullable()]))
      .describe('Buckets, oldest first: seconds since 1970, events, users. Null: the part failed.'),
    releases: restAnnotations,
    projects: z.array(overviewProject),
    issues: z
      .strictObject({ rows: z.array(restIssue), all: count.nullable() })
      .nullable()
      .describe('New, regressed and escalating issues with the most events.'),
    routes: z
      .array(segmentsNowAndBefore.extend({ project: restProjectName, route: z.string() }))
      .describe('The slowest routes by their 75th percentile, with at least 50 segments in the range.'),
    decisions: z.array(decision).describe('What waits for a person, the most urgent first.'),
    failed: z.array(z.strictObject({ part: z.enum(overviewParts), code: z.string() })),
  })
  .meta({ id: 'Overview' })
export type RestOverview = z.infer<typeof restOverview>
