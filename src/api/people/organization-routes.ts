import { z } from 'zod'
import type { Actor } from '../../auth/auth.ts'
import { scopes } from '../../auth/may.ts'
import { MishapError } from '../../base/errors.ts'
import { filterAsync } from '../../base/sequence.ts'
import { restTagKey, restTagValue } from '../../contract/issues.ts'
import { type RestOrganization, restOrganization, restRegions, restRoot } from '../../contract/organizations.ts'
import { type RestMember, type RestUser, restMember, restUser } from '../../contract/people.ts'
import { type RestToken, restNewToken, restToken, tokenName } from '../../contract/tokens.ts'
import { createToken, deleteToken } from '../../operations/tokens.ts'
import type { App } from '../../processes/parts.ts'
import { datasetTags } from '../../query/explore/dataset-attributes.ts'
import type { ApiToken, Organization } from '../../store/meta/meta.ts'
import { rowDatasetOf } from '../explore/dataset-name.ts'
import { isStill, liveStream } from '../live.ts'
import { organizationOf, projectOf, type Route, route, scopeOf, viewOf, viewQuery } from '../route.ts'
import { organizationSettingRoutes } from './organization-setting-routes.ts'

/** Returns the API form of an organization. */
export function toRestOrganization(app: App, organization: Organization): RestOrganization {
  return {
    id: String(organization.id),
    slug: organization.slug,
    name: organization.name,
    dateCreated: new Date(organization.createdMs).toISOString(),
    status: { id: 'active', name: 'active' },
    features: [],
    isEarlyAdopter: false,
    require2FA: false,
    requireEmailVerification: false,
    links: { organizationUrl: `${app.config.url}/o/${organization.slug}`, regionUrl: app.config.url },
  }
}

async function organizationsOf(app: App, actor: Actor): Promise<Organization[]> {
  return filterAsync(
    await app.meta.organizations.organizationsOf(actor.person.id),
    async (organization) => (await app.auth.may(actor, 'organization:read', { organization })) === 'yes',
  )
}

/** Returns the members in API form. Invitations are not included, so all members are active. */
export async function membersOf(app: App, organization: Organization): Promise<RestMember[]> {
  const members = await app.meta.organizations.membersOf(organization.id)
  const people = new Map(
    (await app.meta.people.people(members.map((member) => member.userId))).map((person) => [person.id, person]),
  )
  return members.flatMap(({ userId, role, createdMs }) => {
    const person = people.get(userId)
    if (!person) return []
    const { id, name, email } = person
    return [
      {
        id,
        email,
        name: name || email,
        user: { id, name, email, username: email },
        role,
        orgRole: role,
        pending: false,
        expired: false,
        inviteStatus: 'approved' as const,
        dateCreated: new Date(createdMs).toISOString(),
      },
    ]
  })
}

function userOf(actor: Actor): RestUser {
  const { id, name, email } = actor.person
  return { id, name, email, username: email }
}

/** Builds do not need to know the creator of an organization token. */
const isOrganization = (actor: Actor) => actor.kind === 'token' && actor.ofOrganization === true

const scopesOf = (actor: Actor) => (actor.kind === 'token' ? actor.scopes : [])

function toRestToken(apiToken: ApiToken): RestToken {
  return {
    id: String(apiToken.id),
    name: apiToken.name,
    tokenPrefix: apiToken.prefix,
    scopes: apiToken.scopes,
    organizationId: apiToken.organizationId === null ? null : String(apiToken.organizationId),
    dateCreated: new Date(apiToken.createdMs).toISOString(),
    lastUsed: apiToken.lastUsedMs === null ? null : new Date(apiToken.lastUsedMs).toISOString(),
  }
}

const tokenBody = z.object({
  name: tokenName,
  scopes: z.array(z.enum(scopes)).min(1, 'At least one scope.').max(scopes.length),
  organization: z.string().max(100).optional(),
})

async function valuesOf(
  app: App,
  call: Parameters<typeof viewOf>[0],
  key: string,
): Promise<{ value: string; events: number }[]> {
  return app.events.tagValues(scopeOf(await viewOf({ ...call, app }, '90d')), key, 1000)
}

/** The caller, organizations and their contents, tokens, the live stream. */
export const organizationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/',
    operationId: 'root',
    summary: 'Version of the API, the caller and the scopes of its token.',
    action: 'signed-in',
    response: restRoot,
    handle: ({ actor }) => ({
      body: {
        version: '0' as const,
        user: isOrganization(actor) ? null : userOf(actor),
        auth: { scopes: scopesOf(actor) },
      },
    }),
  }),
  route({
    method: 'GET',
    path: '/auth',
    operationId: 'auth',
    summary: 'The caller.',
    action: 'signed-in',
    response: restUser,
    handle: ({ actor }) => {
      if (isOrganization(actor)) throw new MishapError('AUTH_FORBIDDEN')
      return { body: userOf(actor) }
    },
  }),
  route({
    method: 'GET',
    path: '/users/me/regions',
    operationId: 'regions',
    summary: 'Regions of the API: only this installation.',
    action: 'signed-in',
    response: restRegions,
    handle: ({ app }) => ({ body: { regions: [{ name: 'self-hosted', url: app.config.url }] } }),
  }),
  route({
    method: 'GET',
    path: '/organizations',
    operationId: 'listOrganizations',
    summary: 'Organizations that the caller may see.',
    action: 'signed-in',
    response: z.array(restOrganization),
    handle: async ({ app, actor }) => ({
      body: (await organizationsOf(app, actor)).map((organization) => toRestOrganization(app, organization)),
    }),
  }),
  ...organizationSettingRoutes,
  route({
    method: 'GET',
    path: '/organizations/:org/members',
    operationId: 'listMembers',
    summary: 'Members of an organization, in the order of joining.',
    action: 'member:read',
    response: z.array(restMember),
    handle: async ({ app, found }) => ({ body: await membersOf(app, organizationOf(found)) }),
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/tags',
    operationId: 'listTags',
    summary:
      'Tag keys in use, most events first. With the dataset spans, logs or tracemetrics: attributes, most rows first.',
    action: 'event:read',
    query: z.object({
      dataset: z
        .string()
        .max(50)
        .optional()
        .describe('spans, logs or tracemetrics: attributes of its rows. Else tags of errors.'),
      ...viewQuery,
    }),
    response: z.array(restTagKey),
    handle: async (call) => {
      const [scope, { signal }] = [scopeOf(await viewOf(call)), call.request]
      const dataset = rowDatasetOf(call.query.dataset, 'errors')
      if (dataset !== 'errors')
        return {
          body: (await datasetTags(call.app, dataset, scope, 200, signal)).map(({ key, rows, unique }) => ({
            key,
            name: key,
            totalValues: rows,
            uniqueValues: unique,
          })),
        }
      return {
        body: (await call.app.events.tagKeys(scope, 200, signal)).map((tagKey) => ({
          key: tagKey.key,
          name: tagKey.key,
          totalValues: tagKey.events,
        })),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:org/:project/tags/:key/values',
    operationId: 'projectTagValues',
    summary: 'Values of a tag in a project, most events first.',
    action: 'event:read',
    query: z.object(viewQuery),
    response: z.array(restTagValue),
    handle: async (call) => {
      projectOf(call.found)
      const key = call.params.key ?? ''
      return {
        body: (await valuesOf(call.app, call, key)).map((tagValue) => ({
          key,
          name: tagValue.value,
          value: tagValue.value,
          count: tagValue.events,
        })),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:org/live',
    operationId: 'live',
    summary:
      'Server-sent events: changes in an organization (contract/live.ts LiveChange), resumable with Last-Event-ID. `missed` means that some changes since then are no longer known.',
    action: 'issue:read',
    query: z.object({ lastEventId: z.string().optional().describe('As the header Last-Event-ID.') }),
    produces: 'text/event-stream',
    response: z.string(),
    handle: ({ app, actor, found, query, request }) =>
      liveStream(
        app,
        actor,
        organizationOf(found),
        request.headers.get('last-event-id') ?? query.lastEventId ?? '',
        request.signal,
        () => isStill(app, actor, organizationOf(found), request.headers),
      ),
  }),
  route({
    method: 'GET',
    path: '/api-tokens',
    operationId: 'listTokens',
    summary: 'The caller’s own tokens, without their secrets.',
    action: 'token:own',
    response: z.array(restToken),
    handle: async ({ app, actor }) => ({ body: (await app.meta.people.tokensOf(actor.person.id)).map(toRestToken) }),
  }),
  route({
    method: 'POST',
    path: '/api-tokens',
    operationId: 'createToken',
    summary: 'Creates a token. Its secret is shown only once.',
    action: 'token:own',
    body: tokenBody,
    status: 201,
    response: restNewToken,
    handle: async ({ app, actor, body }) => {
      const organization =
        body.organization === undefined
          ? undefined
          : (await organizationsOf(app, actor)).find(
              (candidate) => candidate.slug === body.organization || String(candidate.id) === body.organization,
            )
      if (body.organization !== undefined && !organization)
        throw new MishapError('VALIDATION', { fields: { organization: ['There is no such organization.'] } })
      const value = { name: body.name, scopes: body.scopes, organizationId: organization?.id ?? null }
      const { token, secret } = await createToken(app, actor, value)
      return { body: { ...toRestToken(token), token: secret } }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api-tokens/:token',
    operationId: 'deleteToken',
    summary: 'Deletes a token.',
    action: 'token:own',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, params }) => {
      if (!(await deleteToken(app, actor, params.token ?? ''))) throw new MishapError('NOT_FOUND')
      return { body: undefined, status: 204 }
    },
  }),
]
