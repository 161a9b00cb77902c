import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw, inflateRaw } from 'node:zlib'
import { MishapError } from '../../base/errors.ts'
import type { ArtifactFile } from '../meta/artifacts/artifacts.ts'
import type { BlobReader, BlobStore } from './blobs.ts'

/** Bytes per read of a large file. */
const stepBytes = 256 * 1024

/** Yields the packed bytes at a place in a blob, in pieces. */
async function* bytesAt(reader: BlobReader, from: number, bytes: number): AsyncGenerator<Buffer> {
  for (let at = from; at < from + bytes; ) {
    const piece = await reader.read(at, Math.min(stepBytes, from + bytes - at))
    if (piece.length === 0) throw new Error('the blob ends before the file in it does')
    yield piece
    at += piece.length
  }
}

/** Yields the decompressed bytes at a place in a blob; `method`: 0 (stored) or 8 (deflate). Throws zlib's errors. */
export async function* inflatedAt(
  reader: BlobReader,
  { at, packed, method }: { at: number; packed: number; method: number },
): AsyncGenerator<Buffer> {
  if (method === 0) {
    yield* bytesAt(reader, at, packed)
    return
  }
  const inflate = createInflateRaw({ chunkSize: 64 * 1024 })
  const piped = pipeline(Readable.from(bytesAt(reader, at, packed), { highWaterMark: 1 }), inflate)
  // The reader of `inflate` gets its failures. A reader that stops early also ends the pipe, which is no failure.
  piped.catch(() => undefined)
  for await (const piece of inflate) yield piece as Buffer
}

const tooLarge = (bytesMax: number) =>
  new MishapError('ACCEPT_TOO_LARGE', { detail: `The file is over ${bytesMax} bytes.` })

/**
 * Reads the decompressed bytes of an uploaded file; undefined when its blob is gone. Throws ACCEPT_TOO_LARGE when there
 * are more than `bytesMax`.
 */
export async function readArtifact(
  blobs: Pick<BlobStore, 'reader'>,
  file: Pick<ArtifactFile, 'blobKey' | 'at' | 'packed' | 'bytes' | 'method'>,
  bytesMax: number,
): Promise<Buffer | undefined> {
  if (file.bytes > bytesMax) throw tooLarge(bytesMax)
  const reader = await blobs.reader(file.blobKey)
  if (!reader) return undefined
  try {
    const packed = await reader.read(file.at, file.packed)
    if (file.method === 0) return packed
    return await new Promise<Buffer>((resolve, reject) => {
      inflateRaw(packed, { maxOutputLength: Math.max(1, file.bytes) }, (error, bytes) => {
        if (error) reject((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(bytesMax) : error)
        else resolve(bytes)
      })
    })
  } finally {
    await reader.close()
  }
}
