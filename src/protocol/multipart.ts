/** One part of a multipart/form-data body; `bytes` is a view into it, no copy. */
export type MultipartPart = {
  /** The form field's name; '' when the part names none. */
  name: string
  /** Last segment of the file name as sent, so that `../` and folders are gone; absent for plain fields. */
  filename?: string
  contentType?: string
  bytes: Buffer
  /** Where its bytes start in the body. */
  at: number
}

export type MultipartError = { at: number; what: string }

/** Longest head of one part. */
export const partHeadBytesMax = 16 * 1024

/** The boundary of a multipart/form-data content type, 1 to 70 characters; undefined for other types or without one. */
export function readBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return undefined
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?=\s*(?:;|$))/i.exec(contentType)
  return found?.[1] ?? found?.[2]
}

/**
 * Parses a multipart/form-data body by the boundary of its content type. `value` is undefined when there is no
 * boundary, more than `partsMax` parts, or a part is broken or not closed; `errors` has the byte position. Never throws.
 */
export function parseMultipart(
  bytes: Buffer,
  contentType: string,
  partsMax = 1000,
): { value: MultipartPart[] | undefined; errors: MultipartError[] } {
  const boundary = readBoundary(contentType)
  const fail = (at: number, what: string) => ({ value: undefined, errors: [{ at, what }] })
  if (boundary === undefined) return fail(0, 'the content type has no boundary')
  const delimiter = Buffer.from(`--${boundary}`)
  const parts: MultipartPart[] = []
  let at = findDelimiter(bytes, delimiter, 0)
  if (at === -1) return fail(0, 'the boundary does not occur')
  for (;;) {
    at += delimiter.length
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return { value: parts, errors: [] }
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return fail(at, 'no line end behind a boundary')
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

/** Position of the next delimiter that stands at the start of the body or of a line; -1 when there is none. */
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

/**
 * Counts the parts of a multipart body that arrives in pieces, with the memory of one boundary. `parts` counts the
 * opened ones; `closed` says that the last boundary came.
 */
export class MultipartCount {
  parts = 0
  closed = false
  readonly #delimiter: Buffer
  /** The end of the last piece, where a boundary may have begun; a line end is put before the first. */
  #tail = Buffer.from('\r\n')

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  push(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#tail, chunk])
    // Two bytes more than the delimiter decide whether it opens a part (\r\n) or closes the body (--).
    const whole = this.#delimiter.length + 2
    let from = 0
    for (let at = bytes.indexOf(this.#delimiter); at !== -1; at = bytes.indexOf(this.#delimiter, from)) {
      const mark = at + this.#delimiter.length
      if (mark + 2 > bytes.length) {
        from = at
        break
      }
      if (bytes[mark] === 0x2d && bytes[mark + 1] === 0x2d) this.closed = true
      else if (!this.closed) this.parts++
      from = mark
    }
    this.#tail = bytes.subarray(Math.max(from, bytes.length - whole + 1))
  }
}
