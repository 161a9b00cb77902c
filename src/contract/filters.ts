import { z } from 'zod'
import { record, revisionField } from './scalars.ts'

/** projects/{org}/{project}/filters/: an inbound filter. */
export const restFilter = z.strictObject({
  id: z.string(),
  active: z
    .union([z.boolean(), z.array(z.string())])
    .describe('Of legacy-browsers the names of those that are filtered, false for none.'),
  patterns: z
    .array(z.string())
    .nullable()
    .describe('Of error-messages, releases, ip-addresses and csp-disallowed-sources; null of the others.'),
  subfilters: z.array(z.string()).nullable().describe('What legacy-browsers can name; null of the others.'),
  dropped: z.number().int().describe('Events that it dropped in the last 7 days.'),
  revision: z.number().int().describe('Of the project, whose settings the filters are.'),
})
export type RestFilter = z.infer<typeof restFilter>

/** A recent event that a filter dropped. */
export const restFilterSample = z.strictObject({
  eventID: z.string(),
  title: z.string(),
  why: z.string().describe('What met the filter; empty where that is scrubbed.'),
  dateReceived: z.string(),
  event: record.nullable().describe('The normalized, scrubbed event; null where it was too large.'),
})

/** Body to change a filter. */
export const filterChangeBody = z.object({
  active: z.boolean().optional(),
  subfilters: z.array(z.string().max(30)).max(30).optional(),
  patterns: z.array(z.string().max(1000)).max(1000).optional(),
  revision: revisionField,
})
export type FilterChangeBody = z.output<typeof filterChangeBody>
