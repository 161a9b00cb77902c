import { shownRecipientsOf, shownTargetOf } from '../../../../../../alert/channel.ts'
import { smtpOf } from '../../../../../../alert/smtp.ts'
import type { Channel } from '../../../../../../store/meta/issues/alerts.ts'
import { app } from '../../../../../handle.ts'
import type { ShownChannel } from './channel-row.tsx'

/** Returns a channel as its row shows it. `project`: the slug of its project. */
export async function shownChannelOf(channel: Channel, project: string | null): Promise<ShownChannel> {
  const parts = app()
  const recipients = await shownRecipientsOf(parts, channel)
  return {
    id: channel.id,
    kind: channel.kind,
    name: channel.name,
    target: shownTargetOf(parts, channel),
    unconfirmed: recipients.filter((recipient) => recipient.state === 'unconfirmed'),
    project,
    subscription: channel.subscription,
    active: channel.active,
    failingSinceMs: channel.failingSinceMs,
    lastError: channel.lastError,
    lastAnswer: channel.lastAnswer,
    pausedUntilMs: channel.pausedUntilMs > parts.clock.now() ? channel.pausedUntilMs : null,
    withoutServer: channel.kind === 'email' && !(await smtpOf(parts)),
  }
}
