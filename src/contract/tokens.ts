import { z } from 'zod'
import { digits, time } from './scalars.ts'

/** api-tokens/: a token of a person, without its secret. */
export const restToken = z.strictObject({
  id: digits,
  name: z.string(),
  tokenPrefix: z.string(),
  scopes: z.array(z.string()),
  organizationId: digits.nullable(),
  dateCreated: time,
  lastUsed: time.nullable(),
})
export type RestToken = z.infer<typeof restToken>
/** The answer with the secret, which is shown once. */
export const restNewToken = restToken.extend({ token: z.string() })

const organizationToken = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  tokenLastCharacters: z.string(),
  dateCreated: time,
  dateLastUsed: time.nullable(),
})
/** organizations/{org}/org-auth-tokens/: a token of an organization, without its secret. */
export const restOrganizationToken = organizationToken.meta({ id: 'OrganizationToken' })
export type RestOrganizationToken = z.infer<typeof restOrganizationToken>
export const restNewOrganizationToken = organizationToken
  .extend({ token: z.string() })
  .meta({ id: 'NewOrganizationToken' })

export const tokenName = z.string().trim().min(1, '1 to 64 characters.').max(64, '1 to 64 characters.')
/** Body of a new token of an organization. Its scope is always org:ci. */
export const organizationTokenBody = z.object({ name: tokenName })
