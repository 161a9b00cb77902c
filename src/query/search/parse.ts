import { MishapError } from '../../base/errors.ts'
import type { Search } from './ast.ts'
import { readSearch } from './grammar.ts'
import type { KeyLookup } from './lookup.ts'
import { SearchError } from './mistakes.ts'

/**
 * Parses the search text of a request to a tree. Returns undefined if it has no condition. For limits and messages see
 * readSearch, which browsers use, too.
 * @throws MishapError QUERY_SYNTAX, QUERY_TYPE or QUERY_TOO_LONG, with all `mistakes` of the text.
 */
export const parseSearch = (text: string, keyOf?: KeyLookup): Search | undefined =>
  orRefused(() => readSearch(text, keyOf))

/** Returns what `read` reads from a search text. Throws its SearchError as the answer to a request: see parseSearch. */
export function orRefused<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    const { code, message, mistakes } = error
    throw new MishapError(code, {
      ...(message ? { detail: message } : {}),
      causes: mistakes.flatMap(({ position, expected }) => [`position ${position}`, `expected ${expected}`]),
      mistakes,
    })
  }
}
