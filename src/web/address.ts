/**
 * What is wrong with the address that a page is open at: `refused`: its forms would be; `plain`: the page is https and
 * MISHAP_URL is not, so DSNs and links would send to plain http; `secure`: the other way round, so the browser would not
 * keep the login cookie.
 */
export type AddressFault = 'refused' | 'plain' | 'secure'

/**
 * Holds the page's origin against MISHAP_URL (`url`) and against what its request looked like when it arrived (`seen`):
 * those two are what forms are held against. Returns undefined when it fits.
 */
export function addressFault(origin: string, url: string, seen: string): AddressFault | undefined {
  const own = new URL(url).origin
  if (origin !== own && origin !== seen) return 'refused'
  if (origin.startsWith('https:') && own.startsWith('http:')) return 'plain'
  return origin.startsWith('http:') && own.startsWith('https:') ? 'secure' : undefined
}

/** The origin that a request came to, as process main says it: what a client writes there itself never arrives. */
export function seenOrigin(headers: Pick<Headers, 'get'>): string {
  return `${headers.get('x-forwarded-proto') ?? 'http'}://${headers.get('x-forwarded-host') ?? ''}`
}

/** The setting that mends it: MISHAP_URL with the page's origin and the path that it has. */
export function mendedUrl(origin: string, url: string): string {
  return origin + new URL(url).pathname.replace(/\/$/, '')
}
