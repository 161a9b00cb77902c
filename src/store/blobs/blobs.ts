/** Random access to a blob. The caller must call `close`. */
export type BlobReader = {
  bytes: number
  /** Returns fewer bytes than requested only at the end. */
  read(from: number, bytes: number): Promise<Buffer>
  close(): Promise<void>
}

/** Bytes by key. A store on another machine throws BLOBS_UNAVAILABLE from every method while it is away. Keys are relative paths of `[A-Za-z0-9._-]` segments. Others are refused, so none leaves the root. */
export type BlobStore = {
  /** Whether the bytes are on another machine: it can be away, and they take no space in the data folder. */
  readonly isRemote: boolean
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
  /** Throws BLOBS_UNAVAILABLE while the store cannot be used. */
  ping(): Promise<void>
  /** Deletes the parts of writes that began before this time (ms since 1970) and never ended. Returns their number. */
  sweep(beforeMs: number): Promise<number>
}
