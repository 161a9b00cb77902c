import { z } from 'zod'
import { ownershipCharactersMax } from '../domain/ownership.ts'
import { revisionField, time } from './scalars.ts'

const fault = z.strictObject({ line: z.int(), sentence: z.string() })

/** projects/{org}/{project}/ownership/: rules that say who owns an event. */
export const restOwnership = z
  .strictObject({
    raw: z.string(),
    autoAssignment: z.boolean(),
    revision: z.int(),
    lastUpdated: time.nullable(),
    rules: z.array(z.strictObject({ line: z.int(), text: z.string(), owners: z.array(z.string()) })),
    faults: z.array(fault),
  })
  .meta({ id: 'Ownership' })
export type RestOwnership = z.infer<typeof restOwnership>

/** Effect of rules on the latest issues. */
export const restOwnershipTest = z
  .strictObject({
    faults: z.array(fault),
    issues: z.array(
      z.strictObject({
        id: z.string(),
        shortId: z.string(),
        title: z.string(),
        line: z.int().nullable(),
        rule: z.string().nullable(),
        owner: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'OwnershipTrial' })
export type RestOwnershipTest = z.infer<typeof restOwnershipTest>

const raw = z.string().max(ownershipCharactersMax, `At most ${ownershipCharactersMax} characters.`)
/** Body to change the rules. */
export const ownershipChangeBody = z.object({
  raw: raw.optional(),
  autoAssignment: z.boolean().optional(),
  revision: revisionField,
})
/** Body to test rules. */
export const ownershipTestBody = z.object({ raw })
