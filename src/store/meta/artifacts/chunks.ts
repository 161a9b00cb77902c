import type { Store } from '../database/store.ts'

/** A part of an upload that waits for the other parts. */
export type Chunk = { checksum: string; bytes: number; blobKey: string }

export type ChunkStore = {
  /** Stores the row of a chunk whose bytes are stored. An existing chunk keeps the later expiry. */
  addChunk(organizationId: number, chunk: Chunk, expiresMs: number): Promise<void>
  /** Stored chunks among the checksums, by checksum. */
  chunksOf(organizationId: number, checksums: readonly string[]): Promise<Map<string, Chunk>>
  /** Sets the expiry of chunks, earlier or later than before. */
  extendChunks(organizationId: number, checksums: readonly string[], expiresMs: number): Promise<void>
  /** Deletes rows of chunks whose bytes are missing. */
  deleteChunks(organizationId: number, checksums: readonly string[]): Promise<void>
  /** Deletes expired chunks, and those of deleted organizations. Returns the keys of the blobs to delete. */
  dropChunks(nowMs: number): Promise<string[]>
  chunkKeys(): Promise<string[]>
  /** Total bytes of the waiting chunks of an organization. */
  chunkBytes(organizationId: number): Promise<number>
}

/** Maximum rows per statement. */
const step = 500

/** Implements chunks of current uploads. */
export function chunkPart({
  write,
  dialect: { builder, greatest },
}: Store): Pick<ChunkStore, 'addChunk' | 'chunksOf' | 'extendChunks' | 'deleteChunks'> {
  function* steps(checksums: readonly string[]): Generator<string[]> {
    for (let start = 0; start < checksums.length; start += step) yield checksums.slice(start, start + step)
  }
  return {
    addChunk: async (organizationId, { checksum, bytes, blobKey }, expiresMs) => {
      await write.run(
        builder
          .insertInto('chunk')
          .values({ organization_id: organizationId, checksum, bytes, blob_key: blobKey, expires_ms: expiresMs })
          .onConflict((conflict) =>
            conflict.columns(['organization_id', 'checksum']).doUpdateSet((build) => ({
              expires_ms: greatest(build.ref('chunk.expires_ms'), build.ref('excluded.expires_ms')),
            })),
          ),
      )
    },
    chunksOf: async (organizationId, checksums) => {
      const found = new Map<string, Chunk>()
      for (const some of steps(checksums))
        for (const row of await write.all(
          builder
            .selectFrom('chunk')
            .selectAll()
            .where('organization_id', '=', organizationId)
            .where('checksum', 'in', some),
        ))
          found.set(row.checksum, { checksum: row.checksum, bytes: row.bytes, blobKey: row.blob_key })
      return found
    },
    extendChunks: async (organizationId, checksums, expiresMs) => {
      for (const some of steps(checksums))
        await write.run(
          builder
            .updateTable('chunk')
            .set({ expires_ms: expiresMs })
            .where('organization_id', '=', organizationId)
            .where('checksum', 'in', some),
        )
    },
    deleteChunks: async (organizationId, checksums) => {
      for (const some of steps(checksums))
        await write.run(
          builder.deleteFrom('chunk').where('organization_id', '=', organizationId).where('checksum', 'in', some),
        )
    },
  }
}

/** Implements sums and expiry of chunks. */
export function chunkCleanupPart({
  write,
  dialect: { builder },
}: Store): Pick<ChunkStore, 'dropChunks' | 'chunkKeys' | 'chunkBytes'> {
  return {
    dropChunks: (nowMs) =>
      write.transaction(async () => {
        const over = builder
          .selectFrom('chunk')
          .select(['organization_id', 'checksum', 'blob_key'])
          .where((build) =>
            build.or([
              build('expires_ms', '<=', nowMs),
              build('organization_id', 'not in', builder.selectFrom('organization').select('id')),
            ]),
          )
        const rows = await write.all(over)
        for (const row of rows)
          await write.run(
            builder
              .deleteFrom('chunk')
              .where('organization_id', '=', row.organization_id)
              .where('checksum', '=', row.checksum),
          )
        return rows.map((row) => row.blob_key)
      }),
    chunkKeys: async () => (await write.all(builder.selectFrom('chunk').select('blob_key'))).map((row) => row.blob_key),
    chunkBytes: async (organizationId) =>
      Number(
        (
          await write.get(
            builder
              .selectFrom('chunk')
              .select((build) => build.fn.sum('bytes').as('n'))
              .where('organization_id', '=', organizationId),
          )
        )?.n ?? 0,
      ),
  }
}
