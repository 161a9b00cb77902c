'use client'
import { useLocale, useTimeZone, useTranslations } from 'next-intl'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { systemClock } from '../../base/clock.ts'
import { browserZone } from '../client/zone.ts'
import { zoneName } from '../zone.ts'
import { relativeParts } from './relative.ts'

const Now = createContext(0)
/** The zone to show beside the chosen one: UTC, or the browser's if UTC is chosen. Undefined before hydration. */
const OtherZone = createContext<string | undefined>(undefined)
const eachMs = 15_000

const forms = {
  /** Date and time to the second. */
  moment: { dateStyle: 'medium', timeStyle: 'medium' },
  /** Date and time to the minute. */
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
  /** Day and time without the year, for charts of at most a year. */
  shortMinute: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  shortDay: { day: 'numeric', month: 'short' },
  clock: { hour: '2-digit', minute: '2-digit' },
  clockMs: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
type Form = keyof typeof forms

/**
 * Gives all times of the page one current time in ms, updated every 15 s, and their zones. `startMs` is the server's
 * time, for hydration. If it is less than 15 s old, it stays until then, because a text that changes at once shifts the
 * layout.
 */
export function NowProvider({ startMs, children }: { startMs: number; children: ReactNode }) {
  const [now, setNow] = useState(startMs)
  const [browser, setBrowser] = useState<string>()
  const zone = useTimeZone()
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
  useEffect(() => setBrowser(browserZone()), [])
  return (
    <OtherZone value={zone === 'UTC' ? browser : 'UTC'}>
      <Now value={now}>{children}</Now>
    </OtherZone>
  )
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

/**
 * Times as text in the reader's zone. `text(ms, form)` and `range(fromMs, toMs, form)` are without the zone, `zone` is its
 * short name for an axis or a line, and `both(ms)` is the exact time in the reader's zone and in the other zone, for a title
 * attribute.
 */
export function useTimeText() {
  const locale = useLocale()
  const zone = useTimeZone() ?? 'UTC'
  const other = useContext(OtherZone)
  return useMemo(() => {
    const formats = new Map<string, Intl.DateTimeFormat>()
    const formatOf = (form: Form, timeZone: string): Intl.DateTimeFormat => {
      const key = `${form} ${timeZone}`
      const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...forms[form], timeZone })
      formats.set(key, format)
      return format
    }
    const text = (ms: number, form: Form, timeZone = zone): string => formatOf(form, timeZone).format(ms)
    const line = (ms: number, timeZone: string) => `${text(ms, 'moment', timeZone)}, ${zoneName(timeZone)}`
    return {
      text: (ms: number, form: Form) => text(ms, form),
      range: (fromMs: number, toMs: number, form: Form) => formatOf(form, zone).formatRange(fromMs, toMs),
      zone: zoneName(zone),
      both: (ms: number) =>
        other === undefined || other === zone ? line(ms, zone) : `${line(ms, zone)}\n${line(ms, other)}`,
    }
  }, [locale, zone, other])
}

type TimeProps = {
  /** ISO text or ms. */
  at: string | number
  /** `relative` (the default) is its age, for lists. The others name the zone after the time. */
  form?: Form | 'relative'
  className?: string
}

/** A time in the reader's zone, with the exact time in both zones on hover. The one component for times. */
export function Time({ at, form = 'relative', className }: TimeProps) {
  const age = useAge()
  const { text, zone, both } = useTimeText()
  const ms = typeof at === 'number' ? at : Date.parse(at)
  if (!Number.isFinite(ms)) return <span className={className}>–</span>
  return (
    <time dateTime={new Date(ms).toISOString()} title={both(ms)} className={className}>
      {form === 'relative' ? age(ms) : form === 'day' ? text(ms, form) : `${text(ms, form)}, ${zone}`}
    </time>
  )
}
