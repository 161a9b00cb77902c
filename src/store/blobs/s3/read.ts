import { MishapError } from '../../../base/errors.ts'
import { type S3Client, S3Fault, triesMax } from './client.ts'
import { blockBytes, hashBytes, hashHeader, isIntact, parseHashes } from './hashes.ts'

/** A stored object. */
type Stat = {
  bytes: number
  etag: string
  /** The metadata with the hashes; '' for an object that something else wrote. */
  value: string
}

/** Prefix of metadata that names the object with the hashes of a large blob. */
export const largeMark = '@'
/** The object with the hashes of a large blob. No key contains a tilde. */
export const hashesKey = (key: string, id: string): string => `~sha256/${key}/${id}`

/** Asks for an object; undefined if there is none. Throws S3Fault. */
export async function statOf(client: S3Client, key: string): Promise<Stat | undefined> {
  const answer = await client.call({ method: 'HEAD', key })
  if (answer.status === 404) return undefined
  if (answer.status !== 200) throw client.faultOf(answer)
  return {
    bytes: Number(answer.headers['content-length'] ?? 0),
    etag: answer.headers.etag ?? '',
    value: String(answer.headers[hashHeader] ?? ''),
  }
}

/** The blob was deleted or replaced in the meantime. */
const gone = (key: string) => new MishapError('NOT_FOUND', { detail: `The blob ${key} is gone.` })
const damaged = (key: string) =>
  new MishapError('BLOB_DAMAGED', { detail: `The blob ${key} does not match its checksum.` })

/** An object with what is needed to read and check it. */
export type Readable = Stat & { key: string; hashes: Buffer[] | undefined }

/** Finds an object and its hashes; undefined if there is none. Throws S3Fault, BLOB_DAMAGED without the hashes. */
export async function readableOf(client: S3Client, key: string): Promise<Readable | undefined> {
  // The hashes are deleted when another writer replaces the blob just now.
  for (let tries = 1; ; tries++) {
    const stat = await statOf(client, key)
    if (!stat) return undefined
    if (!stat.value.startsWith(largeMark)) return { ...stat, key, hashes: parseHashes(stat.value) }
    const own = await statOf(client, hashesKey(key, stat.value.slice(1)))
    if (own) {
      const list = { ...own, key: hashesKey(key, stat.value.slice(1)), hashes: parseHashes(own.value) }
      const bytes = await readAll(client, list)
      const count = bytes.length / hashBytes
      const hashes = Array.from({ length: count }, (_, at) => bytes.subarray(at * hashBytes, (at + 1) * hashBytes))
      return { ...stat, key, hashes }
    }
    if (tries >= triesMax) throw damaged(key)
    await client.pause(tries)
  }
}

/** Cuts a stream into blocks; the last one can be shorter. */
async function* blocksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream) {
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + blockBytes - bytes)
      parts.push(piece)
      bytes += piece.length
      at += piece.length
      if (bytes < blockBytes) continue
      yield Buffer.concat(parts)
      parts = []
      bytes = 0
    }
  }
  if (bytes > 0) yield Buffer.concat(parts)
}

/** Opens the bytes from a block on, up to `end`. */
async function openFrom(client: S3Client, blob: Readable, block: number, end: number) {
  const from = block * blockBytes
  const answer = await client.open({
    method: 'GET',
    key: blob.key,
    headers: { range: `bytes=${from}-${end - 1}`, ...(blob.etag ? { 'if-match': blob.etag } : {}) },
  })
  if (answer.status === 206 || (answer.status === 200 && from === 0 && end === blob.bytes)) return answer.stream
  answer.stream.destroy()
  if (answer.status === 404 || answer.status === 412 || answer.status === 416) throw gone(blob.key)
  throw client.faultOf({ status: answer.status, text: '' })
}

/**
 * Yields checked blocks from `first` up to before `last`. A cut connection continues after the last good block. Throws
 * S3Fault, BLOB_DAMAGED, and NOT_FOUND if the blob was deleted or replaced meanwhile.
 */
export async function* checkedBlocks(
  client: S3Client,
  blob: Readable,
  first: number,
  last: number,
): AsyncGenerator<Buffer> {
  if (blob.hashes && blob.hashes.length !== Math.ceil(blob.bytes / blockBytes)) throw damaged(blob.key)
  const end = Math.min(last * blockBytes, blob.bytes)
  const until = Math.ceil(end / blockBytes)
  let tries = 1
  for (let next = first; next < until; ) {
    const stream = await openFrom(client, blob, next, end)
    try {
      for await (const block of blocksOf(stream)) {
        const isWhole = block.length === Math.min(blockBytes, blob.bytes - next * blockBytes)
        const hash = blob.hashes?.[next]
        if (!isWhole) throw new S3Fault('unreachable', 'cut off', `The blob store cut the blob ${blob.key} off.`)
        if (blob.hashes && !(hash && isIntact(block, hash))) throw damaged(blob.key)
        next++
        tries = 1
        yield block
      }
      if (next < until) throw new S3Fault('unreachable', 'cut off', `The blob store cut the blob ${blob.key} off.`)
    } catch (error) {
      // Damage in transit is repeated too. Damage at rest stays.
      if (tries >= triesMax) throw error instanceof MishapError ? error : cutOff(error, blob.key)
      await client.pause(tries++)
    } finally {
      stream.destroy()
    }
  }
}

const cutOff = (error: unknown, key: string) =>
  new S3Fault('unreachable', 'cut off', `The blob store cut the blob ${key} off: ${String(error)}.`)

/** Reads a whole object. Throws like `checkedBlocks`. */
export async function readAll(client: S3Client, blob: Readable): Promise<Buffer> {
  const blocks: Buffer[] = []
  for await (const block of checkedBlocks(client, blob, 0, Number.POSITIVE_INFINITY)) blocks.push(block)
  return Buffer.concat(blocks)
}
