import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { incidentChangeBody, restIncident, restIncidentDetails } from '../../contract/alerts/incidents.ts'
import { acknowledgeIncident, resolveIncident, snoozeIncident } from '../../operations/incidents.ts'
import type { App } from '../../processes/parts.ts'
import { incidentDetails, incidentsPage } from '../../query/alerts/incidents.ts'
import type { Incident } from '../../store/meta/alerts/incidents.ts'
import { demandChange } from '../input.ts'
import { pageHeaders } from '../page.ts'
import { type Found, limitOf, organizationOf, pageQuery, type Route, route } from '../route.ts'

const path = '/organizations/:org/incidents'
const pageIncidents = 50
const id = z
  .string()
  .regex(/^\d{1,15}$/)
  .optional()

/** Returns the incident of the path in its organization. Throws NOT_FOUND. */
async function incidentOf(app: App, found: Found, name: string | undefined): Promise<Incident> {
  const incident = /^\d{1,15}$/.test(name ?? '') ? await app.meta.incidents.incidentById(Number(name)) : undefined
  if (!incident || incident.organizationId !== organizationOf(found).id) throw new MishapError('NOT_FOUND')
  return incident
}

async function detailsOf(app: App, incident: Incident) {
  const details = await incidentDetails(app, incident)
  if (!details) throw new MishapError('NOT_FOUND')
  return details
}

/** Incidents: what alert rules found, one for each cause. */
export const incidentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'listIncidents',
    summary: 'Incidents, newest first.',
    action: 'alert:read',
    query: z.object({
      ...pageQuery,
      status: z.enum(['open', 'ended']).optional(),
      rule: id.describe('Id of a rule that sees them.'),
      issue: id.describe('Id of an issue that belongs to them.'),
    }),
    response: z.array(restIncident),
    handle: async ({ app, found, query, request }) => {
      const filter = {
        organizationId: organizationOf(found).id,
        ...(query.status === undefined ? {} : { state: query.status }),
        ...(query.rule === undefined ? {} : { ruleId: Number(query.rule) }),
        ...(query.issue === undefined ? {} : { issueId: Number(query.issue) }),
      }
      const page = await incidentsPage(app, filter, { cursor: query.cursor, limit: limitOf(query, pageIncidents) })
      return { body: page.rows, headers: pageHeaders(app.config.url, request.url, page) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/:incident`,
    operationId: 'incident',
    summary: 'One incident with its members, its history and its messages.',
    action: 'alert:read',
    response: restIncidentDetails,
    handle: async ({ app, found, params }) => ({
      body: await detailsOf(app, await incidentOf(app, found, params.incident)),
    }),
  }),
  route({
    method: 'PUT',
    path: `${path}/:incident`,
    operationId: 'changeIncident',
    summary: 'Acknowledges, snoozes or resolves an incident. 409 if it has ended.',
    action: 'alert:write',
    body: incidentChangeBody,
    response: restIncidentDetails,
    handle: async ({ app, found, actor, params, body }) => {
      demandChange(incidentChangeBody, body)
      let incident = await incidentOf(app, found, params.incident)
      const userId = actor.person.id
      if (body.snoozedUntil !== undefined) incident = await snoozeIncident(app, incident, body.snoozedUntil, userId)
      if (body.status === 'acknowledged') incident = await acknowledgeIncident(app, incident, userId)
      if (body.status === 'resolved') incident = await resolveIncident(app, incident, userId)
      return { body: await detailsOf(app, incident) }
    },
  }),
]
