import type { Json } from '../../wire/json.ts'
import { quoted } from './encode.ts'

/** Names of one system are some hundred. A name over the limits is encoded each time. */
const knownMax = 4000
const nameMax = 200

/** Makes a function that encodes a name as the key of a map, and remembers it: names repeat, and a span has about 22. */
function createKeys(): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    // A joined text is a tree of its parts, which each line that has it would walk. This one is flat.
    const made = Buffer.from(`${quoted(name)}:`).toString()
    if (known.size < knownMax && name.length <= nameMax) known.set(name, made)
    return made
  }
}

const keyOf = createKeys()

/**
 * Encodes attributes as the maps of texts and of numbers, without their braces. Other values are JSON texts: `true`,
 * `["a","b"]`.
 */
export function attributeMaps(attributes: Readonly<Record<string, Json>>): { tags: string; numbers: string } {
  let [tags, numbers] = ['', '']
  for (const key in attributes) {
    const value = attributes[key]
    if (typeof value === 'number') numbers += `${numbers ? ',' : ''}${keyOf(key)}${value}`
    else if (value !== undefined && value !== null)
      tags += `${tags ? ',' : ''}${keyOf(key)}${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`
  }
  return { tags, numbers }
}
