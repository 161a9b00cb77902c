import { personalChangeBody, type RestPersonalSettings, restPersonalSettings } from '../../contract/alerts/personal.ts'
import type { PersonalSettings } from '../../domain/alerts/personal.ts'
import { changePersonalSettings, unsubscribe } from '../../operations/personal.ts'
import type { App } from '../../processes/parts.ts'
import { organizationOf, type Route, route } from '../route.ts'

const ownPath = '/organizations/:org/personal-notifications'

/** Returns the settings in the API's form. Projects that were deleted since are left out. */
async function toRest(
  { meta }: App,
  { settings, rev }: { settings: PersonalSettings; rev: number },
): Promise<RestPersonalSettings> {
  const projects: RestPersonalSettings['projects'] = {}
  for (const [id, choice] of Object.entries(settings.projects)) {
    const project = await meta.projects.projectById(Number(id))
    if (project) projects[project.slug] = choice
  }
  return { ...settings, projects, revision: rev }
}

/** What a person wants to hear. Tokens are refused: a leaked one could silence its owner. */
export const personalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: ownPath,
    operationId: 'getPersonalNotifications',
    summary: 'What the caller wants to hear of an organization, and where. Not for tokens.',
    action: 'session',
    response: restPersonalSettings,
    handle: async ({ app, actor, found }) => {
      const organization = organizationOf(found)
      return { body: await toRest(app, await app.meta.personal.personalSettingsOf(organization.id, actor.person.id)) }
    },
  }),
  route({
    method: 'PUT',
    path: ownPath,
    operationId: 'changePersonalNotifications',
    summary: 'Changes what the caller wants to hear of an organization. Absent fields stay. Not for tokens.',
    action: 'session',
    body: personalChangeBody,
    response: restPersonalSettings,
    handle: async ({ app, actor, found, body }) => {
      const organization = organizationOf(found)
      return { body: await toRest(app, await changePersonalSettings(app, organization.id, actor.person.id, body)) }
    },
  }),
]

/** The path of one-click unsubscribe. It needs no sign-in and no Origin: mail servers call it. */
export const unsubscribePath = '/api/0/unsubscribe'

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' }

/**
 * Answers the address in List-Unsubscribe. POST ends the mails at once (RFC 8058). GET leads to a page with a button,
 * because mail programs open links by themselves.
 */
export async function answerUnsubscribe(app: App, request: Request): Promise<Response> {
  const token = new URL(request.url).searchParams.get('token') ?? ''
  if (request.method === 'GET' || request.method === 'HEAD') {
    const location = `${app.config.url}/unsubscribe?token=${encodeURIComponent(token)}`
    return new Response(null, { status: 303, headers: { ...headers, location } })
  }
  if (request.method !== 'POST') return new Response(null, { status: 405, headers: { ...headers, allow: 'GET, POST' } })
  // The body says only List-Unsubscribe=One-Click. It is not read: the token says everything.
  await request.body?.cancel()
  return (await unsubscribe(app, token))
    ? Response.json({ detail: 'You are unsubscribed.' }, { headers })
    : Response.json({ detail: 'This link is not valid.' }, { status: 404, headers })
}
