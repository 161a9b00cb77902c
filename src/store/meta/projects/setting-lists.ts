import ipaddr from 'ipaddr.js'
import { MishapError } from '../../../base/errors.ts'

/** Entries of a list of a project's settings at most, and characters of one (docs/specification.md 5). */
const listEntriesMax = 200
const entryCharactersMax = 200

const refuse = (field: string, sentence: string) =>
  new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })

/** One entry in a sentence: short, and without control characters. */
const shown = (entry: string) => `"${entry.replace(/\p{Cc}/gu, ' ').slice(0, 60)}"`

/** Trimmed entries, each once and none empty. */
function tidy(entries: readonly string[], field: string): string[] {
  const kept = [...new Set(entries.map((item) => item.trim()).filter((item) => item !== ''))]
  if (kept.length > listEntriesMax) throw refuse(field, `Use at most ${listEntriesMax} entries.`)
  const long = kept.find((item) => [...item].length > entryCharactersMax)
  if (long !== undefined)
    throw refuse(field, `${shown(long)} is too long: use at most ${entryCharactersMax} characters.`)
  return kept
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const hostPattern = new RegExp(`^(?:\\*|(?:\\*\\.)?${label}(?:\\.${label})*\\.?)$`)

/** What is wrong with a pattern of an origin, as a sentence without its subject; undefined when nothing is. */
function originFault(entry: string): string | undefined {
  if (entry === '*') return undefined
  const mark = entry.indexOf('://')
  const scheme = mark === -1 ? '' : entry.slice(0, mark)
  const rest = mark === -1 ? entry : entry.slice(mark + 3)
  if (mark !== -1 && !/^[a-z][a-z0-9+.-]*$/.test(scheme)) return 'has no scheme before ://, such as https.'
  if (/[/?#]/.test(rest)) return 'has a path: an origin ends after the host and port.'
  if (/[\s,;]/.test(rest)) return 'is more than one: write each origin on a line of its own.'
  const [, bracketed, plain, port] = /^(?:(\[[0-9a-f:.]+\])|([^:]*))(?::(.*))?$/.exec(rest) ?? []
  if (port !== undefined && port !== '*' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    return 'has a wrong port: use 1 to 65535 or *.'
  if (bracketed !== undefined) return undefined
  if (plain === undefined || plain === '') return 'has no host.'
  if (/^[^*]*\*/.test(plain) && !/^\*(?:\.[^*]+)?$/.test(plain))
    return 'has its * in the wrong place: use *.shop.example.'
  return hostPattern.test(plain)
    ? undefined
    : 'is no host name: use a-z, digits, - and dots (other letters in their xn-- form).'
}

/**
 * The origins from which browsers may send, lower case: `*`, `shop.example`, `*.shop.example`, with a port or a scheme
 * where wanted. An empty list, and a list with `*`, lets all in. Throws VALIDATION that names the first wrong origin.
 */
export function checkOrigins(entries: readonly string[], field = 'allowedOrigins'): string[] {
  const kept = tidy(
    entries.map((item) =>
      item
        .trim()
        .toLowerCase()
        .replace(/([^/])\/$/, '$1'),
    ),
    field,
  )
  for (const item of kept) {
    const fault = originFault(item)
    if (fault) throw refuse(field, `${shown(item)} ${fault}`)
  }
  return kept
}

/** Names of fields for scrubbing, trimmed, each once. Throws VALIDATION that quotes the first wrong name. */
export function checkFieldNames(entries: readonly string[], field: string): string[] {
  const kept = tidy(entries, field)
  const wrong = kept.find((item) => /\p{Cc}/u.test(item))
  if (wrong !== undefined) throw refuse(field, `${shown(wrong)} has control characters.`)
  return kept
}

/** Patterns with `*`, trimmed, each once. Throws VALIDATION that names the first wrong pattern. */
export function checkPatterns(entries: readonly string[], field: string): string[] {
  const kept = checkFieldNames(entries, field)
  const wrong = kept.find((item) => /^\*+$/.test(item))
  if (wrong !== undefined) throw refuse(field, `${shown(wrong)} would take everything.`)
  return kept
}

/**
 * Addresses and networks such as 10.0.0.0/8, trimmed, each once. Throws VALIDATION that names the first wrong
 * entry.
 */
export function checkNetworks(entries: readonly string[], field: string): string[] {
  const kept = tidy(entries, field)
  const wrong = kept.find((item) => !ipaddr.isValid(item) && !ipaddr.isValidCIDR(item))
  if (wrong !== undefined) throw refuse(field, `${shown(wrong)} is no address and no network such as 10.0.0.0/8.`)
  return kept
}
