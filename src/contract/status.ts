import { z } from 'zod'
import { digits, record, restProjectName, textOrNull, time } from './scalars.ts'

/** Shapes of the state of the installation: status, ledger, jobs, usage. */

const count = z.int()

const ledgerSums = z.strictObject({
  received: count,
  stored: count,
  filtered: count,
  rateLimited: count,
  invalid: count,
  duplicate: count,
  waiting: count,
  dead: count,
  lost: count,
  clientDiscards: count,
  /** Stored events and attachments that the disk budget has evicted since. */
  thinned: count,
  /** Items received for Mishap's own project. The other sums leave them out. */
  own: count,
  rows: z.array(
    z.strictObject({
      category: z.string(),
      outcome: z.string(),
      reason: z.string(),
      quantity: count,
      bytes: count,
    }),
  ),
})

/** Disk usage, its budget, and evictions by the budget. */
const disk = z.strictObject({
  dataBytes: z.number(),
  freeBytes: z.number(),
  totalBytes: z.number(),
  tables: z.array(
    z.strictObject({ table: z.string(), rows: z.number(), bytesOnDisk: z.number(), bytesRaw: z.number() }),
  ),
  /** Null while the events store is down. */
  budget: z
    .strictObject({
      /** Maximum bytes to store. Null: limited only by the disk. */
      budgetBytes: z.number().nullable(),
      /** All tables, attachments, dead letters, bundles, the database and leftover copies. */
      storedBytes: z.number(),
      eventBytes: z.number(),
      spanBytes: z.number(),
      logBytes: z.number(),
      metricBytes: z.number(),
      blobBytes: z.number(),
      databaseBytes: z.number(),
      copyBytes: z.number().describe('Leftovers of interrupted backups, until they are removed.'),
    })
    .nullable(),
  /** The newest downsampling runs. `endedAt` and `bytesAfter` are null while it runs, or if it was interrupted. */
  thinned: z.array(
    z.strictObject({
      startedAt: time,
      endedAt: time.nullable(),
      budgetBytes: z.number(),
      bytesBefore: z.number(),
      bytesAfter: z.number().nullable(),
      events: count,
      attachments: count,
      /** Spans of downsampled traces. */
      spans: count,
      /** Whether the data met the budget afterwards. False if all issues are down to their kept events. */
      reached: z.boolean(),
    }),
  ),
})

/** GET /api/0/status/ */
export const restStatus = z
  .strictObject({
    version: z.string(),
    startedAt: time,
    /** The events store. */
    engine: z.strictObject({
      up: z.boolean(),
      version: textOrNull,
      kind: z.enum(['embedded', 'server']).describe('The engine of Mishap itself, or a ClickHouse server.'),
      /** Host and port of the server; null for the embedded store. */
      host: textOrNull,
      away: z
        .enum(['silent', 'refused'])
        .nullable()
        .describe('Why the server cannot be used: it does not answer, or it refuses Mishap.'),
    }),
    blobStore: z
      .strictObject({ place: z.enum(['files', 's3']), up: z.boolean(), reason: textOrNull })
      .describe('Where attachments and uploads are, and whether that store answers. `reason` says why not.'),
    journal: z.strictObject({
      lagBytes: z.number(),
      waitingRecords: z.number(),
      oldestWaitingMs: z.number(),
      eventsWaitingMs: z
        .number()
        .describe(
          'The same for errors, sessions, feedback and reports. Spans, logs and metrics wait apart from them and do not delay them.',
        ),
      boundBytes: z.number(),
      /** The store that blocks processing: it is down or its disk is full. Null while processing runs. */
      waitsFor: z.strictObject({ store: z.enum(['events', 'database', 'files', 'blobs']), since: time }).nullable(),
    }),
    ledger: ledgerSums,
    disk,
    deadItems: z.array(
      z.strictObject({ jpos: z.string(), projectId: digits, receivedAt: time, reason: z.string(), bytes: count }),
    ),
    versions: z.array(z.strictObject({ name: z.string(), version: z.string(), advisory: textOrNull })),
  })
  .meta({ id: 'Status' })
export type RestStatus = z.infer<typeof restStatus>

/** organizations/{org}/status/: outcomes of all items of its projects. Waiting items are not counted by project. */
export const restOrganizationStatus = z
  .strictObject({ ledger: ledgerSums.omit({ waiting: true }), deadItems: count, projects: count })
  .meta({ id: 'OrganizationStatus' })
export type RestOrganizationStatus = z.infer<typeof restOrganizationStatus>

/** GET organizations/{org}/health/: whether data arrives, in one word, with the numbers behind it. */
export const restIngestHealth = z
  .strictObject({
    state: z
      .enum(['ok', 'down', 'waiting', 'behind', 'rejecting'])
      .describe(
        'The most severe: down (the events store), waiting (a store blocks processing), behind (the oldest record waits longer than 15 s), rejecting (requests of the last 5 minutes were refused), ok.',
      ),
    eventsPerMinute: count.describe('Stored error events of the last minute.'),
    oldestWaitingMs: z.number(),
    rejectedRequests: count.describe(
      'Refused requests among the last 100 of each key, within 5 minutes. Requests of disabled keys are not counted.',
    ),
    rejectedProject: restProjectName.nullable().describe('The project with the most refused requests.'),
  })
  .meta({ id: 'IngestHealth' })
export type RestIngestHealth = z.infer<typeof restIngestHealth>

/** Short form of a project key. Null: no known key. */
export const restKeyName = z.strictObject({ id: digits, label: z.string() }).nullable()

/** GET organizations/{org}/ledger/: outcomes of items in a range, down to the key. */
export const restLedger = z
  .strictObject({
    range: z.enum(['1h', '24h', '30d', '13m']),
    /** Start of an hour, because items are counted by the hour. */
    from: time,
    rows: z.array(
      z.strictObject({
        /** Null for items without a known key. */
        project: restProjectName.nullable(),
        key: restKeyName,
        category: z.string(),
        outcome: z.string(),
        reason: z.string(),
        /** Negative after the replay of a dead letter: its items are counted again. */
        quantity: count,
        bytes: count,
        /** Advice, or ''. */
        todo: z.string(),
      }),
    ),
  })
  .meta({ id: 'Ledger' })
export type RestLedger = z.infer<typeof restLedger>

/** GET status/jobs/ */
export const restJob = z
  .strictObject({
    name: z.string(),
    everyMs: count,
    running: z.boolean(),
    lastRun: time.nullable(),
    durationMs: z.number(),
    result: record,
    error: z.string(),
    failures: count,
    nextRun: time.nullable(),
  })
  .meta({ id: 'Job' })
export type RestJob = z.infer<typeof restJob>

const retained = z.strictObject({ count, bytes: z.number() })
/** GET organizations/{org}/usage/: bytes on disk by project and kind. */
export const restUsage = z
  .strictObject({
    projects: z.array(
      z.strictObject({
        id: digits,
        slug: z.string(),
        /**
         * Null while the events store is down. `bytes` is an estimated share of the store, by rows and their received
         * size. The disk budget has evicted `thinned` of the events.
         */
        events: z.strictObject({ rows: count, bytes: z.number(), thinned: count }).nullable(),
        spans: z.strictObject({ rows: count, bytes: z.number() }).nullable(),
        logs: z.strictObject({ rows: count, bytes: z.number() }).nullable(),
        metrics: z.strictObject({ rows: count, bytes: z.number() }).nullable(),
        attachments: retained,
        deadItems: retained,
        /** Uploaded bundles. A bundle of several projects counts for the oldest project. */
        artifacts: retained,
      }),
    ),
    /** These three are sums over all organizations. */
    journalBytes: z.number().nullable().describe('Null: the caller is not an operator.'),
    databaseBytes: z.number().nullable(),
    spoolBytes: z.number().nullable(),
  })
  .meta({ id: 'Usage' })
export type RestUsage = z.infer<typeof restUsage>
