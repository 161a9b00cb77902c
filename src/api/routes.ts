import { eventRoutes } from './event-routes.ts'
import { issueRoutes } from './issue-routes.ts'
import { notificationRoutes } from './notification-routes.ts'
import { organizationRoutes } from './organization-routes.ts'
import { projectRoutes } from './project-routes.ts'
import type { Route } from './route.ts'
import { route } from './route.ts'
import { statusOf } from './status.ts'
import { systemStatus } from './status-schemas.ts'

/** THE complete list of /api/0/: what is not here answers 404. docs/openapi.json is made from it. */
export const routes: readonly Route[] = [
  ...organizationRoutes,
  ...projectRoutes,
  ...issueRoutes,
  ...eventRoutes,
  ...notificationRoutes,
  route({
    method: 'GET',
    path: '/status',
    operationId: 'status',
    summary: 'State of the installation: lag, ledger, disk, dead items, versions with known advisories.',
    action: 'status:read',
    response: systemStatus,
    handle: async ({ app }) => ({ body: await statusOf(app) }),
  }),
]
