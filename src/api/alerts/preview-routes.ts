import { previewRule } from '../../alert/preview.ts'
import { alertPreviewBody, restAlertPreview } from '../../contract/alerts/alerts-preview.ts'
import { type Route, route, viewOf } from '../route.ts'

/** A rule with its plan takes a few KiB. */
const bodyBytesMax = 256 * 1024

/** Messages of unsaved rules. */
export const previewRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/organizations/:org/alerts/preview',
    operationId: 'previewAlertRule',
    summary:
      'What the first message of an unsaved rule would say in Slack, in a mail and to a webhook, about the issue of its projects that was seen last. Nothing is sent.',
    // It shows what events say, which the rules themselves do not.
    action: 'event:read',
    body: alertPreviewBody,
    bodyBytesMax,
    response: restAlertPreview,
    handle: async ({ app, actor, found, body }) => {
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
      return { body: await previewRule(app, view, body.rule) }
    },
  }),
]
