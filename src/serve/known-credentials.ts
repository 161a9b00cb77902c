import type { Auth } from '../auth/auth.ts'
import { credentialOf } from '../auth/credential.ts'
import type { Clock } from '../base/clock.ts'

/** A credential counts as known for this long after the app process accepted it. */
const knownMs = 15 * 60_000
/** The app process reports each credential at this interval. */
const reportEveryMs = 60_000
const knownMax = 20_000

export type KnownCredentials = {
  /** Records that the app process accepted this credential. */
  add(credential: string): void
  /** Returns the credential of a request if the app process accepted it recently. */
  of(headers: { authorization?: string | undefined; cookie?: string | undefined }): string | undefined
}

/** Creates the memory of known credentials in the main process. Requests with one have separate capacity. */
export function createKnownCredentials(clock: Clock): KnownCredentials {
  const seen = new Map<string, number>()
  return {
    add: (credential) => {
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

/** Wraps auth so that it reports accepted credentials to the main process. */
export function reportKnownCredentials(auth: Auth, clock: Clock, report: (credential: string) => void): Auth {
  const reportedMs = new Map<string, number>()
  return {
    ...auth,
    actorOf: async (headers) => {
      const actor = await auth.actorOf(headers)
      const credential = actor && credentialOf(headers.get('authorization'), headers.get('cookie'))
      if (credential === undefined) return actor
      const nowMs = clock.now()
      if (Math.abs(nowMs - (reportedMs.get(credential) ?? 0)) < reportEveryMs) return actor
      if (reportedMs.size >= knownMax) reportedMs.clear()
      reportedMs.set(credential, nowMs)
      report(credential)
      return actor
    },
  }
}
