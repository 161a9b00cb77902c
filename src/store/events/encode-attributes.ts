import type { Json } from '../../wire/json.ts'
import { quoted } from './encode.ts'

/**
 * Encodes attributes as the maps of texts and of numbers, without their braces. Other values are JSON texts: `true`,
 * `["a","b"]`.
 */
export function attributeMaps(attributes: Readonly<Record<string, Json>>): { tags: string; numbers: string } {
  let [tags, numbers] = ['', '']
  for (const key in attributes) {
    const value = attributes[key]
    if (typeof value === 'number') numbers += `${numbers ? ',' : ''}${quoted(key)}:${value}`
    else if (value !== undefined && value !== null)
      tags += `${tags ? ',' : ''}${quoted(key)}:${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`
  }
  return { tags, numbers }
}
