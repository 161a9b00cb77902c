'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { systemClock } from '../../clock.ts'
import { RelativeTime } from './time.tsx'

/** Says that there is no network and since when; what is on screen stays usable. */
export function OfflineBar() {
  const t = useTranslations('common')
  const [sinceMs, setSince] = useState<number | undefined>(undefined)
  useEffect(() => {
    const off = () => setSince(systemClock.now())
    const on = () => setSince(undefined)
    if (!navigator.onLine) off()
    window.addEventListener('offline', off)
    window.addEventListener('online', on)
    return () => {
      window.removeEventListener('offline', off)
      window.removeEventListener('online', on)
    }
  }, [])
  if (sinceMs === undefined) return null
  return (
    <div className="offline" role="status">
      {t('offline')} {t('lastUpdate')} <RelativeTime at={sinceMs} />
    </div>
  )
}
