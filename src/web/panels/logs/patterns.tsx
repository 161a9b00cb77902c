'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestLogPatterns } from '../../../contract/explore/logs.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { shapeOfLevel } from './levels.ts'
import type { ProjectOf } from './log-row.tsx'
import { ShapeText } from './message-text.tsx'

const [trendWidth, trendHeight] = [96, 18]

/** Numbers such as 1.2K. */
export const compact = (locale: string) =>
  new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

/** Lines of a shape over the range, on a scale of its own. */
function Sparkline({ points }: { points: readonly number[] }) {
  const most = Math.max(1, ...points)
  const step = trendWidth / Math.max(1, points.length - 1)
  const path = points
    .map(
      (value, at) =>
        `${at === 0 ? 'M' : 'L'}${(at * step).toFixed(1)} ${(trendHeight - 1 - (value / most) * (trendHeight - 2)).toFixed(1)}`,
    )
    .join('')
  return (
    <svg
      className="log-spark"
      width={trendWidth}
      height={trendHeight}
      viewBox={`0 0 ${trendWidth} ${trendHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  )
}

/** Repeated shapes of lines. A click shows the lines of a shape. */
export function Patterns({
  answer,
  projectOf,
  open,
  isDimmed,
}: {
  answer: RestLogPatterns
  projectOf: ProjectOf
  open: (pattern: string) => void
  isDimmed: boolean
}) {
  const t = useTranslations('logs.patterns')
  const level = useTranslations('logs.levels')
  const locale = useLocale()
  const number = compact(locale)
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const { patterns, release, total } = answer
  const fresh = patterns.filter(({ isNew }) => isNew).length
  return (
    <div className="log-patterns" data-dimmed={isDimmed || undefined}>
      <p className="log-note">
        {t('shown', { shown: patterns.length, total })}{' '}
        {release ? (
          <>
            {t('newSince', { count: fresh })} <PlainText text={release.version} charactersMax={80} />
          </>
        ) : (
          t('noRelease')
        )}
      </p>
      <table>
        <thead>
          <tr>
            <th>{t('count')}</th>
            <th>{t('share')}</th>
            <th>{t('trend')}</th>
            <th>{t('shape')}</th>
            <th>{t('firstSeen')}</th>
          </tr>
        </thead>
        <tbody>
          {patterns.map((pattern) => {
            const shape = shapeOfLevel(pattern.level)
            const project = projectOf(pattern.projectID)
            return (
              <tr key={pattern.pattern} data-pattern={pattern.pattern}>
                <td>
                  <span className="log-bare">{number.format(pattern.count)}</span>
                  <span className="log-unit">
                    {t('lines', { count: pattern.count, shown: number.format(pattern.count) })}
                  </span>
                </td>
                <td>{share.format(pattern.share)}</td>
                <td>
                  <Sparkline points={pattern.points} />
                </td>
                <td>
                  <button type="button" className="log-text" onClick={() => open(pattern.pattern)}>
                    {shape ? <SeverityShape level={shape} label={level(shape)} sizePx={8} /> : null}
                    <span className="log-rail" title={project.slug}>
                      {project.place >= 0 ? <Rail place={project.place} /> : null}
                      <span className="visually-hidden">{project.slug}</span>
                    </span>
                    <span className="log-shape">
                      <ShapeText shape={pattern.shape} />
                    </span>
                    {pattern.isNew ? <span className="chip">{t('new')}</span> : null}
                  </button>
                </td>
                <td>
                  <span className="log-unit">{t('firstSeen')}</span> <Time at={pattern.firstSeen} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
