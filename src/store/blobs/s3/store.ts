import { MishapError } from '../../../base/errors.ts'
import type { BlobReader, BlobStore } from '../blobs.ts'
import { checkKey, isKey } from '../keys.ts'
import { createS3Client, type S3Client, type S3Options } from './client.ts'
import { blockBytes } from './hashes.ts'
import { listObjects, listUploads } from './list.ts'
import { checkedBlocks, largeMark, type Readable, readAll, readableOf, statOf } from './read.ts'
import { abortUpload, deleteObject, dropHashes, putPieces } from './write.ts'

/** S3 refuses longer keys. */
const keyBytesMax = 1024
const sliceBytes = 64 * 1024
const hashesFolder = '~sha256/'

/** Random access by ranges of whole blocks. It keeps the last range: an archive is read in many small steps. */
function readerOf(client: S3Client, blob: Readable): BlobReader {
  let [first, last]: [number, number] = [0, 0]
  let range: Buffer = Buffer.alloc(0)
  return {
    bytes: blob.bytes,
    read: async (from, bytes) => {
      const end = Math.min(from + bytes, blob.bytes)
      if (from >= end) return Buffer.alloc(0)
      const [needed, until] = [Math.floor(from / blockBytes), Math.ceil(end / blockBytes)]
      if (needed < first || until > last) {
        const blocks: Buffer[] = []
        for await (const block of checkedBlocks(client, blob, needed, until)) blocks.push(block)
        range = blocks.length === 1 && blocks[0] ? blocks[0] : Buffer.concat(blocks)
        first = needed
        last = until
      }
      return range.subarray(from - first * blockBytes, end - first * blockBytes)
    },
    close: async () => {
      range = Buffer.alloc(0)
    },
  }
}

async function* limited(stream: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes > bytesMax) throw new MishapError('ACCEPT_TOO_LARGE')
    yield piece
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += blockBytes) yield bytes.subarray(at, at + blockBytes)
}

/** Cuts blocks as small as pieces of a file: streams of Node hold up to 16 pieces. */
async function* slicesOf(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const block of blocks)
    for (let at = 0; at < block.length; at += sliceBytes) yield block.subarray(at, at + sliceBytes)
}

/** Deletes what killed writers left: parts of uploads, and hashes without their blob. Returns their number. */
async function sweep(client: S3Client, beforeMs: number): Promise<number> {
  let swept = 0
  for (const { key, uploadId, begunMs } of await listUploads(client)) {
    if (!(begunMs < beforeMs)) continue
    await abortUpload(client, key, uploadId)
    swept++
  }
  for await (const { key, changedMs } of listObjects(client, hashesFolder)) {
    if (!(changedMs < beforeMs)) continue
    const at = key.lastIndexOf('/')
    const owner = await statOf(client, key.slice(hashesFolder.length, at))
    if (owner?.value === `${largeMark}${key.slice(at + 1)}`) continue
    await deleteObject(client, key)
    swept++
  }
  return swept
}

/**
 * Stores blobs as objects of a bucket with the S3 interface. Writes are conditional, so of two writers none overwrites
 * the other unseen. Each block of 1 MiB is checked against its SHA-256 when it is read. Every method throws
 * BLOBS_UNAVAILABLE (S3Fault) while the store is away or refuses, after a few tries; BLOB_DAMAGED for a wrong checksum.
 * `passed`: gets the size of each piece that is written.
 */
export function openS3Blobs(options: S3Options, passed?: (bytes: number) => void): BlobStore {
  const client = createS3Client(options)
  const check = (key: string): string => {
    checkKey(key)
    if (options.config.prefix.length + 1 + key.length > keyBytesMax)
      throw new MishapError('VALIDATION', { detail: `The key of a blob is over ${keyBytesMax} bytes.` })
    return key
  }

  async function* keysUnder(prefix: string) {
    const folder = prefix.replace(/\/+$/, '')
    if (folder !== '') check(folder)
    // Skips the hashes of large blobs, and objects that something else wrote.
    for await (const listed of listObjects(client, folder === '' ? '' : `${folder}/`))
      if (isKey(listed.key)) yield listed
  }

  return {
    isRemote: true,
    put: async (key, bytes) => void (await putPieces(client, check(key), piecesOf(bytes))),
    putStream: async (key, stream, bytesMax) => ({
      bytes: await putPieces(client, check(key), limited(stream, bytesMax), passed),
    }),
    get: async (key) => {
      const blob = await readableOf(client, check(key))
      return blob && readAll(client, blob)
    },
    getStream: async (key) => {
      const blob = await readableOf(client, check(key))
      return blob && { bytes: blob.bytes, stream: slicesOf(checkedBlocks(client, blob, 0, Number.POSITIVE_INFINITY)) }
    },
    reader: async (key) => {
      const blob = await readableOf(client, check(key))
      return blob && readerOf(client, blob)
    },
    delete: async (key) => {
      const stat = await statOf(client, check(key))
      if (!stat) return
      await deleteObject(client, key)
      await dropHashes(client, key, stat.value)
    },
    list: async (prefix) => {
      const keys: string[] = []
      for await (const { key } of keysUnder(prefix)) keys.push(key)
      return keys.sort()
    },
    size: async () => {
      let bytes = 0
      for await (const listed of keysUnder('')) bytes += listed.bytes
      return bytes
    },
    ping: async () => {
      const { prefix } = options.config
      const answer = await client.call({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1', prefix } })
      if (answer.status !== 200) throw client.faultOf(answer)
    },
    sweep: (beforeMs) => sweep(client, beforeMs),
  }
}
