import { z } from 'zod'
import { updateOrganization } from '../../operations/organizations.ts'
import type { App } from '../../processes/app.ts'
import type { Organization } from '../../store/meta/meta.ts'
import type { OrganizationChange } from '../../store/meta/people/organization-change.ts'
import { demandChange, revisionField, revisionOf } from '../input.ts'
import type { Route } from '../route.ts'
import { organizationOf, route } from '../route.ts'

const settings = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    retentionErrorsDays: z.number().int().nullable().describe('null: as the installation is set.'),
    retentionErrorsDaysMax: z.number().int(),
    revision: z.number().int(),
  })
  .meta({ id: 'OrganizationSettings' })

const body = z
  .object({
    // What is wrong with them is said by the store, for the screens as well.
    name: z.string().max(300),
    slug: z.string().max(300),
    retentionErrorsDays: z.number().nullable(),
    revision: revisionField,
  })
  .partial()

function toRestSettings(app: App, { id, slug, name }: Organization): z.input<typeof settings> {
  const { retentionErrorsDays, rev } = app.meta.organizationSettings(id)
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
    response: settings,
    handle: ({ app, found }) => ({ body: toRestSettings(app, organizationOf(found)) }),
  }),
  ...([path, '/organizations/:org'] as const).map((item, i) =>
    route({
      method: 'PUT',
      path: item,
      operationId: i === 0 ? 'updateOrganizationSettings' : 'updateOrganization',
      summary:
        'Changes name, slug (the old one goes on leading here) or retention. 409 when `revision` or If-Match is not its own any more.',
      action: 'organization:write',
      body,
      response: settings,
      handle: ({ app, actor, found, body: given, request }) => {
        demandChange(body, given)
        const { revision: _revision, ...rest } = given
        const change = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
        const { id } = organizationOf(found)
        const rev = revisionOf(given, request)
        const changed = updateOrganization(app, actor, id, change as OrganizationChange, rev)
        return { body: toRestSettings(app, changed) }
      },
    }),
  ),
]
