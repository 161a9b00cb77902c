import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import type { Actor } from '../../../../../../../auth/auth.ts'
import { incidentDetails } from '../../../../../../../query/alerts/incidents.ts'
import type { Incident } from '../../../../../../../store/meta/alerts/incidents.ts'
import type { Organization } from '../../../../../../../store/meta/meta.ts'
import { app } from '../../../../../../handle.ts'
import { AlertFrame } from '../../../../../../panels/alerts/alert-frame.tsx'
import { IncidentHistory } from '../../../../../../panels/incidents/history.tsx'
import { IncidentMembers } from '../../../../../../panels/incidents/members.tsx'
import { IncidentMessages } from '../../../../../../panels/incidents/messages.tsx'
import { IncidentState } from '../../../../../../panels/incidents/state.tsx'
import { demandOrganization } from '../../../../../../server/session.ts'
import { ListLoading } from '../../../../../../ui/list-states.tsx'
import { Time } from '../../../../../../ui/time.tsx'
import { IncidentActions } from './incident-actions.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('incidents'))('title') }
}

type PartsProps = { actor: Actor; organization: Organization; incident: Incident }

/** Everything below the title. */
async function IncidentParts({ actor, organization, incident }: PartsProps) {
  const parts = app()
  const details = await incidentDetails(parts, incident)
  // It was deleted a moment ago.
  if (!details) notFound()
  const t = await getTranslations('incidents')
  const mayWrite = (await parts.auth.may(actor, 'alert:write', { organization })) === 'yes'
  const facts = [
    [t('started'), <Time key="started" at={incident.startedMs} form="moment" />],
    [t('lasted'), incident.endedMs === null ? null : <Time key="ended" at={incident.endedMs} form="moment" />],
    [t('peak'), t(`status.${details.peak}`)],
    [t('projects'), details.projects.join(', ')],
    [t('release'), details.release],
    [t('status.acknowledged'), incident.acknowledgedMs === null ? null : (details.acknowledgedBy?.name ?? t('byLink'))],
    [
      t('snoozedUntil'),
      (incident.snoozedUntilMs ?? 0) > parts.clock.now() ? (
        <Time key="snoozed" at={incident.snoozedUntilMs ?? 0} form="moment" />
      ) : null,
    ],
  ] as const
  return (
    <>
      <p className="mb-3">
        <IncidentState status={details.status} />
      </p>
      <dl className="mb-4 grid max-w-[560px] grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-ink-2">{label}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
      </dl>
      {incident.endedMs === null && mayWrite ? (
        <IncidentActions
          organization={organization.slug}
          id={details.id}
          status={details.status}
          isSnoozed={(incident.snoozedUntilMs ?? 0) > parts.clock.now()}
        />
      ) : null}
      {mayWrite ? null : <p className="mb-4 text-ink-2">{t('viewer')}</p>}
      <section className="mb-6">
        <h2 className="mb-2">{t('members')}</h2>
        <IncidentMembers organization={organization.slug} details={details} />
      </section>
      <section className="mb-6">
        <h2 className="mb-2">{t('history')}</h2>
        <IncidentHistory activity={details.activity} />
      </section>
      <section>
        <h2 className="mb-2">{t('messages')}</h2>
        <IncidentMessages messages={details.messages} />
      </section>
    </>
  )
}

/** One incident: its state, what belongs to it, what happened and who was told. */
export default async function IncidentPage({ params }: { params: Promise<{ org: string; id: string }> }) {
  const { org, id } = await params
  const { actor, organization } = await demandOrganization(org, `/o/${org}/alerts/incidents/${encodeURIComponent(id)}`)
  const parts = app()
  const incident = /^\d{1,15}$/.test(id) ? await parts.meta.incidents.incidentById(Number(id)) : undefined
  if (!incident || incident.organizationId !== organization.id) notFound()
  return (
    <AlertFrame organization={organization.slug} title={incident.title}>
      <Suspense fallback={<ListLoading />}>
        <IncidentParts actor={actor} organization={organization} incident={incident} />
      </Suspense>
    </AlertFrame>
  )
}
