import { z } from 'zod'
import { shownRecipientsOf, shownTargetOf } from '../../alert/channel.ts'
import type { Recipient } from '../../alert/recipients.ts'
import { smtpOf } from '../../alert/smtp.ts'
import { MishapError } from '../../base/errors.ts'
import {
  channelChangeBody,
  confirmationBody,
  mailServerBody,
  newChannelBody,
  type RestChannel,
  type RestMailServer,
  restChannel,
  restDelivery,
  restMailServer,
  restNewChannel,
} from '../../contract/alerts/notifications.ts'
import { createChannel, deleteChannel, updateChannel } from '../../operations/channels.ts'
import { clearMailServer, setMailServer } from '../../operations/mail-server.ts'
import type { App } from '../../processes/parts.ts'
import type { Channel } from '../../store/meta/issues/alerts.ts'
import { demandChange } from '../input.ts'
import { type Call, organizationOf, type Route, route } from '../route.ts'
import { channelOf, toRestDelivery } from './delivery-routes.ts'

const toRestRecipient = ({ askedMs, ...recipient }: Recipient): RestChannel['recipients'][number] => ({
  ...recipient,
  dateAsked: askedMs === null ? null : new Date(askedMs).toISOString(),
})

/** Returns the API form of a channel. */
async function toRestChannel(app: App, channel: Channel): Promise<RestChannel> {
  return {
    id: String(channel.id),
    kind: channel.kind,
    name: channel.name,
    target: shownTargetOf(app, channel),
    recipients: (await shownRecipientsOf(app, channel)).map(toRestRecipient),
    project:
      channel.projectId === null ? null : ((await app.meta.projects.projectById(channel.projectId))?.slug ?? null),
    subscription: channel.subscription,
    isActive: channel.active,
    dateCreated: new Date(channel.createdMs).toISOString(),
    failingSince: channel.failingSinceMs === null ? null : new Date(channel.failingSinceMs).toISOString(),
    lastError: channel.lastError,
    lastAnswer: channel.lastAnswer,
    pausedUntil: channel.pausedUntilMs > app.clock.now() ? new Date(channel.pausedUntilMs).toISOString() : null,
  }
}

async function mailServerOf(app: App): Promise<RestMailServer> {
  const smtp = await smtpOf(app)
  if (!smtp) return null
  const { password, ...others } = smtp
  return { ...others, hasPassword: password !== '' }
}

const C = '/organizations/:org/notification-channels'

const rightsOf = async ({ app, actor, found }: Pick<Call<unknown, unknown>, 'app' | 'actor' | 'found'>) => ({
  mayManageMembers: (await app.auth.may(actor, 'member:write', { organization: organizationOf(found) })) === 'yes',
})

/** Notification channels, their deliveries, and the mail server. */
export const notificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: C,
    operationId: 'listChannels',
    summary: 'Channels that are notified of new and regressed issues.',
    action: 'channel:read',
    response: z.array(restChannel),
    handle: async ({ app, found }) => ({
      body: await Array.fromAsync(await app.meta.alerts.channelsOf(organizationOf(found).id), async (channel) =>
        toRestChannel(app, channel),
      ),
    }),
  }),
  route({
    method: 'POST',
    path: C,
    operationId: 'createChannel',
    summary: 'Creates a channel. The signing secret of a webhook is shown only once.',
    action: 'channel:write',
    body: newChannelBody,
    status: 201,
    response: restNewChannel,
    handle: async ({ app, actor, found, body }) => {
      const text = { ...body, project: body.project ?? null }
      const rights = await rightsOf({ app, actor, found })
      const { channel, secret } = await createChannel(app, organizationOf(found).id, text, rights)
      return { body: { channel: await toRestChannel(app, channel), secret } }
    },
  }),
  route({
    method: 'PUT',
    path: `${C}/:channel`,
    operationId: 'updateChannel',
    summary: 'Changes the name, the address, the project or the state of a channel.',
    action: 'channel:write',
    body: channelChangeBody,
    response: restChannel,
    handle: async ({ app, actor, found, params, body }) => {
      const before = await channelOf(app, found, params.channel)
      demandChange(channelChangeBody, body)
      const { isActive, ...others } = body
      const rights = await rightsOf({ app, actor, found })
      const channel = await updateChannel(app, before, { ...others, active: isActive }, rights)
      return { body: await toRestChannel(app, channel) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${C}/:channel`,
    operationId: 'deleteChannel',
    summary: 'Deletes a channel and its log.',
    action: 'channel:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app, found, params }) => {
      await deleteChannel(app, (await channelOf(app, found, params.channel)).id)
      return { body: undefined, status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: `${C}/:channel/test`,
    operationId: 'testChannel',
    summary: 'Sends a test message now and returns the result. Empty if nobody would get it.',
    action: 'channel:write',
    response: z.array(restDelivery),
    handle: async ({ app, found, params }) => ({
      body: (await app.alerts.test(await channelOf(app, found, params.channel))).map(toRestDelivery),
    }),
  }),
  route({
    method: 'POST',
    path: `${C}/:channel/confirmations`,
    operationId: 'askToConfirm',
    summary:
      'Mails a confirmation link to an unconfirmed address of the channel. An earlier link becomes invalid. Without an address: to all addresses that got no link yet.',
    action: 'channel:write',
    body: confirmationBody,
    response: restChannel,
    handle: async ({ app, found, params, body }) => {
      const channel = await channelOf(app, found, params.channel)
      const isWaiting = ({ address, state }: Recipient) => address === body.address && state === 'unconfirmed'
      if (body.address !== undefined && !(await shownRecipientsOf(app, channel)).some(isWaiting))
        throw new MishapError('VALIDATION', {
          fields: { address: ['This address of the channel needs no confirmation.'] },
        })
      await app.alerts.askToConfirm(channel, body.address)
      return { body: await toRestChannel(app, channel) }
    },
  }),
  route({
    method: 'GET',
    path: '/mail-server',
    operationId: 'mailServer',
    summary: 'The mail server for notifications, without its password. Null if none is configured.',
    action: 'instance:write',
    response: restMailServer,
    handle: async ({ app }) => ({ body: await mailServerOf(app) }),
  }),
  route({
    method: 'PUT',
    path: '/mail-server',
    operationId: 'setMailServer',
    summary: 'Sets the mail server. Without a password, the password of the same server and account is kept.',
    action: 'instance:write',
    body: mailServerBody,
    response: restMailServer,
    handle: async ({ app, body }) => {
      await setMailServer(app, body)
      return { body: await mailServerOf(app) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/mail-server',
    operationId: 'clearMailServer',
    summary: 'Removes the mail server. E-mail channels then get no notifications.',
    action: 'instance:write',
    status: 204,
    response: z.undefined(),
    handle: async ({ app }) => {
      await clearMailServer(app)
      return { body: undefined, status: 204 }
    },
  }),
]
