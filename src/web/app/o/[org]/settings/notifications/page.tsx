import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { shownRecipientsOf, shownTargetOf } from '../../../../../../alert/channel.ts'
import { type SmtpSettings, smtpOf } from '../../../../../../alert/smtp.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { ChannelRow } from './channel-row.tsx'
import { MailServer, type ShownServer } from './mail-server.tsx'
import { NewChannel } from './new-channel.tsx'

/** Maximum deliveries to show per channel; the API has more. */
const shownMax = 10

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('notifications'))('title') }
}

/** Removes the password, which must not leave the server. */
const shownServer = ({ password, ...rest }: SmtpSettings): ShownServer => ({ ...rest, hasPassword: password !== '' })

/** Notification channels with their deliveries, and the mail server for the installation's owner. */
export default async function NotificationsPage({ params }: { params: Promise<{ org: string }> }) {
  const { org } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/notifications`)
  const t = await getTranslations('notifications')
  const parts = app()
  const { auth, meta } = parts
  const mayWrite = (await auth.may(actor, 'channel:write', { organization })) === 'yes'
  const projects = await meta.projects.projectsOf(organization.id)
  const slugOf = new Map(projects.map((project) => [project.id, project.slug]))
  const rows = await Promise.all(
    (await meta.alerts.channelsOf(organization.id)).map(async (channel) => ({
      channel,
      recipients: await shownRecipientsOf(parts, channel),
      log: await meta.alerts.deliveryLog(channel.id, shownMax),
    })),
  )
  const smtp = await smtpOf(parts)
  return (
    <div className="settings-page">
      <header className="page-head">
        <h1>{t('title')}</h1>
      </header>
      <p className="mb-4 max-w-[72ch] text-ink-2">{mayWrite ? t('intro') : t('readOnly')}</p>
      {rows.length ? (
        <ul className="border-t border-line">
          {rows.map(({ channel, recipients, log }) => (
            <ChannelRow
              key={channel.id}
              organization={organization.slug}
              mayWrite={mayWrite}
              channel={{
                id: channel.id,
                kind: channel.kind,
                name: channel.name,
                target: shownTargetOf(parts, channel),
                unconfirmed: recipients.filter((recipient) => recipient.state === 'unconfirmed'),
                project: channel.projectId === null ? null : (slugOf.get(channel.projectId) ?? null),
                active: channel.active,
                failingSinceMs: channel.failingSinceMs,
                lastError: channel.lastError,
                withoutServer: channel.kind === 'email' && !smtp,
              }}
              deliveries={log.map((delivery) => ({
                id: delivery.id,
                kind: delivery.kind,
                recipient: delivery.recipient,
                issueId: delivery.items[0]?.issueId ?? null,
                issues: delivery.items.length + delivery.more,
                status: delivery.status,
                attempts: delivery.attempts,
                error: delivery.error,
                createdMs: delivery.createdMs,
              }))}
            />
          ))}
        </ul>
      ) : (
        <p className="border-t border-line py-4">{t('none')}</p>
      )}
      {mayWrite ? (
        <NewChannel organization={organization.slug} projects={projects.map((project) => project.slug)} />
      ) : null}
      {(await auth.may(actor, 'instance:write', { instance: true })) === 'yes' ? (
        <MailServer organization={organization.slug} server={smtp ? shownServer(smtp) : null} />
      ) : null}
    </div>
  )
}
