import type { ChannelConfig, ChannelKind } from '../../domain/channel-kinds.ts'
import { email } from './email.ts'
import { slack } from './slack.ts'
import type { Outbound, SendDeps, Sent, Transport } from './transport.ts'
import { webhook } from './webhook.ts'

/** The transport of each kind. */
export const transports: { readonly [Kind in ChannelKind]: Transport } = { email, slack, webhook }

/** Makes one attempt. Throws DeliveryRefused when the service refuses, and an Error when it could not be reached. */
export const sendVia = (kind: ChannelKind, deps: SendDeps, config: ChannelConfig, outbound: Outbound): Promise<Sent> =>
  transports[kind].send(deps, config, outbound)
