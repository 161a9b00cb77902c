/** A blob that is read in pieces from anywhere; `close` has to be called. */
export type BlobReader = {
  bytes: number
  /** Fewer bytes than asked for only at the end. */
  read(from: number, bytes: number): Promise<Buffer>
  close(): Promise<void>
}

/** Bytes by key. Keys are relative paths of `[A-Za-z0-9._-]` segments; anything else is refused, so no key leaves the root. */
export type BlobStore = {
  /** Writes and syncs (file and folder) before it resolves; writing a key again replaces it. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** As `put`, from a stream; rejects and leaves nothing behind when the stream fails or is longer than `bytesMax`. */
  putStream(key: string, stream: AsyncIterable<Uint8Array>, bytesMax: number): Promise<{ bytes: number }>
  get(key: string): Promise<Buffer | undefined>
  getStream(key: string): Promise<{ bytes: number; stream: AsyncIterable<Uint8Array> } | undefined>
  reader(key: string): Promise<BlobReader | undefined>
  delete(key: string): Promise<void>
  /** Keys under a folder, sorted. */
  list(prefix: string): Promise<string[]>
  /** Sum of sizes in bytes. */
  size(): Promise<number>
}
