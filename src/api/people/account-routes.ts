import { z } from 'zod'
import type { LoginSession } from '../../auth/auth.ts'
import { passwordChangeBody, type RestLoginSession, restLoginSession } from '../../contract/account.ts'
import type { Route } from '../route.ts'
import { route } from '../route.ts'

const toRest = ({ createdMs, lastUsedMs, address, ...session }: LoginSession): RestLoginSession => ({
  ...session,
  address: address || null,
  dateCreated: new Date(createdMs).toISOString(),
  dateLastUsed: new Date(lastUsedMs).toISOString(),
})

const ownPath = '/users/me'

/** A person's own password and login sessions. Tokens are refused: a leaked one could lock its owner out. */
export const accountRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${ownPath}/sessions`,
    operationId: 'listSessions',
    summary: 'The caller’s login sessions: the current session, then the last used first. Not for tokens.',
    action: 'session',
    response: z.array(restLoginSession),
    handle: async ({ app, request }) => ({ body: (await app.auth.sessionsOf(request.headers)).map(toRest) }),
  }),
  route({
    method: 'DELETE',
    path: `${ownPath}/sessions`,
    operationId: 'endOtherSessions',
    summary: 'Ends all of the caller’s login sessions except the current session. Not for tokens.',
    action: 'session',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, request }) => {
      await app.auth.endOtherSessions(request.headers)
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'DELETE',
    path: `${ownPath}/sessions/:session`,
    operationId: 'endSession',
    summary: 'Ends one of the caller’s login sessions. Not for tokens.',
    action: 'session',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, params, request }) => {
      await app.auth.endSession(request.headers, params.session ?? '')
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'PUT',
    path: `${ownPath}/password`,
    operationId: 'changePassword',
    summary:
      'Changes the caller’s password. The other login sessions end, and with `endTokens` also the caller’s API tokens. The response sets the cookie of the remaining session. Not for tokens.',
    action: 'session',
    body: passwordChangeBody,
    status: 204,
    response: z.undefined(),
    handle: async ({ app, body, request }) => {
      const { cookies } = await app.auth.changePassword(request.headers, body)
      const headers = new Headers({ 'cache-control': 'no-store' })
      for (const cookie of cookies) headers.append('set-cookie', cookie)
      return new Response(null, { status: 204, headers })
    },
  }),
]
