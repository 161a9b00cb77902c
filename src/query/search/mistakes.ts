import type { QueryMistake } from '../../base/errors.ts'
import { suggestionFor } from './suggest.ts'

// Errors of the search language. A query is read to its end, so that one answer names all of its mistakes.

/** The mistakes of a text that is not in the language. The screens have a sentence for each. */
type SyntaxReason =
  | 'line_break'
  | 'stray_close'
  | 'or_operand'
  | 'and_before'
  | 'and_after'
  | 'unclosed_group'
  | 'empty_group'
  | 'inner_quote'
  | 'unclosed_quote'
  | 'missing_value'
  | 'list_value'
  | 'list_end'

/** The mistakes of a value that does not fit its key. */
export type ValueReason = 'state' | 'choice' | 'boolean' | 'number' | 'duration' | 'date'

/** More mistakes are not named: nobody reads them. */
const mistakesMax = 20

/**
 * A search text that cannot be read. Not a MishapError: browsers read searches too, and the catalogue of errors would
 * add 3 KiB to each page. The message is empty where that of the code says it all.
 */
export class SearchError extends Error {
  readonly code: QueryMistake['code'] | 'QUERY_TOO_LONG'
  /** All mistakes, by position. Empty for QUERY_TOO_LONG. */
  readonly mistakes: readonly QueryMistake[]

  constructor(code: SearchError['code'], detail = '', mistakes: readonly QueryMistake[] = []) {
    super(detail)
    this.name = 'SearchError'
    this.code = code
    this.mistakes = mistakes
  }
}

/** Returns the error for the given mistakes, which must not be empty. Its code and its first sentence are those of the first. */
export function queryError(mistakes: readonly QueryMistake[]): SearchError {
  const sorted = mistakes.toSorted((a, b) => a.from - b.from).slice(0, mistakesMax)
  const sentences = sorted.map(({ position, expected }) => `at position ${position}, expected ${expected}`)
  return new SearchError(sorted[0]?.code ?? 'QUERY_SYNTAX', `Invalid query: ${sentences.join('; ')}.`, sorted)
}

/** Returns the error of a text that breaks the grammar at a place (from 0). */
export const refuse = (at: number, reason: SyntaxReason, expected: string): SearchError =>
  queryError([{ reason, code: 'QUERY_SYNTAX', from: at, to: at, position: at + 1, expected, suggestion: undefined }])

/** Returns the error of a value that does not fit the type of its key. `words`: the values that a choice takes. */
export function refuseValue(
  raw: { text: string; quoted: boolean; at: number },
  reason: ValueReason,
  expected: string,
  words: readonly string[] = [],
): SearchError {
  const to = raw.at + raw.text.length + (raw.quoted ? 2 : 0)
  const suggestion = suggestionFor(reason, raw.text, words)
  return queryError([{ reason, code: 'QUERY_TYPE', from: raw.at, to, position: raw.at + 1, expected, suggestion }])
}

/** Runs `read` for each value, and throws one error with the mistakes of all of them. */
export function readEach<Value, Result>(values: readonly Value[], read: (value: Value) => Result): Result[] {
  const mistakes: QueryMistake[] = []
  const results = values.flatMap((value) => {
    try {
      return [read(value)]
    } catch (error) {
      mistakes.push(...mistakesOf(error))
      return []
    }
  })
  if (mistakes.length > 0) throw queryError(mistakes)
  return results
}

/** The mistakes of a caught error. Throws every other error again. */
export function mistakesOf(error: unknown): readonly QueryMistake[] {
  if (error instanceof SearchError && error.mistakes.length > 0) return error.mistakes
  throw error
}
