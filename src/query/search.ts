import { MishapError } from '../errors.ts'
import { type Field, fieldOf, fields, isUnmet, states } from './search/fields.ts'
import { parseSearch } from './search/parse.ts'

export { type Field, fieldOf, fields, isUnmet, states }

/** Keys that a search box offers, each with a sentence. */
export function searchFields(): readonly Field[] {
  return fields.filter((one) => one.shown)
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
