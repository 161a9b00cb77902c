/** Returns whether `length` characters of `text` from `start` are hexadecimal, in either case. */
export function isHex(text: string, start = 0, length = text.length - start): boolean {
  if (length === 0 || start + length > text.length) return false
  for (let i = start; i < start + length; i++) {
    const c = text.charCodeAt(i)
    const letter = c | 0x20
    if (!(c >= 0x30 && c <= 0x39) && !(letter >= 0x61 && letter <= 0x66)) return false
  }
  return true
}

const nil = '0'.repeat(32)
const dashes = [8, 13, 18, 23]

/**
 * Normalizes an event, trace or replay id to 32 lower-case hex characters. Accepts 32 hex or a UUID with four dashes,
 * in either case. Anything else, and the nil UUID, gives undefined.
 */
export function normalizeId(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  let text = value
  if (text.length === 36) {
    for (const at of dashes) if (text.charCodeAt(at) !== 0x2d) return undefined
    text = text.slice(0, 8) + text.slice(9, 13) + text.slice(14, 18) + text.slice(19, 23) + text.slice(24)
  }
  if (text.length !== 32 || !isHex(text)) return undefined
  const id = text.toLowerCase()
  return id === nil ? undefined : id
}

/** Normalizes a span id to 16 lower-case hex characters. Anything else, and all zeros, gives undefined. */
export function normalizeSpanId(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length !== 16 || !isHex(value)) return undefined
  const id = value.toLowerCase()
  return id === '0000000000000000' ? undefined : id
}

/** Formats an id of 32 hex characters as a UUID with dashes. */
export function hyphenated(id: string): string {
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
}
