import type { QueryMistake } from '../../../base/errors.ts'
import { type KeyLookup, offeredKeys, type SearchKey, searchKeyOf } from '../../../query/search.ts'
import { keyOfTag, quoted, termsOf } from './terms.ts'

// Suggestions at the caret of the search box. Pure functions: the box calls them on each keystroke.

/** One suggestion. `insert` replaces the text between `from` and `to`. */
export type Suggestion = {
  kind: 'key' | 'value' | 'recent'
  /** The visible label: machine text. */
  label: string
  /** A sentence about a key. */
  note: string
  /** Number of events with this value, if counted. */
  events: number | null
  from: number
  to: number
  insert: string
  /** The caret after the insertion. */
  caret: number
}

/** Data for suggestions: tag keys in use, and the server's values of the key at the caret. */
export type CompletionData = { tagKeys: readonly string[]; values: readonly { value: string; count: number | null }[] }

/** The position of the caret: in a key, in a value, or in neither. */
type CaretContext =
  | { in: 'key'; from: number; to: number; typed: string; negated: boolean }
  | { in: 'value'; key: string; from: number; to: number; typed: string; list: boolean }
  | { in: 'none' }

/**
 * The keys of a box. `dataset`: where the server finds their values and other names; undefined: in error events.
 * `words`: the catalogue with the sentences of the keys. `closed`: there are no other names, and these are the mistakes
 * of a text.
 */
export type KeyTable = {
  offered: readonly SearchKey[]
  keyOf: KeyLookup
  dataset?: 'spans' | 'routes' | 'logs' | 'metrics'
  words: 'search' | 'spans' | 'performance' | 'logs' | 'metrics'
  closed?: { mistakesOf(text: string): readonly QueryMistake[] }
}

/** The keys of issues and error events. */
export const issueKeys: KeyTable = { offered: offeredKeys, keyOf: searchKeyOf, words: 'search' }

const linesMax = 12
/** Keys that offer the values of the tag with the same name. That tag is not listed again. */
const sameAsTag = ({ offered, dataset }: KeyTable): ReadonlySet<string> =>
  new Set(offered.filter((key) => key.tag || dataset).map((key) => key.name))
/** Suggested starts of date and number values. */
const dates = ['-1h', '-24h', '-7d', '-30d', '+7d', '+30d']
const durationExamples = ['>100ms', '>1s', '>10s', '<10ms']
const numberExamples = ['>10', '>100', '>1k', '<10']

/** The part of a value at the caret: the whole value, or one entry of a list. */
function valuePart(value: string, at: number): { from: number; to: number; list: boolean } {
  if (!value.startsWith('[')) return { from: 0, to: value.length, list: false }
  const end = value.endsWith(']') ? value.length - 1 : value.length
  let from = 1
  let quote = false
  for (let i = 1; i < Math.min(at, end); i++) {
    if (value[i] === '"' && value[i - 1] !== '\\') quote = !quote
    else if (value[i] === ',' && !quote) from = i + 1
  }
  while (value[from] === ' ' && from < at) from++
  let to = from
  quote = false
  for (; to < end; to++) {
    if (value[to] === '"' && value[to - 1] !== '\\') quote = !quote
    else if (value[to] === ',' && !quote) break
  }
  return { from, to, list: true }
}

/** Finds the term at the caret. `caret` is a position between characters. */
export function caretContextOf(text: string, caret: number): CaretContext {
  const term = termsOf(text).find(
    (candidate) => candidate.from <= caret && caret <= candidate.to && candidate.kind !== 'operator',
  )
  if (!term) return { in: 'key', from: caret, to: caret, typed: '', negated: false }
  const negated = term.text.startsWith('!')
  const begin = term.from + (negated ? 1 : 0)
  const valueFrom = term.kind === 'filter' ? term.from + term.key.length : term.to + 1
  if (caret >= valueFrom) {
    const part = valuePart(term.value, caret - valueFrom)
    const [from, to] = [valueFrom + part.from, valueFrom + part.to]
    const typed = text
      .slice(from, Math.max(from, caret))
      .replace(/^"/, '')
      .replace(/\\(["*\\])/g, '$1')
    return {
      in: 'value',
      key: text.slice(begin, valueFrom - 1).replace(/^"(.*)"$/, '$1'),
      from,
      to,
      typed,
      list: part.list,
    }
  }
  if (term.kind === 'text' && /^["*]/.test(term.text)) return { in: 'none' }
  const to = term.kind === 'filter' ? valueFrom : term.to
  return { in: 'key', from: begin, to, typed: text.slice(begin, Math.max(begin, caret)), negated }
}

/** Whether values come from the server. For other keys the box has its own values, or none. */
export function needsServerValues(
  context: CaretContext,
  { keyOf, closed }: KeyTable = issueKeys,
): context is Extract<CaretContext, { in: 'value' }> {
  if (context.in !== 'value' || closed) return false
  const searchKey = keyOf(context.key)
  if (!searchKey) return !/^[><=]/.test(context.typed) && !context.key.includes('(')
  return searchKey.values !== undefined
}

const matches = (name: string, typed: string) => name.toLowerCase().includes(typed.toLowerCase())
/** Sorts names that begin with the typed text first. Shorter keys come first, because they are more general. */
function begins(typed: string, kind: 'key' | 'value'): (a: string, b: string) => number {
  const prefix = typed.toLowerCase()
  const has = (name: string) => prefix !== '' && name.toLowerCase().startsWith(prefix)
  return (a, b) => Number(has(b)) - Number(has(a)) || (kind === 'key' && has(a) ? a.length - b.length : 0)
}

/** Keys that `has:` accepts. Events always have a value for the others. */
const textKeys = ({ offered }: KeyTable) =>
  offered.filter(({ type }) => type === 'text' || type === 'version' || type === 'choice').map((key) => key.name)

/** The names of tags in the list of keys. */
function tagNames(data: CompletionData, table: KeyTable): string[] {
  const known = sameAsTag(table)
  return data.tagKeys.filter((tagKey) => !known.has(tagKey)).map((tagKey) => keyOfTag(tagKey, table.keyOf))
}

function keyLines(
  context: Extract<CaretContext, { in: 'key' }>,
  data: CompletionData,
  sentenceOf: (key: SearchKey) => string,
  table: KeyTable,
): Suggestion[] {
  const hints = new Map(table.offered.map((key) => [key.name, sentenceOf(key)]))
  const names = [...new Set([...hints.keys(), ...tagNames(data, table)])]
    .filter((key) => matches(key, context.typed))
    .sort(begins(context.typed, 'key'))
  return names.slice(0, linesMax).map((name) => ({
    kind: 'key',
    label: name,
    note: hints.get(name) ?? '',
    events: null,
    from: context.from,
    to: context.to,
    insert: `${name}:`,
    caret: context.from + name.length + 1,
  }))
}

/** Values that need no server; undefined if the server has them. */
function localValues(
  key: string,
  data: CompletionData,
  table: KeyTable,
): { value: string; count: number | null }[] | undefined {
  const plain = (values: readonly string[]) => values.map((value) => ({ value, count: null }))
  const searchKey = table.keyOf(key)
  if (!searchKey || searchKey.values) return undefined
  if (searchKey.words) return plain(searchKey.words)
  switch (searchKey.type) {
    case 'date':
      return plain(dates)
    case 'number':
      return plain(numberExamples)
    case 'duration':
      return plain(durationExamples)
    case 'has':
      return plain([...new Set([...textKeys(table), ...tagNames(data, table)])])
    default:
      return []
  }
}

function valueLines(
  context: Extract<CaretContext, { in: 'value' }>,
  data: CompletionData,
  table: KeyTable,
): Suggestion[] {
  const local = localValues(context.key, data, table)
  const values = (local ?? data.values).filter((suggestion) => matches(suggestion.value, context.typed))
  // Values of the server are already sorted by count.
  const sorted = local ? values.toSorted((a, b) => begins(context.typed, 'value')(a.value, b.value)) : values
  return sorted.slice(0, linesMax).map(({ value, count }) => {
    const insert = quoted(value)
    // After an entry of a list the list continues. After a value a space begins the next term.
    const space = context.list ? '' : ' '
    return {
      kind: 'value',
      label: value,
      note: '',
      events: count,
      from: context.from,
      to: context.to,
      insert: insert + space,
      caret: context.from + insert.length + space.length,
    }
  })
}

/** The suggestions at a place. `sentenceOf` returns the description of a key in the screen's language. */
export function suggestionsFor(
  context: CaretContext,
  data: CompletionData,
  sentenceOf: (key: SearchKey) => string,
  table: KeyTable = issueKeys,
): Suggestion[] {
  if (context.in === 'key') return keyLines(context, data, sentenceOf, table)
  return context.in === 'value' ? valueLines(context, data, table) : []
}

/** Recent searches, for an empty box. */
export function recentLines(recent: readonly string[], text: string): Suggestion[] {
  return recent
    .filter((search) => search !== text.trim())
    .map((search) => ({
      kind: 'recent',
      label: search,
      note: '',
      events: null,
      from: 0,
      to: text.length,
      insert: search,
      caret: search.length,
    }))
}

/** Inserts a suggestion. Returns the new text and caret. Does not double an existing space. */
export function withSuggestion(text: string, suggestion: Suggestion): { text: string; caret: number } {
  const behind = text.slice(suggestion.to)
  const insert =
    suggestion.insert.endsWith(' ') && behind.startsWith(' ') ? suggestion.insert.slice(0, -1) : suggestion.insert
  return { text: text.slice(0, suggestion.from) + insert + behind, caret: suggestion.caret }
}

/** The previous or next filter from a selection, for the keys that move between filters. Undefined if there is none. */
export function adjacentTerm(
  text: string,
  selection: { from: number; to: number },
  step: -1 | 1,
): { from: number; to: number } | undefined {
  const terms = termsOf(text).filter((term) => term.kind !== 'operator')
  const found =
    step < 0
      ? terms.findLast((term) => term.to <= selection.from || (term.from < selection.from && selection.from <= term.to))
      : terms.find((term) => term.from >= selection.to && term.to > selection.to)
  return found && { from: found.from, to: found.to }
}

/** Negates the selected term. Returns the text and the term's new range, or undefined unless a filter is selected. */
export function withNegation(
  text: string,
  selection: { from: number; to: number },
): { text: string; from: number; to: number } | undefined {
  const term = termsOf(text).find((candidate) => candidate.from === selection.from && candidate.to === selection.to)
  if (term?.kind !== 'filter') return undefined
  const inverted = term.text.startsWith('!') ? term.text.slice(1) : `!${term.text}`
  return {
    text: text.slice(0, term.from) + inverted + text.slice(term.to),
    from: term.from,
    to: term.from + inverted.length,
  }
}

const recentMax = 10

/** Adds a search to the front of the recent ones, without duplicates, at most ten. */
export function withRecent(recent: readonly string[], text: string): string[] {
  const trimmed = text.trim()
  return trimmed === '' ? [...recent] : [trimmed, ...recent.filter((search) => search !== trimmed)].slice(0, recentMax)
}

/** Parses stored recent searches. Ignores invalid entries. */
export function readRecent(text: string | null): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value)
      ? value
          .filter((search): search is string => typeof search === 'string' && search.length <= 4096)
          .slice(0, recentMax)
      : []
  } catch {
    return []
  }
}
