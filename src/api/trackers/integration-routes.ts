import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  integrationChangeBody,
  newIntegrationBody,
  type RestIntegration,
  restIntegration,
  restIntegrationTest,
  restNewIntegration,
} from '../../contract/alerts/trackers.ts'
import {
  changeTracker,
  connectTracker,
  disconnectTracker,
  renewTrackerSecret,
  testTracker,
} from '../../operations/trackers.ts'
import type { App } from '../../processes/parts.ts'
import { toRestIntegrations } from '../../query/alerts/trackers.ts'
import type { Integration } from '../../store/meta/trackers/integrations.ts'
import { type Call, type Found, organizationOf, type Route, route } from '../route.ts'

const O = '/organizations/:org/integrations'

/** Returns the connection of the organization with this id. Throws NOT_FOUND. */
export async function integrationNamed(app: App, found: Found, name: string | undefined): Promise<Integration> {
  const id = /^\d{1,15}$/.test(name ?? '') ? Number(name) : -1
  const integration = await app.meta.trackers.integrationById(id)
  if (integration?.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
  return integration
}

async function toRest(app: App, integration: Integration): Promise<RestIntegration> {
  const [shown] = await toRestIntegrations(app, integration.organizationId, [integration])
  if (!shown) throw new MishapError('NOT_FOUND')
  return shown
}

const ofCall = ({ app, found, params }: Pick<Call<unknown, unknown>, 'app' | 'found' | 'params'>) =>
  integrationNamed(app, found, params.integration)

/** Connections to issue trackers. */
export const integrationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: O,
    operationId: 'listIntegrations',
    summary: 'Connections to issue trackers, with their state.',
    action: 'organization:read',
    query: z.object({ provider_key: z.string().max(50).optional().describe('Only this service.') }),
    response: z.array(restIntegration),
    handle: async ({ app, found, query }) => {
      const { id } = organizationOf(found)
      const all = await app.meta.trackers.integrationsOf(id)
      const asked = query.provider_key
      return { body: await toRestIntegrations(app, id, asked ? all.filter(({ kind }) => kind === asked) : all) }
    },
  }),
  route({
    method: 'POST',
    path: O,
    operationId: 'createIntegration',
    summary: 'Connects an issue tracker after it accepted the token. The secret of its webhook is shown only here.',
    action: 'integration:write',
    body: newIntegrationBody,
    status: 201,
    response: restNewIntegration,
    handle: async ({ app, actor, found, body }) => {
      const { integration, secret } = await connectTracker(app, organizationOf(found).id, body, actor)
      return { body: { integration: await toRest(app, integration), secret } }
    },
  }),
  route({
    method: 'GET',
    path: `${O}/:integration`,
    operationId: 'getIntegration',
    summary: 'One connection to an issue tracker.',
    action: 'organization:read',
    response: restIntegration,
    handle: async (call) => ({ body: await toRest(call.app, await ofCall(call)) }),
  }),
  route({
    method: 'PUT',
    path: `${O}/:integration`,
    operationId: 'updateIntegration',
    summary: 'Changes a connection. A new token is checked first and ends a refusal.',
    action: 'integration:write',
    body: integrationChangeBody,
    response: restIntegration,
    handle: async (call) => {
      const { app, actor, body } = call
      return { body: await toRest(app, await changeTracker(app, await ofCall(call), body, actor)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${O}/:integration`,
    operationId: 'deleteIntegration',
    summary: 'Deletes a connection and its links. Nothing changes in the tracker.',
    action: 'integration:write',
    status: 204,
    response: z.undefined(),
    handle: async (call) => {
      await disconnectTracker(call.app, (await ofCall(call)).id)
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: `${O}/:integration/test`,
    operationId: 'testIntegration',
    summary: 'Asks the service who the token belongs to. 400 has the words of the service.',
    action: 'integration:write',
    response: restIntegrationTest,
    handle: async (call) => ({ body: { account: await testTracker(call.app, await ofCall(call)) } }),
  }),
  route({
    method: 'POST',
    path: `${O}/:integration/secret`,
    operationId: 'renewIntegrationSecret',
    summary: 'Replaces the secret of the webhook. The old one stops at once.',
    action: 'integration:write',
    status: 201,
    response: restNewIntegration,
    handle: async (call) => {
      const integration = await ofCall(call)
      const secret = await renewTrackerSecret(call.app, integration)
      return { body: { integration: await toRest(call.app, integration), secret } }
    },
  }),
]
