import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { newMuteBody, type RestMute, restMute } from '../../contract/alerts/incidents.ts'
import { createMute, endMute } from '../../operations/incidents.ts'
import type { App } from '../../processes/parts.ts'
import { toRestMutes } from '../../query/alerts/incidents.ts'
import type { Mute } from '../../store/meta/alerts/mutes.ts'
import { type Found, organizationOf, type Route, route } from '../route.ts'

const path = '/organizations/:org/mutes'

async function muteOf(app: App, found: Found, id: string | undefined): Promise<Mute> {
  const mute = /^\d{1,15}$/.test(id ?? '') ? await app.meta.incidents.muteById(Number(id)) : undefined
  if (!mute || mute.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
  return mute
}

async function toRest(app: App, mute: Mute): Promise<RestMute> {
  const [rest] = await toRestMutes(app, [mute], app.clock.now())
  if (!rest) throw new MishapError('NOT_FOUND')
  return rest
}

/** Mutes and maintenance windows. */
export const muteRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listMutes',
    summary: 'Mutes and maintenance windows: those that run or come, and those of the last 30 days. Newest first.',
    action: 'alert:read',
    response: z.array(restMute),
    handle: async ({ app, found }) => ({
      body: await toRestMutes(app, await app.meta.incidents.listMutes(organizationOf(found).id), app.clock.now()),
    }),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createMute',
    summary: 'Holds messages back, now or in a maintenance window. They are recorded with the reason.',
    action: 'alert:write',
    body: newMuteBody,
    status: 201,
    response: restMute,
    handle: async ({ app, found, actor, body }) => ({
      body: await toRest(app, await createMute(app, organizationOf(found).id, body, actor.person.id)),
    }),
  }),
  route({
    method: 'DELETE',
    path: `${path}/:mute`,
    operationId: 'endMute',
    summary: 'Ends a mute now. One that has not started is deleted.',
    action: 'alert:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      await endMute(app, (await muteOf(app, found, params.mute)).id)
      return { status: 204, body: undefined }
    },
  }),
]
