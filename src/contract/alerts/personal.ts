import { z } from 'zod'
import { digestPaces, isClockTime, type personalKinds, places, projectModes } from '../../domain/alerts/personal.ts'
import { revisionField } from '../scalars.ts'

const where = z.array(z.enum(places)).max(places.length)
const kinds = z.object({
  assigned: where,
  mention: where,
  followed: where,
  release: where,
  alert: where,
  on_call: where,
} satisfies Record<(typeof personalKinds)[number], typeof where>)
const clockTime = z.string().refine(isClockTime, 'A time such as 22:00.')
const quietHours = z.strictObject({ from: clockTime, to: clockTime }).nullable()
const ownKinds = kinds.omit({ on_call: true }).partial().strict()
const choice = z.union([z.enum(projectModes), z.strictObject({ kinds: ownKinds })])
const projects = z
  .record(z.string().max(50), choice)
  .describe(
    'By slug. mine: only assignments and mentions. none: nothing. kinds: where each kind goes; absent ones follow the general settings. On-call messages come always.',
  )

/** organizations/{org}/personal-notifications/: what the caller wants to hear of the organization. */
export const restPersonalSettings = z
  .strictObject({
    kinds: kinds
      .strict()
      .describe(
        'Where each kind of message goes: email, push (the browsers of the person) or both. An empty list: nowhere.',
      ),
    digest: z.enum(digestPaces),
    report: z.boolean().describe('The weekly report of what was sent.'),
    projects,
    quietHours: quietHours.describe('Messages wait until the end, except critical on-call messages.'),
    timeZone: z.string().describe('An IANA name.'),
    revision: z.int().describe('0: the defaults.'),
  })
  .meta({ id: 'PersonalNotifications' })
export type RestPersonalSettings = z.infer<typeof restPersonalSettings>

/** Body to change the settings. Absent fields and kinds stay. */
export const personalChangeBody = z
  .object({
    kinds: kinds.partial(),
    digest: z.enum(digestPaces),
    report: z.boolean(),
    projects,
    quietHours,
    timeZone: z.string().max(64),
    revision: revisionField,
  })
  .partial()
export type PersonalChange = z.output<typeof personalChangeBody>
