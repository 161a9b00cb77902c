import type { IncomingMessage } from 'node:http'
import { createClientAddress, createNetworks, ownOrigins } from '../base/network.ts'

type Client = { address: string; proto: 'http' | 'https'; host: string }

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '')

/**
 * Returns a reader of the client's address, scheme and host from the socket. If the peer is a trusted proxy, its
 * forwarded values apply (the address by the rule of network.ts). X-Forwarded-Host is never trusted: nginx and others
 * pass on the client's value, and form origins are compared with the host. Proxies must pass Host, or set MISHAP_URL.
 */
export function createClientOf(trustedProxies: readonly string[], url: URL): (req: IncomingMessage) => Client {
  const isTrusted = createNetworks(trustedProxies)
  const addressOf = createClientAddress(trustedProxies)
  return ({ socket, headers }) => {
    const host = headers.host ?? url.host
    const address = addressOf(socket.remoteAddress, headers['x-forwarded-for'])
    if (!isTrusted(socket.remoteAddress ?? '')) return { address, proto: 'http', host }
    const proto = first(headers['x-forwarded-proto']).split(',')[0]?.trim() === 'https' ? 'https' : 'http'
    return { address, proto, host }
  }
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Webhooks of issue trackers. Their signature proves the sender (api/trackers/hook-route.ts). */
const hookTarget = /^\/api\/0\/trackers\/\d{1,15}\/webhook\/?(?:\?|$)/
/** Clicks in Slack (api/slack.ts). The whole path: `/api/0/hooks/../auth/` is another route once the API has parsed it. */
const slackTarget = /^\/api\/0\/hooks\/slack\/[\w-]{1,100}\/?(?:\?|$)/

/**
 * Returns whether a changing request comes from our own pages, or cannot act for a person. Its Origin must match MISHAP_URL or the request host.
 * Loopback names are equal. Bearer calls carry no cookie and pass. A missing Origin is refused: Next would allow it.
 * One-click unsubscribe comes from mail servers. Its token is its only authority, and no cookie is read there.
 */
export function isOwnOrigin(req: IncomingMessage, client: Client, url: URL): boolean {
  if (safeMethods.has(req.method ?? 'GET')) return true
  if (/^\/api\/0\/unsubscribe\/?(\?|$)/.test(req.url ?? '')) return true
  if (/^bearer\s/i.test(req.headers.authorization ?? '') && req.headers.cookie === undefined) return true
  const origin = req.headers.origin
  // Services call these paths without an Origin. Each call is signed, so there is no cookie to misuse.
  const isHook = hookTarget.test(req.url ?? '') || slackTarget.test(req.url ?? '')
  if (req.method === 'POST' && isHook && req.headers.cookie === undefined) return true
  if (origin === undefined || origin === 'null') return false
  return ownOrigins(url.href).includes(origin) || origin === `${client.proto}://${client.host}`
}
