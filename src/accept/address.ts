import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/**
 * Makes the function that tells a request's client address. X-Forwarded-For is believed only from a peer in
 * `trustedProxies` (addresses or CIDR ranges), read from the right up to the first hop that is not trusted: what stands
 * left of it is the client's own claim. Addresses come without the ::ffff: of mapped IPv4; '' when there is none.
 */
export function createClientAddress(trustedProxies: string[]): (req: IncomingMessage) => string {
  const trusted = trustedProxies.flatMap(readRange)
  return (req) => {
    const peer = plain(req.socket.remoteAddress ?? '')
    if (trusted.length === 0) return peer
    const forwarded = req.headers['x-forwarded-for']
    if (typeof forwarded !== 'string' || !isTrusted(peer, trusted)) return peer
    let client = peer
    for (const hop of forwarded.split(',').reverse()) {
      const address = plain(
        hop
          .trim()
          .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
          .replace(/^([\d.]+):\d+$/, '$1'),
      )
      if (!ipaddr.isValid(address)) break
      client = address
      if (!isTrusted(address, trusted)) break
    }
    return client
  }
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

function readRange(text: string): Range[] {
  if (ipaddr.isValidCIDR(text)) return [ipaddr.parseCIDR(text)]
  if (!ipaddr.isValid(text)) return []
  const address = ipaddr.process(text)
  return [[address, address.kind() === 'ipv4' ? 32 : 128]]
}

function isTrusted(address: string, trusted: Range[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return trusted.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))
}

function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
