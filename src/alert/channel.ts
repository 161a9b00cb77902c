import { randomBytes } from 'node:crypto'
import { MishapError } from '../base/errors.ts'
import type { Channel, ChannelKind } from '../store/meta/issues/alerts.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { addressesIn, type Recipient, recipientsIn } from './recipients.ts'

/** What a person types to make or change a channel. `target`: addresses or "members" for e-mail, a URL for the others. */
type ChannelText = { kind: ChannelKind; name: string; target: string }

const recipientsMax = 50
/** Each new issue asks all of an organization's channels. */
const channelsMax = 50
const urlCharactersMax = 2000
const address = /^[^\s@,<>()"\\]{1,64}@[^\s@,<>()"\\]{1,189}$/

export const channelKinds: readonly ChannelKind[] = ['email', 'slack', 'webhook']

function emailTarget(text: string): string {
  const parts = [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
  if (parts.length === 1 && parts[0] === 'members') return 'members'
  const wrong = parts.find((part) => !address.test(part))
  if (wrong !== undefined)
    throw new MishapError('VALIDATION', { fields: { target: [`"${wrong.slice(0, 100)}" is no e-mail address.`] } })
  if (parts.length === 0 || parts.length > recipientsMax)
    throw new MishapError('VALIDATION', { fields: { target: [`1 to ${recipientsMax} addresses, or "members".`] } })
  return parts.join(',')
}

function urlTarget(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || text.length > urlCharactersMax)
    throw new MishapError('VALIDATION', {
      fields: { target: ['An http or https address without a user name or password in it.'] },
    })
  return url.href
}

/** The target in the form that is kept. Throws VALIDATION. Whether the address may be called is checked at each call. */
export function targetOf(kind: ChannelKind, text: string): string {
  return kind === 'email' ? emailTarget(text) : urlTarget(text)
}

/** A secret for signing, shown once: 32 random bytes. */
export const newSigningSecret = (): string => `mhs_${randomBytes(32).toString('base64url')}`

/** What may be shown of a target: addresses as they are, of a URL the host alone, since its path is a password. */
export function shownTarget(kind: ChannelKind, target: string): string {
  if (kind === 'email') return target.replaceAll(',', ', ')
  return URL.canParse(target) ? `${new URL(target).origin}/…` : ''
}

/** Channels that nothing has come through since their last failure. */
export const failingChannels = (channels: readonly Channel[]): Channel[] =>
  channels.filter((channel) => channel.active && channel.failingSinceMs !== null)

type Room = { meta: MetaStore; seal: { seal(text: string): string; open(sealed: string): string } }

function projectIdOf({ meta }: Room, organizationId: number, slug: string | null): number | null {
  if (slug === null || slug === '') return null
  const project = meta.projectBySlug(organizationId, slug)
  if (!project) throw new MishapError('VALIDATION', { fields: { project: ['There is no such project.'] } })
  return project.id
}

/** Makes a channel; `secret` is what a generic webhook signs with, shown once, else null. Throws VALIDATION with fields. */
export function makeChannel(
  room: Room,
  organizationId: number,
  text: ChannelText & { project: string | null },
): { channel: Channel; secret: string | null } {
  if (room.meta.channelsOf(organizationId).length >= channelsMax)
    throw new MishapError('VALIDATION', { fields: { name: [`At most ${channelsMax} channels.`] } })
  const secret = text.kind === 'webhook' ? newSigningSecret() : null
  const channel = room.meta.createChannel({
    organizationId,
    projectId: projectIdOf(room, organizationId, text.project),
    kind: text.kind,
    name: text.name,
    sealedTarget: room.seal.seal(targetOf(text.kind, text.target)),
    sealedSecret: secret === null ? '' : room.seal.seal(secret),
  })
  return { channel, secret }
}

/** Addresses that a channel had before and goes on having: their owners need not confirm again. */
function addressesKept({ seal }: Room, before: Channel, target: string): string[] {
  const now = target.toLowerCase().split(',')
  try {
    return addressesIn(seal, before).filter((item) => now.includes(item.toLowerCase()))
  } catch {
    // The data folder's secrets have changed since: nobody knows what it was.
    return []
  }
}

/** Changes what is given. Throws VALIDATION with fields, NOT_FOUND. */
export function changeChannel(
  room: Room,
  channel: Channel,
  change: {
    name?: string | undefined
    target?: string | undefined
    project?: string | null | undefined
    active?: boolean | undefined
  },
): Channel {
  const target = change.target === undefined ? undefined : targetOf(channel.kind, change.target)
  const changed = room.meta.updateChannel(channel.id, {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.active === undefined ? {} : { active: change.active }),
    ...(change.project === undefined ? {} : { projectId: projectIdOf(room, channel.organizationId, change.project) }),
    ...(target === undefined ? {} : { sealedTarget: room.seal.seal(target) }),
  })
  if (target !== undefined) room.meta.keepAddresses(channel.id, addressesKept(room, channel, target))
  return changed
}

/** The shown target of a channel; empty when the data folder's secrets have changed since. */
export function shownTargetOf({ seal }: Pick<Room, 'seal'>, channel: Channel): string {
  try {
    return shownTarget(channel.kind, seal.open(channel.sealedTarget))
  } catch {
    return ''
  }
}

/** Who a mail channel is for; nobody when the data folder's secrets have changed since. */
export function shownRecipientsOf({ meta, seal }: Room, channel: Channel): Recipient[] {
  try {
    return recipientsIn({ meta, open: seal.open }, channel)
  } catch {
    return []
  }
}
