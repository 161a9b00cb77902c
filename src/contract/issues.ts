import { z } from 'zod'
import { performanceIssueTypes } from '../domain/detectors/detectors.ts'
import { statuses, substatuses } from '../domain/issue-states.ts'
import { restNoise } from './diagnostics.ts'
import { restClientEnds } from './error-links.ts'
import { restPerson } from './people.ts'
import { digits, eventId, record, textOrNull, time } from './scalars.ts'

/** One point of a chart: [seconds since 1970, events]. */
export const restPoint = z.tuple([z.int(), z.int()])
export type RestPoint = z.infer<typeof restPoint>

export const issueStatus = z.enum(statuses)
export type IssueStatus = z.infer<typeof issueStatus>

/** Stored details of a status. */
export const statusDetails = z.strictObject({
  inRelease: z.string().exactOptional(),
  inNextRelease: z.literal(true).exactOptional(),
  afterRelease: z.string().exactOptional(),
  inCommit: z.strictObject({ repository: z.string(), commit: z.string() }).exactOptional(),
  ignoreUntil: time.exactOptional(),
  ignoreCount: z.int().exactOptional(),
  ignoreWindow: z.int().exactOptional(),
  ignoreUserCount: z.int().exactOptional(),
  ignoreUserWindow: z.int().exactOptional(),
  eventsBefore: z.int().exactOptional(),
})
export const priority = z.enum(['high', 'medium', 'low'])
export const assignee = z
  .strictObject({ type: z.literal('user'), id: z.string(), name: z.string(), email: z.string() })
  .nullable()

const level = z.enum(['fatal', 'error', 'warning', 'info', 'debug'])
export type RestLevel = z.infer<typeof level>
export const restVersion = z.strictObject({ version: z.string() }).nullable()

const listedIssue = z.strictObject({
  id: digits,
  shortId: z.string(),
  title: z.string(),
  culprit: z.string(),
  permalink: z.string(),
  level,
  status: issueStatus,
  substatus: z.enum(substatuses).nullable(),
  statusDetails,
  platform: z.string(),
  project: z.strictObject({ id: digits, slug: z.string(), name: z.string(), platform: textOrNull }),
  /** `generic`: a performance issue. */
  type: z.enum(['error', 'default', 'csp', 'generic']),
  metadata: z.strictObject({
    type: z.string().exactOptional(),
    value: z.string().exactOptional(),
    filename: z.string().exactOptional(),
    function: z.string().exactOptional(),
  }),
  /** Ours. */
  decodedTitle: z
    .strictObject({ type: z.string(), value: z.string() })
    .nullable()
    .describe('The title in words if the message is a minified error of React or a long one of Next.js, else null.'),
  /** Ours. */
  hides: z
    .array(z.strictObject({ id: digits, shortId: z.string() }))
    .describe('The server errors that its browser events hide, the most frequent first, at most 5: docs/digests.md.'),
  issueType: z.enum(['error', ...performanceIssueTypes]),
  issueCategory: z.enum(['error', 'performance']),
  priority,
  /** Ours: source of the priority: the level, the state, or a person. */
  priorityReason: z.enum(['level', 'escalating', 'set']),
  assignedTo: assignee,
  /** Ours. */
  suggestedOwner: restPerson
    .extend({ rule: z.string() })
    .nullable()
    .describe('The first person whom the ownership rules suggest, with the rule. Null if the issue has an assignee.'),
  isUnhandled: z.boolean(),
  /** Ours. Null unless all of its events are noise. */
  noise: restNoise.nullable().describe('The verdict that nobody in the team can fix it: docs/diagnostics.md.'),
  isBookmarked: z.boolean(),
  /** Whether the caller has seen it since it appeared or reopened. */
  hasSeen: z.boolean(),
  /** Ours: grows with each change of status or assignee. A change that names another revision is refused (409). */
  revision: z.int(),
  /** Events in the requested range, as text because other clients expect that. */
  count: digits,
  userCount: z.int(),
  firstSeen: time,
  lastSeen: time,
  /** Points of the requested range, oldest first, under '24h', '14d' or 'range'. */
  stats: z.record(z.string(), z.array(restPoint)),
  logger: textOrNull,
  numComments: z.int(),
  /** The same for the whole life of the issue. */
  lifetime: z.strictObject({ count: digits, userCount: z.int(), firstSeen: time, lastSeen: time }),
  firstRelease: restVersion,
  lastRelease: restVersion,
})
export const restIssue = listedIssue.meta({ id: 'Issue' })
export type RestIssue = z.infer<typeof restIssue>

/** An entry of an issue's history. `data` depends on the type. */
export const restActivity = z
  .strictObject({
    id: digits,
    type: z.enum([
      'first_seen',
      'note',
      'set_resolved',
      'set_unresolved',
      'set_regression',
      'set_ignored',
      'assigned',
      'unassigned',
      'mapped_again',
      'merge',
      'unmerge',
      'set_resolved_in_release',
      'set_escalating',
      'auto_set_ongoing',
      'set_priority',
    ]),
    dateCreated: time,
    user: restPerson.nullable(),
    data: record,
  })
  .meta({ id: 'Activity' })
export type RestActivity = z.infer<typeof restActivity>

/** GET issues/{id}/activities/ */
export const restActivities = z.strictObject({ activity: z.array(restActivity) })

/** Body of a comment. */
export const commentBody = z.object({
  text: z.string().trim().min(1, 'Not empty.').max(10_000, 'At most 10,000 characters.'),
})

/** One issue: the fields of the list, its tags, its history and the people involved. */
export const restIssueDetail = listedIssue
  .extend({
    tags: z.array(z.strictObject({ key: z.string(), name: z.string(), totalValues: z.int() })),
    activity: z.array(restActivity),
    digests: z.array(z.string()),
    /** Ours: the browser events that hide its server errors. No count of the issue includes them. */
    browserSide: restClientEnds,
    /** Ours. Null without a verdict, or if no such filter exists. */
    noiseFilter: z
      .strictObject({ id: z.string(), isActive: z.boolean() })
      .nullable()
      .describe('The inbound filter of its project that drops events like these.'),
    /** People who have seen it, latest first. */
    seenBy: z.array(restPerson.extend({ lastSeen: time })),
    /** People who follow it. */
    participants: z.array(restPerson),
    /** Whether the caller follows it, and why. */
    isSubscribed: z.boolean(),
    subscriptionDetails: z.strictObject({ reason: z.string() }).nullable(),
    /** Ours: people whom the ownership rules suggest, each with its rule. */
    suggestedOwners: z.array(restPerson.extend({ rule: z.string() })),
    /** Ours: its events that the disk budget evicted. Counts include them. */
    thinned: z.int(),
  })
  .meta({ id: 'IssueDetail' })
export type RestIssueDetail = z.infer<typeof restIssueDetail>

/** GET issues/{id}/tags/ */
export const restTag = z
  .strictObject({
    key: z.string(),
    name: z.string(),
    totalValues: z.int(),
    uniqueValues: z.int(),
    topValues: z.array(z.strictObject({ value: z.string(), name: z.string(), count: z.int() })),
  })
  .meta({ id: 'Tag' })
export type RestTag = z.infer<typeof restTag>
export const restTagKey = z.strictObject({
  key: z.string(),
  name: z.string(),
  totalValues: z.int(),
  uniqueValues: z.int().exactOptional().describe('Of attributes of spans.'),
})
export const restTagValue = z.strictObject({
  key: z.string(),
  name: z.string(),
  value: z.string(),
  count: z.int(),
})

/** GET organizations/{org}/shortids/{shortId}/ */
export const restShortId = z.strictObject({
  organizationSlug: z.string(),
  projectSlug: z.string(),
  groupId: digits,
  shortId: z.string(),
  group: restIssue,
})

/** GET organizations/{org}/digests/{digest}/: the issues behind a number on a React error page, each with its events. */
export const restDigest = z.array(
  z.strictObject({
    issue: restIssue,
    events: z.array(z.strictObject({ id: eventId, dateCreated: time, found: textOrNull })),
  }),
)

/** GET issues/{id}/in-common/: values more frequent in its events than in the project's others. Shares are 0 to 1. */
export const restInCommon = z
  .strictObject({
    /** Number of sampled events: at most the 5,000 newest of the issue, and a sample of the others. */
    own: z.number(),
    others: z.number(),
    values: z.array(
      z.strictObject({
        key: z.string(),
        value: z.string(),
        own: z.int(),
        ownShare: z.number(),
        otherShare: z.number(),
        lift: z.number(),
        /** The 95% confidence interval of the lift. */
        low: z.number(),
        high: z.number(),
      }),
    ),
  })
  .meta({ id: 'InCommon' })
export type RestInCommon = z.infer<typeof restInCommon>
