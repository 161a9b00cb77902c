import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  organizationTokenBody,
  type RestOrganizationToken,
  restNewOrganizationToken,
  restOrganizationToken,
} from '../../contract/tokens.ts'
import { createOrganizationToken, deleteOrganizationToken } from '../../operations/tokens.ts'
import type { ApiToken } from '../../store/meta/meta.ts'
import type { Route } from '../route.ts'
import { organizationOf, route } from '../route.ts'

const toRest = (apiToken: ApiToken): RestOrganizationToken => ({
  id: String(apiToken.id),
  name: apiToken.name,
  scopes: apiToken.scopes,
  tokenLastCharacters: apiToken.prefix.slice(-4),
  dateCreated: new Date(apiToken.createdMs).toISOString(),
  dateLastUsed: apiToken.lastUsedMs === null ? null : new Date(apiToken.lastUsedMs).toISOString(),
})

const path = '/organizations/:org/org-auth-tokens'

/** Tokens of an organization, for builds: sntrys_ with the encoded address and organization. */
export const organizationTokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listOrganizationTokens',
    summary: 'Tokens of the organization, without their secrets.',
    action: 'token:organization',
    response: z.array(restOrganizationToken),
    handle: async ({ app, found }) => ({
      body: (await app.meta.people.tokensOfOrganization(organizationOf(found).id)).map(toRest),
    }),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createOrganizationToken',
    summary: 'Creates an organization token with the scope org:ci. Its secret is shown only once.',
    action: 'token:organization',
    body: organizationTokenBody,
    status: 201,
    response: restNewOrganizationToken,
    handle: async ({ app, actor, body, found }) => {
      const { token, secret } = await createOrganizationToken(app, actor, organizationOf(found), body.name)
      return { body: { ...toRest(token), token: secret } }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:token`,
    operationId: 'deleteOrganizationToken',
    summary: 'Deletes an organization token.',
    action: 'token:organization',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      const { id } = organizationOf(found)
      if (!(await deleteOrganizationToken(app, id, params.token ?? ''))) throw new MishapError('NOT_FOUND')
      return { body: undefined, status: 204 }
    },
  }),
]
