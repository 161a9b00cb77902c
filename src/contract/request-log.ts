import { z } from 'zod'
import { digits, textOrNull, time } from './scalars.ts'

/** One request to ingest in the request log. */
export const restLoggedRequest = z
  .strictObject({
    receivedAt: time,
    /** Id of the project key, or null without a known key. */
    key: digits.nullable(),
    route: z.string(),
    sdk: z.string(),
    /** Bytes on the wire. */
    bytes: z.int(),
    status: z.int(),
    code: z.string(),
    reason: z.string(),
    eventId: textOrNull,
    /** Advice about the answer, or '' if the request was accepted. */
    todo: z.string(),
    items: z.array(
      z.strictObject({
        type: z.string(),
        bytes: z.int(),
        outcome: z.string(),
        reason: z.string(),
        todo: z.string(),
      }),
    ),
    /** Number of items that are not listed. */
    more: z.int(),
  })
  .meta({ id: 'Intake' })
export type RestLoggedRequest = z.infer<typeof restLoggedRequest>

/** GET projects/{org}/{project}/ingest/ */
export const restRequestLog = z
  .strictObject({
    keys: z.array(z.strictObject({ id: digits, label: z.string(), public: z.string(), isActive: z.boolean() })),
    /** Newest first, at most 100 per key. */
    requests: z.array(restLoggedRequest),
  })
  .meta({ id: 'Intakes' })
export type RestRequestLog = z.infer<typeof restRequestLog>
