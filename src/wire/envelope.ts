import { normalizeId } from './ids.ts'
import type { Json } from './json.ts'

type EnvelopeHeader = {
  /** 32 lower-case hex. */
  eventId?: string
  /** As sent; should be RFC 3339. Used only for clock drift. */
  sentAt?: string
  dsn?: string
  /** Every key as sent, including those above. */
  all: { [key: string]: Json }
}

export type EnvelopeItem = {
  type: string
  headers: { [key: string]: Json }
  /** A view of the envelope's bytes, not a copy. */
  payload: Buffer
  /** Start of the payload in the envelope, in bytes. */
  at: number
}

type Envelope = { header: EnvelopeHeader; items: EnvelopeItem[] }

/** A fault and its byte position in the decompressed body. `what` never contains bytes of the sender. */
type EnvelopeError = {
  at: number
  kind: 'bad_envelope' | 'bad_event_id' | 'bad_item' | 'too_many_items'
  what: string
}

/** The position of an item's payload, in bytes. `bytes` grows while the payload arrives. */
export type ItemSpan = { type: string; headers: { [key: string]: Json }; at: number; bytes: number }

/** Limit of a header line in bytes. Real ones have 200 to 2,000. */
export const headerBytesMax = 256 * 1024

const newline = 0x0a
const inHeader = 0
const inItemHeader = 1
const inSizedPayload = 2
const behindPayload = 3
const inLinePayload = 4

/**
 * Parses an envelope's framing from pieces of any size. It stores only headers and positions, so 200 MiB need only the
 * memory of their headers. Call `push` for each piece, then `end`. Both return false once the envelope is malformed;
 * `error` then has the reason. Never throws.
 */
export class EnvelopeWalk {
  header: EnvelopeHeader | undefined = undefined
  readonly items: ItemSpan[] = []
  error: EnvelopeError | undefined = undefined
  /** Number of bytes so far. */
  bytes = 0
  #state = inHeader
  /** Missing bytes of a payload with a declared length. */
  #rest = 0
  /** Earlier pieces of an incomplete header line. */
  #line: Buffer[] = []
  #lineBytes = 0
  #item: ItemSpan = { type: '', headers: {}, at: 0, bytes: 0 }
  /** Total bytes of all header lines so far, which is the memory of the walk. */
  #headerBytes = 0
  readonly #itemsMax: number
  readonly #headerBytesMax: number

  /**
   * More than `itemsMax` items, or header lines longer than `headerBytes` in total, stop the walk, so that a body that
   * consists of headers costs little.
   */
  constructor(itemsMax = Number.POSITIVE_INFINITY, headerBytes = Number.POSITIVE_INFINITY) {
    this.#itemsMax = itemsMax
    this.#headerBytesMax = headerBytes
  }

  push(chunk: Buffer): boolean {
    let i = 0
    while (i < chunk.length && this.error === undefined) {
      if (this.#state <= inItemHeader) i = this.#pushLine(chunk, i)
      else if (this.#state === inSizedPayload) {
        const takenBytes = Math.min(this.#rest, chunk.length - i)
        this.#item.bytes += takenBytes
        this.#rest -= takenBytes
        i += takenBytes
        if (this.#rest === 0) this.#state = behindPayload
      } else if (this.#state === behindPayload) {
        if (chunk[i] !== newline)
          this.#fail(this.bytes + i, 'bad_envelope', `item ${this.items.length}: no newline after the payload`)
        this.#state = inItemHeader
        i++
      } else {
        const end = chunk.indexOf(newline, i)
        const stop = end === -1 ? chunk.length : end
        this.#item.bytes += stop - i
        if (end !== -1) this.#state = inItemHeader
        i = stop + 1
      }
    }
    this.bytes += chunk.length
    return this.error === undefined
  }

  end(): boolean {
    if (this.error !== undefined) return false
    if (this.#state <= inItemHeader) {
      const line = this.#takeLine()
      const at = this.bytes - line.length
      if (this.#state === inHeader) this.#readHeader(line.toString(), at)
      else this.#readItemHeader(line.toString(), at, this.bytes)
    }
    if (this.error === undefined && this.#state === inSizedPayload) {
      this.#fail(this.bytes, 'bad_envelope', `item ${this.items.length}: ${this.#rest} bytes of its length are missing`)
    }
    return this.error === undefined
  }

  #pushLine(chunk: Buffer, from: number): number {
    const end = chunk.indexOf(newline, from)
    const stop = end === -1 ? chunk.length : end
    if (this.#lineBytes + stop - from > headerBytesMax) {
      this.#fail(this.bytes + from, 'bad_envelope', `a header line is longer than ${headerBytesMax} bytes`)
      return stop
    }
    this.#headerBytes += stop - from
    if (this.#headerBytes > this.#headerBytesMax) {
      const what = `the header lines are longer than ${this.#headerBytesMax} bytes together`
      this.#fail(this.bytes + from, 'bad_envelope', what)
      return stop
    }
    if (end === -1) {
      this.#line.push(chunk.subarray(from))
      this.#lineBytes += stop - from
      return stop
    }
    const at = this.bytes + from - this.#lineBytes
    let text: string
    if (this.#lineBytes === 0) text = chunk.toString('utf8', from, stop)
    else {
      this.#line.push(chunk.subarray(from, stop))
      text = this.#takeLine().toString()
    }
    if (this.#state === inHeader) this.#readHeader(text, at)
    else this.#readItemHeader(text, at, this.bytes + stop + 1)
    return stop + 1
  }

  #takeLine(): Buffer {
    const line = Buffer.concat(this.#line)
    this.#line = []
    this.#lineBytes = 0
    return line
  }

  #readHeader(text: string, at: number) {
    if (text.trim() === '') return this.#fail(at, 'bad_envelope', 'the envelope header is empty')
    const all = readObject(text)
    if (all === undefined) return this.#fail(at, 'bad_envelope', 'the envelope header is not a JSON object')
    const header: EnvelopeHeader = { all }
    if (all.event_id !== undefined && all.event_id !== null) {
      const id = normalizeId(all.event_id)
      if (id === undefined)
        return this.#fail(at, 'bad_event_id', 'event_id of the envelope header is not a UUID, or is the nil UUID')
      header.eventId = id
    }
    if (typeof all.sent_at === 'string') {
      if (repeatsKey(text, 'sent_at')) return this.#fail(at, 'bad_envelope', 'the envelope header has sent_at twice')
      header.sentAt = all.sent_at
    }
    if (typeof all.dsn === 'string') header.dsn = all.dsn
    this.header = header
    this.#state = inItemHeader
  }

  #readItemHeader(text: string, at: number, payloadAt: number) {
    // Blank lines between items and at the end are ignored. Some clients write \r\n.
    if (text === '' || text === '\r') return
    const nth = this.items.length + 1
    const headers = readObject(text)
    if (headers === undefined) return this.#fail(at, 'bad_envelope', `item ${nth}: its header is not a JSON object`)
    const { type, length } = headers
    if (nth > this.#itemsMax) return this.#fail(at, 'too_many_items', `more than ${this.#itemsMax} items`)
    if (typeof type !== 'string' || type === '')
      return this.#fail(at, 'bad_envelope', `item ${nth}: its header has no type`)
    // Only servers create these. From outside they could pass a payload without the checks of its real type.
    if (type === 'integration')
      return this.#fail(at, 'bad_item', `item ${nth}: clients must not send the type integration`)
    this.#item = { type, headers, at: payloadAt, bytes: 0 }
    if (length === undefined || length === null) this.#state = inLinePayload
    else if (typeof length === 'number' && Number.isSafeInteger(length) && length >= 0) {
      this.#rest = length
      this.#state = length === 0 ? behindPayload : inSizedPayload
    } else return this.#fail(at, 'bad_envelope', `item ${nth}: length is not a whole number of bytes`)
    this.items.push(this.#item)
  }

  /** Returns the bytes of the last item. A declared length counts before it arrives. */
  get lastItemBytes(): number {
    return this.#item.bytes + this.#rest
  }

  #fail(at: number, kind: EnvelopeError['kind'], what: string): void {
    this.error = { at, kind, what }
  }
}

function readObject(text: string): { [key: string]: Json } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as { [key: string]: Json })
      : undefined
  } catch {
    return undefined
  }
}

/** Returns whether an object's JSON has `key` twice at its top level. JSON.parse silently takes the last value. */
function repeatsKey(text: string, key: string): boolean {
  const quoted = `"${key}"`
  const first = text.indexOf(quoted)
  if (first === -1 || text.indexOf(quoted, first + 1) === -1) return false
  let depth = 0
  let seen = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '{' || c === '[') depth++
    else if (c === '}' || c === ']') depth--
    else if (c === '"') {
      const start = i
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++
      if (depth === 1 && text.startsWith(quoted, start) && /^\s*:/.test(text.slice(i + 1, i + 64))) seen++
    }
  }
  return seen > 1
}

/**
 * Parses a decompressed envelope. `value` is undefined if the framing or a header is malformed; `errors` then has the
 * byte position. Payloads are views, neither parsed nor copied. Never throws.
 */
export function parseEnvelope(bytes: Buffer): { value: Envelope | undefined; errors: EnvelopeError[] } {
  const walk = new EnvelopeWalk()
  walk.push(bytes)
  walk.end()
  if (walk.error !== undefined || walk.header === undefined)
    return { value: undefined, errors: walk.error ? [walk.error] : [] }
  const items = walk.items.map(({ type, headers, at, bytes: size }) => ({
    type,
    headers,
    at,
    payload: bytes.subarray(at, at + size),
  }))
  return { value: { header: walk.header, items }, errors: [] }
}

/**
 * Reads the `trace` header (dynamic sampling context) as text values. Numbers and booleans become text, other values
 * are left out. Undefined if it is not an object or lacks trace_id or public_key. Never rejects an envelope.
 */
export function readTraceHeader(header: EnvelopeHeader): { [key: string]: string } | undefined {
  const trace = header.all.trace
  if (typeof trace !== 'object' || trace === null || Array.isArray(trace)) return undefined
  const read: { [key: string]: string } = {}
  for (const [key, value] of Object.entries(trace)) {
    if (typeof value === 'string') read[key] = value
    else if (typeof value === 'number' || typeof value === 'boolean') read[key] = String(value)
  }
  const id = normalizeId(read.trace_id)
  if (id === undefined || !read.public_key) return undefined
  read.trace_id = id
  if (read.transaction === undefined && read.segment_name !== undefined) read.transaction = read.segment_name
  return read
}
