import { pastedDigest } from '../../../domain/pasted-digest.ts'
import { searchKeyOf } from '../../../query/search.ts'
import { defaultQuery } from './list-params.ts'

/** A piece of a search text: `text` is exactly the characters from `from` to `to`. */
export type Term = {
  kind: 'filter' | 'text' | 'operator'
  from: number
  to: number
  text: string
  key: string
  value: string
}

const termsMax = 100
const filterPattern = /^(!?(?:tags\[[^\]]*\]|"[^"]*"|[A-Za-z0-9_.-]+):)(.*)$/s

/** Where the term that begins at `from` ends: at a space outside quotes and brackets, or at a parenthesis. */
function endOfTerm(query: string, from: number): number {
  let quoted = false
  let brackets = 0
  for (let at = from; at < query.length; at++) {
    const sign = query[at]
    if (sign === '\\' && quoted) at++
    else if (sign === '"') quoted = !quoted
    else if (quoted) continue
    else if (sign === '[') brackets++
    else if (sign === ']') brackets = Math.max(0, brackets - 1)
    else if (brackets === 0 && sign !== undefined && /[\s()]/.test(sign)) return at
  }
  return query.length
}

/**
 * Splits a search text for the eye (marks in the box, terms that can be taken out). It judges nothing: the grammar
 * is query/search. At most 100 terms; the rest of a longer text is one term.
 */
export function termsOf(query: string): Term[] {
  const terms: Term[] = []
  let at = 0
  while (at < query.length) {
    const sign = query[at] ?? ''
    if (/\s/.test(sign)) {
      at++
      continue
    }
    const single = sign === '(' || sign === ')'
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

/** The search text without one of its terms (and without an operator that would be left alone). */
export function withoutTerm(query: string, index: number): string {
  const terms = termsOf(query)
  const kept = terms.filter((_term, at) => at !== index)
  const sensible = kept.filter((term, at) => {
    if (term.text !== 'AND' && term.text !== 'OR') return true
    const before = kept[at - 1]
    const after = kept[at + 1]
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

/** A value as a search text has it: quoted and escaped where necessary. */
export function quoted(value: string): string {
  return /^[^\s"()[\],\\*]+$/.test(value) ? value : `"${value.replace(/[\\"*]/g, '\\$&')}"`
}

/** A tag's key as a search text names it: `tags[…]` where a search key of that name means something else, or where the name has signs that no key has. */
export function keyOfTag(tag: string): string {
  const searchKey = searchKeyOf(tag)
  return /^[\w.-]+$/.test(tag) && (!searchKey || (searchKey.tag === 'equal' && searchKey.name === tag))
    ? tag
    : `tags[${tag}]`
}

/** Where the issues are listed that have a tag's value: `base` is the stream, `kept` what `keptSearch` made. */
export function tagHref(base: string, kept: string, key: string, value: string): string {
  return `${base}?q=${encodeURIComponent(`${keyOfTag(key)}:${quoted(value)}`)}${kept.replace('?', '&')}`
}

/** A short link, to what and by which name. `sure`: the text asks for it by name; else it may as well be words, such as UTF-8. */
export type Jump = { kind: 'digest' | 'event' | 'issue'; name: string; path: string; sure: boolean }

const routes = { digest: 'd', event: 'e', issue: 'i' } as const
const jumpTo = (kind: Jump['kind'], name: string, sure = false): Jump => ({
  kind,
  name,
  sure,
  path: `/${routes[kind]}/${encodeURIComponent(name)}`,
})

/** The text that the box starts with. Pasted text lands before or after it, mostly without a space. */
const besideDefault = new RegExp(`^\\s*${defaultQuery}|\\s${defaultQuery}\\s*$`)

/** Whether a text has filters other than a digest. The sentences of error screens have none. */
const isFiltered = (text: string): boolean =>
  termsOf(text).some(({ kind, key, value }) => {
    const name = key.replace(/^!|:$/g, '')
    return kind === 'filter' && value !== '' && name.toLowerCase() !== 'digest' && searchKeyOf(name) !== undefined
  })

/**
 * The short link that a search text may mean when it is nothing but an identifier: a digest (Next's number, with or
 * without `digest:`, also with spaces in it or in the sentence of its error screen), an event id (32 hex characters, or a
 * UUID), or a short id such as WEB-42; also beside the search that the box begins with. Else undefined; text in quotes is always text.
 */
export function jumpOf(query: string): Jump | undefined {
  const text = query.replace(besideDefault, '').trim()
  const named = /^digest:"?([^\s"*]{1,200})"?$/i.exec(text)?.[1]
  if (named) return jumpTo('digest', named, true)
  const pasted = text.startsWith('"') || isFiltered(text) ? undefined : pastedDigest(text)
  if (pasted) return jumpTo('digest', pasted.digest)
  const event = text.replaceAll('-', '').toLowerCase()
  if (/^[0-9a-f]{32}$/.test(event) && /^[0-9a-fA-F-]{32,36}$/.test(text)) return jumpTo('event', event)
  if (/^[A-Z0-9][A-Z0-9-]{0,60}-\d{1,15}$/.test(text) && /[A-Z]/.test(text)) return jumpTo('issue', text)
  return undefined
}
