import { jsonOpenedMax } from './otlp-walk.ts'

/** Senders of log drains. Each has a path: `/integration/vercel/logs`. */
export const drainNames = ['vercel', 'heroku'] as const
export type DrainName = (typeof drainNames)[number]

/** How the lines of a body are told apart: a JSON list, a JSON value per text line, or frames of syslog. */
export type DrainFormat = 'json' | 'ndjson' | 'syslog'

const formats: Readonly<Record<DrainName, ReadonlyMap<string, DrainFormat>>> = {
  vercel: new Map([
    ['application/json', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson', 'ndjson'],
    ['application/jsonl', 'ndjson'],
  ]),
  heroku: new Map([['application/logplex-1', 'syslog']]),
}

/** Limit of a decompressed body. Heroku sends at most some hundred lines at once, Vercel at most some thousand. */
export const drainBytesMax = 20 * 1024 * 1024
/** Lines of one body that are read. The others count as too many. */
export const drainLinesMax = 20_000

/** The content types of a sender. */
export const drainTypes = (drain: DrainName): string => [...formats[drain].keys()].join(' or ')

/** The format of a body by its content type; undefined for all others. Parameters such as a charset are ignored. */
export function drainFormatOf(drain: DrainName, contentType: string): DrainFormat | undefined {
  const semicolon = contentType.indexOf(';')
  return formats[drain].get((semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase())
}

/**
 * Counts lines while a body arrives. It keeps nothing of the body. `isTooLarge`: the body has so many objects and lists
 * that parsed they would exhaust the memory.
 */
export type LineCount = { lines: number; isTooLarge: boolean; push(chunk: Buffer): void }

export const createLineCount = (format: DrainFormat): LineCount =>
  format === 'syslog' ? new FrameCount() : new TextCount(format === 'json')

const [newLine, quote, comma, backslash, openList, closeList, openObject, closeObject] = [
  10, 34, 44, 92, 91, 93, 123, 125,
]
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === newLine

/** Text lines that are not blank, or the entries of a JSON list (an object is one). It does not check the JSON. */
class TextCount implements LineCount {
  lines = 0
  readonly #isList: boolean
  #opened = 0
  #isNext = true
  /** The outermost value is a list, so its commas separate lines. */
  #isOuterList = false
  #depth = 0
  #inText = false
  #isEscaped = false

  constructor(isList: boolean) {
    this.#isList = isList
  }

  get isTooLarge(): boolean {
    return this.#opened > jsonOpenedMax
  }

  push(chunk: Buffer): void {
    for (const byte of chunk)
      if (this.#isList) this.#sign(byte)
      else this.#lineSign(byte)
  }

  #lineSign(byte: number): void {
    if (byte === newLine) {
      this.#isNext = true
      // A text does not go on in the next line.
      this.#inText = false
      this.#isEscaped = false
      return
    }
    if (this.#isNext && !isBlank(byte)) this.#begin()
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#inText && byte === backslash) this.#isEscaped = true
    else if (byte === quote) this.#inText = !this.#inText
    else if (!this.#inText && (byte === openList || byte === openObject)) this.#opened++
  }

  #begin(): void {
    this.lines++
    this.#isNext = false
  }

  #sign(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#inText) {
      if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#inText = false
    } else if (byte === closeList || byte === closeObject) this.#depth--
    else if (byte === comma) this.#isNext ||= this.#isOuterList && this.#depth === 1
    else if (!isBlank(byte)) {
      const isOuterList = byte === openList && this.#depth === 0
      this.#isOuterList ||= isOuterList
      if (this.#isNext && !isOuterList && this.#depth <= 1) this.#begin()
      if (byte === quote) this.#inText = true
      else if (byte === openList || byte === openObject) {
        this.#depth++
        this.#opened++
      }
    }
  }
}

/** Frames of syslog: `<bytes> <frame>`. What follows a broken count is one more line. */
class FrameCount implements LineCount {
  lines = 0
  readonly isTooLarge = false
  #left = 0
  #digits = 0
  #isBroken = false

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isBroken; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at)
        this.#left -= taken
        at += taken
        continue
      }
      const byte = chunk[at++] ?? 0
      if (byte >= 48 && byte <= 57 && this.#digits < 1e8) this.#digits = this.#digits * 10 + byte - 48
      else if (byte === 0x20 && this.#digits > 0) {
        this.lines++
        this.#left = this.#digits
        this.#digits = 0
      } else if (!isBlank(byte)) {
        this.lines++
        this.#isBroken = true
      }
    }
  }
}
