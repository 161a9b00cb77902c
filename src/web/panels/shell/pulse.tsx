'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import type { RestIngestHealth } from '../../../contract/status.ts'
import { type ApiError, apiFetch } from '../../client/api.ts'
import { sectionPath } from '../../client/settings-pages.ts'
import { Link } from '../../ui/link.tsx'
import { useLive } from '../../ui/live.tsx'
import { durationText } from '../../ui/relative.ts'
import { SeverityShape } from '../../ui/severity.tsx'
import { useThrottle } from '../../ui/throttle.ts'

const pollMs = 20_000

function useHealthText(health: RestIngestHealth) {
  const t = useTranslations('frame.health')
  const locale = useLocale()
  switch (health.state) {
    case 'down':
      return t('down')
    case 'waiting':
      return t('waiting')
    case 'behind':
      return t('behind', { time: durationText(health.oldestWaitingMs, locale) })
    case 'rejecting':
      return t('rejecting', { count: health.rejectedRequests })
    default:
      if (health.eventsPerMinute === 0) return t('quiet')
      return t('ok', { count: health.eventsPerMinute })
  }
}

function PulseLine({ health, href }: { health: RestIngestHealth; href: string | undefined }) {
  const t = useTranslations('frame.health')
  const text = useHealthText(health)
  const level = health.state === 'ok' ? 'ok' : health.state === 'down' ? 'error' : 'warning'
  const content = (
    <>
      <SeverityShape level={level} label="" />
      <span className="shell-word">{text}</span>
    </>
  )
  const title = health.state === 'rejecting' ? t('rejectingTitle') : undefined
  return href ? (
    <Link href={href} className="shell-pulse" data-state={health.state} title={title}>
      {content}
    </Link>
  ) : (
    <p className="shell-pulse" data-state={health.state} title={title}>
      {content}
    </p>
  )
}

/** One line that says whether data arrives. It links to the status, or to the rejected data of the project concerned. */
export function Pulse({ organization, mayStatus }: { organization: string; mayStatus: boolean }) {
  const path = `organizations/${organization}/health/`
  const { data, error, refetch } = useQuery({
    queryKey: ['health', organization],
    queryFn: ({ signal }) => apiFetch<RestIngestHealth>(path, { signal }),
    refetchInterval: pollMs,
    enabled: mayStatus,
    retry: false,
  })
  const renew = useThrottle(pollMs / 4, () => void (mayStatus && refetch()))
  useLive((change) => {
    if ('up' in change || (change.kind === 'events' && !data?.eventsPerMinute)) renew()
  })
  // The last answer is from before the outage of the database, so its state is wrong now.
  const isAway = (error as Partial<ApiError> | null)?.status === 503
  if (!data) return <p className="shell-pulse" />
  const { state, rejectedProject } = data
  const href =
    state === 'rejecting' && rejectedProject
      ? sectionPath('ingest', organization, rejectedProject.slug)
      : `/o/${organization}/settings/status`
  return <PulseLine health={isAway ? { ...data, state: 'waiting' } : data} href={href} />
}
