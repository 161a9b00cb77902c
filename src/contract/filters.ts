import { z } from 'zod'
import { record, revisionField } from './scalars.ts'

/** projects/{org}/{project}/filters/: an inbound filter. */
export const restFilter = z.strictObject({
  id: z.string(),
  active: z
    .union([z.boolean(), z.array(z.string())])
    .describe('legacy-browsers: the names of the filtered browsers, or false for none.'),
  patterns: z
    .array(z.string())
    .nullable()
    .describe('Patterns of error-messages, releases, ip-addresses and csp-disallowed-sources. Null for the others.'),
  subfilters: z.array(z.string()).nullable().describe('Possible names for legacy-browsers. Null for the others.'),
  dropped: z.number().int().describe('Events that it dropped in the last 7 days.'),
  revision: z.number().int().describe('Revision of the project, because filters are project settings.'),
})
export type RestFilter = z.infer<typeof restFilter>

/** A recent event that a filter dropped. */
export const restFilterSample = z.strictObject({
  eventID: z.string(),
  title: z.string(),
  why: z.string().describe('The text that matched the filter. Empty if it is scrubbed.'),
  dateReceived: z.string(),
  event: record.nullable().describe('The normalized, scrubbed event. Null if it was too large.'),
})

/** Body to change a filter. */
export const filterChangeBody = z.object({
  active: z.boolean().optional(),
  subfilters: z.array(z.string().max(30)).max(30).optional(),
  patterns: z.array(z.string().max(1000)).max(1000).optional(),
  revision: revisionField,
})
export type FilterChangeBody = z.output<typeof filterChangeBody>
