import ipaddr from 'ipaddr.js'
import { MishapError } from '../../../base/errors.ts'

/** Maximum entries of a list in a project's settings, and characters of an entry (docs/specification.md 5). */
const listEntriesMax = 200
const entryCharactersMax = 200

const refuse = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

/** Formats an entry for an error text: short, and without control characters. */
const shown = (entry: string) => `"${entry.replace(/\p{Cc}/gu, ' ').slice(0, 60)}"`

/** Returns trimmed, distinct and non-empty entries. */
function tidy(entries: readonly string[], field: string): string[] {
  const cleaned = [...new Set(entries.map((item) => item.trim()).filter((item) => item !== ''))]
  if (cleaned.length > listEntriesMax) throw refuse(field, `Use at most ${listEntriesMax} entries.`)
  const long = cleaned.find((item) => [...item].length > entryCharactersMax)
  if (long !== undefined)
    throw refuse(field, `${shown(long)} is too long: use at most ${entryCharactersMax} characters.`)
  return cleaned
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostPattern = new RegExp(`^(?:\\*|(?:\\*\\.)?${label}(?:\\.${label})*\\.?)$`)

/** Returns the fault of an origin pattern as a sentence without its subject; undefined when it is valid. */
function originError(entry: string): string | undefined {
  if (entry === '*') return undefined
  const schemeEnd = entry.indexOf('://')
  const scheme = schemeEnd === -1 ? '' : entry.slice(0, schemeEnd)
  const rest = schemeEnd === -1 ? entry : entry.slice(schemeEnd + 3)
  if (schemeEnd !== -1 && !/^[a-z][a-z0-9+.-]*$/.test(scheme)) return 'has no scheme before ://, such as https.'
  if (/[/?#]/.test(rest)) return 'has a path: an origin ends after host and port.'
  if (/[\s,;]/.test(rest)) return 'is more than one origin: write each origin on its own line.'
  const [, bracketed, host, port] = /^(?:(\[[0-9a-f:.]+\])|([^:]*))(?::(.*))?$/.exec(rest) ?? []
  if (port !== undefined && port !== '*' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    return 'has a wrong port: use 1 to 65535 or *.'
  if (bracketed !== undefined) return undefined
  if (host === undefined || host === '') return 'has no host.'
  if (/^[^*]*\*/.test(host) && !/^\*(?:\.[^*]+)?$/.test(host))
    return 'has its * in the wrong place: use *.shop.example.'
  return hostPattern.test(host)
    ? undefined
    : 'is not a host name: use a-z, digits, - and dots (other letters in xn-- form).'
}

/**
 * Returns the origins from which browsers can send, in lower case: `*`, `shop.example`, `*.shop.example`, optionally
 * with port or scheme. An empty list or `*` allows all. Throws VALIDATION that names the first invalid origin.
 */
export function checkOrigins(entries: readonly string[], field = 'allowedOrigins'): string[] {
  const cleaned = tidy(
    entries.map((item) =>
      item
        .trim()
        .toLowerCase()
        .replace(/([^/])\/$/, '$1'),
    ),
    field,
  )
  for (const item of cleaned) {
    const error = originError(item)
    if (error) throw refuse(field, `${shown(item)} ${error}`)
  }
  return cleaned
}

/** Returns field names for scrubbing, trimmed and distinct. Throws VALIDATION that quotes the first invalid name. */
export function checkFieldNames(entries: readonly string[], field: string): string[] {
  const cleaned = tidy(entries, field)
  const wrong = cleaned.find((item) => /\p{Cc}/u.test(item))
  if (wrong !== undefined) throw refuse(field, `${shown(wrong)} has control characters.`)
  return cleaned
}

/** Returns patterns with `*`, trimmed and distinct. Throws VALIDATION that names the first invalid pattern. */
export function checkPatterns(entries: readonly string[], field: string): string[] {
  const cleaned = checkFieldNames(entries, field)
  const wrong = cleaned.find((item) => /^\*+$/.test(item))
  if (wrong !== undefined) throw refuse(field, `${shown(wrong)} would match everything.`)
  return cleaned
}

/**
 * Returns addresses and networks such as 10.0.0.0/8, trimmed and distinct. Throws VALIDATION that names the first
 * invalid entry.
 */
export function checkNetworks(entries: readonly string[], field: string): string[] {
  const cleaned = tidy(entries, field)
  const wrong = cleaned.find((item) => !ipaddr.isValid(item) && !ipaddr.isValidCIDR(item))
  if (wrong !== undefined)
    throw refuse(field, `${shown(wrong)} is neither an address nor a network such as 10.0.0.0/8.`)
  return cleaned
}
