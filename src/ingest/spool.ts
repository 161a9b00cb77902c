import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { JournalReader } from '../journal/journal.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'

type Deps = {
  blobs: BlobStore
  reader: JournalReader
  /** Where the journal ends: all that is named stands before it. */
  durable: number
  clock: Clock
  observe: Observe
  /** Told of each body that a record names. */
  named?(jpos: number, bytes: number): void
}

/** Small reads with pauses: this runs beside ingest, in its process. */
const readBytes = 1024 * 1024
const pauseMs = 5

/**
 * Bodies that a crash left in the spool without a record that names them: written, but never answered. To be called
 * before anything is accepted, so that all it finds is older than the process. Returns the way to delete those that no
 * record names, which may run beside ingest; it resolves with their number and never rejects.
 */
export async function findOrphans(deps: Deps): Promise<() => Promise<number>> {
  const found = new Set(await deps.blobs.list('spool'))
  return async () => {
    if (found.size === 0) return 0
    try {
      for await (const key of namedBy(deps)) found.delete(key)
      for (const key of found) await deps.blobs.delete(key)
    } catch (error) {
      deps.observe.warn({ error: String(error) }, 'the spool could not be cleaned; the next start tries again')
      return 0
    }
    if (found.size > 0) deps.observe.info({ bodies: found.size }, 'spooled bodies without a record were deleted')
    return found.size
  }
}

async function* namedBy({ reader, durable, clock, named }: Deps): AsyncGenerator<string> {
  for (let at = 0; ; ) {
    const { records, next } = reader.read(at, durable, 1000, readBytes)
    for (const { jpos, head } of records) {
      if (!head.spool) continue
      named?.(jpos, head.spool.bytes)
      yield head.spool.key
    }
    if (next === at) return
    at = next
    await clock.sleep(pauseMs)
  }
}
