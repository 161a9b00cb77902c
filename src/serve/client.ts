import type { IncomingMessage } from 'node:http'
import { createClientAddress, createNetworks, ownOrigins } from '../base/network.ts'

type Client = { address: string; proto: 'http' | 'https'; host: string }

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '')

/**
 * Makes the function that tells who asks and under which address: the socket's own, unless the peer is a trusted proxy,
 * then what it forwards (the address by the rule of network.ts). X-Forwarded-Host is never believed: nginx and others
 * pass on what the client wrote there, and forms are held against the host. A proxy passes Host, or MISHAP_URL says it.
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

/**
 * Whether a request that changes something comes from our own pages: its Origin must be MISHAP_URL's, or the very host
 * that it was sent to. The loopback names of this machine count alike. Bearer calls carry no cookie and pass. A missing Origin is refused: Next would let it run.
 */
export function isOwnOrigin(req: IncomingMessage, client: Client, url: URL): boolean {
  if (safeMethods.has(req.method ?? 'GET')) return true
  if (/^bearer\s/i.test(req.headers.authorization ?? '') && req.headers.cookie === undefined) return true
  const origin = req.headers.origin
  if (origin === undefined || origin === 'null') return false
  return ownOrigins(url.href).includes(origin) || origin === `${client.proto}://${client.host}`
}
