import { z } from 'zod'
import { hookOutcomes, trackerKinds } from '../../domain/alerts/trackers.ts'
import { digits, line, projectNames, textOrNull, time } from '../scalars.ts'

const kind = z.enum(trackerKinds, { error: 'github, gitlab, jira or linear.' })
const state = z.enum(['open', 'closed'])

/** organizations/{org}/integrations/. The token and the webhook's secret are never in it. */
export const restIntegration = z
  .strictObject({
    id: digits,
    name: z.string(),
    icon: z.null(),
    /** Host of the service. */
    domainName: z.string(),
    accountType: z.null(),
    status: z.enum(['active', 'disabled']).describe('disabled: the service refuses the token.'),
    provider: z.strictObject({
      key: kind,
      slug: kind,
      name: z.string(),
      canAdd: z.literal(true),
      canDisable: z.literal(false),
      features: z.array(z.string()),
    }),
    organizationId: digits,
    // Ours from here.
    url: z.string(),
    target: z.string().describe('Repository, project or team that new issues go to.'),
    email: z.string(),
    account: z.string().describe('The person that the token belongs to, as the service names it.'),
    syncState: z.boolean(),
    syncComments: z.boolean(),
    connectedBy: z.strictObject({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
    dateConnected: time,
    refusedSince: time.nullable(),
    lastError: z.string(),
    webhookUrl: z.string(),
    deliveries: z.record(z.enum(hookOutcomes), z.int()).describe('Received webhooks of 30 days by outcome.'),
  })
  .meta({ id: 'Integration' })
export type RestIntegration = z.infer<typeof restIntegration>

/** The answer to a new connection and to a renewed secret. `secret` is shown only once. */
export const restNewIntegration = z.strictObject({ integration: restIntegration, secret: z.string() })
/** The service's answer to a test. */
export const restIntegrationTest = z.strictObject({ account: z.string() })

/** organizations/{org}/issues/{issue}/external-issues/ */
export const restExternalIssue = z
  .strictObject({
    id: digits,
    issueId: digits,
    serviceType: kind,
    displayName: z.string(),
    webUrl: z.string(),
    // Ours from here.
    integrationId: digits,
    title: z.string(),
    state,
    /** A rule created it. */
    isFromRule: z.boolean(),
    dateCreated: time,
    error: z.string().describe('Why the last attempt failed, in the words of the service.'),
    refusedSince: time.nullable().describe('Since when the service refuses the token of the connection.'),
    reconnect: textOrNull.describe('Who must reconnect. Null while the token works.'),
  })
  .meta({ id: 'ExternalIssue' })
export type RestExternalIssue = z.infer<typeof restExternalIssue>

/** The prefilled text of a tracker issue. */
export const restDraft = z.strictObject({ title: z.string(), body: z.string() })
export type RestDraft = z.infer<typeof restDraft>

/** organizations/{org}/code-mappings/ */
export const restCodeMapping = z
  .strictObject({
    id: digits,
    projectId: digits,
    projectSlug: z.string(),
    projectName: z.string(),
    repoId: digits,
    repoName: z.string(),
    integrationId: digits.nullable(),
    provider: z.strictObject({ key: z.string(), name: z.string() }).nullable(),
    stackRoot: z.string(),
    sourceRoot: z.string(),
    defaultBranch: z.string(),
    automaticallyGenerated: z.literal(false),
  })
  .meta({ id: 'CodeMapping' })
export type RestCodeMapping = z.infer<typeof restCodeMapping>

/** The answer to sentry-cli's upload of mappings. */
export const restBulkMappings = z.strictObject({
  created: z.int(),
  updated: z.int(),
  errors: z.int(),
  mappings: z.array(
    z.strictObject({
      stackRoot: z.string(),
      sourceRoot: z.string(),
      status: z.enum(['created', 'updated', 'error']),
      detail: z.string().optional(),
    }),
  ),
})

// ---- bodies; operations check the values, also for the screens

const short = z.string().max(500)
const connectionFields = {
  name: z.string().max(300),
  url: short.optional(),
  target: short,
  email: short.optional(),
  token: z.string().max(3000),
  secret: z.string().max(300).optional(),
  syncState: z.boolean().optional(),
  syncComments: z.boolean().optional(),
}
/** Body of a new connection. */
export const newIntegrationBody = z.object({ kind, ...connectionFields })
/** Body to change a connection. */
export const integrationChangeBody = z.object(connectionFields).partial()

/** An id that a body names. A longer number is no id of any store: PostgreSQL refuses it with an error. */
const named = (error: string) => z.union([z.int().transform(String), z.string().regex(/^\d{1,15}$/, error)], { error })
const integrationId = named('The id of a connection.')
/** Body to create a tracker issue, or with `issue` to link an existing issue. */
export const externalIssueBody = z.object({
  integrationId,
  issue: short.optional().describe('Address or key of an existing tracker issue.'),
  title: z.string().trim().min(1, 'A title.').max(400).optional(),
  description: z.string().max(40_000).optional(),
})

const path = z
  .string()
  .max(400, 'At most 400 characters.')
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'No control characters.')
const branch = z
  .string()
  .trim()
  .max(200, 'At most 200 characters.')
  .regex(/^(?!-)(?!.*\.\.)[\w./+-]*$/, 'The name of a branch.')
const projectName = projectNames.element
/** A code mapping in the file of a project, where a repository has its name. */
export const fileCodeMapping = z.strictObject({
  repository: line(200, 'A name.'),
  stackRoot: path,
  sourceRoot: path,
  defaultBranch: branch.default('main').transform((text) => text || 'main'),
})

/** Body of a code mapping. */
export const codeMappingBody = z.object({
  projectId: projectName,
  repositoryId: named('The id of a repository.'),
  stackRoot: path,
  sourceRoot: path,
  defaultBranch: branch.default('main'),
})
/** Mappings of one upload: more than a monorepo has. */
const bulkMax = 300
/** Body of sentry-cli's upload of mappings. */
export const bulkMappingsBody = z.object({
  project: projectName,
  repository: line(200, 'A name.'),
  defaultBranch: branch.nullish(),
  mappings: z
    .array(z.object({ stackRoot: path, sourceRoot: path, defaultBranch: branch.nullish() }))
    .min(1, 'At least one mapping.')
    .max(bulkMax, `At most ${bulkMax} mappings.`),
})
