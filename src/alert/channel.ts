import { randomBytes } from 'node:crypto'
import { MishapError } from '../base/errors.ts'
import type { Channel, ChannelKind } from '../store/meta/issues/alerts.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Recipient, recipientsIn } from './recipients.ts'

/** User input for a channel. `target`: addresses or "members" for e-mail, a URL for other kinds. */
export type ChannelText = { kind: ChannelKind; name: string; target: string }

const recipientsMax = 50
const urlCharactersMax = 2000
const address = /^[^\s@,<>()"\\]{1,64}@[^\s@,<>()"\\]{1,189}$/

export const channelKinds: readonly ChannelKind[] = ['email', 'slack', 'webhook']

function emailTarget(text: string): string {
  const parts = [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
  if (parts.length === 1 && parts[0] === 'members') return 'members'
  const wrong = parts.find((part) => !address.test(part))
  if (wrong !== undefined)
    throw new MishapError('VALIDATION', { fields: { target: [`"${wrong.slice(0, 100)}" is not an e-mail address.`] } })
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

/** Returns the normalized target. Throws VALIDATION. Each call checks again whether its address is allowed. */
export function targetOf(kind: ChannelKind, text: string): string {
  return kind === 'email' ? emailTarget(text) : urlTarget(text)
}

/** Returns a new signing secret, which is shown once: 32 random bytes. */
export const newSigningSecret = (): string => `mhs_${randomBytes(32).toString('base64url')}`

/** Returns the displayable target: addresses in full, but only the host of a URL, because its path is a secret. */
export function shownTarget(kind: ChannelKind, target: string): string {
  if (kind === 'email') return target.replaceAll(',', ', ')
  return URL.canParse(target) ? `${new URL(target).origin}/…` : ''
}

/** Returns active channels without a successful delivery since their last failure. */
export const failingChannels = (channels: readonly Channel[]): Channel[] =>
  channels.filter((channel) => channel.active && channel.failingSinceMs !== null)

type ChannelDeps = { meta: MetaStore; seal: { open(sealed: string): string } }

/** Returns the displayable target of a channel; empty if the secrets of the data folder have changed. */
export function shownTargetOf({ seal }: Pick<ChannelDeps, 'seal'>, channel: Channel): string {
  try {
    return shownTarget(channel.kind, seal.open(channel.sealedTarget))
  } catch {
    return ''
  }
}

/** Returns the recipients of a mail channel; none if the secrets of the data folder have changed. */
export async function shownRecipientsOf({ meta, seal }: ChannelDeps, channel: Channel): Promise<Recipient[]> {
  try {
    return await recipientsIn({ meta, open: seal.open }, channel)
  } catch {
    return []
  }
}
