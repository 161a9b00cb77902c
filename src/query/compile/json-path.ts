import type { JsonPath } from '../../store/events/question.ts'

/** Longest path. Each list in it is read within each element of the one before. */
const stepsMax = 12
const listsMax = 3

/** One step at the start of a text: a key, a quoted key, a place in a list, or every element of it. */
const step = /^(?:\.?([\p{L}\p{N}_$@:/ -]{1,100})|\.?"([^"]{1,100})"|\[(\d{1,4})\]|\[(\*?)\])/u

/**
 * Reads a path into JSON: `order.items[].id`, `items[0].sku`, `"a.b".c`. `[]` and `[*]` are every element of a list.
 * Undefined for what is no path, or too long.
 */
export function jsonPathOf(text: string): JsonPath | undefined {
  const steps: JsonPath['steps'][number][] = []
  let rest = text
  while (rest !== '') {
    const found = step.exec(rest)
    if (!found || steps.length === stepsMax) return undefined
    // Keys are separated by dots: `a b` is a key, but `a"b"` is not two of them.
    if (steps.length > 0 && !/^[.[]/.test(rest)) return undefined
    const [all, key, quoted, place] = found
    const name = key ?? quoted
    steps.push(name !== undefined ? { key: name } : place !== undefined ? { at: Number(place) } : { each: true })
    rest = rest.slice(all.length)
  }
  const lists = steps.filter((step) => 'each' in step).length
  return steps.length > 0 && lists <= listsMax ? { steps } : undefined
}
