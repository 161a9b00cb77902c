import { normalizeId, normalizeSpanId } from './ids.ts'
import { type OtlpFormat, type OtlpSignal, type OtlpStep, otlpItemsMax, otlpShape } from './otlp.ts'

/**
 * Reads the framing of an OTLP body while it arrives: where its items (spans, log records) are, and whether they have
 * the ids that they need. It keeps nothing of the body, so its memory does not grow with it.
 */
export type OtlpWalk = {
  /** Items so far, with the rejected ones. */
  items: number
  /** Broken items, spans without two valid ids, and items over the limit of a body. */
  rejected: number
  /** Why the body is no OTLP message; undefined while it can be a message. */
  error: string | undefined
  /** The error is a limit: the body can be a message, but is too large. */
  isTooLarge: boolean
  push(chunk: Buffer): void
  /** The body is complete. */
  end(): void
}

/** Creates the walk of a body. */
export const createOtlpWalk = (format: OtlpFormat, signal: OtlpSignal): OtlpWalk =>
  format === 'json' ? new JsonWalk(signal) : new ProtobufWalk(signal)

const [traceIdField, spanIdField] = [1, 2]
const idBytes = [0, 16, 8]
const bothIds = 0b110
const varintBitsMax = 70
const fieldMax = 2 ** 29 - 1

/** Walks protobuf: the messages down to the items and the fields of each item, but not into those fields. */
class ProtobufWalk implements OtlpWalk {
  readonly #fields: readonly (readonly number[])[]
  readonly #itemLevel: number
  readonly #needsIds: boolean
  readonly isTooLarge = false
  items = 0
  rejected = 0
  error: string | undefined
  #at = 0
  /** Where the message of each open level ends. */
  readonly #ends: number[] = [Number.POSITIVE_INFINITY]
  #reads: 'tag' | 'varint' | 'length' = 'tag'
  #varint = 0
  #bits = 0
  #field = 0
  /** Bytes of the current field that are still to come. */
  #skip = 0
  /** The id that is being skipped (a field of the item, or 0), its length, and whether a byte of it is not 0. */
  #id = 0
  #idLength = 0
  #idBits = 0
  /** The valid ids of the current item. */
  #ids = 0
  /** The current item is broken. */
  #isBroken = false

  constructor(signal: OtlpSignal) {
    const { fields, needsIds } = otlpShape(signal)
    this.#fields = fields
    this.#itemLevel = fields.length
    this.#needsIds = needsIds
  }

  push(chunk: Buffer): void {
    for (let i = 0; i < chunk.length && this.error === undefined; ) {
      if (this.#skip > 0) {
        const taken = Math.min(this.#skip, chunk.length - i)
        if (this.#id !== 0) for (let j = i; j < i + taken; j++) this.#idBits |= chunk[j] ?? 0
        i += taken
        this.#at += taken
        this.#skip -= taken
        if (this.#skip === 0) this.#fieldEnd()
        continue
      }
      const byte = chunk[i++] ?? 0
      this.#at++
      this.#varint += (byte & 0x7f) * 2 ** this.#bits
      this.#bits += 7
      const isOpen = (byte & 0x80) !== 0
      if (isOpen && (this.#bits >= varintBitsMax || this.#at >= this.#end())) this.#broken('a number is cut off')
      else if (!isOpen) this.#number()
    }
  }

  end(): void {
    if (this.error !== undefined) return
    const isWhole = this.#ends.length === 1 && this.#skip === 0 && this.#bits === 0 && this.#reads === 'tag'
    if (!isWhole) this.error = `the body ends early, after ${this.#at} bytes`
  }

  #end(): number {
    return this.#ends.at(-1) ?? 0
  }

  #number(): void {
    const value = this.#varint
    this.#varint = 0
    this.#bits = 0
    if (this.#reads === 'varint') this.#fieldEnd()
    else if (this.#reads === 'length') this.#length(value)
    else this.#tag(value)
  }

  #tag(value: number) {
    this.#field = Math.floor(value / 8)
    const wire = value % 8
    if (this.#field < 1 || this.#field > fieldMax) return this.#broken(`there is no field ${this.#field}`)
    if (wire === 0) this.#reads = 'varint'
    else if (wire === 2) this.#reads = 'length'
    else if (wire === 1) return this.#skipped(8)
    else if (wire === 5) return this.#skipped(4)
    // Groups were removed from protobuf before OTLP existed.
    else return this.#broken(`there is no wire type ${wire}`)
    // The value of the field must follow within its message.
    if (this.#at >= this.#end()) this.#broken('a field has no value')
  }

  #length(value: number) {
    this.#reads = 'tag'
    const level = this.#ends.length - 1
    if (this.#at + value > this.#end()) return this.#broken('a field is longer than its message')
    if (level < this.#itemLevel && this.#fields[level]?.includes(this.#field)) {
      this.#ends.push(this.#at + value)
      if (level + 1 === this.#itemLevel) {
        this.items++
        this.#ids = 0
        this.#isBroken = false
      }
      return this.#pop()
    }
    if (this.#needsIds && level === this.#itemLevel && (this.#field === traceIdField || this.#field === spanIdField)) {
      this.#id = this.#field
      this.#idLength = value
      this.#idBits = 0
    }
    this.#skipped(value)
  }

  #skipped(bytes: number) {
    if (this.#at + bytes > this.#end()) return this.#broken('a field is longer than its message')
    this.#skip = bytes
    if (bytes === 0) this.#fieldEnd()
  }

  #fieldEnd(): void {
    this.#reads = 'tag'
    if (this.#id !== 0) {
      const bit = 1 << this.#id
      const isValid = this.#idLength === idBytes[this.#id] && this.#idBits !== 0
      // The last value of a repeated field counts.
      this.#ids = isValid ? this.#ids | bit : this.#ids & ~bit
      this.#id = 0
    }
    this.#pop()
  }

  /** Closes each message that ends here. */
  #pop(): void {
    while (this.#ends.length > 1 && this.#at === this.#end()) {
      if (this.#ends.length - 1 === this.#itemLevel && this.#isRejected()) this.rejected++
      this.#ends.pop()
    }
  }

  #isRejected(): boolean {
    return this.#isBroken || (this.#needsIds && this.#ids !== bothIds) || this.items > otlpItemsMax
  }

  /** A broken item is rejected alone: its message says where it ends. Elsewhere, nothing after the fault can be read. */
  #broken(what: string): void {
    this.#reads = 'tag'
    this.#varint = 0
    this.#bits = 0
    this.#id = 0
    if (this.#ends.length - 1 !== this.#itemLevel) {
      this.error = `byte ${this.#at}: ${what}`
      return
    }
    this.#isBroken = true
    this.#skip = this.#end() - this.#at
    // What follows of the item is skipped as if it were one field without an id.
    if (this.#skip === 0) this.#pop()
  }
}

const [quote, comma, colon, openList, backslash, closeList, openObject, closeObject] = [
  0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
]
/** Longer names and ids cannot be the ones that are looked for. */
const capturedMax = 40
/**
 * Objects and lists of a body. The shortest attribute takes 18 bytes for each, so 20 MiB of items have 1.2 million. Empty
 * objects would be seven million: 1.5 GB once they are parsed.
 */
export const jsonOpenedMax = 1_500_000
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/**
 * Walks JSON: brackets and texts, the names on the way to the items, and the ids of these. It does not check numbers,
 * words and the order of commas: a body that only those spoil is refused by the parser of refine.
 */
class JsonWalk implements OtlpWalk {
  /** What the brackets of each depth must be on the way to an item, the outermost first. */
  readonly #steps: readonly OtlpStep[]
  readonly #itemDepth: number
  readonly #needsIds: boolean
  isTooLarge = false
  items = 0
  rejected = 0
  error: string | undefined
  #at = 0
  #depth = 0
  #opened = 0
  /** The depth down to which the open brackets are the path to an item: an object or list for each level. */
  #matched = 0
  #isClosed = false
  #inText = false
  #isEscaped = false
  /** The text that is being read, if it matters. Only its beginning is kept. */
  #captured: string | undefined
  /** In a matched object: a name comes next. In the list of items: an entry comes next. */
  #isNext = false
  #name = ''
  #traceId = ''
  #spanId = ''

  constructor(signal: OtlpSignal) {
    const { steps, needsIds } = otlpShape(signal)
    this.#steps = steps
    this.#itemDepth = steps.length
    this.#needsIds = needsIds
  }

  push(chunk: Buffer): void {
    for (let i = 0; i < chunk.length && this.error === undefined; ) {
      const from = i
      if (this.#inText) i = this.#text(chunk, i)
      else {
        const byte = chunk[i++] ?? 0
        if (!isSpace(byte)) this.#sign(byte)
      }
      this.#at += i - from
    }
  }

  end(): void {
    if (this.error === undefined && !this.#isClosed) this.error = `the body ends early, after ${this.#at} bytes`
  }

  /** Reads a text up to its end or the end of the chunk. Returns where to go on. */
  #text(chunk: Buffer, from: number): number {
    let at = from
    let isEscaped = this.#isEscaped
    let byte = 0
    for (; at < chunk.length; at++) {
      byte = chunk[at] ?? 0
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quote) break
    }
    this.#isEscaped = isEscaped
    if (this.#captured !== undefined && this.#captured.length < capturedMax)
      this.#captured += chunk.toString('latin1', from, Math.min(at, from + capturedMax))
    if (at === chunk.length) return at
    this.#textEnd()
    return at + 1
  }

  #textEnd(): void {
    this.#inText = false
    const text = this.#captured
    if (text === undefined) return
    this.#captured = undefined
    if (this.#isNext) {
      this.#name = text
      this.#isNext = false
    } else if (this.#name === 'traceId') this.#traceId = text
    else if (this.#name === 'spanId') this.#spanId = text
  }

  #sign(byte: number): void {
    if (this.#isClosed || (this.#depth === 0 && byte !== openObject)) {
      this.error = this.#isClosed ? `byte ${this.#at}: text after the object` : 'the body is not a JSON object'
      return
    }
    const isOnPath = this.#matched === this.#depth
    const isInObject = this.#steps[this.#depth - 1]?.isList === false
    if (isOnPath && this.#depth === this.#itemDepth - 1 && this.#isNext && byte !== closeList) this.#entry(byte)
    if (byte === openObject || byte === openList) this.#open(byte, isOnPath)
    else if (byte === closeObject || byte === closeList) this.#close(byte)
    else if (byte === quote) {
      this.#inText = true
      if (isOnPath && isInObject && (this.#isNext || this.#depth === this.#itemDepth)) this.#captured = ''
    } else if (isOnPath && byte === comma) this.#isNext = true
    else if (isOnPath && byte === colon) this.#isNext = false
  }

  /** An entry of the list of items begins. */
  #entry(byte: number): void {
    this.#isNext = false
    this.items++
    if (byte !== openObject) this.rejected++
  }

  #open(byte: number, isOnPath: boolean): void {
    this.#depth++
    if (++this.#opened > jsonOpenedMax) {
      this.error = `more than ${jsonOpenedMax} objects and lists`
      this.isTooLarge = true
    }
    const step = this.#steps[this.#depth - 1]
    if (!isOnPath || !step) return
    const { isList, names } = step
    const fits = byte === (isList ? openList : openObject) && (!names || names.includes(this.#name))
    if (!fits) return
    this.#matched = this.#depth
    this.#isNext = true
    this.#name = ''
    this.#traceId = ''
    this.#spanId = ''
  }

  #close(byte: number): void {
    if (this.#matched === this.#depth) {
      if (byte !== (this.#steps[this.#depth - 1]?.isList ? closeList : closeObject)) {
        this.error = `byte ${this.#at}: the wrong bracket`
        return
      }
      if (this.#depth === this.#itemDepth && this.#isRejected()) this.rejected++
      this.#matched--
      this.#isNext = false
    }
    this.#depth--
    this.#isClosed = this.#depth === 0
  }

  #isRejected(): boolean {
    if (this.items > otlpItemsMax) return true
    return this.#needsIds && !(normalizeId(this.#traceId) && normalizeSpanId(this.#spanId))
  }
}
