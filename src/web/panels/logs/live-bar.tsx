'use client'
import { Pause } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import type { RestDroppedLines } from '../../../contract/explore/logs.ts'
import { Link } from '../../ui/link.tsx'
import { useTimeText } from '../../ui/time.tsx'

/** The button of the live view, with its key. */
export function LiveButton({ isOn, isPaused, toggle }: { isOn: boolean; isPaused: boolean; toggle: () => void }) {
  const t = useTranslations('logs.live')
  return (
    <button type="button" className="log-live" aria-pressed={isOn} onClick={toggle}>
      <span className="log-live-dot" data-on={(isOn && !isPaused) || undefined} aria-hidden="true" />
      {isOn && isPaused ? t('paused') : t('live')} <kbd className="key">l</kbd>
    </button>
  )
}

/** What the rate limit dropped lately, and where to see why. */
function Dropped({
  organization,
  dropped,
  slugOf,
}: {
  organization: string
  dropped: readonly RestDroppedLines[]
  slugOf: (projectId: string) => string
}) {
  const t = useTranslations('logs.live')
  const locale = useLocale()
  const { range } = useTimeText()
  const last = dropped.at(-1)
  if (!last) return null
  const ofHour = dropped.filter(({ from, projectID }) => from === last.from && projectID === last.projectID)
  const count = ofHour.reduce((sum, row) => sum + row.count, 0)
  return (
    <span className="log-dropped">
      {t('dropped', {
        count: new Intl.NumberFormat(locale).format(count),
        range: range(Date.parse(last.from), Date.parse(last.to), 'clock'),
      })}{' '}
      <Link className="link" href={`/o/${organization}/settings/projects/${slugOf(last.projectID)}/rejected-data`}>
        {t('why')}
      </Link>
    </span>
  )
}

/** Says that reading pauses the live view, how many lines wait, and what was dropped. */
export function LiveBar({
  organization,
  isOn,
  isOpen,
  isPaused,
  waiting,
  dropped,
  resume,
  slugOf,
}: {
  organization: string
  isOn: boolean
  isOpen: boolean
  isPaused: boolean
  waiting: number
  dropped: readonly RestDroppedLines[]
  resume: () => void
  slugOf: (projectId: string) => string
}) {
  const t = useTranslations('logs.live')
  if (!isOn && dropped.length === 0) return null
  return (
    <div className="log-live-bar" role="status" data-paused={(isOn && isPaused) || undefined}>
      {isOn && isPaused ? (
        <>
          <Pause size={13} strokeWidth={1.75} aria-hidden="true" />
          <strong>{t('reading')}</strong>
          <span>{t('waiting', { count: waiting })}</span>
          <button type="button" className="link" onClick={resume}>
            {t('resume')}
          </button>
        </>
      ) : isOn ? (
        <span>{isOpen ? t('following') : t('connecting')}</span>
      ) : null}
      <span className="log-grow" />
      <Dropped organization={organization} dropped={dropped} slugOf={slugOf} />
    </div>
  )
}
