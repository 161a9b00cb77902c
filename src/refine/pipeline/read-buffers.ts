/** Smaller reads get new memory: V8 hardly notices it. */
const reusedBytesMin = 1024 * 1024
/** Two batches are in flight. */
const buffersMax = 2

type ReadBuffers = {
  /** Returns memory for a read. */
  take(bytes: number): Buffer
  /** Returns what was taken since the last call. */
  taken(): Buffer[]
  /** Gives memory back that nothing refers to any more. */
  give(buffers: readonly Buffer[]): void
}

/**
 * Memory for the records of batches, of `bufferBytes` each: those of a batch. A larger read is one large record, and rare. With 8 MiB of new memory for each batch, V8 collected the whole heap of a worker
 * every 600 records, to find out whether that memory can go. Nothing is kept once batches are small.
 */
export function createReadBuffers(bufferBytes: number): ReadBuffers {
  let free: Buffer[] = []
  let taken: Buffer[] = []
  return {
    take: (bytes) => {
      if (bytes < reusedBytesMin) free = []
      if (bytes < reusedBytesMin || bytes > bufferBytes) return Buffer.allocUnsafe(bytes)
      const buffer = free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
      taken.push(buffer)
      return buffer.subarray(0, bytes)
    },
    taken: () => {
      const buffers = taken
      taken = []
      return buffers
    },
    give: (buffers) => {
      free.push(...buffers.slice(0, buffersMax - free.length))
    },
  }
}
