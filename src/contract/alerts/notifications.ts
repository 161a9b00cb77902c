import { z } from 'zod'
import { alertReasonCodes } from '../../domain/alerts/alert-reasons.ts'
import { channelKinds, channelSubscriptions } from '../../domain/alerts/channel-kinds.ts'
import { digits, time } from '../scalars.ts'

const channelKind = z.enum(channelKinds, { error: `One of ${channelKinds.join(', ')}.` })
const subscription = z
  .enum(channelSubscriptions)
  .describe('issues: hears of new, regressed and escalating issues. rules: hears only of alert rules.')

const recipient = z.strictObject({
  address: z.string(),
  state: z
    .enum(['member', 'confirmed', 'unconfirmed'])
    .describe('An unconfirmed address gets only the confirmation mail.'),
  dateAsked: time.nullable().describe('Time of the last confirmation mail to an unconfirmed address.'),
  error: z.string().describe('Why the confirmation mail could not be sent.'),
})

/** organizations/{org}/notification-channels/. `target` never has the secret part of an address. */
export const restChannel = z
  .strictObject({
    id: digits,
    kind: channelKind,
    name: z.string(),
    target: z.string().describe('Addresses or "members". For a URL only the host.'),
    recipients: z.array(recipient).describe('All addresses of an e-mail channel, each with its confirmation.'),
    project: z.string().nullable().describe('Slug of its project. Null: all projects.'),
    subscription,
    isActive: z.boolean(),
    dateCreated: time,
    failingSince: time.nullable(),
    lastError: z.string(),
    lastAnswer: z.string().describe('What the service said about the last message that it took.'),
    pausedUntil: time.nullable().describe('The service wants no message before this time.'),
  })
  .meta({ id: 'NotificationChannel' })
export type RestChannel = z.infer<typeof restChannel>

/** The answer to a new channel. `secret` is the signing secret of a generic webhook, shown only once. */
export const restNewChannel = z.strictObject({ channel: restChannel, secret: z.string().nullable() })

/** A message of a channel and its result. */
export const restDelivery = z
  .strictObject({
    id: digits,
    recipient: z.string(),
    kind: z.enum(['issue', 'incident', 'summary', 'digest', 'report', 'test']),
    change: z.enum(['start', 'change', 'end']),
    incident: digits.nullable(),
    issues: z.array(digits).describe('At most 20 issues.'),
    more: z.int().describe('Issues and incidents that the message counts beyond `issues`.'),
    status: z
      .enum(['queued', 'sent', 'failed', 'suppressed'])
      .describe('suppressed: a mute, a snooze or a limit held it back. `error` has the reason.'),
    attempts: z.int(),
    error: z.string(),
    errorCode: z
      .enum(alertReasonCodes)
      .nullable()
      .describe('The code of the sentence, if it is one of Mishap. Null for the words of a service.'),
    dateCreated: time,
    dateSent: time.nullable(),
    steps: z
      .array(
        z.strictObject({
          date: time,
          step: z.enum(['evaluated', 'sent', 'answered', 'retried', 'sent_again']),
          text: z.string().describe('A reason, the words of the service, or who sent it again.'),
        }),
      )
      .describe('What happened to the message, oldest first.'),
  })
  .meta({ id: 'Delivery' })
export type RestDelivery = z.infer<typeof restDelivery>

/** The mail server without its password. Null: none is configured. */
export const restMailServer = z
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
export type RestMailServer = z.infer<typeof restMailServer>

// ---- bodies; the store and alert/ validate the values, also for the screens

const channelName = z.string().max(300)
const target = z.string().max(20_000)
const config = z
  .record(z.string().max(40), z.string().max(20_000))
  .describe('The other fields of the kind, see docs/channels.md. They are never returned.')
const project = z.string().max(50).nullable()

/** Body of a new channel. */
export const newChannelBody = z.object({
  kind: channelKind,
  name: channelName,
  target: target.optional(),
  config: config.optional(),
  project: project.optional(),
  subscription: subscription.optional(),
})
/** Body to change a channel. */
export const channelChangeBody = z
  .object({ name: channelName, target, config, project, subscription, isActive: z.boolean() })
  .partial()
/** Body to request confirmation of an address; without an address, of all addresses not asked yet. */
export const confirmationBody = z.object({ address: z.string().max(300).optional() })
/** Body of the mail server. Without a password, the current one stays. */
export const mailServerBody = z.object({
  host: z.string().max(300),
  port: z.number(),
  security: z.string().max(20),
  user: z.string().max(300).default(''),
  password: z.string().max(1000).optional(),
  from: z.string().max(300),
})
