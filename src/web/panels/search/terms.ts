import { pastedDigest } from '../../../domain/pasted-digest.ts'
import { type KeyLookup, searchKeyOf } from '../../../query/search.ts'
import { defaultQuery } from './list-params.ts'

/** A part of a search text. `text` is exactly the characters from `from` to `to`. */
type Term = {
  kind: 'filter' | 'text' | 'operator'
  from: number
  to: number
  text: string
  key: string
  value: string
}

const termsMax = 100
const filterPattern = /^(!?(?:tags\[[^\]]*\]|"[^"]*"|[A-Za-z0-9_.-]+):)(.*)$/s

/** The end of the term that begins at `from`: a space outside of quotes and brackets, or a parenthesis. */
function endOfTerm(query: string, from: number): number {
  let quoted = false
  let brackets = 0
  for (let at = from; at < query.length; at++) {
    const character = query[at]
    if (character === '\\' && quoted) at++
    else if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === '[') brackets++
    else if (character === ']') brackets = Math.max(0, brackets - 1)
    else if (brackets === 0 && character !== undefined && /[\s()]/.test(character)) return at
  }
  return query.length
}

/**
 * Splits a search text for display (highlights, removable terms). It does not validate: the grammar is in query/search.
 * Returns at most 100 terms; the last one contains the rest of a longer text.
 */
export function termsOf(query: string): Term[] {
  const terms: Term[] = []
  let at = 0
  while (at < query.length) {
    const character = query[at] ?? ''
    if (/\s/.test(character)) {
      at++
      continue
    }
    const single = character === '(' || character === ')'
    const to = single ? at + 1 : terms.length === termsMax - 1 ? query.length : endOfTerm(query, at)
    const text = query.slice(at, to)
    const filter = filterPattern.exec(text)
    if (single || text === 'AND' || text === 'OR')
      terms.push({ kind: 'operator', from: at, to, text, key: '', value: text })
    else if (filter) terms.push({ kind: 'filter', from: at, to, text, key: filter[1] ?? '', value: filter[2] ?? '' })
    else terms.push({ kind: 'text', from: at, to, text, key: '', value: text })
    at = to
  }
  return terms
}

/** The search text without one of its terms. Also removes an operator that would be left alone. */
export function withoutTerm(query: string, index: number): string {
  const terms = termsOf(query)
  const remaining = terms.filter((_term, at) => at !== index)
  const sensible = remaining.filter((term, at) => {
    if (term.text !== 'AND' && term.text !== 'OR') return true
    const before = remaining[at - 1]
    const after = remaining[at + 1]
    const open = !before || before.kind === 'operator'
    const close = !after || (after.kind === 'operator' && after.text !== '(')
    return !(open && before?.text !== ')') && !close
  })
  return sensible
    .map((term) => term.text)
    .join(' ')
    .replaceAll('( ', '(')
    .replaceAll(' )', ')')
}

/** A value for a search text: quoted and escaped if necessary. */
export function quoted(value: string): string {
  return /^[^\s"()[\],\\*]+$/.test(value) ? value : `"${value.replace(/[\\"*]/g, '\\$&')}"`
}

/** A tag's key for a search text: `tags[…]` if a search key has that name, or it has special characters. */
export function keyOfTag(tag: string, keyOf: KeyLookup = searchKeyOf): string {
  const searchKey = keyOf(tag)
  return /^[\w.-]+$/.test(tag) && (!searchKey || (searchKey.tag === 'equal' && searchKey.name === tag))
    ? tag
    : `tags[${tag}]`
}

/** Path of the issues with a tag value. `base` is the stream, `viewSearch` the result of `viewSearchOf`. */
export function tagHref(base: string, viewSearch: string, key: string, value: string): string {
  return `${base}?q=${encodeURIComponent(`${keyOfTag(key)}:${quoted(value)}`)}${viewSearch.replace('?', '&')}`
}

/** A short link. `isSure`: the text names its kind; otherwise it can be words, such as UTF-8. */
type Jump = { kind: 'digest' | 'event' | 'issue'; name: string; path: string; isSure: boolean }

const routes = { digest: 'd', event: 'e', issue: 'i' } as const
const jumpTo = (kind: Jump['kind'], name: string, isSure = false): Jump => ({
  kind,
  name,
  isSure,
  path: `/${routes[kind]}/${encodeURIComponent(name)}`,
})

/** The initial text of the box. Pasted text lands before or after it, usually without a space. */
const withDefault = new RegExp(`^\\s*${defaultQuery}|\\s${defaultQuery}\\s*$`)

/** Whether a text has filters other than a digest. Error messages have none. */
const isFiltered = (text: string): boolean =>
  termsOf(text).some(({ kind, key, value }) => {
    const name = key.replace(/^!|:$/g, '')
    return kind === 'filter' && value !== '' && name.toLowerCase() !== 'digest' && searchKeyOf(name) !== undefined
  })

/**
 * The short link for a text that is only an identifier, possibly next to the box's initial search. Undefined otherwise,
 * and for quoted text. Identifiers: a digest (Next's number, with or without `digest:`, spaces or the error screen's
 * sentence), an event id (32 hex characters or a UUID), or a short id such as WEB-42.
 */
export function jumpOf(query: string): Jump | undefined {
  const text = query.replace(withDefault, '').trim()
  const named = /^digest:"?([^\s"*]{1,200})"?$/i.exec(text)?.[1]
  if (named) return jumpTo('digest', named, true)
  const pasted = text.startsWith('"') || isFiltered(text) ? undefined : pastedDigest(text)
  if (pasted) return jumpTo('digest', pasted.digest)
  const event = text.replaceAll('-', '').toLowerCase()
  if (/^[0-9a-f]{32}$/.test(event) && /^[0-9a-fA-F-]{32,36}$/.test(text)) return jumpTo('event', event)
  if (/^[A-Z0-9][A-Z0-9-]{0,60}-\d{1,15}$/.test(text) && /[A-Z]/.test(text)) return jumpTo('issue', text)
  return undefined
}
