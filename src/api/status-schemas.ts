import { z } from 'zod'
import type * as Rest from '../protocol/rest.ts'

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
    }),
    ledger: z.strictObject({
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
      rows: z.array(
        z.strictObject({
          category: z.string(),
          outcome: z.string(),
          reason: z.string(),
          quantity: count,
          bytes: count,
        }),
      ),
    }),
    disk: z.strictObject({
      dataBytes: z.number(),
      freeBytes: z.number(),
      totalBytes: z.number(),
      tables: z.array(
        z.strictObject({ table: z.string(), rows: z.number(), bytesOnDisk: z.number(), bytesRaw: z.number() }),
      ),
    }),
    deadItems: z.array(
      z.strictObject({ jpos: z.string(), projectId: digits, receivedAt: time, reason: z.string(), bytes: count }),
    ),
    versions: z.array(z.strictObject({ name: z.string(), version: z.string(), advisory: textOrNull })),
  })
  .meta({ id: 'Status' }) satisfies z.ZodType<Rest.RestStatus>
