import { randomBytes } from 'node:crypto'
import type { ChannelConfig, ChannelField, ChannelKind } from '../domain/alerts/channel-kinds.ts'
import type { Channel } from '../store/meta/issues/alerts.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { type Recipient, recipientsIn } from './recipients.ts'
import { transports } from './send/transports.ts'

/** Returns a new signing secret, which is shown once: 32 random bytes. */
export const newSigningSecret = (): string => `mhs_${randomBytes(32).toString('base64url')}`

/** Returns the normalized values of the fields of a kind. Throws VALIDATION with fields. */
export const checkedConfig = (kind: ChannelKind, input: ChannelConfig): ChannelConfig => transports[kind].check(input)

/** Returns the fields of the form of a kind. */
export const fieldsOf = (kind: ChannelKind): readonly ChannelField[] => transports[kind].fields

/**
 * Returns the values that a form may show: no secrets, and no addresses whose path is a secret. None if the secrets of
 * the data folder have changed.
 */
export function shownValuesOf(seal: { open(sealed: string): string }, channel: Channel): Record<string, string> {
  const shown = fieldsOf(channel.kind).filter(({ type }) => type !== 'secret' && type !== 'url')
  try {
    const config = configOf(seal, channel)
    return Object.fromEntries(shown.map(({ name }) => [name, config[name] ?? '']))
  } catch {
    return {}
  }
}

/** Whether each channel of the kind gets a signing secret of its own. */
export const hasSigningSecret = (kind: ChannelKind): boolean => transports[kind].signs === true

/** Returns active channels without a successful delivery since their last failure. */
export const failingChannels = (channels: readonly Channel[]): Channel[] =>
  channels.filter((channel) => channel.active && channel.failingSinceMs !== null)

type ChannelDeps = { meta: MetaStore; seal: { open(sealed: string): string } }
type SealedParts = Pick<Channel, 'sealedTarget' | 'sealedConfig' | 'sealedSecret'>

/** Returns the values of a channel's fields. Throws if the secrets of the data folder have changed. */
export function configOf({ open }: { open(sealed: string): string }, channel: SealedParts): ChannelConfig {
  const { sealedTarget, sealedConfig, sealedSecret } = channel
  return {
    ...(sealedConfig ? (JSON.parse(open(sealedConfig)) as ChannelConfig) : {}),
    target: open(sealedTarget),
    ...(sealedSecret ? { secret: open(sealedSecret) } : {}),
  }
}

/** Returns the columns that store the fields. `target` is a column of its own: it is the part that screens show. */
export function sealedConfigOf(
  { seal }: { seal(text: string): string },
  { target = '', secret: _secret, ...others }: ChannelConfig,
): Pick<Channel, 'sealedTarget' | 'sealedConfig'> {
  return { sealedTarget: seal(target), sealedConfig: Object.keys(others).length ? seal(JSON.stringify(others)) : '' }
}

/** Returns the displayable target of a channel; empty if the secrets of the data folder have changed. */
export function shownTargetOf({ seal }: Pick<ChannelDeps, 'seal'>, channel: Channel): string {
  try {
    return transports[channel.kind].shown(configOf(seal, channel))
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
