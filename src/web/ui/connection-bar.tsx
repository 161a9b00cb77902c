'use client'
import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { systemClock } from '../../base/clock.ts'
import { isThere, type Standing } from '../client/connection.ts'
import { RelativeTime } from './time.tsx'

/** How long it is said that Mishap is back, ms. */
const backMs = 4000

function useStanding(): Standing {
  const listen = useCallback((run: () => void) => window.mishap?.connection?.listen(run) ?? (() => {}), [])
  return useSyncExternalStore(
    listen,
    () => window.mishap?.connection?.standing() ?? 'well',
    () => 'well',
  )
}

/** Since when Mishap has not answered, ms, and whether it has just come back. */
function useAbsence(standing: Standing): { sinceMs: number | undefined; isBack: boolean } {
  const [sinceMs, setSince] = useState<number>()
  const [isBack, setBack] = useState(false)
  const there = isThere(standing)
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
 * Says that there is no network, that Mishap does not answer, or not soon, and since when; what is on screen stays usable.
 * It stands over the foot of the page, so that nothing moves when it comes, and is there from the first, so that it is read out.
 */
export function ConnectionBar() {
  const t = useTranslations('common')
  const standing = useStanding()
  const { sinceMs, isBack } = useAbsence(standing)
  const said = standing === 'well' ? (isBack ? 'back' : undefined) : standing
  return (
    <div className="connection-bar" data-standing={said ?? 'well'}>
      <span role="status">{said ? t(said) : ''}</span>
      {sinceMs === undefined || said === 'slow' ? null : (
        <span>
          {t('lastUpdate')} <RelativeTime at={sinceMs} />
        </span>
      )}
    </div>
  )
}
