import { createHmac, timingSafeEqual } from 'node:crypto'
import { signatureHeaderOf } from '../domain/alerts/hook-calls.ts'
import type { TrackerKind } from '../domain/alerts/trackers.ts'

/** How old a delivery of Linear may be. Its documentation asks for a check of the time, because its ids can repeat. */
const linearAgeMsMax = 5 * 60_000

/** Compares in constant time. Lengths are not secret. */
function isSame(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const hmac = (secret: string, body: Uint8Array) => createHmac('sha256', secret).update(body).digest('hex')

/** Whether a delivery has the signature of its service, right or wrong. */
export const isSigned = (kind: TrackerKind, headers: Headers): boolean => Boolean(headers.get(signatureHeaderOf[kind]))

/** Checks who sent a delivery. `body`: the bytes as they came, because the signature is about them. */
export function checkSignature(
  kind: TrackerKind,
  secret: string,
  headers: Headers,
  body: Uint8Array,
): 'ok' | 'unsigned' | 'bad_signature' {
  const received = headers.get(signatureHeaderOf[kind])
  if (received === null || received === '') return 'unsigned'
  if (secret === '') return 'bad_signature'
  const expected = {
    github: () => `sha256=${hmac(secret, body)}`,
    jira: () => `sha256=${hmac(secret, body)}`,
    linear: () => hmac(secret, body),
    // GitLab sends the secret itself. Comparing digests hides its length, too.
    gitlab: () => hmac(secret, Buffer.from(secret)),
  }[kind]()
  return isSame(kind === 'gitlab' ? hmac(secret, Buffer.from(received)) : received, expected) ? 'ok' : 'bad_signature'
}

/** Whether a delivery is recent enough. Only Linear signs a time. */
export function isRecent(kind: TrackerKind, payload: Record<string, unknown>, nowMs: number): boolean {
  if (kind !== 'linear') return true
  const { webhookTimestamp: atMs } = payload
  return typeof atMs === 'number' && Math.abs(nowMs - atMs) <= linearAgeMsMax
}
