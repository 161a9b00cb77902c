import type { OutgoingRequest } from '../../base/outgoing.ts'
import type { PushBrowser } from './transport.ts'

/** The key pair by which push services recognize this installation (RFC 8292). */
export type PushKeys = { publicKey: string; privateKey: string }

/** Loaded with the first key or message: it has 5 MB with its code of ASN.1, and few installations push. */
const webpush = async () => (await import('web-push')).default

/** Creates a key pair on the curve P-256. */
export const newPushKeys = async (): Promise<PushKeys> => (await webpush()).generateVAPIDKeys()

/** Returns the encrypted and signed request to a browser's push service. It is sent by our own client. */
export async function pushRequest(
  keys: PushKeys,
  browser: PushBrowser,
  content: string,
  options: { subject: string; keptS: number; isUrgent: boolean },
): Promise<OutgoingRequest> {
  const { endpoint, p256dh, auth } = browser
  const details = (await webpush()).generateRequestDetails({ endpoint, keys: { p256dh, auth } }, content, {
    vapidDetails: { subject: options.subject, ...keys },
    TTL: options.keptS,
    urgency: options.isUrgent ? 'high' : 'normal',
    contentEncoding: 'aes128gcm',
  })
  const headers = Object.entries(details.headers as Record<string, string | number>)
  return {
    method: 'POST',
    url: endpoint,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), String(value)])),
    body: details.body,
  }
}
