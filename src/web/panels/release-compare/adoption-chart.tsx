'use client'
import './release-compare.css'
import { useLocale, useTranslations } from 'next-intl'
import { versionInfo } from '../../../domain/release-order.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { useTimeText } from '../../ui/time.tsx'
import { ReleaseSwatch } from '../release-health/swatch.tsx'
import { adoptionPath, adoptionPeak, adoptionWidth } from './adoption-path.ts'

type Series = { version: string; shares: readonly (number | null)[] }

const short = (version: string) => versionInfo(version).description
const ticks = 5
/** Names of lines below this share stand above the line, because the axis is below it. */
const lowShare = 0.3

/** The share of sessions of up to three releases over time, the release in question first. */
export function AdoptionChart({
  startsMs,
  series,
  deployedMs,
}: {
  startsMs: readonly number[]
  series: readonly Series[]
  /** The last deploy of the release; undefined: none is known. */
  deployedMs: number | undefined
}) {
  const t = useTranslations('compare.adoption')
  const { text, zone } = useTimeText()
  const percent = new Intl.NumberFormat(useLocale(), { style: 'percent', maximumFractionDigits: 0 })
  const [firstMs = 0, lastMs = 0] = [startsMs[0], startsMs.at(-1)]
  const placeOf = (ms: number) => ((ms - firstMs) / Math.max(1, lastMs - firstMs)) * 100
  const deployed = deployedMs === undefined ? -1 : placeOf(deployedMs)
  const lastOf = ({ shares }: Series) => shares.findLast((share) => share !== null) ?? 0
  const label = series.map((line) => t('now', { release: short(line.version), share: percent.format(lastOf(line)) }))
  const marks = Array.from({ length: ticks }, (_, at) => firstMs + ((lastMs - firstMs) * at) / (ticks - 1))
  return (
    <div className="adoption">
      <div className="adoption-plot">
        {[1, 0.5, 0].map((share) => (
          <span key={share} className="adoption-y" style={{ top: `${(1 - share) * 100}%` }} aria-hidden="true">
            {percent.format(share)}
          </span>
        ))}
        <svg viewBox={`0 0 ${adoptionWidth} 100`} preserveAspectRatio="none" role="img" aria-label={label.join(', ')}>
          <path className="adoption-grid" d={`M0 0H${adoptionWidth}M0 50H${adoptionWidth}`} />
          <path className="adoption-base" d={`M0 100H${adoptionWidth}`} />
          {series.map((line, place) => (
            <path key={line.version} className="adoption-line" data-place={place} d={adoptionPath(line.shares)} />
          ))}
        </svg>
        {deployed >= 0 && deployed <= 100 ? (
          <span className="adoption-deploy" data-late={deployed > 80 || undefined} style={{ left: `${deployed}%` }}>
            <span>{t('deployed')}</span>
          </span>
        ) : null}
        {series.map((line, place) => {
          const peak = adoptionPeak(line.shares)
          if (!peak) return null
          const left = (peak.at / Math.max(1, startsMs.length - 1)) * 100
          return (
            <span
              key={line.version}
              className="adoption-name"
              data-late={left > 80 || undefined}
              data-low={peak.share < lowShare || undefined}
              style={{ left: `${left}%`, top: `${(1 - peak.share) * 100}%` }}
              aria-hidden="true"
            >
              <ReleaseSwatch place={place} />
              <PlainText text={short(line.version)} charactersMax={24} />
            </span>
          )
        })}
      </div>
      <div className="adoption-axis" aria-hidden="true">
        {marks.map((ms, at) => (
          <span key={ms}>
            {text(ms, 'shortDay')}
            {at === marks.length - 1 ? `, ${zone}` : ''}
          </span>
        ))}
      </div>
    </div>
  )
}
