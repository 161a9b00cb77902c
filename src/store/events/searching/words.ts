import type { Filter, Value } from '../question.ts'
import type { Values } from '../reading/filter.ts'
import { columnOf, type Source } from './sources.ts'

// Conditions that an index of words answers, so that not every text is read. They are implied by the condition that is
// asked and stand beside it: the index finds granules, and the condition itself decides.

type Match = Extract<Filter, { op: 'match' }>

/** Runs of characters that the index keeps together as one word. */
const runs = /[a-z0-9\u0080-\u{10ffff}]+/giu
/** Other letters have a lower case that the engine's `lower` does not know. */
const isPlain = (word: string) => /^[a-z0-9]+$/i.test(word)
/** Whether a text can be looked for among the words of the index. A part of under three characters is in too many. */
export const isPart = (text: string): boolean => /^[a-z0-9]{3,}$/i.test(text)

/** The columns with the words of a text. */
type WordColumns = NonNullable<Source['words']>

const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 1 ? conditions.join() : `(${conditions.join(' OR ')})`

/** Condition that a text has a word of which this is a part, whatever the case. */
export function partCondition(values: Values, { whole, split }: WordColumns, part: string): string {
  const pattern = values.add('String', `%${part.toLowerCase()}%`)
  return anyOf([...whole, ...split].map((column) => `lower(${column}) LIKE ${pattern}`))
}

/**
 * Condition that a text has one or two ASCII letters or digits, whatever the case. They are compared in each column: putting
 * the texts of a million lines together takes 200 ms of processor time. Only a letter that Unicode calls a case of i, k or s
 * can stand where a text was cut, so such texts are compared as a whole, too.
 */
export function shortCondition(values: Values, { text, whole, split }: WordColumns, word: string): string {
  const bound = values.add('String', word)
  const has = (sql: string) => `positionCaseInsensitiveUTF8(${sql}, ${bound}) > 0`
  const columns = [...whole, ...split]
  const found = columns.map(has)
  if (word.length > 1 && /[iks]/i.test(word))
    found.push(`(NOT (${columns.map((column) => `isValidASCII(${column})`).join(' AND ')}) AND ${has(text)})`)
  return anyOf(found)
}

/** Condition that every text with a word meets. In a shape it can be a part of another word. */
function tokenCondition(values: Values, { whole, split }: WordColumns, word: string): string {
  const token = values.add('String', word)
  const pattern = whole.length > 0 ? values.add('String', `%${word}%`) : ''
  return anyOf([
    ...whole.map((column) => `lower(${column}) LIKE ${pattern}`),
    ...split.map((column) => `hasToken(lower(${column}), ${token})`),
  ])
}

/** Words of one text that are looked for. More of them leave out hardly any further rows. */
const wordsMax = 8

/**
 * Conditions that every text meets which a pattern with `*` matches. A word beside a `*` may be a part of a longer word, so
 * it is looked for as a part. A word beside an escaped `\*` is, too: where the word is, the part is as well.
 */
export function wordConditions(values: Values, columns: WordColumns, pattern: string): string[] {
  const found = new Map<string, string>()
  for (const { 0: run, index } of pattern.matchAll(runs)) {
    if (!isPlain(run) || found.size >= wordsMax) continue
    const isOpen = pattern[index - 1] === '*' || pattern[index + run.length] === '*'
    const word = run.toLowerCase()
    const key = isOpen ? `*${word}*` : word
    if (found.has(key) || (isOpen && !isPart(word))) continue
    found.set(key, isOpen ? partCondition(values, columns, word) : tokenCondition(values, columns, word))
  }
  return [...found.values()]
}

/** The columns with the words of the JSON of a value, if an index knows them. */
function indexedColumns(source: Source, value: Value): WordColumns | undefined {
  if (value.of !== 'json' || value.text.of !== 'text') return undefined
  return columnOf(source.texts, value.text.column) === source.words?.text ? source.words : undefined
}

/**
 * The words by which JSON can spell a whole number. Encoders write large ones with an exponent, such as 1.2E7 or 1e+05; no
 * known one does for five digits.
 */
function spellings(digits: string): string[] {
  if (digits.length <= 5) return [digits]
  const rest = digits.slice(1).replace(/0+$/, '')
  const ends = rest === '' ? [digits.slice(0, 1), '0'] : [rest]
  return [digits, ...ends.flatMap((end) => [`${end}e${digits.length - 1}`, `${end}e`])]
}

/** Whether a word stands in the text as it is in the value. Parts of a number may not: 10000000.5 can be 1.00000005E7. */
const isLetters = (word: string): boolean => /[a-df-z]/i.test(word)

/**
 * Conditions that every text meets in which a path has this value, or one that matches this pattern. JSON writes ASCII
 * letters and digits of a text as they are, but the end of an escape can stand before them: they are looked for as parts.
 */
export function valueConditions(source: Source, values: Values, { value, match, text }: Match): string[] {
  const columns = indexedColumns(source, value)
  if (columns === undefined || match === 'has') return []
  const token = (word: string) => tokenCondition(values, columns, word)
  if (match === 'is' && /^\d{1,15}$/.test(text)) {
    const found = spellings(text).map(token)
    return [anyOf(found)]
  }
  if (match === 'is' && /^[a-z0-9]+$/i.test(text)) return isLetters(text) ? [token(text.toLowerCase())] : []
  const words = [...new Set([...text.matchAll(runs)].map(([run]) => run.toLowerCase()))]
  const parts = words.filter((word) => isPart(word) && isLetters(word))
  return parts.slice(0, wordsMax).map((word) => partCondition(values, columns, word))
}

/** Conditions that every row with a value of a path into JSON meets: its keys are words of the text. */
export function keyConditions(source: Source, values: Values, value: Value): string[] {
  const columns = indexedColumns(source, value)
  if (columns === undefined || value.of !== 'json') return []
  // A key that JSON writes with escapes is not looked for.
  const keys = value.path.steps.flatMap((step) =>
    'key' in step && /^[\w.-]+$/.test(step.key) ? [`"${step.key}"`] : [],
  )
  return wordConditions(values, columns, keys.join(' '))
}
