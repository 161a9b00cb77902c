'use client'
import { useTranslations } from 'next-intl'
import type { RestBackTest } from '../../../../contract/alerts/alerts-back-test.ts'
import { PlainText } from '../../../ui/plain-text.tsx'
import { barsPath, type Direction, isOver, scaleOf } from './chart-scale.ts'

const heightPx = 28

/** The groups of a back-test: charts of the few that matter most, the names of the others, and how many are not watched. */
export function BackTestGroups({
  groups,
  threshold,
  direction,
}: {
  groups: NonNullable<RestBackTest['groups']>
  threshold: number | null
  direction: Direction
}) {
  const t = useTranslations('alerts.backTest')
  const { shown, others, more, beyond } = groups
  const named = others.slice(0, 10).map(({ name }) => name)
  const rest = others.length - named.length + more
  return (
    <section aria-label={t('groups')}>
      <h3 className="alert-sub">{t('groups')}</h3>
      <ul className="alert-groups">
        {shown.map(({ name, times, points }) => {
          const axis = scaleOf(points, threshold)
          const over = (value: number | null) => isOver(value, threshold, direction)
          return (
            <li key={name}>
              <PlainText text={name} charactersMax={120} />
              <svg
                aria-hidden="true"
                viewBox={`0 0 ${Math.max(1, points.length)} ${heightPx}`}
                preserveAspectRatio="none"
              >
                <path className="alert-bar-under" d={barsPath(points, axis, heightPx, (value) => !over(value))} />
                <path className="alert-bar-over" d={barsPath(points, axis, heightPx, over)} />
              </svg>
              <b>{t('times', { count: times })}</b>
            </li>
          )
        })}
      </ul>
      {named.length > 0 ? (
        <p className="alert-note">
          {t('otherGroups')} <PlainText text={named.join(', ')} charactersMax={600} />{' '}
          {rest > 0 ? t('moreGroups', { count: rest }) : null}
        </p>
      ) : null}
      {beyond > 0 ? <p className="alert-note">{t('beyondGroups', { count: beyond })}</p> : null}
    </section>
  )
}
