import type { Auth } from '../auth/auth.ts'
import { credentialOf } from '../auth/credential.ts'
import type { Clock } from '../base/clock.ts'

/** So long a credential counts as known after process app took it. */
const knownMs = 15 * 60_000
/** Process app tells of one credential this often. */
const tellMs = 60_000
const knownMax = 20_000

export type Known = {
  /** Process app has just taken this credential. */
  note(credential: string): void
  /** The credential of a request, if process app took it lately. */
  of(headers: { authorization?: string | undefined; cookie?: string | undefined }): string | undefined
}

/** What process main remembers of those who are signed in: requests with such a credential have a reserve of their own. */
export function createKnown(clock: Clock): Known {
  const seen = new Map<string, number>()
  return {
    note: (credential) => {
      seen.delete(credential)
      seen.set(credential, clock.now())
      const [oldest] = seen.keys()
      if (seen.size > knownMax && oldest !== undefined) seen.delete(oldest)
    },
    of: ({ authorization, cookie }) => {
      const credential = credentialOf(authorization, cookie)
      const atMs = credential === undefined ? undefined : seen.get(credential)
      return atMs !== undefined && Math.abs(clock.now() - atMs) < knownMs ? credential : undefined
    },
  }
}

/** Sign-in that tells process main which credentials are good. */
export function tellKnown(auth: Auth, clock: Clock, tell: (credential: string) => void): Auth {
  const toldMs = new Map<string, number>()
  return {
    ...auth,
    actorOf: async (headers) => {
      const actor = await auth.actorOf(headers)
      const credential = actor && credentialOf(headers.get('authorization'), headers.get('cookie'))
      if (credential === undefined) return actor
      const nowMs = clock.now()
      if (Math.abs(nowMs - (toldMs.get(credential) ?? 0)) < tellMs) return actor
      if (toldMs.size >= knownMax) toldMs.clear()
      toldMs.set(credential, nowMs)
      tell(credential)
      return actor
    },
  }
}
