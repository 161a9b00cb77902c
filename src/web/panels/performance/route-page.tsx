'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestBreakdown, RestRoutePage, RestRouteTrace } from '../../../contract/explore/performance.ts'
import { releasePath } from '../../client/release-path.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SeverityShape } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { Failures, NameCell, OpName } from './cells.tsx'
import { type PerformanceParams, viewQueryOf, withinRange } from './params.ts'
import { RouteFacts } from './route-facts.tsx'
import { FewSamples, SampledCount, useSampledText } from './sampled.tsx'
import { usePerformanceChange } from './scope.tsx'
import { TimeParts } from './time-parts.tsx'
import { TrendChart } from './trend-chart.tsx'
import { VitalList } from './vital-list.tsx'
import { WhySlow } from './why-slow.tsx'
import { performanceWords } from './words.ts'

type RoutePageProps = {
  organization: string
  page: RestRoutePage
  params: PerformanceParams
  projectIds: readonly string[]
  place: number
  /** The query string that all pages keep, with `?`. */
  kept: string
}

function Traces({
  organization,
  traces,
  name,
  against,
}: {
  organization: string
  traces: RestRouteTrace[]
  name: 'slowest' | 'typical'
  /** The trace of the other list that each is compared with. */
  against: RestRouteTrace | undefined
}) {
  const t = useTranslations('performance.route')
  const words = performanceWords(useLocale())
  if (traces.length === 0) return null
  return (
    <section aria-labelledby={`performance-${name}`}>
      <h2 id={`performance-${name}`} className="performance-title">
        {t(name)}
      </h2>
      <ul className="performance-list">
        {traces.map((trace) => (
          <li key={trace.spanId}>
            {trace.failed ? <SeverityShape level="error" label={t('failed')} sizePx={8} /> : null}
            <Link href={`/o/${organization}/traces/${trace.traceId}?span=${trace.spanId}`}>
              <code>{trace.traceId.slice(0, 8)}</code>
            </Link>
            <b>{words.duration(trace.duration)}</b>
            <span className="performance-cut text-ink-3">
              <PlainText text={trace.release.replace(/^[^@]*@/, '')} charactersMax={24} />
            </span>
            <span className="text-ink-3">
              <Time at={trace.start} />
            </span>
            {against && against.traceId !== trace.traceId ? (
              <Link
                className="text-ink-3"
                href={`/o/${organization}/traces/${trace.traceId}?compare=${against.traceId}`}
                title={t(name === 'slowest' ? 'compareTypical' : 'compareSlowest')}
              >
                {t('compare')}
              </Link>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Breakdown({ organization, breakdown }: { organization: string; breakdown: RestBreakdown }) {
  const t = useTranslations('performance.breakdown')
  const words = performanceWords(useLocale())
  const { kind, rows } = breakdown
  if (rows.every(({ value }) => value === '')) return null
  const most = Math.max(1, ...rows.map(({ p75 }) => p75 ?? 0))
  return (
    <table className="performance-table performance-breakdown">
      <thead>
        <tr>
          <th scope="col">{t(kind)}</th>
          <th scope="col" className="number">
            {t('count')}
          </th>
          <th scope="col" className="number">
            p75
          </th>
          <th scope="col" className="number">
            {t('failures')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.value}>
            <th scope="row">
              {kind === 'release' && row.value !== '' ? (
                <Link href={releasePath(organization, row.value)}>
                  <PlainText text={row.value} charactersMax={40} />
                </Link>
              ) : (
                <PlainText text={row.value || t('none')} charactersMax={40} />
              )}
              <span
                className="performance-share"
                aria-hidden="true"
                style={{ width: `${((row.p75 ?? 0) / most) * 100}%` }}
              />
            </th>
            <td className="number">
              <SampledCount of={row} />
            </td>
            <td className="number">{words.duration(row.p75)}</td>
            <td className="number">
              <Failures rate={row.failureRate} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function RouteIssues({ organization, page }: { organization: string; page: RestRoutePage }) {
  const t = useTranslations('performance.route')
  const level = useTranslations('level')
  return (
    <section aria-labelledby="performance-issues">
      <h2 id="performance-issues" className="performance-title">
        {t('issues')}
      </h2>
      {page.issues.length === 0 ? <p className="performance-none">{t('noIssues')}</p> : null}
      <ul className="performance-list">
        {page.issues.map((issue) => {
          const severity = issue.level === 'warning' ? 'warning' : issue.level === 'fatal' ? 'fatal' : 'error'
          return (
            <li key={issue.id}>
              <SeverityShape level={severity} label={level(severity)} />
              <Link className="performance-cut" href={`/o/${organization}/issues/${issue.id}`}>
                <PlainText text={issue.title} charactersMax={120} />
              </Link>
              <span className="text-ink-3">{issue.shortId}</span>
              <span className="text-ink-3">{t('events', { count: issue.events })}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The page of one route. */
export function RoutePage({ organization, page, params, projectIds, place, kept }: RoutePageProps) {
  const t = useTranslations('performance.route')
  const sampled = useSampledText()
  const [, change] = usePerformanceChange()
  const during = withinRange(params.during, page)
  return (
    <>
      <div className="performance-head performance-route-head">
        <h2>
          <NameCell place={place} project={page.project.slug} text={page.route} />
        </h2>
        <OpName op={page.op} />
        <span className="performance-note">{sampled(page)}</span>
      </div>
      <RouteFacts row={page} />
      <FewSamples samples={page.samples} />
      <div className="performance-selected">
        <div className="performance-left">
          <TrendChart
            organization={organization}
            page={page}
            during={during}
            select={(part) => change({ during: part ? `${part.fromMs}-${part.toMs}` : null })}
          />
        </div>
        <div className="performance-right">
          <WhySlow
            organization={organization}
            page={page}
            query={viewQueryOf(params, projectIds)}
            kept={kept}
            brush={params.brush}
            change={(brush) =>
              change({
                brush: brush
                  ? `${Math.round(brush.fromMs * 1000) / 1000}-${Math.round(brush.toMs * 1000) / 1000}`
                  : null,
              })
            }
            during={during}
            clear={() => change({ brush: null, during: null })}
          />
        </div>
      </div>
      <div className="performance-two">
        <div>
          <TimeParts page={page} base={`/o/${organization}/performance`} kept={kept} />
          <section aria-labelledby="performance-breakdown">
            <h2 id="performance-breakdown" className="performance-title">
              {t('breakdown')}
            </h2>
            <div className="performance-breakdowns">
              {page.breakdowns.map((breakdown) => (
                <Breakdown key={breakdown.kind} organization={organization} breakdown={breakdown} />
              ))}
            </div>
          </section>
        </div>
        <div>
          <Traces organization={organization} traces={page.slowest} name="slowest" against={page.typical[0]} />
          <Traces organization={organization} traces={page.typical} name="typical" against={page.slowest[0]} />
          {page.vitals.length > 0 ? <VitalList vitals={page.vitals} /> : null}
          <RouteIssues organization={organization} page={page} />
        </div>
      </div>
    </>
  )
}
