/** Smaller pieces are put together, so that their number is bounded by their bytes. */
export const pieceBytesMin = 16 * 1024
/** So many small chunks are kept apart at most: a sender that frames each byte makes one of some 100 bytes for each. */
const looseMax = 256

/** Chunks of a body as they come, in about the memory of their bytes. */
type Chunks = {
  add(chunk: Buffer): void
  list(): Buffer[]
}

/** Makes an empty list of chunks. */
export function createChunks(): Chunks {
  const chunks: Buffer[] = []
  let loose = 0
  let looseBytes = 0
  return {
    add: (chunk) => {
      chunks.push(chunk)
      if (chunk.length >= pieceBytesMin) {
        loose = 0
        looseBytes = 0
        return
      }
      loose++
      looseBytes += chunk.length
      if (loose < looseMax) return
      chunks.push(Buffer.concat(chunks.splice(-loose)))
      // A joined piece that is still small is joined again with the next ones.
      loose = looseBytes < pieceBytesMin ? 1 : 0
      if (loose === 0) looseBytes = 0
    },
    list: () => chunks,
  }
}

/** The same bytes in pieces of at least 16 KiB. The last piece may be shorter. */
export async function* gathered(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks = createChunks()
  let bytes = 0
  for await (const piece of pieces) {
    if (bytes === 0 && piece.length >= pieceBytesMin) {
      yield piece
      continue
    }
    chunks.add(piece)
    bytes += piece.length
    if (bytes < pieceBytesMin) continue
    yield Buffer.concat(chunks.list())
    chunks = createChunks()
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(chunks.list())
}
