'use client'
import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { systemClock } from '../../base/clock.ts'
import { type ConnectionStatus, isThere } from '../client/connection.ts'
import { Time } from './time.tsx'

/** How long the bar shows that Mishap is back, ms. */
const backMs = 4000

function useConnectionStatus(): ConnectionStatus {
  const listen = useCallback((run: () => void) => window.mishap?.connection?.listen(run) ?? (() => {}), [])
  return useSyncExternalStore(
    listen,
    () => window.mishap?.connection?.status() ?? 'well',
    () => 'well',
  )
}

/** Start of the current outage, ms, and whether Mishap has just come back. */
function useAbsence(status: ConnectionStatus): { sinceMs: number | undefined; isBack: boolean } {
  const [sinceMs, setSince] = useState<number>()
  const [isBack, setBack] = useState(false)
  const there = isThere(status)
  useEffect(() => {
    if (there) return
    setSince((before) => before ?? systemClock.now())
    setBack(false)
    return () => {
      setSince(undefined)
      setBack(true)
    }
  }, [there])
  useEffect(() => (isBack ? systemClock.after(backMs, () => setBack(false)) : undefined), [isBack])
  return { sinceMs, isBack }
}

/**
 * Shows that there is no network, that Mishap does not answer or is slow, and since when. The page stays usable. The
 * bar covers the foot of the page, so that nothing moves. It is always in the DOM, so that screen readers announce it.
 */
export function ConnectionBar() {
  const t = useTranslations('common')
  const status = useConnectionStatus()
  const { sinceMs, isBack } = useAbsence(status)
  const shownStatus = status === 'well' ? (isBack ? 'back' : undefined) : status
  return (
    <div className="connection-bar" data-standing={shownStatus ?? 'well'}>
      <span role="status">{shownStatus ? t(shownStatus) : ''}</span>
      {sinceMs === undefined || shownStatus === 'slow' ? null : (
        <span>
          {t('lastUpdate')} <Time at={sinceMs} />
        </span>
      )}
    </div>
  )
}

/**
 * Shows that the next page is on its way, while the page before it stays. It covers the top edge, so that nothing moves. It
 * is always in the DOM, so that screen readers announce it.
 */
export function NavigationBar() {
  const t = useTranslations('common')
  const listen = useCallback((run: () => void) => window.mishap?.navigation?.pending.listen(run) ?? (() => {}), [])
  const isShown = useSyncExternalStore(
    listen,
    () => window.mishap?.navigation?.pending.isShown() ?? false,
    () => false,
  )
  return (
    <div className="navigation-bar" data-shown={isShown || undefined}>
      <span role="status" className="visually-hidden">
        {isShown ? t('nextPage') : ''}
      </span>
    </div>
  )
}
