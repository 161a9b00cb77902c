import { z } from 'zod'
import { substatuses } from '../domain/issue-states.ts'
import type * as Rest from './rest-triage.ts'
import { digits, status, statusDetails, time } from './schemas.ts'

export const inCommon = z
  .strictObject({
    own: z.number(),
    others: z.number(),
    values: z.array(
      z.strictObject({
        key: z.string(),
        value: z.string(),
        own: z.int(),
        ownShare: z.number(),
        otherShare: z.number(),
        lift: z.number(),
        low: z.number(),
        high: z.number(),
      }),
    ),
  })
  .meta({ id: 'InCommon' }) satisfies z.ZodType<Rest.RestInCommon>
export const bulk = z
  .strictObject({
    id: digits,
    total: z.int(),
    done: z.int(),
    changed: z.int(),
    undone: z.boolean(),
    dateCreated: time,
    dateEnded: time.nullable(),
  })
  .meta({ id: 'IssueBulk' }) satisfies z.ZodType<Rest.RestBulk>
export const issueChange = z
  .strictObject({
    status,
    substatus: z.enum(substatuses).nullable(),
    statusDetails,
    assignedTo: z
      .strictObject({ type: z.literal('user'), id: z.string(), name: z.string(), email: z.string() })
      .nullable(),
    priority: z.enum(['high', 'medium', 'low']).nullable(),
    hasSeen: z.boolean(),
    isBookmarked: z.boolean(),
    isSubscribed: z.boolean(),
    bulk,
    merge: z.strictObject({ parent: digits, children: z.array(digits) }),
  })
  .partial()
  .extend({ updated: z.array(digits) })
