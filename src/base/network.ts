import ipaddr from 'ipaddr.js'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

function readRange(network: string): Range[] {
  const [base = '', bits] = network.split('/')
  if (!ipaddr.isValid(base)) return []
  const range = ipaddr.process(base)
  return [[range, bits === undefined ? (range.kind() === 'ipv4' ? 32 : 128) : Number(bits)]]
}

/** Makes the question whether an address is in one of the networks, which are read once; what is no address is in none. */
export function createNetworks(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.flatMap(readRange)
  return (address) => {
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false
    const item = ipaddr.process(address)
    return ranges.some((range) => range[0].kind() === item.kind() && item.match(range))
  }
}

/** Whether `address` is in one of the networks (addresses or CIDR ranges); an IPv4 address in its IPv6 form counts as itself. */
export const isWithin = (address: string, networks: readonly string[]): boolean => createNetworks(networks)(address)

/** `address` without the IPv6 form of IPv4. */
const plain = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

/** One hop of a chain: some proxies write the port, too. */
const hopOf = (text: string): string =>
  plain(
    text
      .trim()
      .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
      .replace(/^([\d.]+):\d+$/, '$1'),
  )

/**
 * Makes the one rule that tells a client's address, for ingest and for everything else: the peer's, unless the peer is
 * in `trustedProxies` (addresses or CIDR ranges); then X-Forwarded-For is read from the right up to the first hop that is
 * not trusted, since what stands left of it is the client's own claim. Of a chain of nothing but trusted hops it is the
 * leftmost, as clients inside the trusted network are hops of it too; what is no address ends the chain. '' when the
 * socket has no address any more.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
): (peer: string | undefined, forwarded: string | readonly string[] | undefined) => string {
  const isTrusted = createNetworks(trustedProxies)
  return (peer, forwarded) => {
    let client = plain(peer ?? '')
    if (forwarded === undefined || !isTrusted(client)) return client
    for (const part of [forwarded].flat().join(',').split(',').reverse()) {
      if (part.trim() === '') continue
      const hop = hopOf(part)
      if (!ipaddr.isValid(hop)) break
      client = hop
      if (!isTrusted(hop)) break
    }
    return client
  }
}

/**
 * Whether `address` is one of the open internet: not loopback, private, link-local (where clouds answer with
 * credentials), multicast or reserved, and none that carries another address inside (6to4, Teredo, NAT64).
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const item = ipaddr.process(address)
  if (item.range() !== 'unicast') return false
  // Of IPv6 only 2000::/3 is given out: outside of it are forms that carry an IPv4 address, as ::7f00:1.
  return item.kind() === 'ipv4' || item.match(ipaddr.parse('2000::'), 3)
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Origins of our own screens under `url`: its own, and for a loopback address those of its other names with the same
 * scheme and port. People open either of them on the machine itself.
 */
export function ownOrigins(url: string): string[] {
  const { protocol, hostname, port, origin } = new URL(url)
  if (!loopbackNames.includes(hostname)) return [origin]
  return loopbackNames.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)
}
