import type { ChannelConfig, ChannelKind } from '../../domain/alerts/channel-kinds.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { google_chat } from './google-chat.ts'
import { mattermost } from './mattermost.ts'
import { ntfy } from './ntfy.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'
import { push } from './push.ts'
import { rocketchat } from './rocketchat.ts'
import { slack } from './slack.ts'
import { slack_app } from './slack-app.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import type { Outbound, SendDeps, Sent, Transport } from './transport.ts'
import { webhook } from './webhook.ts'

/** The transport of each kind. */
export const transports: { readonly [Kind in ChannelKind]: Transport } = {
  email,
  slack_app,
  slack,
  discord,
  teams,
  mattermost,
  rocketchat,
  google_chat,
  telegram,
  ntfy,
  pagerduty,
  opsgenie,
  push,
  webhook,
}

/** Makes one attempt. Throws DeliveryRefused when the service refuses, and an Error when it could not be reached. */
export const sendVia = (kind: ChannelKind, deps: SendDeps, config: ChannelConfig, outbound: Outbound): Promise<Sent> =>
  transports[kind].send(deps, config, outbound)
