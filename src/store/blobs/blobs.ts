/** Random access to a blob. The caller must call `close`. */
export type BlobReader = {
  bytes: number
  /** Returns fewer bytes than requested only at the end. */
  read(from: number, bytes: number): Promise<Buffer>
  close(): Promise<void>
}

/** Bytes by key. Keys are relative paths of `[A-Za-z0-9._-]` segments. Others are refused, so none leaves the root. */
export type BlobStore = {
  /** Writes and syncs (file and folder) before it resolves. An existing key is replaced. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Like `put`, from a stream. Rejects and leaves nothing behind when the stream fails or exceeds `bytesMax`. */
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
