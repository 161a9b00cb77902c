import bowser from 'bowser'
import { MishapError } from '../base/errors.ts'
import type { Auth, LoginSession } from './auth.ts'
import type { AuthContext } from './context.ts'

const agentMax = 1024

/** Returns the names of browser (with major version) and operating system; null if the user agent lacks them. */
export function deviceOf(userAgent: string): Pick<LoginSession, 'browser' | 'system'> {
  const named = (name: string | undefined, version: string | undefined) =>
    name ? [name, version?.split('.')[0]].filter(Boolean).join(' ') : null
  try {
    const { browser, os } = bowser.parse(userAgent.slice(0, agentMax))
    // User agents freeze the version of the operating system, so it would be wrong.
    return { browser: named(browser.name, browser.version), system: named(os.name, undefined) }
  } catch {
    // bowser throws on an empty text.
    return { browser: null, system: null }
  }
}

/** Manages a person's own login sessions by id. Only the cookies contain the tokens. */
export function createLoginSessions({
  better,
  context,
}: AuthContext): Pick<Auth, 'sessionsOf' | 'endSession' | 'endOtherSessions'> {
  const current = async (headers: Headers) => {
    const found = headers.has('authorization') ? null : await better.api.getSession({ headers })
    if (!found) throw new MishapError('AUTH_REQUIRED')
    return found.session
  }
  const openOf = (userId: string) => context.internalAdapter.listSessions(userId, { onlyActiveSessions: true })
  const deleteSessions = (userId: string, ids: string[]) =>
    context.adapter.deleteMany({
      model: 'session',
      where: [
        { field: 'userId', value: userId },
        { field: 'id', operator: 'in', value: ids },
      ],
    })
  return {
    sessionsOf: async (headers) => {
      const { id, userId } = await current(headers)
      const sessions = (await openOf(userId)).map(
        (session): LoginSession => ({
          id: session.id,
          isCurrent: session.id === id,
          userAgent: session.userAgent ?? '',
          ...deviceOf(session.userAgent ?? ''),
          address: session.ipAddress ?? '',
          createdMs: session.createdAt.getTime(),
          lastUsedMs: session.updatedAt.getTime(),
        }),
      )
      return sessions.sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.lastUsedMs - a.lastUsedMs)
    },
    endSession: async (headers, id) => {
      const { userId } = await current(headers)
      if ((await deleteSessions(userId, [id])) === 0) throw new MishapError('NOT_FOUND')
    },
    endOtherSessions: async (headers) => {
      const { id, userId } = await current(headers)
      await context.adapter.deleteMany({
        model: 'session',
        where: [
          { field: 'userId', value: userId },
          { field: 'id', operator: 'ne', value: id },
        ],
      })
    },
  }
}
