import type { Store } from './store.ts'

/** The methods of meta for `mishap verify` and backups. */
export type MetaBackupStore = {
  /** Writes a consistent copy of the whole database to a file that must not exist. */
  copyTo(file: string): Promise<void>
  /** Size of the database on disk in bytes. A copy needs at most about as much. */
  bytes(): Promise<number>
  /** Faults of the database file; empty when there are none. */
  faults(): Promise<string[]>
  /** Row counts to compare with the other stores. */
  tally(): Promise<{
    organizations: number
    projects: number
    issues: number
    attachments: number
    deadItems: number
  }>
  /** The event counter and first event of every issue. */
  counters(): Promise<{ issueId: number; projectId: number; count: number; firstSeenMs: number }[]>
  /** The newest ids of the rows that refer to blobs. */
  blobWatermark(): Promise<BlobWatermark>
  /** Keys of all blobs that rows refer to. With `since`: only of rows that were added after that mark. */
  blobKeys(since?: BlobWatermark): Promise<string[]>
}

/** Row ids, which are never reused; 0 when the table is empty. */
type BlobWatermark = { attachment: number; deadItem: number; bundle: number }

/** What a kind of database does in its own way. */
export type SnapshotSource = Pick<MetaBackupStore, 'copyTo' | 'bytes' | 'faults'>

/** Copies and checks of the whole store. */
export function backupPart({ read, dialect: { builder } }: Store, copies: SnapshotSource): MetaBackupStore {
  const count = async (table: 'organization' | 'project' | 'issue' | 'attachment' | 'dead_item') =>
    Number((await read.get(builder.selectFrom(table).select((build) => build.fn.countAll().as('n'))))?.n ?? 0)
  const newest = async (table: 'attachment' | 'dead_item' | 'artifact_bundle') =>
    Number((await read.get(builder.selectFrom(table).select((build) => build.fn.max('id').as('n'))))?.n ?? 0)
  const keysOf = async (table: 'attachment' | 'dead_item' | 'artifact_bundle', after: number) =>
    (await read.all(builder.selectFrom(table).select('blob_key').distinct().where('id', '>', after))).map(
      (row) => row.blob_key,
    )
  return {
    copyTo: (file) => copies.copyTo(file),
    bytes: () => copies.bytes(),
    faults: () => copies.faults(),
    tally: async () => ({
      organizations: await count('organization'),
      projects: await count('project'),
      issues: await count('issue'),
      attachments: await count('attachment'),
      deadItems: await count('dead_item'),
    }),
    counters: async () =>
      (await read.all(builder.selectFrom('issue').select(['id', 'project_id', 'count', 'first_seen_ms']))).map(
        (row) => ({
          issueId: row.id,
          projectId: row.project_id,
          count: row.count,
          firstSeenMs: row.first_seen_ms,
        }),
      ),
    blobWatermark: async () => ({
      attachment: await newest('attachment'),
      deadItem: await newest('dead_item'),
      bundle: await newest('artifact_bundle'),
    }),
    blobKeys: async (since = { attachment: 0, deadItem: 0, bundle: 0 }) =>
      [
        ...(await keysOf('attachment', since.attachment)),
        ...(await keysOf('dead_item', since.deadItem)),
        ...(await keysOf('artifact_bundle', since.bundle)),
      ].filter((key) => key !== ''),
  }
}
