import { z } from 'zod'
import { digits, restProjectName, time } from './scalars.ts'
import { restKeyName } from './status.ts'

const listed = z.strictObject({
  id: digits,
  project: restProjectName,
  key: restKeyName,
  receivedAt: time,
  reason: z.string(),
  bytes: z.int(),
})
/** GET organizations/{org}/dead-items/ */
export const restDeadLetter = listed.meta({ id: 'DeadItem' })
export type RestDeadLetter = z.infer<typeof restDeadLetter>

/** GET organizations/{org}/dead-items/{id}/ */
export const restDeadLetterContent = listed
  .extend({
    /** Start of the unscrubbed record. */
    text: z.string(),
    textBytes: z.int(),
    totalBytes: z.int(),
  })
  .meta({ id: 'DeadContent' })
export type RestDeadLetterContent = z.infer<typeof restDeadLetterContent>
