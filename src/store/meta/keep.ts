import type { MetaStore } from './meta.ts'
import type { Store } from './store.ts'

/** What `mishap verify` and backups need of meta. */
export type KeepStore = {
  /** Writes a consistent copy of the whole database to a file that must not exist. */
  copyTo(file: string): void
  /** What is broken in the file itself; empty when nothing is. */
  faults(): string[]
  /** Numbers to compare with the other stores. */
  tally(): {
    organizations: number
    projects: number
    issues: number
    attachments: number
    deadItems: number
  }
  /** Every issue's counter and when it was made. */
  counters(): { issueId: number; projectId: number; count: number; firstSeenMs: number }[]
  /** Keys of all blobs that rows name. */
  blobKeys(): string[]
}

type Part = Pick<MetaStore, keyof KeepStore>

/** Copies and checks of the whole store. */
export function keepPart({ read, dialect: { builder } }: Store): Part {
  const count = (table: 'organization' | 'project' | 'issue' | 'attachment' | 'dead_item') =>
    Number(read.get(builder.selectFrom(table).select((build) => build.fn.countAll().as('n')))?.n ?? 0)
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
    blobKeys: () =>
      [
        ...read.all(builder.selectFrom('attachment').select('blob_key').distinct()).map((row) => row.blob_key),
        ...read.all(builder.selectFrom('dead_item').select('blob_key').distinct()).map((row) => row.blob_key),
      ].filter((key) => key !== ''),
  }
}
