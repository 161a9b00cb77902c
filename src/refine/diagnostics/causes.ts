import type { Difference, HydrationCause } from '../../domain/diagnostics.ts'
import { short } from './texts.ts'

/** Attributes and elements that browser extensions add. */
const extensions =
  /\b(?:data-gr-(?:ext-installed|c-s-)|data-new-gr-c-s|grammarly-|cz-shortcut-listen|bis_(?:skin_checked|register|use)|data-lt-(?:installed|tmp-id)|data-dashlane-|data-lastpass-|data-bitwarden-|data-darkreader-|fdprocessedid|monica-(?:id|version)|data-atm-ext-installed|data-qb-installed|wotdisconnected|crxlauncher|__processed_[0-9a-f]{8}|data-sharkid|(?:chrome|moz|safari-web)-extension:)/
/** Traces of translators in a page. */
const translators =
  /<font\b|\btranslated-(?:ltr|rtl)\b|\b_?mst(?:texthash|hash)\b|\b_istranslated\b|\bgoog-(?:gt|te)-|vertical-align:\s?inherit|\bdata-immersive-translate/

const wordsPattern = (text: string) => new RegExp(`(?<![\\p{L}\\d])(?:${text})(?!\\p{L})`, 'iu')
/** Names of months and days in common languages, full or abbreviated. */
const dateNames = wordsPattern(
  'jan(?:uary|uar|vier|v)?|feb(?:ruary|ruar)?|f[ée]vr(?:ier)?|m[aä]r(?:ch|z|s|zo)?|apr(?:il)?|avr(?:il)?|abr(?:il)?|ma[iy]o?|june?|juni|juin|jun(?:io)?|jul[iy]?|juil(?:let)?|aug(?:ust)?|ao[uû]t|sept?(?:ember|embre)?|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre)?|de[cz](?:ember)?|d[ée]c(?:embre)?|dic(?:iembre)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|viernes|domingo',
)
const relative = wordsPattern(
  'ago|just now|yesterday|today|tomorrow|gestern|heute|gerade eben|hier|ayer|hace|il y a|vor \\d{1,4} \\p{L}{1,20}|in \\d{1,4} (?:seconds?|minutes?|hours?|days?)',
)
const clock = /\b\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:\.\d{1,6})?)?\b/
const date = /\b\d{1,4}([./-])\s?\d{1,2}\1\s?\d{1,4}\b/
const halfDay = wordsPattern('[ap]\\.?m\\.?')

/** Placeholders until the browser has the real value. */
const placeholder =
  /^(?:(?:loading|please wait|l[aä]dt|lade|wird geladen|bitte warten|chargement|cargando|caricamento|carregando)\b[^\n]{0,40}|\s?(?:…|\.{3}|[-–—]{1,2})\s?)$/i

/** Values that differ between any two renderings: ids, random numbers, times in ms. */
const random =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b0\.\d{6,20}\b|\b1[5-9]\d{8}(?:\d{3})?\b|[:«_]r[0-9a-z]{1,6}[:»_]|\b(?=[0-9a-z]{0,20}\d)(?=[0-9a-z]{0,20}[a-z])[0-9a-z]{8,40}\b/i

/**
 * A match of `pattern` on only one side: a match on both belongs to the application. Both sides are checked. React's
 * diff calls the page that it found the server's, including additions of an extension. An application with its own
 * comparison sees them on the browser's side.
 */
function oneSidedMatch(pattern: RegExp, differences: readonly Difference[]): string | undefined {
  const ends = (['server', 'client'] as const).map((end) =>
    differences.flatMap((difference) =>
      difference[end] === undefined ? [] : [`${difference.name ?? ''} ${difference[end]}`],
    ),
  )
  const all = new RegExp(pattern, 'g')
  const matches = ends.map((texts) => new Set(texts.flatMap((text) => text.match(all) ?? [])))
  for (const [at, texts] of ends.entries())
    for (const text of texts)
      for (const found of text.matchAll(all)) if (!matches[1 - at]?.has(found[0])) return textFrom(text, found.index)
  return undefined
}

/** The text from a match on, up to the end of the tag if the match is inside a tag. */
function textFrom(text: string, at: number): string {
  const rest = text.slice(at)
  const end = rest.startsWith('<') ? -1 : rest.indexOf('>')
  return end < 0 ? rest : rest.slice(0, end)
}

/** The start of React 18's warning about nesting. */
const afterwards = 'validateDOMNesting('

type Found = { cause: HydrationCause; evidence?: string }

/**
 * The cause of a mismatch. `nesting`: React's warnings about invalid nesting. React 18 warns after it has rendered
 * again, about anything on the page, so for React 18 values that show a cause come first.
 */
export function causeOf(differences: readonly Difference[], nesting: readonly string[]): Found {
  for (const [pattern, cause] of [
    [extensions, 'extension'],
    [translators, 'translator'],
  ] as const) {
    const match = oneSidedMatch(pattern, differences)
    if (match !== undefined) return { cause, evidence: short(match) }
  }
  const before = nesting.find((entry) => !entry.startsWith(afterwards))
  if (before) return { cause: 'nesting', evidence: before }
  for (const difference of differences) {
    const cause = valueCause(difference.server, difference.client)
    if (cause) return { cause, evidence: both(difference) }
  }
  if (nesting[0]) return { cause: 'nesting', evidence: nesting[0] }
  const singleDifference = differences.find(
    (difference) => difference.server === undefined || difference.client === undefined || difference.what === 'element',
  )
  if (singleDifference) return { cause: 'browser-only', evidence: both(singleDifference) }
  const waits = differences.find(
    (difference) =>
      difference.what === 'text' &&
      placeholder.test(difference.server ?? '') &&
      !placeholder.test(difference.client ?? ''),
  )
  if (waits) return { cause: 'browser-only', evidence: both(waits) }
  const theme = differences.find((difference) => /\b(?:dark|light)\b/.test(`${difference.server} ${difference.client}`))
  return theme ? { cause: 'browser-only', evidence: both(theme) } : { cause: 'unknown' }
}

function both({ name, server, client }: Difference): string {
  const of = name ? `${name}: ` : ''
  if (server === undefined) return short(`${of}only in the browser: ${client}`)
  return short(
    client === undefined ? `${of}only from the server: ${server}` : `${of}server: ${server}, browser: ${client}`,
  )
}

/** The cause by two values: a date or number in two formats, or a value that changes by itself; else undefined. */
export function valueCause(server: string | undefined, client: string | undefined): HydrationCause | undefined {
  if (!server || !client) return undefined
  const [a, b] = apart(server, client)
  if (isDated(server) && isDated(client)) return datesDiffer(server, client)
  if (onlySeparators(a, b)) return 'date-locale'
  if (random.test(a) && random.test(b)) return 'random-time'
  if (random.test(server) && random.test(client) && shape(server) === shape(client)) return 'random-time'
  return /^\d{6,20}$/.test(a) && /^\d{6,20}$/.test(b) ? 'random-time' : undefined
}

/** The words in which two texts differ, from the first to the last difference. */
function apart(server: string, client: string): [string, string] {
  const [a, b] = [server.split(' '), client.split(' ')]
  let start = 0
  while (start < a.length - 1 && start < b.length - 1 && a[start] === b[start]) start += 1
  let tail = 0
  while (tail < a.length - start - 1 && tail < b.length - start - 1 && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  return [a.slice(start, a.length - tail).join(' '), b.slice(start, b.length - tail).join(' ')]
}

const isDated = (text: string): boolean =>
  date.test(text) || clock.test(text) || relative.test(text) || (dateNames.test(text) && /\d/.test(text))

/** A text with each number and word replaced by its kind. */
const shape = (text: string): string => text.replace(/\d+/g, '0').replace(/\p{L}+/gu, 'a')

/** If only the last parts differ, the clock moved on between the renderings. Otherwise time zone or language differ. */
function datesDiffer(server: string, client: string): HydrationCause {
  if (relative.test(server) && relative.test(client) && shape(server) === shape(client)) return 'random-time'
  if (shape(server) !== shape(client) || halfDay.test(server) !== halfDay.test(client)) return 'date-locale'
  const [a, b] = [server.match(/\d+/g) ?? [], client.match(/\d+/g) ?? []]
  const wordsOf = (text: string) => text.replace(/\d+/g, '0')
  if (wordsOf(server) !== wordsOf(client)) return 'date-locale' // another name of a month or day, or AM and PM
  const at = a.findIndex((entry, i) => entry !== b[i])
  // Minutes and seconds move on. Another hour or day means another time zone.
  const minutes = /(\d{1,2})[:.](\d{2})/.exec(server)
  const minuteAt = minutes ? (server.slice(0, minutes.index).match(/\d+/g) ?? []).length + 1 : a.length
  return minutes !== null && at >= minuteAt ? 'random-time' : 'date-locale'
}

/** The same digits in another format: `1,234.5` and `1.234,5`, `1 234` and `1,234`, `$5` and `5 $`. */
function onlySeparators(a: string, b: string): boolean {
  const digits = (text: string) => text.replace(/\D/g, '')
  const rest = (text: string) => [...text.replace(/[\d\s.,'’\u00a0\u202f]/g, '')].sort().join('')
  return digits(a) !== '' && digits(a) === digits(b) && rest(a) === rest(b) && a !== b
}
