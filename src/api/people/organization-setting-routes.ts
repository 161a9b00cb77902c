import {
  organizationChangeBody,
  type RestOrganizationSettings,
  restOrganizationSettings,
} from '../../contract/organizations.ts'
import { updateOrganization } from '../../operations/organizations.ts'
import type { App } from '../../processes/parts.ts'
import type { Organization } from '../../store/meta/meta.ts'
import type { OrganizationChange } from '../../store/meta/people/organization-change.ts'
import { demandChange, revisionOf } from '../input.ts'
import type { Route } from '../route.ts'
import { organizationOf, route } from '../route.ts'

async function toRestSettings(app: App, { id, slug, name }: Organization): Promise<RestOrganizationSettings> {
  const { retentionErrorsDays, rev } = await app.meta.organizations.organizationSettings(id)
  const retentionErrorsDaysMax = app.config.retentionErrorsDays
  return { id: String(id), slug, name, retentionErrorsDays, retentionErrorsDaysMax, revision: rev }
}

const path = '/organizations/:org/settings'

/** Name, slug and retention of an organization. */
export const organizationSettingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'organizationSettings',
    summary: 'Name, slug and retention of an organization.',
    action: 'organization:read',
    response: restOrganizationSettings,
    handle: async ({ app, found }) => ({ body: await toRestSettings(app, organizationOf(found)) }),
  }),
  ...([path, '/organizations/:org'] as const).map((settingsPath, i) =>
    route({
      method: 'PUT',
      path: settingsPath,
      operationId: i === 0 ? 'updateOrganizationSettings' : 'updateOrganization',
      summary:
        'Changes name, slug (the old one keeps working) or retention. 409 if `revision` or If-Match is outdated.',
      action: 'organization:write',
      body: organizationChangeBody,
      response: restOrganizationSettings,
      handle: async ({ app, actor, found, body, request }) => {
        demandChange(organizationChangeBody, body)
        const { revision: _revision, ...settings } = body
        const change = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
        const { id } = organizationOf(found)
        const rev = revisionOf(body, request)
        const changed = await updateOrganization(app, actor, id, change as OrganizationChange, rev)
        return { body: await toRestSettings(app, changed) }
      },
    }),
  ),
]
