/**
 * A problem with the address of a page. `refused`: the server will reject its forms. `plain`: the page uses https but
 * MISHAP_URL http, so DSNs and links would send unencrypted. `secure`: the reverse, so the browser would not store the
 * login cookie.
 */
export type AddressFault = 'refused' | 'plain' | 'secure'

/**
 * Compares the page's origin with MISHAP_URL (`url`) and with the origin of its request on arrival (`seen`), as the
 * check of forms does. Returns undefined if it fits.
 */
export function addressFault(origin: string, url: string, seen: string): AddressFault | undefined {
  const ownOrigin = new URL(url).origin
  if (origin !== ownOrigin && origin !== seen) return 'refused'
  if (origin.startsWith('https:') && ownOrigin.startsWith('http:')) return 'plain'
  return origin.startsWith('http:') && ownOrigin.startsWith('https:') ? 'secure' : undefined
}

/** The origin of a request, from headers that the main process sets. It removes those of clients. */
export function seenOrigin(headers: Pick<Headers, 'get'>): string {
  return `${headers.get('x-forwarded-proto') ?? 'http'}://${headers.get('x-forwarded-host') ?? ''}`
}

/** The correct setting: MISHAP_URL with the page's origin and its own path. */
export function mendedUrl(origin: string, url: string): string {
  return origin + new URL(url).pathname.replace(/\/$/, '')
}
