import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { JournalReader } from '../journal/journal.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'

type Deps = {
  blobs: BlobStore
  reader: JournalReader
  /** End of the journal: all records that name bodies lie before it. */
  durable: number
  clock: Clock
  observe: Observe
  /** Called for each body that a record names. */
  named?(jpos: number, bytes: number): void
}

/** Small reads with pauses, because this shares the process with ingest. */
const readBytes = 1024 * 1024
const pauseMs = 5

/**
 * Finds spooled bodies that a crash left without a journal record: written, but never answered. Call it before ingest
 * starts, so that all found bodies are older than the process. Returns a function that deletes those that no record
 * names. It can run next to ingest, resolves with the number of deleted bodies and never rejects.
 */
export async function findOrphans(deps: Deps): Promise<() => Promise<number>> {
  const found = new Set(await deps.blobs.list('spool'))
  return async () => {
    if (found.size === 0) return 0
    try {
      for await (const key of namedBy(deps)) found.delete(key)
      for (const key of found) await deps.blobs.delete(key)
    } catch (error) {
      deps.observe.warn({ error: String(error) }, 'the spool could not be cleaned; the next start retries')
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
