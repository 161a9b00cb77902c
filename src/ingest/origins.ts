/**
 * Returns whether a browser origin is allowed. `origin` is the Origin header, else the Referer. '' (no browser) is
 * allowed. `allowed` holds patterns: `*`, `shop.example`, `*.shop.example` (also the domain itself),
 * `shop.example:8080`, `https://shop.example`, `https://*.shop.example`. An empty list allows all origins.
 */
export function originAllowed(origin: string, allowed: string[]): boolean {
  if (origin === '' || allowed.length === 0 || allowed.includes('*')) return true
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return allowed.some((pattern) => matches(url, pattern.trim().toLowerCase()))
}

function matches(url: URL, pattern: string): boolean {
  const schemeEnd = pattern.indexOf('://')
  if (schemeEnd !== -1 && url.protocol !== `${pattern.slice(0, schemeEnd)}:`) return false
  const rest = schemeEnd === -1 ? pattern : pattern.slice(schemeEnd + 3)
  const slash = rest.indexOf('/')
  const hostPort = slash === -1 ? rest : rest.slice(0, slash)
  const port = /:(\d{1,5}|\*)$/.exec(hostPort)
  const host = port ? hostPort.slice(0, port.index) : hostPort
  if (host === '') return false
  // A pattern with a scheme and no port means the default port of that scheme. A bare host means any port.
  if (port) {
    const ownPort = url.port || (url.protocol === 'https:' ? '443' : '80')
    if (port[1] !== '*' && port[1] !== ownPort) return false
  } else if (schemeEnd !== -1 && url.port !== '') return false
  if (host === '*') return true
  if (host.startsWith('*.')) return url.hostname === host.slice(2) || url.hostname.endsWith(host.slice(1))
  return url.hostname === host
}
