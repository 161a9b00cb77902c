import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

export type Client = { address: string; proto: 'http' | 'https'; host: string }

/** `address` without the IPv6 form of IPv4. */
const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** Whether an address is in one of the networks (addresses or CIDR ranges). */
export function isWithin(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const one = ipaddr.process(address)
  return networks.some((network) => {
    const [base = '', bits] = network.split('/')
    if (!ipaddr.isValid(base)) return false
    const range = ipaddr.process(base)
    if (range.kind() !== one.kind()) return false
    return one.match(range, bits === undefined ? (range.kind() === 'ipv4' ? 32 : 128) : Number(bits))
  })
}

const first = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '')

/**
 * Who asks and under which address: the socket's own, unless the peer is a trusted proxy, then what it forwards.
 * Of a chain the last address that is no trusted proxy counts, since everything before it can be made up.
 */
export function clientOf(req: IncomingMessage, trustedProxies: readonly string[], url: URL): Client {
  const peer = plain(req.socket.remoteAddress ?? '')
  const host = req.headers.host ?? url.host
  if (trustedProxies.length === 0 || !isWithin(peer, trustedProxies)) return { address: peer, proto: 'http', host }
  const chain = first(req.headers['x-forwarded-for'])
    .split(',')
    .map((one) => plain(one.trim()))
    .filter(Boolean)
  const address = chain.reverse().find((one) => !isWithin(one, trustedProxies)) ?? peer
  const proto = first(req.headers['x-forwarded-proto']).split(',')[0]?.trim() === 'https' ? 'https' : 'http'
  return { address, proto, host: first(req.headers['x-forwarded-host']) || host }
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request that changes something comes from our own pages: its Origin must be MISHAP_URL's, or the very host
 * that it was sent to. Bearer calls carry no cookie and pass. A missing Origin is refused: Next would let it run.
 */
export function isOwnOrigin(req: IncomingMessage, client: Client, url: URL): boolean {
  if (safeMethods.has(req.method ?? 'GET')) return true
  if (/^bearer\s/i.test(req.headers.authorization ?? '') && req.headers.cookie === undefined) return true
  const origin = req.headers.origin
  if (origin === undefined || origin === 'null') return false
  return origin === url.origin || origin === `${client.proto}://${client.host}`
}
