'use client'
import { useLocale, useTranslations } from 'next-intl'
import { memo, useMemo, useSyncExternalStore } from 'react'
import type { RestPoint } from '../../../contract/issues.ts'
import {
  type TrendScale,
  trendBarPx,
  trendBars,
  trendHeightPx,
  trendPath,
  trendScales,
  trendTop,
  trendWidthPx,
} from './bars.ts'

/** The scale that all trends of a list share, so that their heights can be compared. */
export type SharedScale = { top: number; scale: TrendScale }

type Stats = Readonly<Record<string, readonly RestPoint[]>>

/** The points of a row: the list has one series, under a name that depends on its range. */
export const pointsOf = (stats: Stats): readonly RestPoint[] => Object.values(stats)[0] ?? []

const storageKey = 'trend-scale'
const changed = 'mishap:trend-scale'

function storedScale(): TrendScale {
  try {
    const stored = localStorage.getItem(storageKey)
    return trendScales.find((scale) => scale === stored) ?? 'root'
  } catch {
    // A browser without storage keeps no choice.
    return 'root'
  }
}

function listen(change: () => void): () => void {
  window.addEventListener(changed, change)
  return () => window.removeEventListener(changed, change)
}

const useScale = (): TrendScale => useSyncExternalStore(listen, storedScale, () => 'root')

function storeScale(scale: TrendScale): void {
  try {
    localStorage.setItem(storageKey, scale)
  } catch {
    // Without storage the choice is lost: the list stays as it is.
  }
  window.dispatchEvent(new Event(changed))
}

/** The scale of a list. Returns the same object while neither the top nor the choice changes. */
export function useSharedScale(rows: readonly { stats: Stats }[]): SharedScale {
  const scale = useScale()
  const top = useMemo(() => {
    let most = 0
    for (const row of rows) most = Math.max(most, ...trendBars(pointsOf(row.stats)).values)
    return trendTop(most)
  }, [rows])
  return useMemo(() => ({ top, scale }), [top, scale])
}

/** The trend as one path: one element per bar would be too slow for a list of 10,000 rows. */
export const Trend = memo(function Trend({ stats, shared, peak }: { stats: Stats; shared: SharedScale; peak: string }) {
  const { values } = trendBars(pointsOf(stats))
  return (
    <>
      <svg
        aria-hidden="true"
        className="trend"
        width={trendWidthPx}
        height={trendHeightPx}
        viewBox={`0 0 ${trendWidthPx} ${trendHeightPx}`}
        preserveAspectRatio="none"
      >
        <path d={trendPath(values, shared.top, shared.scale)} strokeWidth={trendBarPx} />
      </svg>
      <span className="trend-peak">{peak}</span>
    </>
  )
})

/** The largest bar of a row. */
export const peakOf = (stats: Stats): number => Math.max(0, ...trendBars(pointsOf(stats)).values)

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** States the scale of the trends below it. A click chooses the next scale. */
export function TrendHead({ range, rows }: { range: string; rows: readonly { stats: Stats }[] }) {
  const t = useTranslations('rows.trend')
  const { top, scale } = useSharedScale(rows)
  const locale = useLocale()
  const { barS } = trendBars(pointsOf(rows[0]?.stats ?? {}))
  const [unit, seconds] = units.find(([, length]) => barS >= length) ?? ['minute', 60]
  const next = trendScales[(trendScales.indexOf(scale) + 1) % trendScales.length] ?? 'root'
  const per = t(`per.${unit}`, { count: Math.round(barS / seconds) })
  const values = { range, top: new Intl.NumberFormat(locale, { notation: 'compact' }).format(top), per }
  const title = t('title', { ...values, scale: t(`scale.${scale}`), next: t(`scale.${next}`) })
  return (
    <button type="button" className="trend-head" title={title} onClick={() => storeScale(next)}>
      {t('head', { ...values, scale: t(`short.${scale}`) })}
    </button>
  )
}
