'use client'
import { useTranslations } from 'next-intl'
import { Pick } from './fields.tsx'
import { useMinutes } from './words.tsx'

const windows = [1, 5, 10, 15, 30, 60, 120, 360, 720, 1440, 10_080, 43_200] as const
const intervals = [5, 10, 30, 60, 180, 360, 720, 1440, 10_080, 43_200] as const

/** A length of time. A value that is not offered stays, with its words. */
function TimePick({
  label,
  value,
  offered,
  onChange,
}: {
  label: string
  value: number
  offered: readonly number[]
  onChange: (minutes: number) => void
}) {
  const words = useMinutes()
  const all = offered.includes(value) ? offered : [...offered, value].sort((a, b) => a - b)
  return (
    <Pick
      label={label}
      value={String(value)}
      choices={all.map((minutes) => ({ value: String(minutes), text: words(minutes) }))}
      onChange={(text) => onChange(Number(text))}
    />
  )
}

/** The window that a rule looks at. */
export function WindowPick({ value, onChange }: { value: number; onChange: (minutes: number) => void }) {
  const t = useTranslations('alerts.form')
  return <TimePick label={t('window')} value={value} offered={windows} onChange={onChange} />
}

/** The least time between two messages about one cause, or until the next person is asked. */
export function IntervalPick({
  label,
  value,
  onChange,
}: {
  label: string
  value: number
  onChange: (minutes: number) => void
}) {
  return <TimePick label={label} value={value} offered={intervals} onChange={onChange} />
}
