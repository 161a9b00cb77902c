import { createHash } from 'node:crypto'

/**
 * Returns a hash of the request's bearer token, else of its session cookie, else undefined. Does not verify the
 * credential. The main process compares hashes and never stores the secret.
 */
export function credentialOf(
  authorization: string | null | undefined,
  cookie: string | null | undefined,
): string | undefined {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  // Two cookies with the same name arrive if they have different paths.
  const sessions = [...(cookie ?? '').matchAll(/(?:^|;\s*)[\w.-]*session_token=([^;]+)/g)].map(([, value]) => value)
  const text = bearer ?? sessions.join(' ')
  return text === '' ? undefined : createHash('sha256').update(text).digest('base64url')
}
