import type { Store } from './store.ts'

/** The methods of meta for `mishap verify` and backups. */
export type MetaBackupStore = {
  /** Writes a consistent copy of the whole database to a file that must not exist. */
  copyTo(file: string): void
  /** Faults of the database file; empty when there are none. */
  faults(): string[]
  /** Row counts to compare with the other stores. */
  tally(): {
    organizations: number
    projects: number
    issues: number
    attachments: number
    deadItems: number
  }
  /** The event counter and first event of every issue. */
  counters(): { issueId: number; projectId: number; count: number; firstSeenMs: number }[]
  /** The newest ids of the rows that refer to blobs. */
  blobWatermark(): BlobWatermark
  /** Keys of all blobs that rows refer to. With `since`: only of rows that were added after that mark. */
  blobKeys(since?: BlobWatermark): string[]
}

/** Row ids, which are never reused; 0 when the table is empty. */
type BlobWatermark = { attachment: number; deadItem: number; bundle: number }

/** Copies and checks of the whole store. */
export function backupPart({ read, dialect: { builder } }: Store): MetaBackupStore {
  const count = (table: 'organization' | 'project' | 'issue' | 'attachment' | 'dead_item') =>
    Number(read.get(builder.selectFrom(table).select((build) => build.fn.countAll().as('n')))?.n ?? 0)
  const newest = (table: 'attachment' | 'dead_item' | 'artifact_bundle') =>
    Number(read.get(builder.selectFrom(table).select((build) => build.fn.max('id').as('n')))?.n ?? 0)
  const keysOf = (table: 'attachment' | 'dead_item' | 'artifact_bundle', after: number) =>
    read.all(builder.selectFrom(table).select('blob_key').distinct().where('id', '>', after)).map((row) => row.blob_key)
  return {
    copyTo: (file) => read.copyTo(file),
    faults: () => read.faults(),
    tally: () => ({
      organizations: count('organization'),
      projects: count('project'),
      issues: count('issue'),
      attachments: count('attachment'),
      deadItems: count('dead_item'),
    }),
    counters: () =>
      read.all(builder.selectFrom('issue').select(['id', 'project_id', 'count', 'first_seen_ms'])).map((row) => ({
        issueId: row.id,
        projectId: row.project_id,
        count: row.count,
        firstSeenMs: row.first_seen_ms,
      })),
    blobWatermark: () => ({
      attachment: newest('attachment'),
      deadItem: newest('dead_item'),
      bundle: newest('artifact_bundle'),
    }),
    blobKeys: (since = { attachment: 0, deadItem: 0, bundle: 0 }) =>
      [
        ...keysOf('attachment', since.attachment),
        ...keysOf('dead_item', since.deadItem),
        ...keysOf('artifact_bundle', since.bundle),
      ].filter((key) => key !== ''),
  }
}
