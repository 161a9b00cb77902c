import { restOrganizationDetail } from '../../contract/teams.ts'
import { organizationOf, type Route, route } from '../route.ts'
import { toRestOrganization } from './organization-routes.ts'
import { roleLists } from './role-lists.ts'
import { toRestTeam } from './team-routes.ts'

/** One organization with its team and the available roles. */
export const organizationDetailRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org',
    operationId: 'organization',
    summary: 'One organization, with its team and the possible roles.',
    action: 'organization:read',
    response: restOrganizationDetail,
    handle: async ({ app, actor, found }) => {
      const organization = organizationOf(found)
      const teams = [await toRestTeam(app, actor, organization, false)]
      return { body: { ...toRestOrganization(app, organization), teams, ...roleLists } }
    },
  }),
]
