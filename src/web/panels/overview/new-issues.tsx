import { RotateCcw, TrendingUp } from 'lucide-react'
import { useLocale, useTranslations } from 'next-intl'
import type { RestIssue } from '../../../contract/issues.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { barsOfPoints, barsPath, rowsTop, trendBars, trendHeightPx, trendWidthPx } from './trend.ts'

const icon = { size: 12, strokeWidth: 2, 'aria-hidden': true } as const

/** The one word for the state of an issue. */
function StateWord({ issue }: { issue: RestIssue }) {
  const t = useTranslations('overview.issues')
  const { substatus, firstRelease } = issue
  if (substatus === 'escalating')
    return (
      <span className="overview-state">
        <TrendingUp {...icon} /> {t('escalating')}
      </span>
    )
  if (substatus === 'regressed')
    return (
      <span className="overview-state text-warning">
        <RotateCcw {...icon} /> {t('regressed')}
      </span>
    )
  const version = firstRelease?.version.replace(/^[^@]*@/, '')
  return (
    <span className="overview-state text-accent">
      {version ? (
        <>
          {t('newIn')} <PlainText text={version} charactersMax={20} />
        </>
      ) : (
        t('new')
      )}
    </span>
  )
}

const barsOf = (issue: RestIssue) => barsOfPoints(Object.values(issue.stats)[0] ?? [], trendBars)

function IssueLine({ issue, href, place, top }: { issue: RestIssue; href: string; place: number; top: number }) {
  const level = useTranslations('level')
  const t = useTranslations('overview.issues')
  const number = new Intl.NumberFormat(useLocale())
  const { type = issue.title, value = '' } = issue.metadata
  const bars = barsOf(issue)
  const assignee = issue.assignedTo ? issue.assignedTo.name || issue.assignedTo.email : undefined
  return (
    <li className="overview-issue">
      <SeverityShape level={issue.level} label={level(issue.level)} />
      <div className="overview-issue-text">
        <Link href={href}>
          <b>
            <PlainText text={type} charactersMax={120} />
          </b>{' '}
          <PlainText text={issue.metadata.type ? value : ''} charactersMax={300} />
        </Link>
        <p>
          <Rail place={place} />
          <code>{issue.shortId}</code>
          <StateWord issue={issue} />
          <span className="overview-culprit">
            <PlainText text={issue.culprit} charactersMax={200} />
          </span>
        </p>
      </div>
      <svg
        className="overview-trend"
        aria-hidden="true"
        width={trendWidthPx}
        height={trendHeightPx}
        viewBox={`0 0 ${trendWidthPx} ${trendHeightPx}`}
      >
        <path className="overview-base" d={`M0 ${trendHeightPx - 0.5}H${trendWidthPx}`} />
        <path className="overview-bars" d={barsPath(bars, top)} />
      </svg>
      <span className="overview-peak" title={t('peak')}>
        {number.format(Math.max(0, ...bars))}
      </span>
      <span className="overview-users">
        {issue.userCount > 0 ? number.format(issue.userCount) : '–'}
        <span className="visually-hidden"> {t('usersOf')}</span>
      </span>
      <span title={assignee ?? t('unassigned')}>
        <Avatar name={assignee} />
        <span className="visually-hidden">
          <PlainText text={assignee ?? t('unassigned')} charactersMax={60} />
        </span>
      </span>
      <RowEnd />
    </li>
  )
}

/** New, regressed and escalating issues with the most events, their trends on one scale. */
export function NewIssues({
  organization,
  issues,
  all,
  places,
  search,
}: {
  organization: string
  issues: { rows: readonly RestIssue[] }
  /** How many issues have one of these states now. */
  all: number
  /** The place of each project in the organization, by slug. */
  places: Readonly<Record<string, number>>
  /** The query string of the scope, with its `?`. */
  search: string
}) {
  const t = useTranslations('overview.issues')
  const number = new Intl.NumberFormat(useLocale())
  const { rows } = issues
  const top = rowsTop(Math.max(0, ...rows.flatMap(barsOf)))
  return (
    <section aria-labelledby="overview-issues">
      <div className="overview-head">
        <h2 id="overview-issues">{t('title')}</h2>
        <span>
          {rows.length > 0 && all > rows.length ? t('of', { shown: rows.length, all: number.format(all) }) : ''}
        </span>
        {rows.length > 0 ? (
          <span className="overview-columns" aria-hidden="true">
            <span>{t('scale', { top: number.format(top) })}</span>
            <span>{t('users')}</span>
          </span>
        ) : null}
      </div>
      {rows.length === 0 ? (
        <p className="overview-none">{t('none')}</p>
      ) : (
        <ul className="overview-list">
          {rows.map((issue) => (
            <IssueLine
              key={issue.id}
              issue={issue}
              href={`/o/${organization}/issues/${issue.id}${search}`}
              place={places[issue.project.slug] ?? 0}
              top={top}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
