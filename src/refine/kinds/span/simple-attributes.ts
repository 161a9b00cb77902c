import type { Json } from '../../../wire/json.ts'
import type { Loose } from '../../pipeline/value.ts'
import { currentName, isTyped, typed } from './conventions.ts'
import { type ByteBudget, keysMax, ownBytesMax, valueTextMax } from './parts.ts'

/** Attributes of a span or of a log line. `columns`: those that have a column of their own, and are not in `kept`. */
export type ReadAttributes = { columns: Loose; all: Loose; kept: { [key: string]: Json } }

/** What is known of a name. `current`: its current name. `isOdd`: it cannot be a key as it is. */
type Known = { current: string; isColumn: boolean; isOdd: boolean; hasType: boolean }

/** Names of one system are some hundred. What is over the limit is worked out each time. */
const knownMax = 4000
const nameMax = 200
const integerText = /^-?\d{1,15}$/

/** Reads attributes in one pass if nothing in them needs a repair; see `createSimpleAttributes`. */
type SimpleAttributes = (sent: unknown, added: Loose, budget: ByteBudget) => ReadAttributes | undefined

/**
 * Makes a function that reads attributes of span v2 (`{type, value}`) in one pass: current names and types, plain values,
 * bounds. Returns undefined if a value needs a cut, or two names are one: then the passes of `parts.ts` decide, which give the
 * same for all others. Nearly all spans and lines are simple, and a span has about 22 attributes: four passes with two
 * copies took a fifth of its time. `columns`: names with a column. `added`: further attributes, for names that are not sent.
 */
export function createSimpleAttributes(columns: ReadonlySet<string>): SimpleAttributes {
  const known = new Map<string, Known>()
  const knownOf = (name: string): Known => {
    const found = known.get(name)
    if (found) return found
    const current = currentName(name)
    const isOdd = name === '__proto__' || name.length > nameMax
    const made: Known = { current, isColumn: columns.has(current), isOdd, hasType: isTyped(current) }
    if (known.size < knownMax) known.set(name, made)
    return made
  }

  return (sent, added, budget) => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return undefined
    const apart: Loose = {}
    const kept: { [key: string]: Json } = {}
    const most = Math.min(ownBytesMax, budget.bytes)
    let [keys, bytes] = [0, 0]
    for (const name in sent) {
      const entry = (sent as Record<string, unknown>)[name] as { type?: unknown; value?: unknown } | null
      // A list has no value either, and is left out.
      const sentValue = entry?.value
      if (typeof entry !== 'object' || sentValue === undefined || sentValue === null) continue
      const { current, isColumn, isOdd, hasType } = knownOf(name)
      if (isOdd || (current !== name && (current in kept || Object.hasOwn(sent, current)))) return undefined
      const value = hasType || typeof sentValue === 'string' ? plainOf(current, sentValue, entry?.type) : sentValue
      if (isColumn) {
        apart[current] = value
        continue
      }
      if (typeof value === 'string' ? value.length > valueTextMax : typeof value === 'object' && !isShortList(value))
        return undefined
      bytes += sizeOf(current, value as Json)
      if (++keys > keysMax || bytes > most) return undefined
      kept[current] = value as Json
    }
    for (const name in added) {
      if (kept[name] !== undefined || apart[name] !== undefined) continue
      bytes += sizeOf(name, added[name] as Json)
      if (++keys > keysMax || bytes > most) return undefined
      kept[name] = added[name] as Json
    }
    budget.bytes -= bytes
    return { columns: apart, all: kept, kept }
  }
}

/** Bytes of an attribute as they count against the budget. */
const sizeOf = (name: string, value: Json): number =>
  name.length +
  6 +
  (typeof value === 'string'
    ? value.length
    : typeof value === 'number'
      ? 8
      : typeof value === 'object'
        ? JSON.stringify(value).length
        : value
          ? 4
          : 5)

const listMax = 20
/** No text of the list is cut, whatever escapes its JSON needs: an escape is at most 6 characters. */
const listTextMax = 160

/** Whether a value is a short list of texts, as SDKs send the headers of a request. One recorded span in eight has such. */
function isShortList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > listMax) return false
  let length = 0
  for (const entry of value) {
    if (typeof entry !== 'string') return false
    length += entry.length
  }
  return length <= listTextMax
}

/** A value in the type that the SDK states, then in that of its name. */
function plainOf(name: string, value: unknown, type: unknown): unknown {
  const isNumber = type === 'integer' || type === 'double'
  return typed(name, isNumber && typeof value === 'string' && integerText.test(value) ? Number(value) : value)
}
