import { z } from 'zod'

const date = z.string().describe('ISO 8601, UTC.')

/** A saved view of the issue stream. */
export const savedSearch = z.strictObject({
  id: z.string(),
  type: z.literal(0).describe('0: of issues.'),
  name: z.string(),
  query: z.string(),
  sort: z.string().describe('date, new, freq or user.'),
  visibility: z.enum(['owner', 'organization']),
  isGlobal: z.literal(false),
  isPinned: z.literal(false),
  projects: z.array(z.string()).describe('Slugs or ids; empty: all.'),
  environments: z.array(z.string()).describe('Empty: all.'),
  statsPeriod: z
    .string()
    .nullable()
    .describe('Length of the range up to now; null with start and end, or for the usual one.'),
  start: date.nullable(),
  end: date.nullable(),
  createdBy: z.strictObject({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
  dateCreated: date,
  isEditable: z.boolean().describe('Whether the caller may change it.'),
  revision: z.number().int(),
})

/** A value of a tag or field. */
export const completion = z.strictObject({
  key: z.string(),
  name: z.string(),
  value: z.string(),
  count: z
    .number()
    .int()
    .nullable()
    .describe('Events among those that were counted; null where values are not counted.'),
})
