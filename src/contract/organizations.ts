import { z } from 'zod'
import { restUser } from './people.ts'
import { digits, revisionField, time } from './scalars.ts'

export const restOrganization = z
  .strictObject({
    id: digits,
    slug: z.string(),
    name: z.string(),
    dateCreated: time,
    status: z.strictObject({ id: z.literal('active'), name: z.literal('active') }),
    features: z.array(z.string()),
    // sentry-cli cannot parse an organization without these three.
    isEarlyAdopter: z.literal(false),
    require2FA: z.literal(false),
    requireEmailVerification: z.literal(false),
    links: z.strictObject({ organizationUrl: z.string(), regionUrl: z.string() }),
  })
  .meta({ id: 'Organization' })
export type RestOrganization = z.infer<typeof restOrganization>

/** GET organizations/{org}/settings/ */
export const restOrganizationSettings = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    retentionErrorsDays: z.number().int().nullable().describe('null: the setting of the installation.'),
    retentionErrorsDaysMax: z.number().int(),
    revision: z.number().int(),
  })
  .meta({ id: 'OrganizationSettings' })
export type RestOrganizationSettings = z.infer<typeof restOrganizationSettings>

/** Body to change the settings. The store validates the values, also for the screens. */
export const organizationChangeBody = z
  .object({
    name: z.string().max(300),
    slug: z.string().max(300),
    retentionErrorsDays: z.number().nullable(),
    revision: revisionField,
  })
  .partial()

/** GET /api/0/: the version of the API, and the caller. */
export const restRoot = z.strictObject({
  version: z.literal('0'),
  user: restUser.nullable().describe('Null for an organization token.'),
  auth: z.strictObject({ scopes: z.array(z.string()) }),
})

/** GET users/me/regions/ */
export const restRegions = z.strictObject({
  regions: z.array(z.strictObject({ name: z.string(), url: z.string() })),
})

export const restEnvironment = z.strictObject({ id: z.string(), name: z.string(), isHidden: z.boolean() })
export type RestEnvironment = z.infer<typeof restEnvironment>
/** Body to change an environment. */
export const environmentChangeBody = z.object({ isHidden: z.boolean() })
