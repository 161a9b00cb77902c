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
export const restDeadItem = listed.meta({ id: 'DeadItem' })
export type RestDeadItem = z.infer<typeof restDeadItem>

/** GET organizations/{org}/dead-items/{id}/ */
export const restDeadContent = listed
  .extend({
    /** Start of the unscrubbed record. */
    text: z.string(),
    textBytes: z.int(),
    totalBytes: z.int(),
  })
  .meta({ id: 'DeadContent' })
export type RestDeadContent = z.infer<typeof restDeadContent>
