import type { IncomingHttpHeaders } from 'node:http'
import { noKeys } from '../auth/keys.ts'
import { MishapError } from '../base/errors.ts'
import type { IngestKey, KeySnapshot } from '../store/meta/meta.ts'
import { type ClientAuth, parseAuthHeader, parseBasic, parseDsn, readKey } from '../wire/authheader.ts'
import { originAllowed } from './origins.ts'
import type { Target } from './routes.ts'

/** A key that was found, or a refusal; `key` beside an error is a known key that was refused. */
type Found = { key: IngestKey; error?: undefined } | { key: IngestKey | undefined; error: MishapError }

/**
 * The auth of a request: X-Sentry-Auth, `Authorization: Sentry` or `Basic`, and the query's sentry_key. Several sources
 * may name the same key: some clients send it in the header and in the query. The header's version and client count then.
 * Undefined when there is none. Other schemes of Authorization (a proxy's Bearer) are no source.
 * Throws ACCEPT_AUTH_TWICE for different keys, ACCEPT_KEY_MALFORMED for a Sentry header without a key.
 */
export function readAuth(headers: IncomingHttpHeaders, target: Target): ClientAuth | undefined {
  const own = headers['x-sentry-auth']
  const sources: (ClientAuth | undefined)[] = []
  if (own !== undefined) sources.push(parseAuthHeader(Array.isArray(own) ? own.join(',') : own))
  const { authorization = '' } = headers
  const scheme = authorization.slice(0, 7).toLowerCase()
  if (scheme === 'sentry ') sources.push(parseAuthHeader(authorization))
  else if (scheme.startsWith('basic ')) sources.push(parseBasic(authorization))
  if (target.auth) sources.push(target.auth)
  const found = sources.filter((source) => source !== undefined)
  if (found.length < sources.length) throw new MishapError('ACCEPT_KEY_MALFORMED')
  const [first] = found
  // A malformed key is compared as it was sent: the refusal of a malformed key says more than the refusal here.
  const keyOf = (source: ClientAuth) => readKey(source.key) ?? source.key
  if (first && found.some((source) => source.conflict || keyOf(source) !== keyOf(first)))
    throw new MishapError('ACCEPT_AUTH_TWICE')
  return first
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
  // No key file (a new folder, a restored folder, a broken file): process app sends the keys in a few seconds. Until
  // then a 403 would make SDKs throw away good events.
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
export function dsnAgrees(snapshot: KeySnapshot, dsn: string, key: IngestKey): boolean {
  const parsed = parseDsn(dsn)
  return parsed !== undefined && parsed.projectId === key.projectId && snapshot.keys[parsed.key]?.keyId === key.keyId
}
