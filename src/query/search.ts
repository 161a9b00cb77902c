import { MishapError } from '../base/errors.ts'
import type { Search } from './search/ast.ts'
import { type Field, fieldOf, fields, isUnmet, states } from './search/keys.ts'
import { parseSearch } from './search/parse.ts'

export { type Field, fieldOf, fields, states }

/** Keys that a search box offers, each with a sentence. */
export function searchFields(): readonly Field[] {
  return fields.filter((field) => field.shown)
}

/** What is wrong with a search text, for the box while typing: a sentence and the position (from 1); undefined when nothing is. Pure: runs in the browser. */
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

/** Keys of conditions that no error meets, as nothing that is stored says them; what stands behind an odd number of `!` all meet. */
function unmetIn(node: Search, negated: boolean): string[] {
  if (node.op === 'not') return unmetIn(node.of, !negated)
  if ('of' in node) return node.of.flatMap((item) => unmetIn(item, negated))
  if (negated || !('key' in node) || ('tag' in node && node.tag)) return []
  return node.op === 'measure' || isUnmet(node.key) ? [node.key] : []
}

/** The keys of a search that no error has, each once: a condition on one finds nothing. None for a text that is refused. */
export function unmetKeys(text: string): string[] {
  if (searchError(text)) return []
  const search = parseSearch(text)
  return search ? [...new Set(unmetIn(search, false))] : []
}
