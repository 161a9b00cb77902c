import { createRequire } from 'node:module'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { DumpForm } from '../../../wire/minidump.ts'

/** A dump that came compressed, unpacked as far as its rules allow. */
export type Unpacked =
  | {
      end: 'ok'
      /** Size of the whole. */
      bytes: number
      /** Its beginning, at most `windowBytes`: all that is read of it. */
      head: Buffer
      /** The whole, unpacked anew. */
      pieces(): AsyncIterable<Uint8Array>
    }
  | { end: 'broken' | 'too_large' }

/** What a dump may be when it is unpacked; the same as an attachment's limit. */
export const unpackedBytesMax = 200 * 1024 * 1024
/** Up to here a dump may unpack to any multiple of itself, beyond it to `ratioMax`: so a worker's time is paid for in bytes. */
export const freeBytes = 16 * 1024 * 1024
/** Real dumps come to 5 to 40 times their packed size. */
export const ratioMax = 200
/** The streams that say what crashed stand before the memory, in the first megabytes. */
const windowBytes = 32 * 1024 * 1024
/** Input is handed over in pieces, so that no decoder runs far beyond the cap before it is asked to stop. */
const inputBytes = 16 * 1024

class TooLarge extends Error {}

/** Bytes that a dump of this packed size may unpack to. */
export function unpackedMax(packedBytes: number): number {
  return Math.min(unpackedBytesMax, Math.max(freeBytes, packedBytes * ratioMax))
}

/**
 * Unpacks a dump to the end once, to know that it is whole and how large: holds no more of it than its beginning.
 * Never throws for what was sent.
 */
export async function unpack(form: DumpForm, packed: Buffer): Promise<Unpacked> {
  const max = unpackedMax(packed.length)
  const kept: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of piecesOf(form, packed, max)) {
      if (bytes < windowBytes) kept.push(Buffer.from(piece.subarray(0, windowBytes - bytes)))
      bytes += piece.length
    }
  } catch (error) {
    return { end: error instanceof TooLarge ? 'too_large' : 'broken' }
  }
  return { end: 'ok', bytes, head: Buffer.concat(kept), pieces: () => piecesOf(form, packed, max) }
}

async function* piecesOf(form: DumpForm, packed: Buffer, max: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of decoded(form, packed, max)) {
    bytes += piece.length
    if (bytes > max) throw new TooLarge()
    yield piece
  }
}

function decoded(form: DumpForm, packed: Buffer, max: number): AsyncIterable<Uint8Array> {
  if (form === 'gzip') return throughZlib(createGunzip(), packed)
  if (form === 'zstd') return throughZlib(createZstdDecompress(), packed)
  if (form === 'xz') return throughXz(packed)
  return form === 'bzip2' ? throughBzip2(packed, max) : inPieces(packed)
}

async function* inPieces(packed: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < packed.length; at += inputBytes) yield packed.subarray(at, at + inputBytes)
}

async function* throughZlib(decoder: Transform, packed: Buffer): AsyncGenerator<Uint8Array> {
  pipeline(Readable.from(inPieces(packed)), decoder, () => undefined)
  try {
    for await (const piece of decoder) yield piece as Buffer
  } finally {
    decoder.destroy()
  }
}

type XzModule = { XzReadableStream: new (source: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array> }

// Both are loaded at the first dump of their kind: they compile WebAssembly, and most servers never get such a dump.
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
