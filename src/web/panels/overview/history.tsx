'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestOverview } from '../../../contract/overview.ts'
import { releasePath } from '../../client/release-path.ts'
import { type AnnotationGroup, groupAnnotations } from '../../ui/chart/annotations.ts'
import { roundTop } from '../../ui/chart/bars.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { useTimeText } from '../../ui/time.tsx'

/** Names of releases that fit side by side. */
const releaseSlots = 6
const eventsPx = 124
const usersPx = 52

type BarsProps = {
  values: readonly (number | null)[]
  heightPx: number
  kind: 'events' | 'users'
  label: string
  name: string
  point: (at: number | null) => void
}

/** One of the two charts. The middle line is left out where it would touch the others. */
function Bars({ values, heightPx, kind, label, name, point }: BarsProps) {
  const number = new Intl.NumberFormat(useLocale())
  const top = roundTop(Math.max(0, ...values.map((value) => value ?? 0)))
  const hasMiddle = kind === 'events' && top > 1
  return (
    <div className="overview-chart" style={{ height: heightPx }}>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${values.length} ${heightPx}`}
        preserveAspectRatio="none"
        data-kind={kind}
        onMouseLeave={() => point(null)}
      >
        <path
          className="overview-grid"
          d={`M0 .5H${values.length}${hasMiddle ? `M0 ${heightPx / 2}H${values.length}` : ''}`}
        />
        {values.map((value, at) => {
          const height = value ? Math.max(1.5, (value / top) * heightPx) : 0
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the chart's label has the same content
            // biome-ignore lint/suspicious/noArrayIndexKey: a bucket has no other identity than its place
            <g key={at} onMouseEnter={() => point(at)}>
              <rect className="overview-hit" x={at} y={0} width={1} height={heightPx} />
              <rect className="overview-column" x={at + 0.16} y={heightPx - height} width={0.68} height={height} />
            </g>
          )
        })}
        <path className="overview-base" d={`M0 ${heightPx}H${values.length}`} />
      </svg>
      <span className="overview-y" aria-hidden="true">
        {number.format(top)}
      </span>
      {hasMiddle ? (
        <span className="overview-y" aria-hidden="true" style={{ top: '50%' }}>
          {number.format(top / 2)}
        </span>
      ) : null}
      <span className="overview-name" aria-hidden="true">
        {name}
      </span>
    </div>
  )
}

/** Dashed lines over both charts, each with the name of its newest release. */
function Releases({ organization, groups }: { organization: string; groups: readonly AnnotationGroup[] }) {
  const t = useTranslations('overview.history')
  if (groups.length === 0) return null
  return (
    <ul className="overview-releases" aria-label={t('releases')}>
      {groups.map(({ place, fromMs, versions }, at) => {
        const newest = versions.at(-1) ?? ''
        const next = groups[at + 1]?.place ?? 1
        return (
          <li
            key={fromMs}
            style={{ left: `${Math.round(place * 1000) / 10}%` }}
            data-left={(at === groups.length - 1 && place > 0.8) || undefined}
            data-narrow={next - place < 0.12 || undefined}
          >
            <Link href={releasePath(organization, newest)} title={versions.join('\n')}>
              <PlainText text={newest.replace(/^[^@]*@/, '')} charactersMax={14} />
              {versions.length > 1 ? ` +${versions.length - 1}` : ''}
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

/** Events and users of the range: two charts on one time axis, because two scales on one chart compare nothing. */
export function History({ organization, overview }: { organization: string; overview: RestOverview }) {
  const t = useTranslations('overview.history')
  const locale = useLocale()
  const { text, zone } = useTimeText()
  const [at, setAt] = useState<number | null>(null)
  const { series, bucketSeconds, releases, events, users } = overview
  const number = new Intl.NumberFormat(locale)
  const [first] = series
  const last = series.at(-1)
  const fromS = first?.[0] ?? 0
  const toS = (last?.[0] ?? 0) + bucketSeconds
  const groups = useMemo(
    () => groupAnnotations(releases.marks, fromS * 1000, toS * 1000, releaseSlots),
    [releases, fromS, toS],
  )
  const shown = at === null ? undefined : series[at]
  return (
    <div className="overview-history">
      <Releases organization={organization} groups={groups} />
      <Bars
        kind="events"
        heightPx={eventsPx}
        values={series.map(([, count]) => count)}
        name={t('events')}
        label={t('eventsLabel', { count: events?.now ?? 0 })}
        point={setAt}
      />
      <Bars
        kind="users"
        heightPx={usersPx}
        values={series.map(([, , count]) => count)}
        name={t('users')}
        label={t('usersLabel', { count: users?.now ?? 0 })}
        point={setAt}
      />
      <div className="overview-axis">
        <span>{text(fromS * 1000, 'shortDay')}</span>
        <span>
          {text(Date.parse(overview.end), 'shortMinute')}, {zone}
        </span>
      </div>
      {shown && at !== null ? (
        <div
          className="overview-tip"
          aria-hidden="true"
          data-side={at > series.length / 2 ? 'left' : 'right'}
          style={{ left: `${((at + 0.5) / series.length) * 100}%` }}
        >
          <b>{text(shown[0] * 1000, 'minute')}</b>
          <span data-kind="events">{t('tipEvents', { count: shown[1] === null ? '–' : number.format(shown[1]) })}</span>
          <span data-kind="users">{t('tipUsers', { count: shown[2] === null ? '–' : number.format(shown[2]) })}</span>
        </div>
      ) : null}
    </div>
  )
}
