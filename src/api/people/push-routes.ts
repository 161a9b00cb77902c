import { z } from 'zod'
import { MishapError } from '../../base/errors.ts'
import { pushBrowserBody, type RestPushBrowser, restPush, restPushBrowser } from '../../contract/alerts/push.ts'
import { addPushBrowser, removePushBrowser } from '../../operations/push-browsers.ts'
import type { Route } from '../route.ts'
import { route } from '../route.ts'

type Shown = { id: number; browser: string; createdMs: number; goneMs?: number }

const toRest = ({ id, browser, createdMs, goneMs }: Shown): RestPushBrowser => ({
  id: String(id),
  browser,
  dateCreated: new Date(createdMs).toISOString(),
  dateGone: goneMs === undefined ? null : new Date(goneMs).toISOString(),
})

const ownPath = '/users/me/push-browsers'

/** The caller's browsers that want push messages. A token is no browser, so only sessions may call these. */
export const pushRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: ownPath,
    operationId: 'listPushBrowsers',
    summary: 'The caller’s browsers that get push messages, and the public key to subscribe with. Not for tokens.',
    action: 'session',
    response: restPush,
    handle: async ({ app, actor }) => ({
      body: {
        publicKey: await app.alerts.pushKey(),
        browsers: [
          ...(await app.meta.pushBrowsers.browsersOf([actor.person.id])),
          ...(await app.meta.pushBrowsers.goneBrowsersOf(actor.person.id)),
        ].map(toRest),
      },
    }),
  }),
  route({
    method: 'POST',
    path: ownPath,
    operationId: 'addPushBrowser',
    summary: 'Registers the caller’s browser for push messages. Not for tokens.',
    action: 'session',
    body: pushBrowserBody,
    status: 201,
    response: restPushBrowser,
    handle: async ({ app, actor, body: { endpoint, keys }, request }) => {
      const userAgent = request.headers.get('user-agent') ?? ''
      return { body: toRest(await addPushBrowser(app, actor, { endpoint, ...keys, userAgent })) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${ownPath}/:browser`,
    operationId: 'removePushBrowser',
    summary: 'Stops push messages to one of the caller’s browsers. Not for tokens.',
    action: 'session',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, actor, params }) => {
      if (!/^\d{1,15}$/.test(params.browser ?? '')) throw new MishapError('NOT_FOUND')
      await removePushBrowser(app, actor, Number(params.browser))
      return { body: undefined, status: 204 }
    },
  }),
]
