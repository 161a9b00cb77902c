import type { ProjectSettings } from '../../store/meta/meta.ts'

/** Names of which any part marks a secret (protocol.md 8.5). */
export const secretParts = [
  'password', 'secret', 'passwd', 'api_key', 'api-key', 'apikey', 'auth', 'credentials', 'mysql_pwd', 'privatekey', 'private_key', 'private-key', 'token',
] as const

/** Names that mark a secret as a whole: one-time codes, session and CSRF cookies. */
export const secretNames: ReadonlySet<string> = new Set([
  'otp', 'two_factor', 'two-factor', 'twofactor',
  'session', 'sessionid', 'session_id', 'phpsessid', 'jsessionid', 'asp.net_sessionid', 'aspsessionid', 'connect.sid', 'sid', '.aspxauth', 'laravel_session', '_session', '_session_id',
  'csrf', 'csrf_token', 'csrftoken', '_csrf', 'xsrf', 'xsrf-token', 'xsrf_token', '_xsrf', 'x-csrftoken', 'x-csrf-token', 'x-xsrf-token', '_vercel_jwt', 'vercel_jwt',
  'set-cookie', 'remember_user_token', 'jwt',
])

/** Names that hold a secret's part but are no secret: what frameworks and SDKs put into contexts. */
const harmless: ReadonlySet<string> = new Set(['author', 'authors', 'authority', ':authority', 'author_name', 'author_association'])

/** The rules of one project, ready to ask. The answer for a name is kept, in a bounded map, because names repeat. */
export type Rules = {
  /** The remark's rule for a name that marks a secret, or undefined. */
  byName: (name: string) => string | undefined
  /** Whether a text holds one of the project's own sensitive words. */
  byText: ((text: string) => boolean) | undefined
  defaults: boolean
  addresses: boolean
}

const namesMax = 5000

/** Makes the rules of a project: the defaults when switched on, its own words, and the names it calls safe. */
export function makeRules(settings: ProjectSettings): Rules {
  const words = settings.sensitiveFields.map((one) => one.trim().toLowerCase()).filter(Boolean)
  const safe = new Set(settings.safeFields.map((one) => one.trim().toLowerCase()))
  const known = new Map<string, string | undefined>()
  const decide = (name: string): string | undefined => {
    const lower = name.toLowerCase()
    if (safe.has(lower)) return undefined
    if (words.some((word) => lower.includes(word))) return '@sensitive'
    if (!settings.scrubDefaults || harmless.has(lower)) return undefined
    if (secretNames.has(lower) || /^(?:csrf|xsrf|_csrf)/.test(lower)) return '@session'
    return secretParts.some((part) => lower.includes(part)) ? '@password' : undefined
  }
  return {
    byName: (name) => {
      if (known.has(name)) return known.get(name)
      const rule = decide(name)
      if (known.size >= namesMax) known.clear()
      known.set(name, rule)
      return rule
    },
    byText: words.length ? (text) => words.some((word) => text.toLowerCase().includes(word)) : undefined,
    defaults: settings.scrubDefaults,
    addresses: settings.scrubIpAddresses,
  }
}

/** Two projects with the same switches share one set of rules. */
export function rulesKey(settings: ProjectSettings): string {
  return JSON.stringify([settings.scrubDefaults, settings.scrubIpAddresses, settings.sensitiveFields, settings.safeFields])
}
