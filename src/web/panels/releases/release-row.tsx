'use client'
import { useTranslations } from 'next-intl'
import type { RestRelease } from '../../../contract/releases.ts'
import { releasePath } from '../../client/release-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time, useAge } from '../../ui/time.tsx'
import { HealthCells, type ShownHealth } from '../release-health/health-cells.tsx'

/** A release in the list. `events` in the range (null: unknown), out of `allEvents` that name any release. */
export type ShownRelease = RestRelease & { events: number | null; allEvents: number; health?: ShownHealth }

/** Maximum names to show; the others are a number. */
const authorsMax = 2
const deploysMax = 3

function Events({ row, locale }: { row: ShownRelease; locale: string }) {
  const t = useTranslations('releases')
  const { events, allEvents } = row
  if (events === null) return <span className="text-ink-3">–</span>
  const share = allEvents > 0 ? events / allEvents : 0
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 2 }).format(share)
  return (
    <>
      <span>{new Intl.NumberFormat(locale).format(events)}</span>
      {events > 0 ? (
        <span className="release-share" title={t('share', { percent })}>
          <span style={{ width: `${Math.max(1, Math.round(share * 100))}%` }} aria-hidden="true" />
          <span className="visually-hidden">{t('share', { percent })}</span>
        </span>
      ) : null}
    </>
  )
}

function Commits({ row }: { row: ShownRelease }) {
  const t = useTranslations('releases')
  const { commitCount, authors } = row
  if (commitCount === 0) return <span className="text-ink-3">–</span>
  const names = authors.map((author) => author.name || author.email)
  const more = names.length > authorsMax ? ` +${names.length - authorsMax}` : ''
  return (
    <>
      <span>{t('commitCount', { count: commitCount })}</span>
      <span className="release-second">
        <PlainText text={names.slice(0, authorsMax).join(', ')} charactersMax={60} />
        {more}
      </span>
    </>
  )
}

function Deploys({ row }: { row: ShownRelease }) {
  const age = useAge()
  const deploys = row.lastDeploys
  if (deploys.length === 0) return <span className="text-ink-3">–</span>
  return (
    <>
      {deploys.slice(0, deploysMax).map((deploy) => (
        <span key={deploy.id} className="release-deploy">
          <PlainText text={deploy.environment} charactersMax={32} /> <span>{age(Date.parse(deploy.dateFinished))}</span>
        </span>
      ))}
      {deploys.length > deploysMax ? <span className="text-ink-3">+{deploys.length - deploysMax}</span> : null}
    </>
  )
}

/** One release: name, age, and its effects. */
export function ReleaseRow({
  organization,
  row,
  isCursor,
  locale,
}: {
  organization: string
  row: ShownRelease
  isCursor: boolean
  locale: string
}) {
  const t = useTranslations('releases')
  const { version, versionInfo, projects, newGroups, dateReleased, dateCreated } = row
  const short = versionInfo.description
  return (
    <li className="release-row" data-version={version} data-cursor={isCursor || undefined}>
      <span className="release-main">
        <Link className="release-name" href={releasePath(organization, version)}>
          <PlainText text={short} charactersMax={120} />
        </Link>
        <span className="release-second">
          {short === version ? null : (
            <code>
              <PlainText text={version} charactersMax={200} />
            </code>
          )}
          <span>
            <PlainText
              text={projects
                .slice(0, 4)
                .map((project) => project.name)
                .join(', ')}
              charactersMax={120}
            />
            {projects.length > 4 ? ` +${projects.length - 4}` : ''}
          </span>
        </span>
      </span>
      <span className="release-when">
        <Time at={dateCreated} />
        <span className="release-second">
          {dateReleased === null ? (
            t('notReleased')
          ) : (
            <>
              {t('released')} <Time at={dateReleased} />
            </>
          )}
        </span>
      </span>
      <span className="release-number">
        <span className="release-label">{t('newIssues')} </span>
        {newGroups > 0 ? <b>{newGroups}</b> : <span className="text-ink-3">0</span>}
      </span>
      <span className="release-number release-events">
        <span className="release-label">{t('events')} </span>
        <Events row={row} locale={locale} />
      </span>
      <HealthCells health={row.health} />
      <span className="release-commits" data-none={row.commitCount === 0 || undefined}>
        <Commits row={row} />
      </span>
      <span className="release-deploys" data-none={row.lastDeploys.length === 0 || undefined}>
        <span className="release-label">{t('deploys')} </span>
        <Deploys row={row} />
      </span>
      <span className="release-artifacts" data-none={row.bundleCount === 0 || undefined}>
        <span className="release-label">{t('artifacts')} </span>
        {row.bundleCount > 0 ? (
          <span className="text-ok">{t('has')}</span>
        ) : (
          <span className="text-ink-3">{t('hasNot')}</span>
        )}
      </span>
    </li>
  )
}
