import type { IncomingHttpHeaders } from 'node:http'
import { type AcceptKey, type KeySnapshot, noKeys } from '../auth/keys.ts'
import { MishapError } from '../errors.ts'
import { type ClientAuth, parseAuthHeader, parseBasic, parseDsn, readKey } from '../protocol/authheader.ts'
import { originAllowed } from './origins.ts'
import type { Target } from './routes.ts'

/** A key that was found, or a refusal; `key` beside an error is a known key that was refused. */
export type Found = { key: AcceptKey; error?: undefined } | { key: AcceptKey | undefined; error: MishapError }

/**
 * The one auth of a request: X-Sentry-Auth, `Authorization: Sentry` or `Basic`, or the query's sentry_key. Undefined
 * when there is none; other schemes of Authorization (a proxy's Bearer) are none.
 * Throws ACCEPT_AUTH_TWICE for more than one, ACCEPT_KEY_MALFORMED for a Sentry header without a key.
 */
export function readAuth(headers: IncomingHttpHeaders, target: Target): ClientAuth | undefined {
  let auth = target.auth
  const own = headers['x-sentry-auth']
  if (own !== undefined) {
    if (auth) throw new MishapError('ACCEPT_AUTH_TWICE')
    auth = parseAuthHeader(Array.isArray(own) ? own.join(',') : own)
    if (auth === undefined) throw new MishapError('ACCEPT_KEY_MALFORMED')
  }
  const { authorization } = headers
  if (authorization !== undefined) {
    const scheme = authorization.slice(0, 7).toLowerCase()
    const sentry = scheme === 'sentry '
    if (sentry || scheme.startsWith('basic ')) {
      if (auth) throw new MishapError('ACCEPT_AUTH_TWICE')
      auth = sentry ? parseAuthHeader(authorization) : parseBasic(authorization)
      if (auth === undefined) throw new MishapError('ACCEPT_KEY_MALFORMED')
    }
  }
  if (auth?.twice) throw new MishapError('ACCEPT_AUTH_TWICE')
  return auth
}

/** Looks a request's auth up: version, form, key, state, project (0: the key's own), origin. Returns, never throws. */
export function findKey(snapshot: KeySnapshot, auth: ClientAuth, projectId: number, origin: string): Found {
  if (auth.version > 7) return { key: undefined, error: new MishapError('ACCEPT_AUTH_VERSION') }
  const publicKey = readKey(auth.key)
  if (publicKey === undefined) return { key: undefined, error: new MishapError('ACCEPT_KEY_MALFORMED') }
  return check(snapshot, publicKey, projectId, origin)
}

/** As `findKey`, by the `dsn` header of an envelope that came without any other auth. */
export function findKeyByDsn(snapshot: KeySnapshot, dsn: string | undefined, projectId: number, origin: string): Found {
  if (dsn === undefined) return { key: undefined, error: new MishapError('ACCEPT_KEY_MISSING') }
  const parsed = parseDsn(dsn)
  if (parsed === undefined) return { key: undefined, error: new MishapError('ACCEPT_KEY_MALFORMED') }
  if (parsed.projectId !== projectId && projectId !== 0)
    return { key: undefined, error: new MishapError('ACCEPT_PROJECT_MISMATCH') }
  return check(snapshot, parsed.key, parsed.projectId, origin)
}

function check(snapshot: KeySnapshot, publicKey: string, projectId: number, origin: string): Found {
  const key = snapshot.keys[publicKey]
  // No key file (a new folder, a restored one, a broken file): process app tells the keys in a few seconds. Until then
  // a 403 would make SDKs throw away what is good.
  if (key === undefined && snapshot === noKeys)
    return {
      key,
      error: new MishapError('ACCEPT_OVERLOADED', { detail: 'Mishap is starting and reads its keys.', retryAfterS: 5 }),
    }
  if (key === undefined) return { key, error: new MishapError('ACCEPT_KEY_UNKNOWN') }
  if (!key.active) return { key, error: new MishapError('ACCEPT_KEY_DISABLED') }
  if (projectId !== 0 && key.projectId !== projectId) return { key, error: new MishapError('ACCEPT_PROJECT_MISMATCH') }
  if (!originAllowed(origin, key.allowedOrigins)) return { key, error: new MishapError('ACCEPT_ORIGIN_REFUSED') }
  return { key }
}

/** Whether an envelope's `dsn` header names the key and project that the request was authorized with. */
export function dsnAgrees(snapshot: KeySnapshot, dsn: string, key: AcceptKey): boolean {
  const parsed = parseDsn(dsn)
  return parsed !== undefined && parsed.projectId === key.projectId && snapshot.keys[parsed.key]?.keyId === key.keyId
}
