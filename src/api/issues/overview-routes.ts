import { z } from 'zod'
import { restOverview } from '../../contract/overview.ts'
import { overviewOf } from '../../query/overview.ts'
import type { Route } from '../route.ts'
import { route, viewOf, viewQuery } from '../route.ts'

export const overviewRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/organizations/:org/overview',
    operationId: 'organizationOverview',
    summary:
      'What happened in a range compared with the one before: events, users, sessions, segments, projects, new issues, and what waits for a decision. A part that fails is named in `failed`.',
    action: 'event:read',
    query: z.object(viewQuery),
    response: restOverview,
    handle: async (call) => ({ body: await overviewOf(call.app, await viewOf(call)) }),
  }),
]
