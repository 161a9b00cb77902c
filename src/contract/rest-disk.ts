/** What is stored, what it may take, and what was taken out to keep within that. */
export type RestDisk = {
  dataBytes: number
  freeBytes: number
  totalBytes: number
  tables: { table: string; rows: number; bytesOnDisk: number; bytesRaw: number }[]
  /**
   * What is stored (events, attachments and dead items, database) and what it may take (null: as much as there is).
   * Null while the events store is away.
   */
  budget: {
    budgetBytes: number | null
    storedBytes: number
    eventBytes: number
    spanBytes: number
    blobBytes: number
    databaseBytes: number
    /** What backups that were killed left, until it is swept. */
    copyBytes: number
  } | null
  /** The newest times that events were thinned; `endedAt` and `bytesAfter` are null while it lasts or where it was broken off. */
  thinned: {
    startedAt: string
    endedAt: string | null
    budgetBytes: number
    bytesBefore: number
    bytesAfter: number | null
    events: number
    attachments: number
    /** Whether what is stored fitted then; it does not where each issue is down to what it always keeps. */
    reached: boolean
  }[]
}
