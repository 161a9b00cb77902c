import { isUtf8 } from 'node:buffer'
import { encodeEventHead, encodeJson } from '../../store/events/encode.ts'
import type { EventRow } from '../../store/events/events.ts'

/** Both JSON forms of an event for its row. `sent`: the client's bytes, if they equal the received form. */
export type Forms = { normal: string; received: string; sent?: Uint8Array | undefined }

/** Encoded rows of a batch outside of the heap: collecting 20 MB of short-lived strings cost more than writing. */
export type Lines = {
  /** Bytes so far, which is the offset of the next line. */
  readonly size: number
  /** Appends the line of one row. */
  write(row: EventRow, forms: Forms): void
  /** Appends an encoded line, including its line break. */
  append(line: string): void
  /** Truncates the lines to `size` bytes. */
  cut(size: number): void
  /** Returns all lines and hands over their memory. Do not write after that. */
  take(): Uint8Array<ArrayBuffer>
}

const backslash = 92
const newline = 10
/** UTF-8 has at most 3 bytes per UTF-16 code unit. */
const unitBytesMax = 3

/** Makes lines with a capacity of `bytes` bytes. The buffer grows as needed. */
export function createLines(bytes: number): Lines {
  let buffer = Buffer.allocUnsafeSlow(Math.max(1024, bytes))
  let size = 0

  function reserve(more: number): void {
    if (size + more <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(size + more, buffer.length * 2))
    buffer.copy(larger, 0, 0, size)
    buffer = larger
  }

  function text(part: string): void {
    // Computing the exact size would need another pass.
    reserve(part.length * unitBytesMax)
    size += buffer.write(part, size, 'utf8')
  }

  return {
    get size() {
      return size
    },
    write: (row, { normal, received, sent }) => {
      text(encodeEventHead(row))
      text(encodeJson(normal))
      text('\\n')
      // Bytes that need no escape are copied: no decoding, no encoding.
      if (sent && isPlain(sent)) {
        reserve(sent.length)
        buffer.set(sent, size)
        size += sent.length
      } else text(sent ? encodeSent(received) : encodeJson(received))
      reserve(1)
      buffer[size++] = newline
    },
    append: text,
    cut: (to) => {
      size = Math.min(size, to)
    },
    take: () => new Uint8Array(buffer.buffer, buffer.byteOffset, size),
  }
}

/** Whether a client's one-line JSON needs no escape. A raw tab can occur between its values. */
function isPlain(sent: Uint8Array): boolean {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength)
  return !bytes.includes(backslash) && !bytes.includes(9) && isUtf8(bytes)
}

const encodeSent = (received: string) => encodeJson(received).replaceAll('\t', '\\t')
