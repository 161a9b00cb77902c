/** One part of a multipart/form-data body. `bytes` is a view, not a copy. */
export type MultipartPart = {
  /** The form field's name; '' if the part has none. */
  name: string
  /** Last segment of the file name as sent, without `../` and folders. Absent for text fields. */
  filename?: string
  contentType?: string
  bytes: Buffer
  /** Start of its bytes in the body. */
  at: number
}

type MultipartError = { at: number; what: string }

/** Limit of a part's head in bytes. */
const partHeadBytesMax = 16 * 1024

/** Returns the boundary of a multipart/form-data content type, 1 to 70 characters; undefined without a boundary. */
export function readBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?=\s*(?:;|$))/i.exec(contentType)
  return found?.[1] ?? found?.[2]
}

/**
 * Parses a multipart/form-data body by the boundary of its content type. `value` is undefined without a boundary, with
 * more than `partsMax` parts, or if a part is malformed or not closed; `errors` has the byte position. Never throws.
 */
export function parseMultipart(
  bytes: Buffer,
  contentType: string,
  partsMax = 1000,
): { value: MultipartPart[] | undefined; errors: MultipartError[] } {
  const boundary = readBoundary(contentType)
  if (boundary !== undefined) return parseParts(bytes, boundary, partsMax)
  return { value: undefined, errors: [{ at: 0, what: 'the content type has no boundary' }] }
}

/** Like `parseMultipart`, with a known boundary. Never throws. */
export function parseParts(
  bytes: Buffer,
  boundary: string,
  partsMax = 1000,
): { value: MultipartPart[] | undefined; errors: MultipartError[] } {
  const fail = (at: number, what: string) => ({ value: undefined, errors: [{ at, what }] })
  const delimiter = Buffer.from(`--${boundary}`)
  const parts: MultipartPart[] = []
  let at = findDelimiter(bytes, delimiter, 0)
  if (at === -1) return fail(0, 'the boundary does not occur')
  for (;;) {
    at += delimiter.length
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return { value: parts, errors: [] }
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return fail(at, 'no line end after a boundary')
    const headEnd = bytes.subarray(lineEnd, lineEnd + partHeadBytesMax).indexOf('\r\n\r\n')
    if (headEnd === -1) return fail(lineEnd, 'the head of a part does not end')
    const start = lineEnd + headEnd + 4
    // The search starts at the blank line's second line end, so that an empty part is found too.
    const next = findDelimiter(bytes, delimiter, start - 2)
    if (next === -1) return fail(start, 'a part is not closed by the boundary')
    if (parts.length === partsMax) return fail(at, `more than ${partsMax} parts`)
    const head = bytes.toString('utf8', lineEnd + 2, lineEnd + headEnd + 2)
    parts.push(readPart(head, bytes.subarray(start, Math.max(start, next - 2)), start))
    at = next
  }
}

/** Returns the position of the next delimiter at the start of the body or of a line; -1 if there is none. */
function findDelimiter(bytes: Buffer, delimiter: Buffer, from: number): number {
  let at = bytes.indexOf(delimiter, from)
  while (at > 0 && !(bytes[at - 1] === 0x0a && bytes[at - 2] === 0x0d)) at = bytes.indexOf(delimiter, at + 1)
  return at
}

function readPart(head: string, bytes: Buffer, at: number): MultipartPart {
  const part: MultipartPart = { name: '', bytes, at }
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (name === 'content-type') part.contentType = value
    if (name !== 'content-disposition') continue
    part.name = readParameter(value, 'name') ?? ''
    const filename = readExtended(value) ?? readParameter(value, 'filename')
    if (filename !== undefined)
      part.filename = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  }
  return part
}

function readParameter(value: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]*))`, 'i').exec(value)
  if (found?.[1] !== undefined) return found[1].replace(/\\(["\\])/g, '$1').replace(/%22/g, '"')
  return found?.[2]
}

/** `filename*=UTF-8''caf%C3%A9.txt`. */
function readExtended(value: string): string | undefined {
  const found = /;\s*filename\*=utf-8'[^']*'([^\s;]+)/i.exec(value)
  if (found?.[1] === undefined) return undefined
  try {
    return decodeURIComponent(found[1])
  } catch {
    return undefined
  }
}

/** Result of a scan for a part: its head, and the requested number of first bytes. */
export type ScannedPart = { name: string; filename?: string; bytes: number; first: Buffer }

/** Copies a text. A substring would keep its source in memory: up to 16 KiB of a head for a name of 10. */
const copied = (text: string) => Buffer.from(text).toString()

/**
 * Reads a multipart body from pieces, with the memory of one part's head and of the bytes that `keep` requests. `keep`
 * returns how many first bytes of a part are needed. It is called after each head; its exceptions leave `push`, so a
 * piece of many parts stops at the first excess part. `closed`: the last boundary arrived. `broken`: bad framing.
 */
export class MultipartScan {
  readonly parts: ScannedPart[] = []
  closed = false
  broken: string | undefined
  readonly #delimiter: Buffer
  readonly #keep: (part: ScannedPart) => number
  #state: 'body' | 'head' = 'body'
  /** Undecided bytes: a possible start of a boundary, or an incomplete head. Starts with an added line end. */
  #tail = Buffer.from('\r\n')
  #part: ScannedPart | undefined
  #wanted = 0
  readonly #sink: ((part: ScannedPart, bytes: Buffer) => void) | undefined
  /** Remaining bytes of the blank line's end before the content. */
  #skip = 0

  /** `sink` gets each part's content in pieces, first an empty piece, so that it also sees a part without content. */
  constructor(
    boundary: string,
    keepBytes: (part: ScannedPart) => number = () => 0,
    sink?: (part: ScannedPart, bytes: Buffer) => void,
  ) {
    this.#sink = sink
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
    this.#keep = keepBytes
  }

  push(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#tail, chunk])
    while (!this.closed && this.broken === undefined) {
      const next = this.#state === 'head' ? this.#readHead(bytes) : this.#readBody(bytes)
      if (next === undefined) break
      bytes = bytes.subarray(next)
    }
    this.#tail = this.closed ? Buffer.alloc(0) : Buffer.from(this.#state === 'head' ? bytes : this.#rest(bytes))
  }

  /** Reads content up to the next boundary. Returns the start of the next head; undefined if there is none yet. */
  #readBody(bytes: Buffer): number | undefined {
    const at = bytes.indexOf(this.#delimiter)
    // The two bytes after the delimiter show whether it opens a part (\r\n) or closes the body (--).
    const boundaryEnd = at + this.#delimiter.length
    if (at === -1 || boundaryEnd + 2 > bytes.length) return undefined
    this.#take(bytes.subarray(0, at))
    this.#part = undefined
    if (bytes[boundaryEnd] === 0x2d && bytes[boundaryEnd + 1] === 0x2d) this.closed = true
    this.#state = 'head'
    return boundaryEnd
  }

  /** Reads the rest of a boundary's line and the following head. Returns the content's start, minus its line end. */
  #readHead(bytes: Buffer): number | undefined {
    const lineEnd = bytes.indexOf('\r\n')
    const headEnd = lineEnd === -1 ? -1 : bytes.indexOf('\r\n\r\n', lineEnd)
    if (headEnd === -1 || headEnd - lineEnd > partHeadBytesMax) {
      if (bytes.length > partHeadBytesMax * 2 || headEnd !== -1) this.broken = 'the head of a part does not end'
      return undefined
    }
    const { name, filename } = readPart(bytes.toString('utf8', lineEnd + 2, headEnd), bytes, 0)
    this.#part = { name: copied(name), bytes: 0, first: Buffer.alloc(0) }
    if (filename !== undefined) this.#part.filename = copied(filename)
    this.#skip = 2
    this.#wanted = this.#keep(this.#part)
    this.parts.push(this.#part)
    this.#sink?.(this.#part, Buffer.alloc(0))
    this.#state = 'body'
    // The search starts at the blank line's second line end, so that an empty part is found too.
    return headEnd + 2
  }

  /** Returns the bytes that can start a boundary, and passes the others to the part. */
  #rest(bytes: Buffer): Buffer {
    const from = Math.max(0, bytes.length - this.#delimiter.length - 1)
    this.#take(bytes.subarray(0, from))
    return bytes.subarray(from)
  }

  #take(bytes: Buffer): void {
    const part = this.#part
    if (part === undefined) return
    const content = bytes.subarray(this.#skip)
    this.#skip -= Math.min(this.#skip, bytes.length)
    part.bytes += content.length
    if (content.length > 0) this.#sink?.(part, content)
    const missing = this.#wanted - part.first.length
    if (missing > 0 && content.length > 0) part.first = Buffer.concat([part.first, content.subarray(0, missing)])
  }
}
