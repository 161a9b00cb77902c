import { type Loose, own } from '../../pipeline/value.ts'
import conventions from './conventions.json' with { type: 'json' }

/**
 * Current names of deprecated attributes, and types of attributes. Names without a dot are left out, because users give
 * such names to their own tags, and names whose replacement has another meaning (`http.target` includes the query).
 */
const renamed: ReadonlyMap<string, string> = new Map(Object.entries(conventions.renamed))
type Type = 'number' | 'text' | 'boolean'
const types: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...conventions.numbers.map((key): [string, Type] => [key, 'number']),
  ...conventions.texts.map((key): [string, Type] => [key, 'text']),
  ...conventions.booleans.map((key): [string, Type] => [key, 'boolean']),
])

const numberForm = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** The current name of an attribute: itself, unless it is deprecated. */
export const currentName = (key: string): string => renamed.get(key) ?? key

/** Whether the conventions give values of this name a type. */
export const isTyped = (key: string): boolean => types.has(key)

/** A value in the type of its attribute, if it has such a form. Otherwise it stays. */
export function typed(key: string, value: unknown): unknown {
  const type = types.get(key)
  if (type === 'number' && typeof value === 'string' && numberForm.test(value)) return Number(value)
  if (type === 'text' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
  if (type === 'boolean' && typeof value === 'string' && /^(?:true|false)$/i.test(value))
    return value.toLowerCase() === 'true'
  return value
}

/** Attributes with their current names and types. An attribute that has its current name too wins. */
export function conventional(attributes: Loose): Loose {
  const out: Loose = {}
  for (const key in attributes) {
    const value = own(attributes, key)
    if (value === undefined || value === null) continue
    const name = renamed.get(key)
    if (name === undefined) out[key] = typed(key, value)
    else if (own(attributes, name) === undefined) out[name] = typed(name, value)
  }
  return out
}

/** The same for an object that nobody else reads: it is copied only if a name changes, which current SDKs avoid. */
export function ownConventional(attributes: Loose): Loose {
  for (const key in attributes) if (renamed.has(key)) return conventional(attributes)
  for (const key in attributes) {
    const value = attributes[key]
    const changed = typed(key, value)
    if (changed !== value) attributes[key] = changed
  }
  return attributes
}
