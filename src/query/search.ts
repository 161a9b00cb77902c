import type { QueryMistake } from '../base/errors.ts'
import type { Search } from './search/ast.ts'
import { readSearch } from './search/grammar.ts'
import type { SearchKey } from './search/key.ts'
import { findsNothing, type KeyLookup, messageKeyOf, offeredKeys, searchKeyOf } from './search/lookup.ts'
import { SearchError } from './search/mistakes.ts'
import { nearestWord } from './search/suggest.ts'

// The part of the search language that the browser uses.

export { type KeyLookup, messageKeyOf, nearestWord, offeredKeys, type SearchKey, searchKeyOf }

/**
 * Returns all mistakes in a search text, by position. Empty if the text is valid. `keyOf`: the table of keys. Pure: it
 * runs in the browser.
 */
export function searchMistakes(text: string, keyOf?: KeyLookup): readonly QueryMistake[] {
  try {
    readSearch(text, keyOf)
    return []
  } catch (error) {
    // A text that is too long has no mistake at one place. The server answers with the limit.
    if (!(error instanceof SearchError)) throw error
    return error.mistakes
  }
}

/** Returns the values of one `key:value` term. Undefined for wildcards and everything else. */
export function plainValuesOf(term: string): string[] | undefined {
  const found = parsedOrNothing(term)
  if (found?.op !== 'match' || found.values.some((value) => value.wild)) return undefined
  return found.values.map((value) => value.text)
}

/** Returns keys of conditions that no error matches. Every error matches after an odd number of `!`: left out. */
function unmetIn(node: Search, negated: boolean): string[] {
  if (node.op === 'not') return unmetIn(node.of, !negated)
  if ('of' in node) return node.of.flatMap((part) => unmetIn(part, negated))
  if (negated || !('key' in node) || ('tag' in node && node.tag)) return []
  const searchKey = searchKeyOf(node.key)
  return node.op === 'measure' || (searchKey && findsNothing(searchKey)) ? [node.key] : []
}

function parsedOrNothing(text: string): Search | undefined {
  try {
    return readSearch(text)
  } catch (error) {
    if (error instanceof SearchError) return undefined
    throw error
  }
}

/** Returns the keys of a search that no error has, without duplicates. Empty for an invalid text. */
export function unmetKeys(text: string): string[] {
  const search = parsedOrNothing(text)
  return search ? [...new Set(unmetIn(search, false))] : []
}
