import type { ProjectSettings } from '../../store/meta/meta.ts'

/** A name that contains one of these is a secret. */
export const secretParts = [
  'password',
  'secret',
  'passwd',
  'api_key',
  'api-key',
  'apikey',
  'auth',
  'credentials',
  'mysql_pwd',
  'privatekey',
  'private_key',
  'private-key',
  'token',
] as const

/** Whole names that are a secret: one-time codes, session and CSRF cookies. */
export const secretNames: ReadonlySet<string> = new Set([
  'otp',
  'two_factor',
  'two-factor',
  'twofactor',
  'session',
  'sessionid',
  'session_id',
  'phpsessid',
  'jsessionid',
  'asp.net_sessionid',
  'aspsessionid',
  'connect.sid',
  'sid',
  '.aspxauth',
  'laravel_session',
  '_session',
  '_session_id',
  'csrf',
  'csrf_token',
  'csrftoken',
  '_csrf',
  'xsrf',
  'xsrf-token',
  'xsrf_token',
  '_xsrf',
  'x-csrftoken',
  'x-csrf-token',
  'x-xsrf-token',
  '_vercel_jwt',
  'vercel_jwt',
  'set-cookie',
  'remember_user_token',
  'jwt',
])

/** Names that contain a part of a secret name but are harmless. Frameworks and SDKs put them into contexts. */
const harmless: ReadonlySet<string> = new Set([
  'author',
  'authors',
  'authority',
  ':authority',
  'author_name',
  'author_association',
])

/** `rule`: set for a secret name. `exempt`: the value stays unchanged. `address`: the value is a network address. */
type NameDetails = { rule: string | undefined; exempt: boolean; address: boolean }

/** Values that stay unchanged everywhere, and ids that nobody hides. */
const exempt: ReadonlySet<string> = new Set([
  'user-agent',
  'user_agent',
  'http_user_agent',
  'abs_path',
  'debug_id',
  'trace_id',
  'span_id',
  'parent_span_id',
])

const addressNames: ReadonlySet<string> = new Set([
  'remote_addr',
  'ip_address',
  'client_ip',
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'cf-connecting-ip',
  'true-client-ip',
  'http_x_forwarded_for',
  'http_x_real_ip',
  'user.ip',
  // attributes of spans
  'user.ip_address',
  'client.address',
  'network.peer.address',
])

/** The compiled rules of one project. Caches the answer for each name in a bounded map, because names repeat. */
export type Rules = {
  /** What a name implies for its value. */
  about: (name: string) => NameDetails
  /** Whether a text contains one of the project's own sensitive words. */
  byText: ((text: string) => boolean) | undefined
  defaults: boolean
  addresses: boolean
}

/** One pattern takes a fifth of one check per part: an event can have 100,000 names. Parts have no regex syntax. */
const partPattern = new RegExp(secretParts.join('|'))
const namesMax = 5000

/** The parts of a name in forms and encoded queries: `user[password]`, `user%5Bpass%77ord%5D`. */
function partsOf(name: string): string[] {
  if (!/[%[]/.test(name)) return []
  // Decodes twice, for a query within a query.
  return unescaped(unescaped(name)).split(/[[\]%&=?/;, ]/)
}

const unescaped = (text: string) =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)).toLowerCase())

/** Compiles a project's rules: the defaults if enabled, its own words, and its safe names. */
export function makeRules(settings: ProjectSettings): Rules {
  const words = settings.sensitiveFields.map((sensitiveField) => sensitiveField.trim().toLowerCase()).filter(Boolean)
  const safe = new Set(settings.safeFields.map((safeField) => safeField.trim().toLowerCase()))
  const cache = new Map<string, NameDetails>()
  const decide = (lower: string): string | undefined => {
    if (safe.has(lower)) return undefined
    if (words.some((word) => lower.includes(word))) return '@sensitive'
    if (!settings.scrubDefaults || harmless.has(lower)) return undefined
    if (secretNames.has(lower) || /^(?:csrf|xsrf|_csrf)/.test(lower)) return '@session'
    return partPattern.test(lower) ? '@password' : undefined
  }
  return {
    about: (name) => {
      const cached = cache.get(name)
      if (cached) return cached
      // Long s and dotless i are case variants of s and i, but toLowerCase does not change them.
      const lower = name.toLowerCase().replaceAll('\u017f', 's').replaceAll('\u0131', 'i')
      const rule = decide(lower) ?? (safe.has(lower) ? undefined : partsOf(lower).map(decide).find(Boolean))
      const details = { rule, exempt: exempt.has(lower), address: addressNames.has(lower) }
      if (cache.size >= namesMax) cache.clear()
      cache.set(name, details)
      return details
    },
    byText: words.length ? (text) => words.some((word) => text.toLowerCase().includes(word)) : undefined,
    defaults: settings.scrubDefaults,
    addresses: settings.scrubIpAddresses,
  }
}

/** Projects with the same settings share one set of rules. */
export function rulesKey(settings: ProjectSettings): string {
  return JSON.stringify([
    settings.scrubDefaults,
    settings.scrubIpAddresses,
    settings.sensitiveFields,
    settings.safeFields,
  ])
}
