import { z } from 'zod'
import { unmappedReasons } from '../domain/event.ts'
import { substatuses } from '../domain/issue-states.ts'
import { browserSide, failure } from './failure-schemas.ts'
import type * as Rest from './rest.ts'
import { noiseVerdict, signs } from './sign-schemas.ts'

/** Shapes of the answers (contract/rest.ts) as zod: the OpenAPI file is made from them, and tests hold every answer against them. */

const record = z.record(z.string(), z.unknown())
export const time = z.iso.datetime()
const textOrNull = z.string().nullable()
export const digits = z.string().regex(/^\d+$/)
const pairs = z.array(z.tuple([z.string(), z.string()]))

export const organization = z
  .strictObject({
    id: digits,
    slug: z.string(),
    name: z.string(),
    dateCreated: time,
    status: z.strictObject({ id: z.literal('active'), name: z.literal('active') }),
    features: z.array(z.string()),
    isEarlyAdopter: z.literal(false),
    require2FA: z.literal(false),
    requireEmailVerification: z.literal(false),
    links: z.strictObject({ organizationUrl: z.string(), regionUrl: z.string() }),
  })
  .meta({ id: 'Organization' }) satisfies z.ZodType<Rest.RestOrganization>

const team = z.strictObject({ id: z.string(), slug: z.string(), name: z.string() })
export const project = z
  .strictObject({
    id: digits,
    slug: z.string(),
    name: z.string(),
    platform: textOrNull,
    platforms: z.array(z.string()),
    dateCreated: time,
    firstEvent: time.nullable(),
    isMember: z.boolean(),
    hasAccess: z.boolean(),
    features: z.array(z.string()),
    status: z.literal('active'),
    teams: z.array(team),
    team: team.nullable(),
    organization: organization.optional(),
    revision: z.int(),
    options: z.strictObject({}).optional(),
    color: z.string().optional(),
    isPublic: z.literal(false).optional(),
    resolveAge: z.literal(0).optional(),
    subjectTemplate: z.literal('').optional(),
    digestsMinDelay: z.literal(0).optional(),
    digestsMaxDelay: z.literal(0).optional(),
    securityTokenHeader: z.null().optional(),
    allowedDomains: z.array(z.string()).optional(),
    dataScrubber: z.boolean().optional(),
    dataScrubberDefaults: z.boolean().optional(),
    scrubIPAddresses: z.boolean().optional(),
    sensitiveFields: z.array(z.string()).optional(),
    safeFields: z.array(z.string()).optional(),
    scrapeJavaScript: z.boolean().optional(),
    verifySSL: z.boolean().optional(),
    securityToken: z.string().optional(),
    fingerprintingRules: z.string().optional(),
    groupingEnhancements: z.string().optional(),
    groupingConfig: z.string().optional(),
    secondaryGroupingConfig: z.string().nullish(),
    secondaryGroupingExpiry: z.string().nullish(),
  })
  .meta({ id: 'Project' })

export const user = z
  .strictObject({ id: z.string(), name: z.string(), email: z.string(), username: z.string() })
  .meta({ id: 'User' })

const role = z.enum(['owner', 'admin', 'member', 'viewer'])
export const member = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    user,
    role,
    orgRole: role,
    pending: z.boolean(),
    expired: z.boolean(),
    inviteStatus: z.literal('approved'),
    dateCreated: time,
  })
  .meta({ id: 'Member' }) satisfies z.ZodType<Rest.RestMember>

const metadata = z.strictObject({
  type: z.string().exactOptional(),
  value: z.string().exactOptional(),
  filename: z.string().exactOptional(),
  function: z.string().exactOptional(),
})
const version = z.strictObject({ version: z.string() }).nullable()
export const status = z.enum(['unresolved', 'resolved', 'ignored'])
/** What is kept beside a status, and what REST says of it. */
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

const person = { id: z.string(), name: z.string(), email: z.string() }
export const issueFields = {
  id: digits,
  shortId: z.string(),
  title: z.string(),
  culprit: z.string(),
  permalink: z.string(),
  level: z.enum(['fatal', 'error', 'warning', 'info', 'debug']),
  status,
  substatus: z.enum(substatuses).nullable(),
  statusDetails,
  platform: z.string(),
  project: z.strictObject({ id: digits, slug: z.string(), name: z.string(), platform: textOrNull }),
  type: z.enum(['error', 'default', 'csp']),
  metadata,
  issueType: z.literal('error'),
  issueCategory: z.literal('error'),
  priority: z.enum(['high', 'medium', 'low']),
  priorityReason: z.enum(['level', 'escalating', 'set']),
  assignedTo: z
    .strictObject({ type: z.literal('user'), id: z.string(), name: z.string(), email: z.string() })
    .nullable(),
  isUnhandled: z.boolean(),
  noise: noiseVerdict.nullable().describe('The verdict that nobody of the team can mend it: docs/diagnostics.md.'),
  isBookmarked: z.boolean(),
  hasSeen: z.boolean(),
  revision: z.int(),
  count: digits,
  userCount: z.int(),
  firstSeen: time,
  lastSeen: time,
  stats: z.record(z.string(), z.array(z.tuple([z.int(), z.int()]))),
  logger: textOrNull,
  numComments: z.int(),
  lifetime: z.strictObject({ count: digits, userCount: z.int(), firstSeen: time, lastSeen: time }),
  firstRelease: version,
  lastRelease: version,
}
export const issue = z.strictObject(issueFields).meta({ id: 'Issue' }) satisfies z.ZodType<Rest.RestIssue>

export const activity = z
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
    user: z.strictObject({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
    data: record,
  })
  .meta({ id: 'Activity' }) satisfies z.ZodType<Rest.RestActivity>

export const issueDetail = z
  .strictObject({
    ...issueFields,
    tags: z.array(z.strictObject({ key: z.string(), name: z.string(), totalValues: z.int() })),
    activity: z.array(activity),
    digests: z.array(z.string()),
    browserSide,
    noiseFilter: z
      .strictObject({ id: z.string(), isActive: z.boolean() })
      .nullable()
      .describe('The inbound filter of its project that drops events like its own.'),
    seenBy: z.array(z.strictObject({ ...person, lastSeen: time })),
    participants: z.array(z.strictObject(person)),
    isSubscribed: z.boolean(),
    subscriptionDetails: z.strictObject({ reason: z.string() }).nullable(),
    suggestedOwners: z.array(z.strictObject({ ...person, rule: z.string() })),
    thinned: z.int(),
  })
  .meta({ id: 'IssueDetail' }) satisfies z.ZodType<Rest.RestIssueDetail>

const frame = z
  .strictObject({
    filename: textOrNull,
    absPath: textOrNull,
    module: textOrNull,
    function: textOrNull,
    rawFunction: textOrNull,
    lineNo: z.number().nullable(),
    colNo: z.number().nullable(),
    context: z.array(z.tuple([z.int(), z.string()])),
    inApp: z.boolean(),
    vars: record.nullable(),
    package: textOrNull,
    platform: textOrNull,
    instructionAddr: textOrNull,
    data: z
      .strictObject({
        symbolicated: z.boolean(),
        sourcemap: textOrNull,
        resolvedWith: textOrNull,
        reason: z.enum(unmappedReasons).nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Frame' })
const stacktrace = z
  .strictObject({
    frames: z.array(frame),
    framesOmitted: z.tuple([z.number(), z.number()]).nullable(),
    hasSystemFrames: z.boolean(),
  })
  .meta({ id: 'Stacktrace' })
const threadId = z.union([z.string(), z.number()]).nullable()
const exception = z.strictObject({
  type: textOrNull,
  value: textOrNull,
  module: textOrNull,
  threadId,
  mechanism: record.nullable(),
  stacktrace: stacktrace.nullable(),
  rawStacktrace: stacktrace.nullable(),
})
const thread = z.strictObject({
  id: threadId,
  name: textOrNull,
  crashed: z.boolean(),
  current: z.boolean(),
  state: textOrNull,
  stacktrace: stacktrace.nullable(),
})
const breadcrumb = z.strictObject({
  timestamp: time.nullable(),
  type: z.string(),
  category: textOrNull,
  level: z.string(),
  message: textOrNull,
  data: record.nullable(),
})
const request = z.strictObject({
  url: textOrNull,
  method: textOrNull,
  query: pairs,
  fragment: textOrNull,
  headers: pairs,
  cookies: pairs,
  data: z.unknown(),
  env: record.nullable(),
  inferredContentType: textOrNull,
})

const entry = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('exception'),
      data: z.strictObject({ values: z.array(exception), hasSystemFrames: z.boolean() }),
    }),
    z.strictObject({ type: z.literal('threads'), data: z.strictObject({ values: z.array(thread) }) }),
    z.strictObject({ type: z.literal('stacktrace'), data: stacktrace }),
    z.strictObject({ type: z.literal('breadcrumbs'), data: z.strictObject({ values: z.array(breadcrumb) }) }),
    z.strictObject({ type: z.literal('request'), data: request }),
    z.strictObject({
      type: z.literal('message'),
      data: z.strictObject({ formatted: z.string(), message: textOrNull, params: z.unknown() }),
    }),
    z.strictObject({ type: z.literal('csp'), data: record }),
    z.strictObject({ type: z.literal('debugmeta'), data: z.strictObject({ images: z.array(record) }) }),
    z.strictObject({ type: z.literal('template'), data: record }),
  ])
  .meta({ id: 'Entry' })

export const attachment = z
  .strictObject({
    id: digits,
    name: z.string(),
    type: z.string(),
    mimetype: z.string(),
    size: z.int(),
    dateCreated: time,
    event_id: z.string(),
  })
  .meta({ id: 'Attachment' }) satisfies z.ZodType<Rest.RestAttachment>

const eventUser = z.strictObject({
  id: textOrNull,
  email: textOrNull,
  username: textOrNull,
  name: textOrNull,
  ip_address: textOrNull,
  geo: z.record(z.string(), z.string()).nullable(),
  data: record.nullable(),
})
const eventId = z.string().regex(/^[0-9a-f]{32}$/)

export const event = z
  .strictObject({
    id: eventId,
    eventID: eventId,
    groupID: digits,
    projectID: digits,
    title: z.string(),
    message: z.string(),
    culprit: z.string(),
    location: textOrNull,
    platform: z.string(),
    type: z.string(),
    metadata: record,
    dateCreated: time,
    dateReceived: time,
    size: z.int(),
    dist: textOrNull,
    release: version,
    environment: textOrNull,
    user: eventUser.nullable(),
    tags: z.array(z.strictObject({ key: z.string(), value: z.string() })),
    contexts: z.record(z.string(), record),
    context: record,
    packages: z.record(z.string(), z.string()),
    sdk: z
      .strictObject({
        name: z.string(),
        version: z.string(),
        packages: z.array(z.strictObject({ name: z.string(), version: z.string() })),
        integrations: z.array(z.string()),
      })
      .nullable(),
    errors: z.array(z.strictObject({ type: z.string(), message: z.string(), data: record })),
    fingerprints: z.array(z.string()),
    groupingConfig: z.strictObject({ id: z.string() }),
    entries: z.array(entry),
    nextEventID: eventId.nullable(),
    previousEventID: eventId.nullable(),
    userReport: z.null(),
    occurrence: z.null(),
    _meta: record,
    number: z.int(),
    total: z.int(),
    traceId: textOrNull,
    spanId: textOrNull,
    replayId: textOrNull,
    digest: z.strictObject({ value: z.string(), found: z.string() }).nullable(),
    signs: signs.nullable(),
    digests: z.array(z.strictObject({ value: z.string(), found: z.string(), sure: z.boolean() })),
    failure: failure.nullable(),
    dateMapped: time.nullable(),
    isUnhandled: z.boolean(),
    attachments: z.array(attachment),
    grouping: z.strictObject({
      version: z.int(),
      variants: z.array(
        z.strictObject({
          name: z.string(),
          contributes: z.boolean(),
          hash: textOrNull,
          why: z.string(),
          values: z.array(z.string()),
        }),
      ),
    }),
  })
  .meta({ id: 'Event' }) satisfies z.ZodType<Rest.RestEvent>

export const tag = z
  .strictObject({
    key: z.string(),
    name: z.string(),
    totalValues: z.int(),
    uniqueValues: z.int(),
    topValues: z.array(z.strictObject({ value: z.string(), name: z.string(), count: z.int() })),
  })
  .meta({ id: 'Tag' }) satisfies z.ZodType<Rest.RestTag>
export const tagKey = z.strictObject({ key: z.string(), name: z.string(), totalValues: z.int() })
export const tagValue = z.strictObject({ key: z.string(), name: z.string(), value: z.string(), count: z.int() })
export const environment = z.strictObject({ id: z.string(), name: z.string(), isHidden: z.boolean() })

export const found = z.strictObject({
  organizationSlug: z.string(),
  projectSlug: z.string(),
  groupId: digits,
  eventId,
  event,
})
export const shortId = z.strictObject({
  organizationSlug: z.string(),
  projectSlug: z.string(),
  groupId: digits,
  shortId: z.string(),
  group: issue,
})
export const digest = z.array(
  z.strictObject({ issue, events: z.array(z.strictObject({ id: eventId, dateCreated: time, found: textOrNull })) }),
)

export const token = z.strictObject({
  id: digits,
  name: z.string(),
  tokenPrefix: z.string(),
  scopes: z.array(z.string()),
  organizationId: digits.nullable(),
  dateCreated: time,
  lastUsed: time.nullable(),
})
export const createdToken = token.extend({ token: z.string() })

/** Body of every error answer but field errors of a form. */
export const problem = z.strictObject({ detail: z.string(), code: z.string(), causes: z.array(z.string()) })
