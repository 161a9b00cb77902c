import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskBudget } from '../base/config.ts'
import type { EventStore } from '../store/events/events.ts'
import { sizesByTable, type TableName } from '../store/events/tables.ts'
import type { MetaStore } from '../store/meta/meta.ts'

/** What is stored, by kind, and what it may take. Bytes. */
export type DiskState = {
  /** Each stored table with what is made from its rows: events with their rollups. */
  tables: Readonly<Record<TableName, { rows: number; bytes: number }>>
  blobs: number
  database: number
  /** What backups and rehearsals left that were killed, until it is swept. Those of one that runs go by themselves. */
  copies: number
  /** All of them together. The journal is not among them: it has a bound of its own and empties by itself. */
  stored: number
  /** Null: no bound. */
  budget: number | null
}

/** Of a volume: its size and what is taken of it. */
type Volume = { total: number; used: number }

/**
 * What stored data may take. A part of the volume means what all take there together, so that others' files count; but
 * half of the part is Mishap's in any case: another program that fills the disk must not empty this one's stores.
 * `passing` are bytes that go by themselves: the journal, large bodies under way, parts that were replaced.
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

export type DiskDeps = {
  /** The data folder. */
  data: string
  budget: DiskBudget
  meta: Pick<MetaStore, 'bytesByProject'>
  events: Pick<EventStore, 'size' | 'leavingBytes'>
  /** Bytes of the files under a folder. */
  bytesUnder(folder: string): Promise<number>
  /** Folders of whole copies that lie in the data folder for a time. */
  copyFolders(): Promise<string[]>
  /** Whether a backup is being taken. */
  copying(): boolean
}

/** Measures what is stored. Throws STORE_UNAVAILABLE while the events store is away. */
export async function measureDisk(deps: DiskDeps): Promise<DiskState> {
  const { data, budget, meta, events, bytesUnder } = deps
  const [tables, leaving, database, journal, spool, chunks, parts, volume] = await Promise.all([
    events.size(),
    events.leavingBytes(),
    bytesUnder(join(data, 'meta')),
    bytesUnder(join(data, 'journal')),
    bytesUnder(join(data, 'blobs', 'spool')),
    bytesUnder(join(data, 'blobs', 'chunks')),
    deps.copyFolders().then((all) => Promise.all(all.map(bytesUnder))),
    statfs(data).then(
      ({ blocks, bfree, bsize }): Volume => ({ total: blocks * bsize, used: (blocks - bfree) * bsize }),
      () => undefined,
    ),
  ])
  const bytes = tables.reduce((sum, table) => sum + table.bytesOnDisk, 0)
  const blobs = meta
    .bytesByProject()
    .reduce((sum, byte) => sum + byte.attachments.bytes + byte.dead.bytes + byte.bundles.bytes, 0)
  const copied = parts.reduce((sum, part) => sum + part, 0)
  const [copies, copying] = deps.copying() ? [0, copied] : [copied, 0]
  const stored = bytes + blobs + database + copies
  return {
    tables: sizesByTable(tables),
    blobs,
    database,
    copies,
    stored,
    budget: budgetBytes(budget, volume, stored, leaving + journal + spool + chunks + copying),
  }
}
