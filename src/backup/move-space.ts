import { MishapError } from '../base/errors.ts'
import { freeBytesOf } from '../base/free-bytes.ts'

/** Bytes that a move writes into the data folder, by store. 0: the store stays or moves elsewhere. A database that moves is copied there first, wherever it goes. */
type Incoming = { events: number; blobs: number; database: number }

/** The engine keeps the parts of a merge for eight minutes after it. Rows that were inserted in pieces are then stored twice. */
const mergeFactor = 2

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`

/**
 * Throws VALIDATION, with the free and the needed bytes, if the stores of a move do not fit into the data folder.
 * `reserveBytes` must stay free: without them ingest ends. `replaced`: bytes in the targets that the move replaces.
 */
export async function demandFreeSpace(
  folder: string,
  reserveBytes: number,
  { incoming, replaced }: { incoming: Incoming; replaced: number },
  freeOf = freeBytesOf,
): Promise<void> {
  const needed = incoming.events * mergeFactor + incoming.blobs + incoming.database - replaced
  if (needed <= 0) return
  const free = await freeOf(folder)
  if (free >= needed + reserveBytes) return
  const parts = Object.entries(incoming).filter(([, bytes]) => bytes > 0)
  throw new MishapError('VALIDATION', {
    detail: `The move needs ${megabytes(needed + reserveBytes)} on the disk of the data folder (${parts.map(([name, bytes]) => `${name} ${megabytes(bytes)}`).join(', ')}), and ${megabytes(free)} are free. The old stores are still in use.`,
  })
}
