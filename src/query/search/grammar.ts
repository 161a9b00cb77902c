import type { QueryMistake } from '../../base/errors.ts'
import type { Search, Term } from './ast.ts'
import { aggregateOf, type KeyLookup, searchKeyOf } from './lookup.ts'
import { mistakesOf, queryError, readEach, refuse, refuseValue, SearchError } from './mistakes.ts'
import type { Raw, TextPosition } from './value.ts'
import { aggregated, dateOf, numbered, placed, textPattern, typed } from './value.ts'

/** Limits of a query (QUERY_TOO_LONG). */
export const searchCharsMax = 4096
const searchTermsMax = 100
/** Values in all lists together. */
const searchValuesMax = 200
const depthMax = 20

type Scanner = {
  text: string
  keyOf: KeyLookup
  at: number
  depth: number
  terms: number
  values: number
  /** Mistakes of terms that were skipped. */
  mistakes: QueryMistake[]
}

const isSpace = (char: string | undefined) => char === ' ' || char === '\t'
// One key with its colon: plain, "quoted", tags[x] or flags[x], an aggregate such as p95(x), or a
// path with lists such as body.items[].id.
const keyPattern =
  /(!?)(?:(tags|flags)\[(?:"([^"\]]{1,200})"|([^\]"]{1,200}))\]|"([^"\n]{1,200})"|([A-Za-z_][\w.]{0,99}\([^()\n]{0,200}\))|([A-Za-z0-9_.-]{1,200}(?:\[(?:\d{0,4}|\*)\][A-Za-z0-9_.-]{0,100}){0,4})):/y

/**
 * Reads a search text (at most 4,096 characters, 100 terms and 200 values in lists) to a tree. Returns undefined if it
 * has no condition. `keyOf` is the table of keys: by default that of issues and events. Pure: it runs in the browser.
 * @throws SearchError QUERY_SYNTAX, QUERY_TYPE or QUERY_TOO_LONG. The message starts with "Invalid query" and names all
 * `mistakes` with their positions in characters.
 */
export function readSearch(text: string, keyOf: KeyLookup = searchKeyOf): Search | undefined {
  if (text.length > searchCharsMax) throw new SearchError('QUERY_TOO_LONG')
  try {
    return readAll(text, keyOf)
  } catch (error) {
    const isCounted = error instanceof SearchError && error.mistakes.length > 0
    throw isCounted && /[\u{10000}-\u{10ffff}]/u.test(text) ? inCharacters(text, error) : error
  }
}

/** Converts positions to characters: an emoji is one character, but two units of a string. */
function inCharacters(text: string, { mistakes }: SearchError): SearchError {
  const counted = (sentence: string) =>
    sentence.replace(/\bposition (\d+)/g, (_, unit) => `position ${[...text.slice(0, Number(unit) - 1)].length + 1}`)
  return queryError(
    mistakes.map((mistake) => ({
      ...mistake,
      position: [...text.slice(0, mistake.from)].length + 1,
      expected: counted(mistake.expected),
    })),
  )
}

function readAll(text: string, keyOf: KeyLookup): Search | undefined {
  const scanner: Scanner = { text, keyOf, at: 0, depth: 0, terms: 0, values: 0, mistakes: [] }
  let found: Search | undefined
  try {
    found = readOr(scanner)
    if (scanner.at < text.length) throw refuse(scanner.at, 'stray_close', 'a term; this ) closes nothing')
  } catch (error) {
    throw queryError([...scanner.mistakes, ...mistakesOf(error)])
  }
  if (scanner.mistakes.length > 0) throw queryError(scanner.mistakes)
  return found
}

function skipSpaces(s: Scanner): void {
  while (isSpace(s.text[s.at])) s.at++
  if (s.text[s.at] === '\n' || s.text[s.at] === '\r') throw refuse(s.at, 'line_break', 'no line break outside quotes')
}

const atEnd = (s: Scanner) => s.at >= s.text.length || (s.text[s.at] === ')' && (s.depth > 0 || isFree(s)))
/** A closing parenthesis outside any group ends the parse. readSearch rejects the rest. */
const isFree = (s: Scanner) => s.depth === 0

function word(s: Scanner, operator: 'AND' | 'OR'): boolean {
  if (!s.text.startsWith(operator, s.at)) return false
  const next = s.text[s.at + operator.length]
  return next === undefined || isSpace(next) || next === '(' || next === ')'
}

function readOr(s: Scanner): Search | undefined {
  const parts: Search[] = []
  for (;;) {
    const start = s.at
    const part = readAnd(s)
    const another = word(s, 'OR')
    if (part === undefined && (another || parts.length > 0))
      throw refuse(Math.max(start, s.at), 'or_operand', 'a term beside OR')
    if (part !== undefined) parts.push(part)
    if (!another) break
    s.at += 2
  }
  return parts.length > 1 ? { op: 'or', of: parts } : parts[0]
}

function readAnd(s: Scanner): Search | undefined {
  const parts: Search[] = []
  let dangling: number | undefined
  let dropped = false
  for (;;) {
    skipSpaces(s)
    if (atEnd(s) || word(s, 'OR')) break
    if (word(s, 'AND')) {
      if ((parts.length === 0 && !dropped) || dangling !== undefined)
        throw refuse(s.at, 'and_before', 'a term before AND')
      dangling = s.at
      s.at += 3
      continue
    }
    const term = readPrimary(s)
    if (term) parts.push(term)
    else dropped = true
    dangling = undefined
  }
  if (dangling !== undefined) throw refuse(s.at, 'and_after', 'a term after AND')
  return parts.length > 1 ? { op: 'and', of: parts } : parts[0]
}

function readPrimary(s: Scanner): Search | undefined {
  if (s.text[s.at] === '(') return readGroup(s)
  if (!s.text.startsWith('!(', s.at)) return readOrSkip(s)
  s.at++
  return { op: 'not', of: readGroup(s) }
}

/** Reads one term. Keeps the mistakes of a wrong one and goes on behind it, so that later mistakes are found too. */
function readOrSkip(s: Scanner): Search | undefined {
  try {
    return readTerm(s)
  } catch (error) {
    const mistakes = mistakesOf(error)
    s.mistakes.push(...mistakes)
    skipTerm(s, mistakes.at(-1))
    // A stand-in: the parser throws at the end. Without it, a group of only wrong terms would be called empty.
    return { op: 'text', value: '', wild: false, quoted: false, at: s.at }
  }
}

/** Goes to the end of a term with a mistake. */
function skipTerm(s: Scanner, mistake: QueryMistake | undefined): void {
  const from = Math.max(s.at, mistake?.from ?? 0)
  if (mistake?.reason === 'unclosed_quote') {
    s.at = s.text.length
    return
  }
  const listEnd = mistake?.reason.startsWith('list_') ? s.text.indexOf(']', from) : -1
  s.at = listEnd < 0 ? from : listEnd + 1
  while (s.at < s.text.length && !/[\s)]/.test(s.text[s.at] ?? '')) s.at++
}

function readGroup(s: Scanner): Search {
  const open = s.at
  if (++s.depth > depthMax)
    throw new SearchError('QUERY_TOO_LONG', `Invalid query: more than ${depthMax} nested parentheses.`)
  s.at++
  const inner = readOr(s)
  if (s.text[s.at] !== ')') throw refuse(s.text.length, 'unclosed_group', `) for the ( at position ${open + 1}`)
  if (inner === undefined) throw refuse(s.at, 'empty_group', 'a term inside the parentheses')
  s.at++
  s.depth--
  return inner
}

/** Parses one term; undefined for empty quotes, which are not a condition. */
function readTerm(s: Scanner): Search | undefined {
  if (++s.terms > searchTermsMax) throw new SearchError('QUERY_TOO_LONG')
  keyPattern.lastIndex = s.at
  const found = keyPattern.exec(s.text)
  if (found) {
    const start = s.at
    return readFilter(s, found) ?? textTerm({ text: s.text.slice(start, s.at), quoted: false, at: start })
  }
  const at = s.at
  if (s.text[s.at] === '"') {
    const quoted = readQuoted(s)
    if (quoted) return quoted.text === '' ? undefined : textTerm(quoted)
  }
  return textTerm({ text: readFree(s, false), quoted: false, at })
}

function textTerm(raw: Raw): Term {
  const { text, wild } = textPattern(raw)
  return { op: 'text', value: text, wild, quoted: raw.quoted, at: raw.at }
}

function readQuoted(s: Scanner): Raw | undefined {
  for (let end = s.at + 1; end < s.text.length; end++) {
    if (s.text[end] === '\\') end++
    else if (s.text[end] === '"') {
      const raw = { text: s.text.slice(s.at + 1, end), quoted: true, at: s.at }
      s.at = end + 1
      return raw
    }
  }
  return undefined
}

/** Reads up to a space or to a ) that closes a group. `strict` (values of keys) rejects an unescaped quote. */
function readFree(s: Scanner, strict: boolean): string {
  const start = s.at
  let ownBrackets = 0
  for (; s.at < s.text.length; s.at++) {
    const char = s.text[s.at]
    if (isSpace(char) || char === '\n' || char === '\r') break
    if (char === '(') ownBrackets++
    else if (char === ')' && --ownBrackets < 0) break
    else if (char === '\\') s.at++
    else if (char === '"' && strict)
      throw refuse(s.at, 'inner_quote', 'quotes around the whole value, or \\" for a quote in it')
  }
  s.at = Math.min(s.at, s.text.length)
  return s.text.slice(start, s.at)
}

/** Sentry's screens write this before a value that must be at a certain place in the text. */
const positionPattern = /\uf00d(Contains|StartsWith|EndsWith)\uf00d/y

function readPosition(s: Scanner): TextPosition | undefined {
  positionPattern.lastIndex = s.at
  const found = positionPattern.exec(s.text)
  if (!found) return undefined
  s.at += found[0].length
  return found[1] as TextPosition
}

/** The part before the colon. `type` comes from `tags[x,number]`. */
type Key = {
  name: string
  kind: 'plain' | 'tag' | 'aggregate'
  type: string | undefined
  position: TextPosition | undefined
  at: number
}

/**
 * Returns the length of brackets that are not a list: empty ones (`key:[]`), or words without a comma after an unknown
 * key, as in a pasted `Error:[object Object]`. 0 for a list.
 */
function bracketText(s: Scanner, isKnown: boolean): number {
  const [matched = '', inside = ''] = /^\[([^\]\n\r]{0,1000})\]/.exec(s.text.slice(s.at, s.at + 1002)) ?? []
  const words = inside.trim()
  const isText = words === '' || (!isKnown && /\s/.test(words) && !/[,"]/.test(words))
  return isText ? matched.length : 0
}

/** Parses the part after `key:`. Undefined: not a filter but text, such as an aggregate with words as its value. */
function readFilter(s: Scanner, found: RegExpExecArray): Search | undefined {
  const at = s.at
  const [matched, bang, family, tagQuoted, tagPlain, keyQuoted, aggregate, plain] = found
  const type = /,\s*(number|string|boolean)$/.exec(tagPlain ?? '')
  const inner = tagQuoted ?? (type ? tagPlain?.slice(0, type.index) : tagPlain)
  // A flag is not a tag of the same name. No event can have a tag called `flags[…]`, so this finds nothing.
  const tagKey = family === 'flags' && inner !== undefined ? `flags[${inner}]` : inner
  const name = tagKey ?? keyQuoted ?? aggregate?.replace(/\s+/g, '') ?? plain ?? ''
  const kind = tagKey !== undefined ? 'tag' : aggregate !== undefined && !s.keyOf(name) ? 'aggregate' : 'plain'
  s.at += matched.length
  const position = readPosition(s)
  const text = bracketText(s, kind === 'tag' || s.keyOf(name) !== undefined)
  if (text > 0) {
    s.at += text
    return undefined
  }
  const term = build({ name, kind, type: type?.[1], position, at }, readValues(s, name), s.keyOf)
  return bang && term ? { op: 'not', of: term } : term
}

function readValues(s: Scanner, key: string): Raw[] {
  if (s.text[s.at] === '[') return readList(s)
  const at = s.at
  if (s.text[s.at] === '"') {
    const quoted = readQuoted(s)
    if (!quoted) throw refuse(at, 'unclosed_quote', 'a closing quote')
    return [quoted]
  }
  const text = readFree(s, true)
  if (text === '')
    throw refuse(at, 'missing_value', `a value for ${key}; put quotes around the text if it is no filter`)
  return [{ text, quoted: false, at }]
}

function readList(s: Scanner): Raw[] {
  const items: Raw[] = []
  s.at++
  for (;;) {
    while (isSpace(s.text[s.at])) s.at++
    const at = s.at
    const quoted = s.text[s.at] === '"' ? readQuoted(s) : undefined
    if (quoted) items.push(quoted)
    else {
      while (s.at < s.text.length && !/[\s,\]"]/.test(s.text[s.at] ?? '')) s.at++
      if (s.at === at) throw refuse(at, 'list_value', 'a value in the list')
      items.push({ text: s.text.slice(at, s.at), quoted: false, at })
    }
    while (isSpace(s.text[s.at])) s.at++
    const next = s.text[s.at]
    if (next !== ',' && next !== ']') throw refuse(s.at, 'list_end', ', or ] in the list')
    s.at++
    if (next === ']') break
  }
  s.values += items.length
  if (items.length > searchTermsMax) throw new SearchError('QUERY_TOO_LONG')
  if (s.values > searchValuesMax)
    throw new SearchError('QUERY_TOO_LONG', `Invalid query: more than ${searchValuesMax} values in lists.`)
  return items
}

const anyOf = (terms: Search[]): Search => (terms.length === 1 && terms[0] ? terms[0] : { op: 'or', of: terms })

function build(key: Key, values: Raw[], keyOf: KeyLookup): Search | undefined {
  const { name, kind, at } = key
  const texts = () =>
    values.map((rawValue) => (key.position ? placed(textPattern(rawValue), key.position) : textPattern(rawValue)))
  if (kind === 'aggregate') {
    const of = aggregateOf(name, keyOf)
    const terms = values.map((rawValue) => (rawValue.quoted ? undefined : aggregated(name, of, rawValue.text, at)))
    return terms.includes(undefined) ? undefined : anyOf(terms.flatMap((term) => term ?? []))
  }
  const searchKey = kind === 'tag' ? undefined : keyOf(name)
  if (!searchKey) {
    if (key.type !== 'number') return { op: 'match', key: name, tag: true, values: texts(), at }
    return anyOf(
      readEach(values, (rawValue) => {
        const terms = numbered(name, rawValue.text, at)
        if (!terms) throw refuseValue(rawValue, 'number', 'a number, such as 10, >10 or 2k')
        return terms
      }).flat(),
    )
  }
  switch (searchKey.type) {
    case 'has':
      return anyOf(values.map((value): Term => hasTerm(value.text, at, keyOf)))
    case 'text':
    case 'version':
      return { op: 'match', key: searchKey.name, tag: false, values: texts(), at }
    case 'date':
      return anyOf(readEach(values, (value) => date(searchKey.name, value, at)))
    default:
      return anyOf(readEach(values, (value) => typed(searchKey, value, at)).flat())
  }
}

function hasTerm(text: string, at: number, keyOf: KeyLookup): Term {
  const inTags = /^tags\[(.+)\]$/.exec(text)
  const searchKey = inTags ? undefined : keyOf(text)
  return { op: 'has', key: inTags?.[1] ?? searchKey?.name ?? text, tag: searchKey === undefined, at }
}

function date(key: string, raw: Raw, at: number): Search {
  const found = dateOf(raw.text)
  if (!found) throw refuseValue(raw, 'date', 'a date such as -24h, +7d, 2026-01-31 or >2026-01-31T12:00:00Z')
  const from: Term = { op: 'date', key, compare: found.compare, moment: found.moment, at }
  return found.until ? { op: 'and', of: [from, { op: 'date', key, compare: '<', moment: found.until, at }] } : from
}
