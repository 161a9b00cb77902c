import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { fieldsOf, shownValuesOf } from '../../../../../../../alert/channel.ts'
import type { Channel } from '../../../../../../../store/meta/issues/alerts.ts'
import { app } from '../../../../../../handle.ts'
import { demandOrganization } from '../../../../../../server/session.ts'
import { Link } from '../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../ui/plain-text.tsx'
import { ChannelRow } from '../channel-row.tsx'
import { shownChannelOf } from '../load.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { EditChannel } from './edit-channel.tsx'

type Props = {
  params: Promise<{ org: string; channel: string }>
  searchParams: Promise<{ before?: string | string[] }>
}

/** Deliveries of a page. */
const pageMax = 50

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('channels'))('logTitle') }
}

const numberIn = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined

async function pageOf(channel: Channel, before: number | undefined) {
  const filter = { organizationId: channel.organizationId, channelId: channel.id }
  const rows = await app().meta.alerts.listDeliveries(
    before === undefined ? filter : { ...filter, beforeId: before },
    pageMax + 1,
  )
  const deliveries = rows.slice(0, pageMax).map((delivery) => ({
    id: delivery.id,
    kind: delivery.kind,
    recipient: delivery.recipient,
    issueId: delivery.items[0]?.issueId ?? null,
    status: delivery.status,
    attempts: delivery.attempts,
    error: delivery.error,
    createdMs: delivery.createdMs,
    steps: delivery.steps,
  }))
  return { deliveries, olderId: rows.length > pageMax ? (deliveries.at(-1)?.id ?? null) : null }
}

/** One channel: its state, its delivery log and its settings. */
export default async function ChannelPage({ params, searchParams }: Props) {
  const { org, channel: named } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/settings/notifications/${named}`)
  const { auth, meta, seal } = app()
  const channel = await meta.alerts.channelById(numberIn(named) ?? 0)
  if (!channel || channel.organizationId !== organization.id) notFound()
  const t = await getTranslations('channels')
  const mayWrite = (await auth.may(actor, 'channel:write', { organization })) === 'yes'
  const projects = await meta.projects.projectsOf(organization.id)
  const project = projects.find(({ id }) => id === channel.projectId)?.slug ?? null
  const before = numberIn((await searchParams).before)
  const { slug } = organization
  return (
    <div className="settings-page">
      <header className="page-head">
        <h1 className="min-w-0 break-words">
          <PlainText text={channel.name} />
        </h1>
      </header>
      <p className="mb-2">
        <Link className="link" href={`/o/${slug}/settings/notifications`}>
          {t('back')}
        </Link>
      </p>
      <ul className="border-t border-line">
        <ChannelRow organization={slug} channel={await shownChannelOf(channel, project)} mayWrite={mayWrite} />
      </ul>
      <DeliveryLog
        organization={slug}
        channel={channel.id}
        mayWrite={mayWrite}
        isFirst={before === undefined}
        {...(await pageOf(channel, before))}
      />
      {mayWrite ? (
        <EditChannel
          organization={slug}
          channel={channel.id}
          form={{ kind: channel.kind, fields: fieldsOf(channel.kind) }}
          start={{
            name: channel.name,
            project,
            subscription: channel.subscription,
            values: shownValuesOf(seal, channel),
          }}
          projects={projects.map((choice) => choice.slug)}
        />
      ) : null}
    </div>
  )
}
