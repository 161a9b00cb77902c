import { z } from 'zod'
import { restPerson } from './people.ts'
import { digits, time } from './scalars.ts'

/** organizations/{org}/removals/: a deletion in progress through the stores. */
export const restRemoval = z
  .strictObject({
    id: digits,
    kind: z.enum(['organization', 'project', 'issue', 'discard']),
    title: z.string(),
    /** Null for an organization. */
    projectId: digits.nullable(),
    issueId: digits.nullable(),
    stage: z.enum(['asked', 'blobs', 'proof', 'done']),
    events: z.number().int(),
    files: z.number().int(),
    error: z.string(),
    dateCreated: time,
    dateEnded: time.nullable(),
  })
  .meta({ id: 'Removal' })
export type RestRemoval = z.infer<typeof restRemoval>

/** projects/{org}/{project}/tombstones/: a discarded issue. */
export const restTombstone = z
  .strictObject({
    id: z.string().describe('Its short id.'),
    title: z.string().describe('Its title. Empty if an older version did not store it.'),
    /** Its former culprit, or '' if an older version did not store it. */
    culprit: z.string(),
    hashes: z.array(z.string()),
    actor: restPerson.nullable(),
    dateCreated: time,
  })
  .meta({ id: 'Tombstone' })
export type RestTombstone = z.infer<typeof restTombstone>
