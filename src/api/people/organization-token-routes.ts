import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { createOrganizationToken, deleteOrganizationToken } from '../../operations/tokens.ts'
import type { ApiToken } from '../../store/meta/meta.ts'
import type { Route } from '../route.ts'
import { organizationOf, route } from '../route.ts'

const shape = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  tokenLastCharacters: z.string(),
  dateCreated: z.iso.datetime(),
  dateLastUsed: z.iso.datetime().nullable(),
})
const token = shape.meta({ id: 'OrganizationToken' })
const newToken = z.strictObject({ ...shape.shape, token: z.string() }).meta({ id: 'NewOrganizationToken' })

const toRest = (apiToken: ApiToken): z.input<typeof token> => ({
  id: String(apiToken.id),
  name: apiToken.name,
  scopes: apiToken.scopes,
  tokenLastCharacters: apiToken.prefix.slice(-4),
  dateCreated: new Date(apiToken.createdMs).toISOString(),
  dateLastUsed: apiToken.lastUsedMs === null ? null : new Date(apiToken.lastUsedMs).toISOString(),
})

const path = '/organizations/:org/org-auth-tokens'

/** Tokens of an organization, for builds: sntrys_ with the address and the organization in it. */
export const organizationTokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listOrganizationTokens',
    summary: 'Tokens of the organization, without their secrets.',
    action: 'token:organization',
    response: z.array(token),
    handle: ({ app, found }) => ({ body: app.meta.tokensOfOrganization(organizationOf(found).id).map(toRest) }),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createOrganizationToken',
    summary: 'Makes a token of the organization with the scope org:ci; its secret is shown this once.',
    action: 'token:organization',
    body: z.object({ name: z.string().trim().min(1, '1 to 64 characters.').max(64, '1 to 64 characters.') }),
    status: 201,
    response: newToken,
    handle: ({ app, actor, body, found }) => {
      const { token, secret } = createOrganizationToken(app, actor, organizationOf(found), body.name)
      return { body: { ...toRest(token), token: secret } }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:token`,
    operationId: 'deleteOrganizationToken',
    summary: 'Takes a token of the organization back.',
    action: 'token:organization',
    status: 204,
    response: z.undefined(),
    handle: ({ app, found, params }) => {
      const { id } = organizationOf(found)
      if (!deleteOrganizationToken(app, id, params.token ?? '')) throw new MishapError('NOT_FOUND')
      return { body: undefined, status: 204 }
    },
  }),
]
