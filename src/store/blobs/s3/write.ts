import { randomUUID } from 'node:crypto'
import { elementOf, type S3Answer, type S3Client } from './client.ts'
import { checksumHeader, createBlockHasher, hashesOf, hashHeader, hashValue } from './hashes.ts'
import { hashesKey, largeMark, statOf } from './read.ts'

/** Blobs up to this size are one request, which is repeated whole. Its hashes fit into the metadata. */
const wholeBytesMax = 16 * 1024 * 1024
/** S3 takes at most 10,000 parts, and none below 5 MiB but the last. So blobs may have 78 GiB. */
const partBytes = 8 * 1024 * 1024

/** Tries of a write that meets another writer of the same key. */
const conflictsMax = 5
/** The condition failed, or another write with a condition is running. */
const isConflict = (answer: S3Answer, wasThere: boolean) =>
  answer.status === 412 || answer.status === 409 || (answer.status === 404 && wasThere)

/** Returns whether an answer is good. The one that completes an upload can say 200 and contain an error. */
const isGood = (answer: S3Answer) => answer.status < 300 && !answer.text.includes('<Error>')

/**
 * Writes under a condition: a new key only if it does not exist, an existing one only if it is still what was looked at.
 * So of two writers none overwrites the other unseen. A try whose answer was lost is found by `value`, the hashes of the
 * blob. Throws S3Fault.
 */
async function writeOnCondition(
  client: S3Client,
  key: string,
  value: string,
  write: (condition: Record<string, string>) => Promise<S3Answer>,
): Promise<void> {
  let there: Awaited<ReturnType<typeof statOf>>
  for (let tries = 1; ; tries++) {
    const answer = await write(there ? { 'if-match': there.etag } : { 'if-none-match': '*' })
    const replaced = there
    if (isGood(answer)) return dropHashes(client, key, replaced?.value)
    // An upload that is unknown was completed, by a try whose answer was lost.
    const isUnknown = elementOf(answer.text, 'Code') === 'NoSuchUpload'
    if (!isUnknown && !isConflict(answer, there !== undefined)) throw client.faultOf(answer)
    there = await statOf(client, key)
    if (there?.value === value) return
    if (isUnknown || tries >= conflictsMax) throw client.faultOf(answer)
    await client.pause(tries)
  }
}

/** Deletes the hashes of a large blob that was replaced or deleted. */
export async function dropHashes(client: S3Client, key: string, value: string | undefined): Promise<void> {
  if (!value?.startsWith(largeMark)) return
  await deleteObject(client, hashesKey(key, value.slice(1)))
}

/** Deletes an object, if it exists. Throws S3Fault. */
export async function deleteObject(client: S3Client, key: string): Promise<void> {
  const answer = await client.call({ method: 'DELETE', key })
  if (answer.status >= 300 && answer.status !== 404) throw client.faultOf(answer)
}

/** Writes an object of at most `wholeBytesMax` bytes. Throws S3Fault. */
function putWhole(client: S3Client, key: string, bytes: Buffer): Promise<void> {
  const value = hashValue(hashesOf(bytes))
  const headers = { [hashHeader]: value, ...checksumHeader(bytes) }
  return writeOnCondition(client, key, value, (condition) =>
    client.call({ method: 'PUT', key, headers: { ...headers, ...condition }, body: bytes }),
  )
}

/** An upload in parts. Nothing can be read before `complete`. */
type Upload = {
  add(part: Buffer): Promise<void>
  /** Makes the object of the parts. `hashes`: of its blocks. */
  complete(hashes: Buffer[]): Promise<void>
  /** Deletes the parts. Never rejects: what stays is swept a day later. */
  abort(): Promise<void>
}

/** Starts an upload in parts. Throws S3Fault. */
async function beginUpload(client: S3Client, key: string): Promise<Upload> {
  const id = randomUUID()
  const value = `${largeMark}${id}`
  const begun = await client.call({
    method: 'POST',
    key,
    query: { uploads: '' },
    headers: { [hashHeader]: value, 'x-amz-checksum-algorithm': 'SHA256' },
  })
  const uploadId = elementOf(begun.text, 'UploadId')
  if (!isGood(begun) || !uploadId) throw client.faultOf(begun)
  const parts: { etag: string; checksum: string }[] = []

  async function add(part: Buffer): Promise<void> {
    const headers = checksumHeader(part)
    const query = { partNumber: String(parts.length + 1), uploadId }
    const answer = await client.call({ method: 'PUT', key, query, headers, body: part })
    if (!isGood(answer)) throw client.faultOf(answer)
    parts.push({ etag: answer.headers.etag ?? '', checksum: headers['x-amz-checksum-sha256'] ?? '' })
  }

  async function complete(hashes: Buffer[]): Promise<void> {
    // The hashes come first, so that no object is without them.
    await putWhole(client, hashesKey(key, id), Buffer.concat(hashes))
    const list = parts.map(
      ({ etag, checksum }, at) =>
        `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`,
    )
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}</CompleteMultipartUpload>`,
    )
    await writeOnCondition(client, key, value, (headers) =>
      client.call({ method: 'POST', key, query: { uploadId }, headers, body }),
    )
  }

  async function abort(): Promise<void> {
    const all = [client.call({ method: 'DELETE', key, query: { uploadId } }), deleteObject(client, hashesKey(key, id))]
    await Promise.allSettled(all)
  }
  return { add, complete, abort }
}

/** Collects pieces and gives them back together. */
function createPending() {
  let pieces: Uint8Array[] = []
  let bytes = 0
  return {
    bytes: () => bytes,
    add: (piece: Uint8Array) => {
      pieces.push(piece)
      bytes += piece.length
    },
    take: (most: number): Buffer => {
      const all = Buffer.concat(pieces)
      const taken = all.subarray(0, most)
      pieces = all.length > most ? [all.subarray(most)] : []
      bytes = all.length - taken.length
      return taken
    },
  }
}

/**
 * Writes a blob of any size: in one request up to `wholeBytesMax`, else in parts as they come. Holds at most
 * `wholeBytesMax` and a piece of the stream. Leaves nothing behind when the stream fails. `passed` gets the size of
 * each piece. Throws S3Fault and the errors of the stream.
 */
export async function putPieces(
  client: S3Client,
  key: string,
  stream: AsyncIterable<Uint8Array>,
  passed?: (bytes: number) => void,
): Promise<number> {
  const hasher = createBlockHasher()
  const pending = createPending()
  let upload: Upload | undefined
  let bytes = 0
  try {
    for await (const piece of stream) {
      bytes += piece.length
      hasher.add(piece)
      pending.add(piece)
      passed?.(piece.length)
      if (pending.bytes() <= (upload ? partBytes : wholeBytesMax)) continue
      upload ??= await beginUpload(client, key)
      while (pending.bytes() > partBytes) await upload.add(pending.take(partBytes))
    }
    if (!upload) await putWhole(client, key, pending.take(wholeBytesMax))
    else {
      await upload.add(pending.take(partBytes))
      await upload.complete(hasher.end())
    }
    return bytes
  } catch (error) {
    await upload?.abort()
    throw error
  }
}

/** Deletes the parts of an upload that no process completes any more. Throws S3Fault. */
export async function abortUpload(client: S3Client, key: string, uploadId: string): Promise<void> {
  const answer = await client.call({ method: 'DELETE', key, query: { uploadId } })
  if (answer.status >= 300 && answer.status !== 404) throw client.faultOf(answer)
}
