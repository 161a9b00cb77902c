import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { fieldsOf } from '../../../../../../alert/channel.ts'
import { type SmtpSettings, smtpOf } from '../../../../../../alert/smtp.ts'
import { type ChannelKind, channelKinds } from '../../../../../../domain/alerts/channel-kinds.ts'
import { app } from '../../../../../handle.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { Link } from '../../../../../ui/link.tsx'
import type { KindForm } from './channel-fields.tsx'
import { ChannelRow } from './channel-row.tsx'
import { shownChannelOf } from './load.ts'
import { MailServer, type ShownServer } from './mail-server.tsx'
import { NewChannel } from './new-channel.tsx'

/** Maximum deliveries to show per channel; the API has more. */
const shownMax = 10

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('notifications'))('title') }
}

const formOf = (kind: ChannelKind): KindForm => ({ kind, fields: fieldsOf(kind) })

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
      channel: await shownChannelOf(
        channel,
        channel.projectId === null ? null : (slugOf.get(channel.projectId) ?? null),
      ),
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
          {rows.map(({ channel, log }) => (
            <ChannelRow
              key={channel.id}
              organization={organization.slug}
              mayWrite={mayWrite}
              channel={channel}
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
        <NewChannel
          organization={organization.slug}
          projects={projects.map((project) => project.slug)}
          forms={[formOf('email'), ...channelKinds.filter((kind) => kind !== 'email').map(formOf)]}
          slackUrl={`${parts.config.url}/api/0/hooks/slack/${organization.slug}/`}
        />
      ) : null}
      <p className="mt-6">
        <Link href={`/o/${organization.slug}/settings/account/notifications#browsers`}>{t('ownBrowsers')}</Link>
      </p>
      {(await auth.may(actor, 'instance:write', { instance: true })) === 'yes' ? (
        <MailServer organization={organization.slug} server={smtp ? shownServer(smtp) : null} />
      ) : null}
    </div>
  )
}
