type CookieParts = {
  name: string
  value: string
  options: {
    path?: string
    maxAge?: number
    expires?: Date
    httpOnly?: boolean
    secure?: boolean
    sameSite?: 'lax' | 'strict' | 'none'
    domain?: string
  }
}

const sameSites = ['lax', 'strict', 'none'] as const

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Parses one Set-Cookie line; undefined without a name. Decodes the value, because Next encodes it again. */
export function parseSetCookie(line: string): CookieParts | undefined {
  const [pair = '', ...attributes] = line.split(';')
  const at = pair.indexOf('=')
  const name = pair.slice(0, at).trim()
  if (at < 1 || !name) return undefined
  const parts: CookieParts = { name, value: decoded(pair.slice(at + 1).trim()), options: {} }
  for (const attribute of attributes) {
    const split = attribute.indexOf('=')
    const key = (split < 0 ? attribute : attribute.slice(0, split)).trim().toLowerCase()
    const value = split < 0 ? '' : attribute.slice(split + 1).trim()
    const site = sameSites.find((sameSite) => sameSite === value.toLowerCase())
    if (key === 'path') parts.options.path = value
    else if (key === 'domain') parts.options.domain = value
    else if (key === 'max-age' && Number.isFinite(Number(value))) parts.options.maxAge = Number(value)
    else if (key === 'expires' && Number.isFinite(Date.parse(value))) parts.options.expires = new Date(value)
    else if (key === 'httponly') parts.options.httpOnly = true
    else if (key === 'secure') parts.options.secure = true
    else if (key === 'samesite' && site) parts.options.sameSite = site
  }
  return parts
}
