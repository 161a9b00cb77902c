import { isUtf8 } from 'node:buffer'
import { encodeEventHead, encodeJson } from '../../store/events/encode.ts'
import type { EventRow } from '../../store/events/events.ts'
import type { Rows } from '../../store/events/row-file.ts'
import type { LineFile } from './line-files.ts'

/** Both JSON forms of an event for its row. `sent`: the client's bytes, if they equal the received form. */
export type Forms = { normal: string; received: string; sent?: Uint8Array | undefined }

/** Encoded rows of a batch outside of the heap: collecting 20 MB of short-lived strings cost more than writing. */
export type Lines<Taken = Rows> = {
  /** Bytes so far, which is the offset of the next line. */
  readonly size: number
  /** Appends the line of one row. */
  write(row: EventRow, forms: Forms): void
  /** Appends an encoded line, including its line break. */
  append(line: string): void
  /** Truncates the lines to `size` bytes. */
  cut(size: number): void
  /** Returns all lines and hands over their memory or their file. Do not write after that. */
  take(): Taken
}

const backslash = 92
const newline = 10
/** UTF-8 has at most 3 bytes per UTF-16 code unit. */
const unitBytesMax = 3

/**
 * Makes lines with a capacity of `bytes` bytes. The buffer grows as needed. With a file, the lines move there piece by
 * piece: rows of a batch took 20 MB of new memory, which went to the engine through two sockets and made V8 collect
 * whole heaps. A full disk ends that: the lines go on in memory, and their insert waits for space as before.
 */
export function createLines(bytes: number): Lines<Uint8Array<ArrayBuffer>>
export function createLines(bytes: number, file: LineFile | undefined): Lines
export function createLines(bytes: number, file?: LineFile): Lines {
  let target = file
  let buffer = target?.buffer ?? Buffer.allocUnsafeSlow(Math.max(1024, bytes))
  /** Bytes in the file, and behind them in the buffer. */
  let moved = 0
  let size = 0

  function moveOut(): void {
    if (!target || size === 0) return
    if (target.write(buffer.subarray(0, size), moved)) {
      moved += size
      size = 0
      return
    }
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, (moved + size) * 2))
    target.read(larger.subarray(0, moved))
    buffer.copy(larger, moved, 0, size)
    size += moved
    moved = 0
    buffer = larger
    target.drop()
    target = undefined
  }

  function reserve(more: number): void {
    if (size + more <= buffer.length) return
    moveOut()
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
      return moved + size
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
      size = Math.min(size, Math.max(0, to - moved))
      moved = Math.min(moved, to)
    },
    take: () => {
      moveOut()
      return target ? target.end(moved) : new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, size)
    },
  }
}

/** Whether a client's one-line JSON needs no escape. A raw tab can occur between its values. */
function isPlain(sent: Uint8Array): boolean {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength)
  return !bytes.includes(backslash) && !bytes.includes(9) && isUtf8(bytes)
}

const encodeSent = (received: string) => encodeJson(received).replaceAll('\t', '\\t')
