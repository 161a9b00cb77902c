import { createRequire } from 'node:module'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { DumpForm } from '../../../wire/minidump.ts'

/** A compressed dump, decompressed within the limits. */
export type Unpacked =
  | {
      end: 'ok'
      /** Size of the whole dump in bytes. */
      bytes: number
      /** The beginning, at most `windowBytes`. Only this part is parsed. */
      head: Buffer
      /** Decompresses the whole dump again. */
      chunks(): AsyncIterable<Uint8Array>
    }
  | { end: 'broken' | 'too_large' }

/** Maximum size of a decompressed dump, equal to the limit of an attachment. */
export const unpackedBytesMax = 200 * 1024 * 1024
/** A dump can reach this size by any ratio, more by `ratioMax`: output costs the sender input bytes. */
export const freeBytes = 16 * 1024 * 1024
/** Real dumps decompress to 5 to 40 times their size. */
export const ratioMax = 200
/** The streams about the crash come before the memory, in the first megabytes. */
const windowBytes = 32 * 1024 * 1024
/** Small input pieces keep a decoder from running far beyond the limit before it is stopped. */
const inputBytes = 16 * 1024

class TooLarge extends Error {}

/** The maximum decompressed size of a dump with this compressed size. Both in bytes. */
export function unpackedMax(packedBytes: number): number {
  return Math.min(unpackedBytesMax, Math.max(freeBytes, packedBytes * ratioMax))
}

/**
 * Decompresses a dump once to check that it is complete and to learn its size. Keeps only its beginning in memory.
 * Never throws because of the data.
 */
export async function unpack(form: DumpForm, packed: Buffer): Promise<Unpacked> {
  const max = unpackedMax(packed.length)
  const headChunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of chunksOf(form, packed, max)) {
      if (bytes < windowBytes) headChunks.push(Buffer.from(chunk.subarray(0, windowBytes - bytes)))
      bytes += chunk.length
    }
  } catch (error) {
    return { end: error instanceof TooLarge ? 'too_large' : 'broken' }
  }
  return { end: 'ok', bytes, head: Buffer.concat(headChunks), chunks: () => chunksOf(form, packed, max) }
}

async function* chunksOf(form: DumpForm, packed: Buffer, max: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of decoded(form, packed, max)) {
    bytes += chunk.length
    if (bytes > max) throw new TooLarge()
    yield chunk
  }
}

function decoded(form: DumpForm, packed: Buffer, max: number): AsyncIterable<Uint8Array> {
  if (form === 'gzip') return throughZlib(createGunzip(), packed)
  if (form === 'zstd') return throughZlib(createZstdDecompress(), packed)
  if (form === 'xz') return throughXz(packed)
  return form === 'bzip2' ? throughBzip2(packed, max) : inChunks(packed)
}

async function* inChunks(packed: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < packed.length; at += inputBytes) yield packed.subarray(at, at + inputBytes)
}

async function* throughZlib(decoder: Transform, packed: Buffer): AsyncGenerator<Uint8Array> {
  pipeline(Readable.from(inChunks(packed)), decoder, () => undefined)
  try {
    for await (const chunk of decoder) yield chunk as Buffer
  } finally {
    decoder.destroy()
  }
}

type XzModule = { XzReadableStream: new (source: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array> }

// Both decoders load with the first dump of their format: they compile WebAssembly, and most servers never need them.
async function* throughXz(packed: Buffer): AsyncGenerator<Uint8Array> {
  const { XzReadableStream } = createRequire(import.meta.url)('xz-decompress') as XzModule
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(packed)
      controller.close()
    },
  })
  const reader = new XzReadableStream(source).getReader()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  if (bytes === 0) throw new Error('ends early')
}

type Bzip2 = { decompress(packed: Uint8Array, bytesMax: number): Uint8Array }

async function* throughBzip2(packed: Buffer, max: number): AsyncGenerator<Uint8Array> {
  const module = createRequire(import.meta.url)('@foxglove/wasm-bz2') as { init(): Promise<Bzip2> }
  const decoder = await module.init()
  try {
    yield decoder.decompress(packed, max)
  } catch (error) {
    throw String(error).includes('BZ_OUTBUFF_FULL') ? new TooLarge() : error
  }
}
