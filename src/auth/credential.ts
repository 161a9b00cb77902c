import { createHash } from 'node:crypto'

/**
 * A hash of what a request proves its sender with: the bearer token, else the session cookie. Undefined when it has
 * neither. Whether it is good is not asked here. Process main compares hashes and never keeps the secret itself.
 */
export function credentialOf(
  authorization: string | null | undefined,
  cookie: string | null | undefined,
): string | undefined {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
  // Two cookies of one name come where one of them has another path.
  const sessions = [...(cookie ?? '').matchAll(/(?:^|;\s*)[\w.-]*session_token=([^;]+)/g)].map(([, value]) => value)
  const text = bearer ?? sessions.join(' ')
  return text === '' ? undefined : createHash('sha256').update(text).digest('base64url')
}
