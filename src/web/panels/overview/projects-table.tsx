import { useLocale, useTranslations } from 'next-intl'
import type { RestOverview, RestOverviewProject } from '../../../contract/overview.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { barsOfPoints, linePath, trendBars } from './trend.ts'
import { type OverviewWords, overviewWords, toneOf } from './words.ts'

const [widthPx, heightPx] = [72, 16]

/** A value that is missing, with its reason on hover and for screen readers. */
function Missing({ why }: { why: string }) {
  return (
    <span className="text-ink-3" title={why}>
      –<span className="visually-hidden"> {why}</span>
    </span>
  )
}

type RowProps = {
  organization: string
  row: RestOverviewProject
  place: number
  words: OverviewWords
  why: { events: string; sessions: string; segments: string }
}

function ProjectRow({ organization, row, place, words, why }: RowProps) {
  const { project, release, events, trend, crashFree, segments, unresolved } = row
  const share = crashFree?.now
  const rate = segments ? segments.now.failed / segments.now.count : 0
  const rateBy = segments && segments.before.count > 0 ? rate - segments.before.failed / segments.before.count : 0
  const change = words.points(rateBy)
  return (
    <tr>
      <th scope="row">
        <Rail place={place} />
        <Link href={`/o/${organization}/issues?project=${project.slug}`}>
          <PlainText text={project.slug} charactersMax={60} />
        </Link>
        {release ? (
          <code>
            <PlainText text={release.replace(/^[^@]*@/, '')} charactersMax={20} />
          </code>
        ) : null}
      </th>
      <td className="overview-wide">
        <svg aria-hidden="true" className="overview-line" width={widthPx} height={heightPx + 2}>
          <path className="overview-base" d={`M0 ${heightPx + 1}H${widthPx}`} />
          <path transform="translate(0 1)" d={linePath(barsOfPoints(trend, trendBars), widthPx, heightPx)} />
        </svg>
      </td>
      <td className="number">{events ? words.count(events.now) : <Missing why={why.events} />}</td>
      <td className="number overview-wide">
        {segments ? (
          <>
            {words.rate(rate)}{' '}
            <span className="overview-change" data-tone={change ? toneOf(rateBy) : undefined}>
              {change ?? '0'}
            </span>
          </>
        ) : (
          <Missing why={why.segments} />
        )}
      </td>
      <td className="number">
        {share ? (
          <>
            {words.share(share.share)} <span className="overview-change">{words.margin(share)}</span>
          </>
        ) : (
          <Missing why={why.sessions} />
        )}
      </td>
      <td className="number overview-wide">
        {segments?.now.p75Ms == null ? <Missing why={why.segments} /> : words.duration(segments.now.p75Ms)}
      </td>
      <td className="number">
        <b>{words.count(unresolved)}</b>
      </td>
    </tr>
  )
}

/** The projects of the scope with their events, failures, sessions and open issues. */
export function ProjectsTable({
  organization,
  overview,
  places,
}: {
  organization: string
  overview: RestOverview
  places: Readonly<Record<string, number>>
}) {
  const t = useTranslations('overview.projects')
  const words = overviewWords(useLocale())
  const hasFailed = (name: string) => overview.failed.some(({ part }) => part === name)
  const why = {
    events: t('away'),
    sessions: hasFailed('sessions') ? t('away') : t('noSessions'),
    segments: hasFailed('segments') ? t('late') : t('noSpans'),
  }
  return (
    <section aria-labelledby="overview-projects">
      <div className="overview-head">
        <h2 id="overview-projects">{t('title')}</h2>
        <Link className="overview-more" href={`/o/${organization}/projects`}>
          {t('all')}
        </Link>
      </div>
      <table className="overview-table">
        <thead>
          <tr>
            <th scope="col">{t('project')}</th>
            <th scope="col" className="overview-wide">
              {t('trend')}
            </th>
            <th scope="col" className="number">
              {t('events')}
            </th>
            <th scope="col" className="number overview-wide">
              {t('failureRate')}
            </th>
            <th scope="col" className="number">
              {t('crashFree')}
            </th>
            <th scope="col" className="number overview-wide">
              {t('p75')}
            </th>
            <th scope="col" className="number">
              {t('unresolved')}
            </th>
          </tr>
        </thead>
        <tbody>
          {overview.projects.map((row) => (
            <ProjectRow
              key={row.project.id}
              organization={organization}
              row={row}
              place={places[row.project.slug] ?? 0}
              words={words}
              why={why}
            />
          ))}
        </tbody>
      </table>
      <RowEnd />
    </section>
  )
}
