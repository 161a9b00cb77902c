import { createRequire } from 'node:module'
import { pipeline, Readable, type Transform } from 'node:stream'
import {
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib'
import { MishapError } from '../base/errors.ts'

export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd'

/** Returns the single content coding of a header, or undefined if it is unknown or there are several. */
export function readEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return 'identity'
  const name = header.trim().toLowerCase()
  if (name === '' || name === 'identity') return 'identity'
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  return name === 'deflate' || name === 'br' || name === 'zstd' ? name : undefined
}

export type Inflater = {
  /**
   * Inflates a small body in one call, at half the cost of a stream. Returns undefined above `bytesMax`.
   * @throws ACCEPT_ENCODING_BROKEN if the body is broken or truncated.
   */
  inflateAll(encoding: Encoding, bytes: Buffer, bytesMax: number): Buffer | undefined
  /** Inflates piece by piece until the reader stops. Rejects with ACCEPT_ENCODING_BROKEN. */
  inflateStream(encoding: Encoding, source: AsyncIterable<Buffer>): AsyncIterable<Buffer>
}

/** The used part of brotli-wasm. The package's own types only fit its browser entry. */
type BrResult = { code: number; input_offset: number; buf: Uint8Array; free(): void }
type BrDecoder = { decompress(input: Uint8Array, outputBytes: number): BrResult; free(): void }
type BrModule = { DecompressStream: new () => BrDecoder }

/** The WebAssembly decoder copies its input, so it gets small pieces. */
const brChunkBytes = 16 * 1024
const brOutBytes = 64 * 1024
/** Codes of a brotli-wasm result. */
const brDone = 1
const brNeedsOutput = 3

/** Creates the decoders. br uses WebAssembly only: the decoder of the runtime has a published memory bug. */
export function createInflater(): Inflater {
  let brotli: BrModule | undefined
  // Loaded at the first br body: this compiles 1 MB of WebAssembly, and most servers never get a br body. The import
  // entry of the package fetches over the network, so this loads the CommonJS entry.
  const newBrotli = () => {
    brotli ??= createRequire(import.meta.url)('brotli-wasm') as BrModule
    return new brotli.DecompressStream()
  }

  return {
    inflateAll: (encoding, bytes, bytesMax) => {
      if (encoding === 'identity') return bytes.length > bytesMax ? undefined : bytes
      try {
        if (encoding === 'br') return inflateAllBr(newBrotli(), bytes, bytesMax)
        const options = { maxOutputLength: bytesMax }
        if (encoding === 'gzip') return gunzipSync(bytes, options)
        if (encoding === 'zstd') return zstdDecompressSync(bytes, options)
        return isZlib(bytes) ? inflateSync(bytes, options) : inflateRawSync(bytes, options)
      } catch (error) {
        if (isCode(error, 'ERR_BUFFER_TOO_LARGE')) return undefined
        throw broken(error)
      }
    },
    inflateStream: (encoding, source) => {
      if (encoding === 'identity') return source
      return rethrow(encoding === 'br' ? streamBr(newBrotli(), source) : streamZlib(encoding, source))
    },
  }
}

/** Decodes one piece of input and yields the output. Returns whether the stream is complete. */
function* feed(decoder: BrDecoder, bytes: Buffer): Generator<Buffer, boolean> {
  for (let from = 0; from < bytes.length; ) {
    let slice = bytes.subarray(from, from + brChunkBytes)
    from += slice.length
    for (;;) {
      const result = decoder.decompress(slice, brOutBytes)
      const { code, input_offset: used, buf } = result
      result.free()
      if (buf.length > 0) yield Buffer.from(buf.buffer, buf.byteOffset, buf.byteLength)
      if (code === brDone) return true
      slice = slice.subarray(used)
      if (code !== brNeedsOutput && slice.length === 0) break
    }
  }
  return false
}

function inflateAllBr(decoder: BrDecoder, bytes: Buffer, bytesMax: number): Buffer | undefined {
  try {
    const out: Buffer[] = []
    let size = 0
    const outputs = feed(decoder, bytes)
    for (let next = outputs.next(); ; next = outputs.next()) {
      if (next.done) {
        if (!next.value) throw new Error('ends early')
        return Buffer.concat(out)
      }
      size += next.value.length
      if (size > bytesMax) return undefined
      out.push(next.value)
    }
  } finally {
    decoder.free()
  }
}

async function* streamBr(decoder: BrDecoder, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let done = false
  try {
    for await (const chunk of source) {
      if (done) continue
      const outputs = feed(decoder, chunk)
      let next = outputs.next()
      for (; !next.done; next = outputs.next()) yield next.value
      done = next.value
    }
    if (!done) throw new Error('ends early')
  } finally {
    decoder.free()
  }
}

async function* streamZlib(
  encoding: 'gzip' | 'deflate' | 'zstd',
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) throw new Error('ends early')
  async function* all() {
    try {
      yield first.value as Buffer
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  const decoder = newDecoder(encoding, first.value)
  pipeline(Readable.from(all()), decoder, () => undefined)
  for await (const output of decoder) yield output as Buffer
}

function newDecoder(encoding: 'gzip' | 'deflate' | 'zstd', first: Buffer): Transform {
  if (encoding === 'gzip') return createGunzip()
  if (encoding === 'zstd') return createZstdDecompress()
  return isZlib(first) ? createInflate() : createInflateRaw()
}

/** Maps decoder failures to MishapError. Passes on our own errors (time-out, limits) and client aborts. */
async function* rethrow(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source
  } catch (error) {
    throw isCode(error, 'ECONNRESET') || error instanceof MishapError ? error : broken(error)
  }
}

/** Returns whether the bytes start with a zlib header (RFC 1950). Some clients send raw deflate data without it. */
function isZlib(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function broken(error: unknown): MishapError {
  if (error instanceof MishapError) return error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'ends early'
  return new MishapError('ACCEPT_ENCODING_BROKEN', { causes: [code] })
}
