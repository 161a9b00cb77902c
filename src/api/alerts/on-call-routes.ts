import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import {
  newOnCallOverrideBody,
  newOnCallScheduleBody,
  onCallScheduleChangeBody,
  type RestOnCallSchedule,
  restOnCallSchedule,
} from '../../contract/alerts/incidents.ts'
import {
  createOnCallOverride,
  createOnCallSchedule,
  deleteOnCallOverride,
  deleteOnCallSchedule,
  updateOnCallSchedule,
} from '../../operations/on-call.ts'
import type { App } from '../../processes/parts.ts'
import { toRestSchedules } from '../../query/alerts/incidents.ts'
import type { OnCallSchedule } from '../../store/meta/alerts/on-call.ts'
import { demandChange, revisionOf } from '../input.ts'
import { type Found, organizationOf, type Route, route } from '../route.ts'

const path = '/organizations/:org/on-call-schedules'
const isId = (text: string | undefined): text is string => /^\d{1,15}$/.test(text ?? '')

/** Returns the schedule of the path in its organization. Throws NOT_FOUND. */
async function scheduleOf(app: App, found: Found, id: string | undefined): Promise<OnCallSchedule> {
  const schedule = isId(id) ? await app.meta.incidents.scheduleById(Number(id)) : undefined
  if (!schedule || schedule.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
  return schedule
}

async function toRest(app: App, schedule: OnCallSchedule): Promise<RestOnCallSchedule> {
  const [rest] = await toRestSchedules(app, [schedule], app.clock.now())
  if (!rest) throw new MishapError('NOT_FOUND')
  return rest
}

const overrideRoutes = [
  route({
    method: 'POST',
    path: `${path}/:schedule/overrides`,
    operationId: 'createOnCallOverride',
    summary: 'Lets somebody take over for a time. Of several overrides at once, the last one counts.',
    action: 'alert:write',
    body: newOnCallOverrideBody,
    status: 201,
    response: restOnCallSchedule,
    handle: async ({ app, found, actor, params, body }) => {
      const schedule = await scheduleOf(app, found, params.schedule)
      await createOnCallOverride(app, schedule, body, actor.person.id)
      return { body: await toRest(app, schedule) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:schedule/overrides/:override`,
    operationId: 'deleteOnCallOverride',
    summary: 'Deletes an override.',
    action: 'alert:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      const schedule = await scheduleOf(app, found, params.schedule)
      const override = isId(params.override)
        ? await app.meta.incidents.overrideById(Number(params.override))
        : undefined
      if (override?.scheduleId !== schedule.id) throw new MishapError('NOT_FOUND')
      await deleteOnCallOverride(app, override.id)
      return { status: 204, body: undefined }
    },
  }),
]

/** On-call schedules: weekly rotas with overrides. */
export const onCallRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listOnCallSchedules',
    summary: 'On-call schedules by name, with who is on call now and in the next four weeks.',
    action: 'alert:read',
    response: z.array(restOnCallSchedule),
    handle: async ({ app, found }) => ({
      body: await toRestSchedules(
        app,
        await app.meta.incidents.listSchedules(organizationOf(found).id),
        app.clock.now(),
      ),
    }),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createOnCallSchedule',
    summary: 'Creates an on-call schedule.',
    action: 'alert:write',
    body: newOnCallScheduleBody,
    status: 201,
    response: restOnCallSchedule,
    handle: async ({ app, found, body }) => ({
      body: await toRest(app, await createOnCallSchedule(app, organizationOf(found).id, body)),
    }),
  }),
  route({
    method: 'GET',
    path: `${path}/:schedule`,
    operationId: 'onCallSchedule',
    summary: 'One on-call schedule.',
    action: 'alert:read',
    response: restOnCallSchedule,
    handle: async ({ app, found, params }) => ({
      body: await toRest(app, await scheduleOf(app, found, params.schedule)),
    }),
  }),
  route({
    method: 'PUT',
    path: `${path}/:schedule`,
    operationId: 'updateOnCallSchedule',
    summary: 'Changes the given fields. 409 if `revision` or If-Match is outdated.',
    action: 'alert:write',
    body: onCallScheduleChangeBody,
    response: restOnCallSchedule,
    handle: async ({ app, found, actor, params, body, request }) => {
      demandChange(onCallScheduleChangeBody, body)
      const change = { ...body, revision: revisionOf(body, request) }
      const schedule = await scheduleOf(app, found, params.schedule)
      return { body: await toRest(app, await updateOnCallSchedule(app, schedule, change, actor.person.id)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:schedule`,
    operationId: 'deleteOnCallSchedule',
    summary: 'Deletes an on-call schedule with its overrides.',
    action: 'alert:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      await deleteOnCallSchedule(app, (await scheduleOf(app, found, params.schedule)).id)
      return { status: 204, body: undefined }
    },
  }),
  ...overrideRoutes,
]
