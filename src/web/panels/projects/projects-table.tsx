'use client'
import '../../styles/rows.css'
import './projects.css'
import { useLocale, useTranslations } from 'next-intl'
import type { RestPoint } from '../../../contract/issues.ts'
import { versionInfo } from '../../../domain/release-order.ts'
import { releasePath } from '../../client/release-path.ts'
import { peakOf, Trend, TrendHead, useSharedScale } from '../../ui/chart/trend.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { Time } from '../../ui/time.tsx'

type ListedProject = {
  slug: string
  name: string
  platform: string
  firstEventMs: number | null
  /** Events by day. Undefined, as `events`: the events store is down. */
  points: RestPoint[] | undefined
  events: number | undefined
  unresolved: number
  newestRelease: string | undefined
}

type RowProps = {
  base: string
  organization: string
  project: ListedProject
  place: number
  shared: ReturnType<typeof useSharedScale>
  number: Intl.NumberFormat
}

function ProjectRow({ base, organization, project, place, shared, number }: RowProps) {
  const t = useTranslations('projects')
  const { slug, name, platform, firstEventMs, points, events, unresolved, newestRelease } = project
  const stats = { '14d': points ?? [] }
  return (
    <tr>
      <th scope="row">
        <span className="projects-name">
          <Rail place={place} />
          <Link href={`${base}/issues?project=${slug}`}>
            <PlainText text={name} charactersMax={64} />
          </Link>
        </span>
        <span className="projects-second">
          <code>{slug}</code> <PlainText text={platform} charactersMax={40} />
        </span>
      </th>
      <td className="projects-trend">
        {points ? <Trend stats={stats} shared={shared} peak={number.format(peakOf(stats))} /> : '–'}
      </td>
      <td className="number">{events === undefined ? '–' : number.format(events)}</td>
      <td className="number">
        <Link href={`${base}/issues?project=${slug}`}>
          <b>{number.format(unresolved)}</b>
        </Link>
      </td>
      <td className="projects-release">
        {newestRelease === undefined ? (
          <span className="text-ink-3">{t('waiting')}</span>
        ) : (
          <Link className="link" href={releasePath(organization, newestRelease)}>
            <code>
              <PlainText text={versionInfo(newestRelease).description} charactersMax={40} />
            </code>
          </Link>
        )}
      </td>
      <td className="projects-first">
        {firstEventMs === null ? <span className="text-ink-3">{t('waiting')}</span> : <Time at={firstEventMs} />}
      </td>
      <td className="projects-acts">
        <Link href={`${base}/projects/${slug}/setup`} className="link">
          {t('setup')}
        </Link>
        <Link href={`${base}/settings/projects/${slug}/keys`} className="link">
          {t('keys')}
        </Link>
        <Link href={`${base}/settings/projects/${slug}`} className="link">
          {t('settings')}
        </Link>
      </td>
    </tr>
  )
}

/** The projects of an organization with their events of 14 days on one scale, open issues and newest release. */
export function ProjectsTable({
  organization,
  projects,
}: {
  organization: string
  projects: readonly ListedProject[]
}) {
  const t = useTranslations('projects')
  const ranges = useTranslations('issues.range.short')
  const number = new Intl.NumberFormat(useLocale())
  const rows = projects.map(({ points }) => ({ stats: { '14d': points ?? [] } }))
  const shared = useSharedScale(rows)
  return (
    <table className="projects-table">
      <thead>
        <tr>
          <th scope="col">{t('name')}</th>
          <th scope="col" className="projects-trend">
            <TrendHead range={ranges('14d')} rows={rows} />
          </th>
          <th scope="col" className="number">
            {t('events')}
          </th>
          <th scope="col" className="number">
            {t('unresolved')}
          </th>
          <th scope="col" className="projects-release">
            {t('newestRelease')}
          </th>
          <th scope="col" className="projects-first">
            {t('firstEvent')}
          </th>
          <th scope="col" className="projects-acts">
            <span className="visually-hidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {projects.map((project, place) => (
          <ProjectRow
            key={project.slug}
            base={`/o/${organization}`}
            organization={organization}
            project={project}
            place={place}
            shared={shared}
            number={number}
          />
        ))}
      </tbody>
    </table>
  )
}
