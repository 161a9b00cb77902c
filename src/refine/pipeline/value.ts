import type { EventError, Meta } from '../../domain/event.ts'
import type { Json } from '../../wire/json.ts'
import { jsonOpenedMax } from '../../wire/otlp-walk.ts'

/** Any JSON object from JSON.parse. Read untrusted keys only with `own`. */
export type Loose = { [key: string]: unknown }

/** The reader's path in the normalized event, its metadata notes and processing errors. */
export type MetaNotes = { path: (string | number)[]; meta: Meta; errors: EventError[] }

/** Levels of the received JSON that are kept. Deeper values become a text. */
export const receivedDepthMax = 100
const errorsMax = 50

/**
 * Parsed JSON of a payload, or why parsing failed. `repaired`: lone surrogates or NUL were replaced. `sent`: bytes and
 * text, if the value was parsed without any repair.
 */
export type Parsed = { value: unknown; repaired: boolean; sent?: Sent } | { broken: true }

/** A payload as received: bytes of valid JSON and their text. */
export type Sent = { bytes: Uint8Array; text: string }

/** The value as an object; undefined for everything else, including arrays. */
export function object(value: unknown): Loose | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : undefined
}

/** `value[key]` if it is an own property, otherwise undefined: `constructor` and `__proto__` read as absent. */
export function own(value: Loose, key: string): unknown {
  // JSON has no functions. Except for __proto__, all inherited properties are functions. Half the cost of hasOwn.
  const found = value[key]
  return typeof found === 'function' || key === '__proto__' ? undefined : found
}

/** Reads `{values: [...]}`, a list or a single object as a list. Null and absent give an empty list. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const entry = object(value)
  if (!entry) return []
  const values = own(entry, 'values')
  if (Array.isArray(values)) return values
  if (values !== undefined) return object(values) ? [values] : []
  return Object.keys(entry).length ? [entry] : []
}

/** A scalar as text. True becomes "True", as in Python. Objects and null give undefined. */
export function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return undefined
}

/** A whole number from a number or a text of digits. Anything else gives undefined. */
export function whole(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : undefined
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value)
  return undefined
}

/** true or false, also from the texts "true" and "false". Anything else gives undefined. */
export function truth(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === 'true') return true
  if (value === 'false') return false
  return undefined
}

/** Adds a metadata note to `_meta` at the reader's path plus `leaf`. */
export function addMeta(to: MetaNotes, leaf: string | number, meta: NonNullable<Meta['']>): void {
  let node = to.meta as Loose
  // An empty leaf means the path itself.
  for (const key of leaf === '' ? to.path : [...to.path, leaf]) {
    const name = key === '__proto__' ? '[__proto__]' : String(key)
    let next = object(own(node, name))
    if (!next) {
      next = {}
      node[name] = next
    }
    node = next
  }
  const old = (object(own(node, '')) ?? {}) as NonNullable<Meta['']>
  const rem = [...(Array.isArray(old.rem) ? old.rem : []), ...(meta.rem ?? [])]
  const err = [...(Array.isArray(old.err) ? old.err : []), ...(meta.err ?? [])]
  node[''] = { ...old, ...meta, ...(rem.length ? { rem } : {}), ...(err.length ? { err } : {}) }
}

/** Adds a processing error to the event: at most 50 errors, with values cut to 100 characters. */
export function addError(to: MetaNotes, type: string, leaf: string | number, value?: unknown, reason?: string): void {
  if (to.errors.length >= errorsMax) return
  const short =
    typeof value === 'string'
      ? value.slice(0, 100)
      : typeof value === 'number' || typeof value === 'boolean'
        ? value
        : undefined
  to.errors.push({
    type,
    name: [...to.path, leaf].join('.'),
    ...(short === undefined ? {} : { value: short }),
    ...(reason ? { reason } : {}),
  })
}

/** Cuts a text to `max` characters if it is longer than `max + allowance`. Notes the cut and appends "...". */
export function clip(to: MetaNotes, leaf: string | number, text: string, max: number, allowance = 0): string {
  if (text.length <= max + allowance) return text
  const kept = max > 6 ? max - 3 : max
  addMeta(to, leaf, { len: text.length, rem: [['!limit', 'x', kept, max]] })
  return `${text.slice(0, kept).toWellFormed()}${max > 6 ? '...' : ''}`
}

/** Reads a text field: scalars become text, objects become JSON (noted). Empty and absent give undefined. */
export function text(
  to: MetaNotes,
  leaf: string | number,
  value: unknown,
  max: number,
  allowance = 0,
): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string' && value.length <= max) return value
  const simple = scalar(value)
  if (simple !== undefined) return clip(to, leaf, simple, max, allowance)
  addMeta(to, leaf, { err: ['expected a string'] })
  return clip(to, leaf, JSON.stringify(bounded(to, leaf, value, { depth: 5, bytes: max * 2 })), max, allowance)
}

/** Limits of a copy: levels, approximate JSON size in bytes, and bytes of a single text. */
type Bounds = { depth: number; bytes: number; text?: number }

/** Copies any JSON within bounds and notes each omission at its place. Never recurses over `depth`. */
export function bounded(to: MetaNotes, leaf: string | number, value: unknown, bounds: Bounds): Json {
  const left = { bytes: bounds.bytes }
  return copy(to, leaf, value, bounds.depth, left, bounds.text ?? bounds.bytes)
}

function copy(
  to: MetaNotes,
  leaf: string | number,
  value: unknown,
  depth: number,
  left: { bytes: number },
  textMax: number,
): Json {
  if (typeof value === 'string') {
    const room = Math.max(0, Math.min(left.bytes, textMax))
    left.bytes -= Math.min(value.length, room) + 2
    return value.length > room ? clip(to, leaf, value, room) : value
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
    left.bytes -= 5
    return value
  }
  if (typeof value !== 'object') return null
  if (depth <= 0) {
    addMeta(to, leaf, { rem: [['!limit', 'x']] })
    return Array.isArray(value) ? `[Array of ${value.length}]` : '[Object]'
  }
  to.path.push(leaf)
  const out = Array.isArray(value)
    ? copyList(to, value, depth, left, textMax)
    : copyObject(to, value as Loose, depth, left, textMax)
  to.path.pop()
  return out
}

function copyList(to: MetaNotes, value: unknown[], depth: number, left: { bytes: number }, textMax: number): Json {
  const out: Json[] = []
  for (let i = 0; i < value.length; i++) {
    if (left.bytes <= 0) {
      addMeta(to, '', { len: value.length, rem: [['!limit', 'x']] })
      break
    }
    out.push(copy(to, i, value[i], depth - 1, left, textMax))
  }
  return out
}

function copyObject(to: MetaNotes, value: Loose, depth: number, left: { bytes: number }, textMax: number): Json {
  const out: { [key: string]: Json } = {}
  let taken = 0
  for (const key in value) {
    if (left.bytes <= 0) {
      addMeta(to, '', { len: taken, rem: [['!limit', 'x']] })
      break
    }
    taken += 1
    const name = safeKey(key)
    left.bytes -= name.length + 3
    out[name] = copy(to, name, value[key], depth - 1, left, textMax)
  }
  return out
}

/** A key that is safe to assign: `__proto__` would set a prototype. Keys over 200 characters are cut. */
export function safeKey(key: string): string {
  if (key === '__proto__') return '[__proto__]'
  return key.length > 200 ? key.slice(0, 200).toWellFormed() : key
}

/** Like `bounded`, but returns an object: other values become `{value}`, null and absent give undefined. */
export function boundedObject(
  to: MetaNotes,
  leaf: string | number,
  value: unknown,
  bounds: Bounds,
): { [key: string]: Json } | undefined {
  if (value === undefined || value === null) return undefined
  const copied = bounded(to, leaf, object(value) ?? { value }, bounds)
  return typeof copied === 'object' && copied !== null && !Array.isArray(copied) ? copied : undefined
}

/**
 * Whether a JSON text has so many objects and lists that parsed they would exhaust the memory: four million `{}` fit into
 * a container of 12 MiB. Brackets inside of strings are counted only if all brackets are too many.
 */
function hasTooManyValues(bytes: Uint8Array): boolean {
  if (bytes.length <= jsonOpenedMax) return false
  let brackets = 0
  for (const byte of bytes) if (byte === 0x7b || byte === 0x5b) brackets++
  if (brackets <= jsonOpenedMax) return false
  let opened = 0
  let inText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x22) inText = !inText
    else if (inText && byte === 0x5c) at++
    else if (!inText && (byte === 0x7b || byte === 0x5b)) opened++
  }
  return opened > jsonOpenedMax
}

/**
 * Parses an untrusted payload. Replaces invalid UTF-8, lone surrogates and NUL by U+FFFD. A text with over 1,500,000
 * objects and lists is broken. The value can be nested too deep for recursion: read it with `bounded`, and let the
 * scrubber cut it before it is written. Never throws.
 */
export function parsePayload(bytes: Uint8Array): Parsed {
  if (hasTooManyValues(bytes)) return { broken: true }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const decoded = buffer.toString('utf8')
  const source = decoded.charCodeAt(0) === 0xfeff ? decoded.slice(1) : decoded
  const repaired = source.includes('\\u') && /\\u(?:0000|[dD][89a-fA-F])/.test(source)
  let value = parsed(source)
  if (value !== undefined && !repaired) return { value, repaired, sent: { bytes, text: source } }
  if (value === undefined && /NaN|Infinity/.test(source)) value = parsed(withoutNonNumbers(source))
  if (value === undefined) return { broken: true }
  return { value: repaired ? repair(value, receivedDepthMax) : value, repaired }
}

/** The JSON of a value; undefined if it is too deep: JSON.parse reads any number of levels, but JSON.stringify recurses. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The result of JSON.parse or undefined. It does not recurse. Readers of deep values must not recurse either. */
function parsed(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

/** Replaces NaN and Infinity, which some serializers write, by null outside of strings. One pass. */
function withoutNonNumbers(source: string): string {
  let out = ''
  let from = 0
  let inString = false
  for (let i = 0; i < source.length; i++) {
    const sign = source.charCodeAt(i)
    if (inString) {
      if (sign === 92) i += 1
      else if (sign === 34) inString = false
      continue
    }
    if (sign === 34) inString = true
    const word = sign === 78 ? 'NaN' : sign === 73 ? 'Infinity' : ''
    if (!word || !source.startsWith(word, i)) continue
    const start = source.charCodeAt(i - 1) === 45 ? i - 1 : i
    out += `${source.slice(from, start)}null`
    i += word.length - 1
    from = i + 1
  }
  return out + source.slice(from)
}

/** Repairs JSON that was not read from bytes: replaces lone surrogates and NUL, cuts at `receivedDepthMax` levels. */
export function wellFormed(value: unknown): unknown {
  return repair(value, receivedDepthMax)
}

function repair(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD')
  if (typeof value !== 'object' || value === null) return value
  if (depth <= 0) return Array.isArray(value) ? '[Array: nested too deep]' : '[Object: nested too deep]'
  if (Array.isArray(value)) return value.map((entry) => repair(entry, depth - 1))
  const out: Loose = {}
  for (const key of Object.keys(value)) out[safeKey(String(repair(key, 1)))] = repair((value as Loose)[key], depth - 1)
  return out
}
