import { backTestRule } from '../../alert/back-test.ts'
import { backTestBody, restBackTest } from '../../contract/alerts/alerts-back-test.ts'
import { type Route, route, viewOf } from '../route.ts'

/** A rule with its plan takes a few KiB. */
const bodyBytesMax = 256 * 1024

/** Back-tests of unsaved rules. */
export const backTestRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/organizations/:org/alerts/back-test',
    operationId: 'backTestAlertRule',
    summary:
      'What an unsaved rule would have done in the last days: the same steps as the evaluator, over the stored rows. With `noise`, which changes would have avoided marked firings, and what they would have lost.',
    // It shows what events say, which the rules themselves do not.
    action: 'event:read',
    body: backTestBody,
    bodyBytesMax,
    response: restBackTest,
    handle: async ({ app, actor, found, body, request }) => {
      const { projects, environment } = body.rule
      const view = await viewOf({
        app,
        actor,
        found,
        query: {
          project: projects.length > 0 ? projects : ['-1'],
          environment: environment === null ? [] : [environment],
        },
      })
      return { body: await backTestRule(app, view, body, request.signal) }
    },
  }),
]
