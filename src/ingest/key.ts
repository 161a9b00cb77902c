import type { IncomingHttpHeaders } from 'node:http'
import { noKeys } from '../auth/keys.ts'
import { MishapError } from '../base/errors.ts'
import type { IngestKey, KeySnapshot } from '../store/meta/meta.ts'
import { type ClientAuth, parseAuthHeader, parseBasic, parseDsn, readKey } from '../wire/authheader.ts'
import { originAllowed } from './origins.ts'
import type { Target } from './routes.ts'

/** A found key, or a refusal. A `key` with an error is a known key that was refused. */
type Found = { key: IngestKey; error?: undefined } | { key: IngestKey | undefined; error: MishapError }

/**
 * Reads the auth of a request: X-Sentry-Auth, `Authorization: Sentry` or `Basic`, and sentry_key in the query. Some
 * clients send the same key in header and query. The version and client of the header then win. Returns undefined if
 * there is none. Ignores other Authorization schemes, such as a proxy's Bearer.
 * @throws ACCEPT_AUTH_TWICE for different keys, ACCEPT_KEY_MALFORMED for a Sentry header without a key.
 */
export function readAuth(headers: IncomingHttpHeaders, target: Target): ClientAuth | undefined {
  const sentryAuth = headers['x-sentry-auth']
  const sources: (ClientAuth | undefined)[] = []
  if (sentryAuth !== undefined)
    sources.push(parseAuthHeader(Array.isArray(sentryAuth) ? sentryAuth.join(',') : sentryAuth))
  const { authorization = '' } = headers
  const scheme = authorization.slice(0, 7).toLowerCase()
  if (scheme === 'sentry ') sources.push(parseAuthHeader(authorization))
  else if (scheme.startsWith('basic ')) sources.push(parseBasic(authorization))
  if (target.auth) sources.push(target.auth)
  const found = sources.filter((source) => source !== undefined)
  if (found.length < sources.length) throw new MishapError('ACCEPT_KEY_MALFORMED')
  const [first] = found
  // Malformed keys are compared unchanged. Their refusal is more precise than ACCEPT_AUTH_TWICE.
  const keyOf = (source: ClientAuth) => readKey(source.key) ?? source.key
  if (first && found.some((source) => source.conflict || keyOf(source) !== keyOf(first)))
    throw new MishapError('ACCEPT_AUTH_TWICE')
  return first
}

/** Checks version, format, key, state, project (0: the project of the key) and origin. Returns errors, never throws. */
export function findKey(snapshot: KeySnapshot, auth: ClientAuth, projectId: number, origin: string): Found {
  if (auth.version > 7) return { key: undefined, error: new MishapError('ACCEPT_AUTH_VERSION') }
  const publicKey = readKey(auth.key)
  if (publicKey === undefined) return { key: undefined, error: new MishapError('ACCEPT_KEY_MALFORMED') }
  return check(snapshot, publicKey, projectId, origin)
}

/** Like `findKey`, for an envelope whose `dsn` header is its only auth. */
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
  // No key file: a new folder, a restored folder or a broken file. The app process sends the keys within seconds. A 403
  // until then would make SDKs discard good events.
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

/** Returns whether the `dsn` header of an envelope names the key and project that authorized the request. */
export function dsnAgrees(snapshot: KeySnapshot, dsn: string, key: IngestKey): boolean {
  const parsed = parseDsn(dsn)
  return parsed !== undefined && parsed.projectId === key.projectId && snapshot.keys[parsed.key]?.keyId === key.keyId
}
