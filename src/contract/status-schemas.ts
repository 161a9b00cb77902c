import { z } from 'zod'
import type * as Rest from './rest.ts'
import type * as State from './rest-status.ts'

/** Shapes of what the waiting screen and the status page ask, as in schemas.ts. */

const time = z.iso.datetime()
const textOrNull = z.string().nullable()
const digits = z.string().regex(/^\d+$/)

export const arrivals = z
  .strictObject({
    connection: time.nullable(),
    firstEvent: time.nullable(),
    items: z.array(
      z.strictObject({
        itemType: z.string(),
        category: z.string(),
        outcome: z.string(),
        reason: z.string(),
        quantity: z.int(),
        sentence: z.string(),
      }),
    ),
    newestIssue: z.strictObject({ id: digits, shortId: z.string(), title: z.string() }).nullable(),
  })
  .meta({ id: 'Arrivals' }) satisfies z.ZodType<Rest.RestArrivals>

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
  thinned: count,
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
export const systemStatus = z
  .strictObject({
    version: z.string(),
    startedAt: time,
    engine: z.strictObject({ up: z.boolean(), version: textOrNull }),
    journal: z.strictObject({
      lagBytes: z.number(),
      waitingRecords: z.number(),
      oldestWaitingMs: z.number(),
      boundBytes: z.number(),
      waitsFor: z.strictObject({ store: z.enum(['events', 'database', 'files']), since: time }).nullable(),
    }),
    ledger: ledgerSums,
    disk: z.strictObject({
      dataBytes: z.number(),
      freeBytes: z.number(),
      totalBytes: z.number(),
      tables: z.array(
        z.strictObject({ table: z.string(), rows: z.number(), bytesOnDisk: z.number(), bytesRaw: z.number() }),
      ),
      budget: z
        .strictObject({
          budgetBytes: z.number().nullable(),
          storedBytes: z.number(),
          eventBytes: z.number(),
          spanBytes: z.number(),
          blobBytes: z.number(),
          databaseBytes: z.number(),
          copyBytes: z.number().describe('What backups that were killed left, until it is swept.'),
        })
        .nullable(),
      thinned: z.array(
        z.strictObject({
          startedAt: time,
          endedAt: time.nullable(),
          budgetBytes: z.number(),
          bytesBefore: z.number(),
          bytesAfter: z.number().nullable(),
          events: count,
          attachments: count,
          reached: z.boolean(),
        }),
      ),
    }),
    deadItems: z.array(
      z.strictObject({ jpos: z.string(), projectId: digits, receivedAt: time, reason: z.string(), bytes: count }),
    ),
    versions: z.array(z.strictObject({ name: z.string(), version: z.string(), advisory: textOrNull })),
  })
  .meta({ id: 'Status' }) satisfies z.ZodType<Rest.RestStatus>

export const organizationStatus = z
  .strictObject({ ledger: ledgerSums.omit({ waiting: true }), deadItems: count, projects: count })
  .meta({ id: 'OrganizationStatus' }) satisfies z.ZodType<State.RestOrganizationStatus>

// ---- beside the one status: rest-status.ts

const named = z.strictObject({ id: digits, slug: z.string() })
const labelled = z.strictObject({ id: digits, label: z.string() }).nullable()

export const ledger = z
  .strictObject({
    range: z.enum(['1h', '24h', '30d', '13m']),
    from: time,
    rows: z.array(
      z.strictObject({
        project: named.nullable(),
        key: labelled,
        category: z.string(),
        outcome: z.string(),
        reason: z.string(),
        quantity: count,
        bytes: count,
        todo: z.string(),
      }),
    ),
  })
  .meta({ id: 'Ledger' }) satisfies z.ZodType<State.RestLedger>

const deadItemShape = {
  id: digits,
  project: named,
  key: labelled,
  receivedAt: time,
  reason: z.string(),
  bytes: count,
}
export const deadItem = z.strictObject(deadItemShape).meta({ id: 'DeadItem' }) satisfies z.ZodType<State.RestDeadItem>
export const deadContent = z
  .strictObject({ ...deadItemShape, text: z.string(), textBytes: count, totalBytes: count })
  .meta({ id: 'DeadContent' }) satisfies z.ZodType<State.RestDeadContent>

export const intake = z
  .strictObject({
    receivedAt: time,
    key: digits.nullable(),
    route: z.string(),
    sdk: z.string(),
    bytes: count,
    status: count,
    code: z.string(),
    reason: z.string(),
    eventId: textOrNull,
    todo: z.string(),
    items: z.array(
      z.strictObject({
        type: z.string(),
        bytes: count,
        outcome: z.string(),
        reason: z.string(),
        todo: z.string(),
      }),
    ),
    more: count,
  })
  .meta({ id: 'Intake' }) satisfies z.ZodType<State.RestLoggedRequest>
export const intakes = z
  .strictObject({
    keys: z.array(z.strictObject({ id: digits, label: z.string(), public: z.string(), isActive: z.boolean() })),
    requests: z.array(intake),
  })
  .meta({ id: 'Intakes' }) satisfies z.ZodType<State.RestRequestLog>

export const job = z
  .strictObject({
    name: z.string(),
    everyMs: count,
    running: z.boolean(),
    lastRun: time.nullable(),
    durationMs: z.number(),
    result: z.record(z.string(), z.unknown()),
    error: z.string(),
    failures: count,
    nextRun: time.nullable(),
  })
  .meta({ id: 'Job' }) satisfies z.ZodType<State.RestJob>

const someProject = z.strictObject({ id: digits, slug: z.string() })
export const regroupings = z
  .strictObject({
    runs: z.array(
      z.strictObject({
        id: digits,
        project: someProject,
        cause: z.enum(['upload', 'late']),
        dateCreated: time,
        dateEnded: time.nullable(),
        total: count,
        looked: count,
        mapped: count,
        moved: count,
        issues: count,
        error: z.string(),
      }),
    ),
    full: z.array(z.strictObject({ project: someProject, noted: count, refused: count, dateRefused: time })),
  })
  .meta({ id: 'Regroupings' }) satisfies z.ZodType<State.RestRegroupings>

const kept = z.strictObject({ count, bytes: z.number() })
export const usage = z
  .strictObject({
    projects: z.array(
      z.strictObject({
        id: digits,
        slug: z.string(),
        events: z.strictObject({ rows: count, bytes: z.number(), thinned: count }).nullable(),
        spans: z.strictObject({ rows: count, bytes: z.number() }).nullable(),
        attachments: kept,
        deadItems: kept,
        artifacts: kept,
      }),
    ),
    journalBytes: z.number().nullable().describe('Null: the caller is not the operator.'),
    databaseBytes: z.number().nullable(),
    spoolBytes: z.number().nullable(),
  })
  .meta({ id: 'Usage' }) satisfies z.ZodType<State.RestUsage>
