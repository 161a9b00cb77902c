/** Smaller pieces are joined, so that the number of bytes bounds the number of pieces. */
export const chunkBytesMin = 16 * 1024
/** Maximum number of small chunks. A client that frames each byte creates an object of some 100 bytes per byte. */
const looseMax = 256

/** Chunks of an arriving body, in about the memory of their bytes. */
type Chunks = {
  add(chunk: Buffer): void
  list(): Buffer[]
}

/** Creates an empty list of chunks. */
export function createChunks(): Chunks {
  const chunks: Buffer[] = []
  let loose = 0
  let looseBytes = 0
  return {
    add: (chunk) => {
      chunks.push(chunk)
      if (chunk.length >= chunkBytesMin) {
        loose = 0
        looseBytes = 0
        return
      }
      loose++
      looseBytes += chunk.length
      if (loose < looseMax) return
      chunks.push(Buffer.concat(chunks.splice(-loose)))
      // A joined chunk that is still small joins again with the next ones.
      loose = looseBytes < chunkBytesMin ? 1 : 0
      if (loose === 0) looseBytes = 0
    },
    list: () => chunks,
  }
}

/** Yields the same bytes in pieces of at least 16 KiB. The last piece can be shorter. */
export async function* coalesced(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks = createChunks()
  let bytes = 0
  for await (const chunk of source) {
    if (bytes === 0 && chunk.length >= chunkBytesMin) {
      yield chunk
      continue
    }
    chunks.add(chunk)
    bytes += chunk.length
    if (bytes < chunkBytesMin) continue
    yield Buffer.concat(chunks.list())
    chunks = createChunks()
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(chunks.list())
}
