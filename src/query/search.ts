import { MishapError } from '../base/errors.ts'
import type { Search } from './search/ast.ts'
import type { SearchKey } from './search/key.ts'
import { findsNothing, messageKeyOf, offeredKeys, searchKeyOf } from './search/lookup.ts'
import { parseSearch } from './search/parse.ts'

// The part of the search language that the browser uses.

export { findsNothing, messageKeyOf, offeredKeys, type SearchKey, searchKeyOf }

/**
 * The mistake in a search text, for the box while somebody types: a sentence and the position in characters, from 1.
 * Undefined when the text can be read. Pure: it runs in the browser.
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

/** Keys of conditions that no error meets. Behind an odd number of `!` every error meets them, so those are left out. */
function unmetIn(node: Search, negated: boolean): string[] {
  if (node.op === 'not') return unmetIn(node.of, !negated)
  if ('of' in node) return node.of.flatMap((part) => unmetIn(part, negated))
  if (negated || !('key' in node) || ('tag' in node && node.tag)) return []
  const searchKey = searchKeyOf(node.key)
  return node.op === 'measure' || (searchKey && findsNothing(searchKey)) ? [node.key] : []
}

/** The keys of a search that no error has, each once: a condition on them finds nothing. Empty for a text that is refused. */
export function unmetKeys(text: string): string[] {
  if (searchError(text)) return []
  const search = parseSearch(text)
  return search ? [...new Set(unmetIn(search, false))] : []
}
