import { MishapError } from '../base/errors.ts'
import type { Search } from './search/ast.ts'
import type { SearchKey } from './search/key.ts'
import { findsNothing, messageKeyOf, offeredKeys, searchKeyOf } from './search/lookup.ts'
import { parseSearch } from './search/parse.ts'

// The part of the search language that the browser uses.

export { messageKeyOf, offeredKeys, type SearchKey, searchKeyOf }

/**
 * Returns the error in a search text while the user types: a sentence and the position in characters, from 1. Undefined
 * if the text is valid. Pure: it runs in the browser.
 */
export function searchError(text: string): { detail: string; position: number | undefined } | undefined {
  try {
    parseSearch(text)
    return undefined
  } catch (error) {
    if (!(error instanceof MishapError)) throw error
    const found = /position (\d+)/.exec(error.message)
    return { detail: error.message, position: found ? Number(found[1]) : undefined }
  }
}

/** Returns keys of conditions that no error matches. Every error matches after an odd number of `!`: left out. */
function unmetIn(node: Search, negated: boolean): string[] {
  if (node.op === 'not') return unmetIn(node.of, !negated)
  if ('of' in node) return node.of.flatMap((part) => unmetIn(part, negated))
  if (negated || !('key' in node) || ('tag' in node && node.tag)) return []
  const searchKey = searchKeyOf(node.key)
  return node.op === 'measure' || (searchKey && findsNothing(searchKey)) ? [node.key] : []
}

/** Returns the keys of a search that no error has, without duplicates. Empty for an invalid text. */
export function unmetKeys(text: string): string[] {
  if (searchError(text)) return []
  const search = parseSearch(text)
  return search ? [...new Set(unmetIn(search, false))] : []
}
