import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import { incidentsPage } from '../../../../../../query/alerts/incidents.ts'
import { writeCursor } from '../../../../../../query/cursor.ts'
import { app } from '../../../../../handle.ts'
import { AlertFrame } from '../../../../../panels/alerts/alert-frame.tsx'
import { IncidentList } from '../../../../../panels/incidents/incident-list.tsx'
import { demandOrganization } from '../../../../../server/session.ts'
import { Link } from '../../../../../ui/link.tsx'
import { ListLoading } from '../../../../../ui/list-states.tsx'

const pageIncidents = 50

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('incidents'))('title') }
}

type ListProps = { organization: { id: number; slug: string }; state: 'open' | 'ended'; offset: number }

async function Incidents({ organization, state, offset }: ListProps) {
  const t = await getTranslations('incidents')
  const page = await incidentsPage(
    app(),
    { organizationId: organization.id, state },
    { cursor: writeCursor({ after: undefined, offset }), limit: pageIncidents },
  )
  return (
    <>
      <IncidentList organization={organization.slug} incidents={page.rows} />
      {page.next.results ? (
        <p className="mt-4">
          <Link
            className="link"
            href={`/o/${organization.slug}/alerts/incidents?status=${state}&at=${offset + pageIncidents}`}
          >
            {t('more')}
          </Link>
        </p>
      ) : null}
    </>
  )
}

/** The incidents of an organization: open ones, or ended ones. */
export default async function IncidentsPage({
  params,
  searchParams,
}: {
  params: Promise<{ org: string }>
  searchParams: Promise<{ status?: string | string[]; at?: string | string[] }>
}) {
  const { org } = await params
  const search = await searchParams
  const path = `/o/${org}/alerts/incidents`
  const { organization } = await demandOrganization(org, path)
  const t = await getTranslations('incidents')
  const state = search.status === 'ended' ? 'ended' : 'open'
  const offset = /^\d{1,6}$/.test(String(search.at)) ? Number(search.at) : 0
  return (
    <AlertFrame organization={organization.slug} title={t('title')}>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('intro')}</p>
      <p className="mb-3 flex gap-4">
        {(['open', 'ended'] as const).map((name) => (
          <Link
            key={name}
            className="link"
            href={`/o/${organization.slug}/alerts/incidents${name === 'ended' ? '?status=ended' : ''}`}
            aria-current={name === state ? 'true' : undefined}
          >
            {t(name)}
          </Link>
        ))}
      </p>
      <Suspense key={`${state} ${offset}`} fallback={<ListLoading />}>
        <Incidents organization={organization} state={state} offset={offset} />
      </Suspense>
    </AlertFrame>
  )
}
