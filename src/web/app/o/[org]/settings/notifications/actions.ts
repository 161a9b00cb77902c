'use server'
import { revalidatePath } from 'next/cache'
import { getTranslations } from 'next-intl/server'
import { fieldsOf, shownRecipientsOf } from '../../../../../../alert/channel.ts'
import type { Action } from '../../../../../../auth/auth.ts'
import { type ChannelKind, channelKinds, channelSubscriptions } from '../../../../../../domain/alerts/channel-kinds.ts'
import { createChannel, deleteChannel, updateChannel } from '../../../../../../operations/channels.ts'
import { sendAgain } from '../../../../../../operations/deliveries.ts'
import { clearMailServer, setMailServer } from '../../../../../../operations/mail-server.ts'
import type { Channel } from '../../../../../../store/meta/issues/alerts.ts'
import type { Organization } from '../../../../../../store/meta/meta.ts'
import { attempt, type FormState, failureOf, longTextOf, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** `secret`: the signing secret of a new webhook. `notice`: the result of a test. */
export type ChannelState = FormState & { secret: string | null; notice: string | null }

type Done = { secret?: string | null; notice?: string | null }
/** What the person of the form may do besides. */
type Rights = { mayManageMembers: boolean }

/** Runs `work` if the person may do `action` here, and refreshes the page. */
async function change(
  data: FormData,
  action: Action,
  work: (organization: Organization, rights: Rights) => Done | Promise<Done>,
): Promise<ChannelState> {
  const path = `/o/${textOf(data, 'organization')}/settings/notifications`
  const { actor, organization } = await demandOrganization(textOf(data, 'organization'), path)
  let done: Done = {}
  const state = await attempt(data, async () => {
    await app().auth.demand(actor, action, action === 'instance:write' ? { instance: true } : { organization })
    const mayManageMembers = (await app().auth.may(actor, 'member:write', { organization })) === 'yes'
    done = await work(organization, { mayManageMembers })
    return undefined
  })
  // Also the log of a channel, and the frame that shows which channels fail.
  if (state.done) revalidatePath(`/o/${textOf(data, 'organization')}`, 'layout')
  return { ...state, secret: done.secret ?? null, notice: done.notice ?? null }
}

/** Runs `work` on the channel of the form. */
function changeChannel(
  data: FormData,
  work: (channel: Channel, rights: Rights) => Done | Promise<Done>,
): Promise<ChannelState> {
  return change(data, 'channel:write', async (organization, rights) => {
    const channel = await app().meta.alerts.channelById(Number(textOf(data, 'channel')) || 0)
    if (!channel || channel.organizationId !== organization.id)
      return { notice: (await getTranslations('notifications'))('gone') }
    return work(channel, rights)
  })
}

/** The fields that all kinds have. */
const namesIn = (data: FormData) => ({
  name: textOf(data, 'name'),
  project: textOf(data, 'project'),
  subscription: channelSubscriptions.find((choice) => choice === textOf(data, 'subscription')) ?? 'issues',
})

/** The fields of a kind. `isChange`: a secret that is left empty stays as it is. */
function configIn(data: FormData, kind: ChannelKind, isChange: boolean): Record<string, string> {
  const given = fieldsOf(kind).map(({ name, type }) => {
    const value = type === 'lines' ? longTextOf(data, name) : textOf(data, name)
    const stays = isChange && value === '' && (type === 'secret' || type === 'url')
    return stays ? [] : [[name, value]]
  })
  return Object.fromEntries(given.flat())
}

/** Changes the fields of a channel. */
export async function updateChannelAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return changeChannel(data, async (channel, rights) => {
    const { target, ...config } = configIn(data, channel.kind, true)
    const given = { ...namesIn(data), config, ...(target === undefined ? {} : { target }) }
    await updateChannel(app(), channel, given, rights)
    return {}
  })
}

/** Sends a message of a channel once more. */
export async function sendAgainAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  const path = `/o/${textOf(data, 'organization')}/settings/notifications`
  const { actor } = await demandOrganization(textOf(data, 'organization'), path)
  return changeChannel(data, async (channel) => {
    const t = await getTranslations('channels')
    try {
      await sendAgain(app(), actor, channel, Number(textOf(data, 'delivery')) || 0)
      return { notice: t('queuedAgain') }
    } catch (error) {
      if (failureOf(error)?.code !== 'CONFLICT') throw error
      return { notice: t('conflict') }
    }
  })
}

/** Creates a channel. */
export async function createChannelAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return change(data, 'channel:write', async ({ id }, rights) => {
    const kind = channelKinds.find((channelKind) => channelKind === textOf(data, 'kind')) ?? 'email'
    const given = { kind, ...namesIn(data), config: configIn(data, kind, false) }
    const { secret } = await createChannel(app(), id, given, rights)
    return { secret }
  })
}

/** Enables or disables a channel: field `active` is yes or no. */
export async function switchChannelAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return changeChannel(data, async (channel, rights) => {
    await updateChannel(app(), channel, { active: textOf(data, 'active') === 'yes' }, rights)
    return {}
  })
}

/** Deletes a channel and its log. */
export async function deleteChannelAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return changeChannel(data, async (channel) => {
    await deleteChannel(app(), channel.id)
    return {}
  })
}

/** Sends a test message and returns its result. */
export async function testChannelAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return changeChannel(data, async (channel) => {
    const t = await getTranslations('notifications')
    const deliveries = await app().alerts.test(channel)
    const failure = deliveries.find((delivery) => delivery.status !== 'sent')
    if (failure) return { notice: t('testFailed', { error: failure.error }) }
    if (deliveries.length === 0) return { notice: t('testNobody') }
    const answer = (await app().meta.alerts.channelById(channel.id))?.lastAnswer ?? ''
    const sent = t('testSent', { count: deliveries.length })
    return { notice: answer && channel.kind !== 'email' ? `${sent} ${t('testAnswer', { answer })}` : sent }
  })
}

/** Asks a non-member's e-mail address to confirm. The row then shows when it was asked, or the error. */
export async function askToConfirmAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return changeChannel(data, async (channel) => {
    await app().alerts.askToConfirm(channel, textOf(data, 'address'))
    const recipient = (await shownRecipientsOf(app(), channel)).find(
      (shownRecipient) => shownRecipient.address === textOf(data, 'address'),
    )
    const t = await getTranslations('notifications')
    return { notice: recipient?.askedMs && !recipient.error ? t('askSent') : null }
  })
}

/** Sets the mail server. An empty password keeps the current password. */
export async function setMailServerAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return change(data, 'instance:write', async () => {
    await setMailServer(app(), {
      host: textOf(data, 'host'),
      port: Number(textOf(data, 'port')),
      security: textOf(data, 'security'),
      user: textOf(data, 'user'),
      password: textOf(data, 'password') || undefined,
      from: textOf(data, 'from'),
    })
    return {}
  })
}

/** Removes the mail server. */
export async function clearMailServerAction(_before: ChannelState, data: FormData): Promise<ChannelState> {
  return change(data, 'instance:write', async () => {
    await clearMailServer(app())
    return {}
  })
}
