/** Below this size a collection costs less than the call. */
const releasedBytesMin = 8 * 1024

/**
 * Gives the memory of bytes back at once. Without it, memory outside of the heap waits for the garbage collector, and V8
 * collects the whole heap when enough of it waits. Afterwards the bytes are empty: a reader that still has them, or a view
 * of them, finds no bytes, and never those of something else. Does nothing for small buffers and for parts of a larger memory.
 */
export function releaseBytes(bytes: Buffer): void {
  const memory = bytes.buffer
  if (bytes.length < releasedBytesMin || memory.byteLength !== bytes.length || !(memory instanceof ArrayBuffer)) return
  memory.transfer(0)
}
