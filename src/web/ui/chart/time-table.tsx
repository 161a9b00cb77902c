'use client'
import { useTranslations } from 'next-intl'
import { PlainText } from '../plain-text.tsx'
import { useTimeText } from '../time.tsx'
import type { AlignedSeries, TimeSeries } from './time-series.ts'

type TimeTableProps = {
  label: string
  series: readonly TimeSeries[]
  aligned: AlignedSeries
  value: (value: number | null) => string
}

/** All values of a time chart as a table, newest first. */
export function TimeTable({ label, series, aligned, value }: TimeTableProps) {
  const t = useTranslations('charts')
  const { text, zone } = useTimeText()
  const newest = aligned.startsMs.map((startMs, at) => ({ startMs, at })).reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="time-chart-table" aria-label={label} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            <th scope="col">{t('time', { zone })}</th>
            {series.map((own) => (
              <th key={own.key} scope="col" className="number">
                <PlainText text={own.label} charactersMax={60} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newest.map(({ startMs, at }) => (
            <tr key={startMs}>
              <th scope="row">
                {text(startMs, 'minute')}
                {aligned.incomplete[at] ? ` (${t('incomplete')})` : ''}
              </th>
              {series.map((own, place) => (
                <td key={own.key} className="number">
                  {value(aligned.values[place]?.[at] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
