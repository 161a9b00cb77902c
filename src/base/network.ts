import ipaddr from 'ipaddr.js'

/** Header in which main tells app where the journal ended when a request came. Never taken from a client. */
export const durableHeader = 'x-mishap-durable'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

function readRange(network: string): Range[] {
  const [, base = '', bits] = /^([\da-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(network) ?? []
  // The library also reads "10" and "0xa.1" as addresses.
  if (!ipaddr.IPv6.isValid(base) && !ipaddr.IPv4.isValidFourPartDecimal(base)) return []
  const range = ipaddr.process(base)
  const bitsMax = range.kind() === 'ipv4' ? 32 : 128
  const length = bits === undefined ? bitsMax : Number(bits)
  return length <= bitsMax ? [[range, length]] : []
}

/** Returns whether a text is an address or a CIDR range. A range of IPv4 in IPv6 form has at most 32 bits. */
export const isNetwork = (text: string): boolean => readRange(text).length > 0

/** Returns a test whether an address is in one of the networks, which are parsed once. Invalid addresses never are. */
export function createNetworks(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.flatMap(readRange)
  return (address) => {
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))
  }
}

/** Returns whether `address` is in one of the networks (addresses or CIDR ranges). IPv4 in IPv6 form counts as IPv4. */
export const isWithin = (address: string, networks: readonly string[]): boolean => createNetworks(networks)(address)

/** Converts IPv4 in IPv6 form to IPv4. */
const plain = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address

/** Parses one hop of a chain. Some proxies add the port. */
const hopOf = (text: string): string =>
  plain(
    text
      .trim()
      .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
      .replace(/^([\d.]+):\d+$/, '$1'),
  )

/**
 * Returns the function that determines a client's address, for ingest and everything else. It is the peer's address,
 * unless the peer is in `trustedProxies` (addresses or CIDR ranges). Then X-Forwarded-For is read from the right up to
 * the first untrusted hop, because clients can forge the hops before it. If all hops are trusted, the leftmost is the
 * client, because clients can be inside the trusted network. An invalid address ends the chain. '' if the socket has
 * lost its address.
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
 * Returns whether `address` is on the public internet: not loopback, private, link-local (where clouds serve
 * credentials), multicast or reserved, and not an address that embeds another (6to4, Teredo, NAT64).
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  // IPv6 only assigns 2000::/3. Outside of it are forms that embed an IPv4 address, such as ::7f00:1.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parse('2000::'), 3)
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns the origins of our screens under `url`. A loopback address also has its other names with the same scheme and
 * port, because users on the machine open any of them.
 */
export function ownOrigins(url: string): string[] {
  const { protocol, hostname, port, origin } = new URL(url)
  if (!loopbackNames.includes(hostname)) return [origin]
  return loopbackNames.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)
}
