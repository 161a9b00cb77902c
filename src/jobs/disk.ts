import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskBudget } from '../base/disk-budget.ts'
import type { BlobStore } from '../store/blobs/blobs.ts'
import type { EventStore } from '../store/events/event-store.ts'
import { sizesByTable, type TableName } from '../store/events/tables.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'

/** Stored bytes by kind, and the budget. */
export type DiskState = {
  /** Each stored table with its derived data: events with their rollups. */
  tables: Readonly<Record<TableName, { rows: number; bytes: number }>>
  blobs: number
  database: number
  /** Leftovers of killed backups and rehearsals, until they are swept. Running ones clean up after themselves. */
  copies: number
  /**
   * What counts against the budget: the sum of all kinds. Excludes the journal, which has its own bound and drains by
   * itself, and blobs of another machine under a budget that is a part of the volume. With a ClickHouse server, only the
   * tables: the rest is on another disk.
   */
  stored: number
  /** Null: no budget. */
  budget: number | null
}

/** Size and used bytes of a volume. */
type Volume = { total: number; used: number }

/**
 * Returns the budget for stored data in bytes, or null for none. A part of the volume limits the total use, including
 * other files. Mishap always gets at least half of that part, so that another program that fills the disk cannot empty
 * the stores. `passing` are temporary bytes: the journal, large bodies in transit, replaced parts.
 */
export function budgetBytes(
  setting: DiskBudget,
  volume: Volume | undefined,
  stored: number,
  passing: number,
): number | null {
  if (setting === 'off') return null
  if ('bytes' in setting) return setting.bytes
  if (!volume) return null
  const whole = volume.total * setting.part
  const others = Math.max(0, volume.used - passing - stored)
  return Math.floor(Math.min(whole, Math.max(whole / 2, whole - others)))
}

type DiskDeps = {
  /** The data folder. */
  data: string
  budget: DiskBudget
  meta: MetaWith<'ledger.bytesByProject' | 'explore.exportBytesOf'>
  events: Pick<EventStore, 'size' | 'replacedBytes' | 'serverDisk'>
  blobs: Pick<BlobStore, 'isRemote'>
  /** Events are on a ClickHouse server, whose disk the budget is a part of. */
  isRemote: boolean
  /** Returns the bytes of the files under a folder. */
  bytesUnder(folder: string): Promise<number>
  /** Lists folders in the data folder that hold temporary full copies. */
  copyFolders(): Promise<string[]>
  /** Whether a backup is running. */
  copying(): boolean
}

/** Measures the stored bytes. Throws STORE_UNAVAILABLE while the events store is down. */
export async function measureDisk(deps: DiskDeps): Promise<DiskState> {
  const { data, budget, meta, events, bytesUnder, isRemote } = deps
  const [exported, tables, replacedBytes, database, journal, spool, chunks, copyBytes, volume] = await Promise.all([
    meta.explore.exportBytesOf(),
    events.size(),
    events.replacedBytes(),
    bytesUnder(join(data, 'meta')),
    bytesUnder(join(data, 'journal')),
    bytesUnder(join(data, 'blobs', 'spool')),
    bytesUnder(join(data, 'blobs', 'chunks')),
    deps.copyFolders().then((all) => Promise.all(all.map(bytesUnder))),
    isRemote
      ? events.serverDisk()
      : statfs(data).then(
          ({ blocks, bfree, bsize }): Volume => ({ total: blocks * bsize, used: (blocks - bfree) * bsize }),
          () => undefined,
        ),
  ])
  const bytes = tables.reduce((sum, table) => sum + table.bytesOnDisk, 0)
  const blobs = (await meta.ledger.bytesByProject()).reduce(
    (sum, byte) => sum + byte.attachments.bytes + byte.dead.bytes + byte.bundles.bytes,
    exported,
  )
  const copied = copyBytes.reduce((sum, part) => sum + part, 0)
  const [copies, copying] = deps.copying() ? [0, copied] : [copied, 0]
  // Blobs of another machine take nothing from this volume, but they count in a limit for everything.
  const counted = deps.blobs.isRemote && typeof budget === 'object' && 'part' in budget ? 0 : blobs
  const stored = isRemote ? bytes : bytes + counted + database + copies
  const passing = isRemote ? replacedBytes : replacedBytes + journal + spool + chunks + copying
  return {
    tables: sizesByTable(tables),
    blobs,
    database,
    copies,
    stored,
    budget: budgetBytes(budget, volume, stored, passing),
  }
}
