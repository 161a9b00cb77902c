import { useTranslations } from 'next-intl'
import type { RestIncident } from '../../../contract/alerts/incidents.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { IncidentState } from './state.tsx'

/** A list of incidents, newest first. */
export function IncidentList({
  organization,
  incidents,
}: {
  organization: string
  incidents: readonly RestIncident[]
}) {
  const t = useTranslations('incidents')
  if (incidents.length === 0)
    return (
      <EmptyState title={t('none')}>
        <p>{t('noneHint')}</p>
      </EmptyState>
    )
  return (
    <ul className="border-t border-line">
      {incidents.map(({ id, title, status, dateStarted, dateEnded, projects, release, acknowledgedBy }) => (
        <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line py-2">
          <IncidentState status={status} />
          <Link className="link min-w-0 flex-1 basis-60 break-words" href={`/o/${organization}/alerts/incidents/${id}`}>
            <PlainText text={title} />
          </Link>
          <span className="min-w-0 break-words text-small text-ink-2">
            {[...projects, release].filter(Boolean).join(' · ')}
          </span>
          {acknowledgedBy ? (
            <span className="text-small text-ink-2">
              {t('by', { name: acknowledgedBy.name || acknowledgedBy.email })}
            </span>
          ) : null}
          <Time at={Date.parse(dateEnded ?? dateStarted)} className="text-small text-ink-3" />
        </li>
      ))}
    </ul>
  )
}
