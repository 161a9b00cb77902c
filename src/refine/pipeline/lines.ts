import { isUtf8 } from 'node:buffer'
import { encodeEventHead, encodeJson } from '../../store/events/encode.ts'
import type { EventRow } from '../../store/events/events.ts'

/** Both forms of an event as its row has them: `sent` are the client's bytes, when they are the received form as it is. */
export type Forms = { normal: string; received: string; sent?: Uint8Array | undefined }

/** The rows of a batch as one text in bytes, outside of the heap: 20 MB of strings that live for a batch cost more to
 * collect than to write. */
export type Lines = {
  /** Bytes so far; the place of the next line. */
  readonly size: number
  /** Appends one row's line. */
  write(row: EventRow, forms: Forms): void
  /** Appends a line that is encoded already, its line break included. */
  append(line: string): void
  /** Takes back everything behind `size`. */
  cut(size: number): void
  /** All lines. Nothing may be written after that: the memory is handed over. */
  take(): Uint8Array<ArrayBuffer>
}

const backslash = 92
const newline = 10
/** UTF-8 has at most 3 bytes for each unit of a string. */
const unitBytesMax = 3

/** Makes room for about `bytes` bytes, more when needed. */
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
    // the exact size would cost a pass of its own
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
      // bytes that need no escape go as they are: no decoding, no encoding
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

/** Whether nothing in a client's JSON of one line has to be escaped; a raw tab can stand between its values. */
function isPlain(sent: Uint8Array): boolean {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength)
  return !bytes.includes(backslash) && !bytes.includes(9) && isUtf8(bytes)
}

const encodeSent = (received: string) => encodeJson(received).replaceAll('\t', '\\t')
