import { z } from 'zod'
import type * as Rest from './rest-notifications.ts'

const digits = z.string().regex(/^\d+$/)
const time = z.iso.datetime()

const recipient = z.strictObject({
  address: z.string(),
  state: z
    .enum(['member', 'confirmed', 'unconfirmed'])
    .describe('An unconfirmed address gets no mail but the question.'),
  dateAsked: time.nullable().describe('When an unconfirmed one was last asked to confirm.'),
  error: z.string().describe('Why the mail that asks did not leave.'),
})

export const channel = z
  .strictObject({
    id: digits,
    kind: z.enum(['email', 'slack', 'webhook']),
    name: z.string(),
    target: z.string().describe('Addresses or "members"; of a URL the host alone.'),
    recipients: z
      .array(recipient)
      .describe('The addresses that a mail channel names or means, each with whether it gets mails.'),
    project: z.string().nullable().describe('Slug of the one project that it is for; null: all.'),
    isActive: z.boolean(),
    dateCreated: time,
    failingSince: time.nullable(),
    lastError: z.string(),
  })
  .meta({ id: 'NotificationChannel' }) satisfies z.ZodType<Rest.RestChannel>

export const delivery = z
  .strictObject({
    id: digits,
    recipient: z.string(),
    kind: z.enum(['issue', 'summary', 'test']),
    issues: z.array(digits),
    status: z.enum(['queued', 'sent', 'failed']),
    attempts: z.int(),
    error: z.string(),
    dateCreated: time,
    dateSent: time.nullable(),
  })
  .meta({ id: 'Delivery' }) satisfies z.ZodType<Rest.RestDelivery>

export const mailServer = z
  .strictObject({
    host: z.string(),
    port: z.int(),
    security: z.enum(['tls', 'starttls', 'none']),
    user: z.string(),
    from: z.string(),
    hasPassword: z.boolean(),
  })
  .nullable()
  .meta({ id: 'MailServer' })
