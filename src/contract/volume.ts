import { z } from 'zod'

const bucket = z.strictObject({
  start: z.int().describe('Start of the bucket, seconds since 1970.'),
  error: z.int().describe('Events of issues with the level fatal or error.'),
  warning: z.int().describe('Events of issues with the level warning.'),
  other: z.int().describe('Events of issues with another level.'),
})

/** GET organizations/{org}/issues-volume/: the events of the issues that a query finds, over the range. */
export const restVolume = z
  .strictObject({
    interval: z.int().describe('Length of a bucket, seconds.'),
    buckets: z.array(bucket).describe('All buckets of the range, oldest first, at most 122.'),
    truncated: z.boolean().describe('More than 10,000 groups match: only the busiest are counted.'),
  })
  .meta({ id: 'IssueVolume' })
export type RestVolume = z.infer<typeof restVolume>
