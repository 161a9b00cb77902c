'use client'
import { useLocale, useTranslations } from 'next-intl'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { systemClock } from '../../base/clock.ts'
import { relativeParts } from './relative.ts'

const Now = createContext(0)
const eachMs = 15_000

/**
 * Gives all relative times one shared time in ms, updated every 15 s. `startMs` is the server's time, for hydration. If
 * it is less than 15 s old, it stays until then, because a text that changes at once shifts the layout.
 */
export function NowProvider({ startMs, children }: { startMs: number; children: ReactNode }) {
  const [now, setNow] = useState(startMs)
  useEffect(() => {
    let cancel = () => {}
    const tick = () => {
      setNow(systemClock.now())
      cancel = systemClock.after(eachMs, tick)
    }
    const ageMs = systemClock.now() - startMs
    if (ageMs >= 0 && ageMs < eachMs) {
      setNow(startMs)
      cancel = systemClock.after(eachMs - ageMs, tick)
    } else tick()
    return () => cancel()
  }, [startMs])
  return <Now value={now}>{children}</Now>
}

/** Milliseconds since 1970, at most 15 s old. */
export const useNow = (): number => useContext(Now)

/** Returns a function for an age as text: `useAge()(ms)` gives "14 min". */
export function useAge(): (atMs: number) => string {
  const now = useNow()
  const t = useTranslations('time')
  return (atMs) => {
    const { unit, count } = relativeParts(now - atMs)
    return t(unit, { count })
  }
}

/** A time as its age, with the exact time (local and UTC) on hover. `at`: ISO text or ms. */
export function RelativeTime({ at, className }: { at: string | number; className?: string }) {
  const age = useAge()
  const locale = useLocale()
  const [local, setLocal] = useState('')
  const ms = typeof at === 'number' ? at : Date.parse(at)
  useEffect(() => {
    if (Number.isFinite(ms))
      setLocal(new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(ms))
  }, [ms, locale])
  if (!Number.isFinite(ms)) return <span className={className}>–</span>
  const utc = new Date(ms).toISOString()
  return (
    <time dateTime={utc} title={local ? `${local}\n${utc}` : utc} className={className}>
      {age(ms)}
    </time>
  )
}
