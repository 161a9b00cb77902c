'use client'
import { useFormatter, useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestAnnotations } from '../../../contract/releases.ts'
import type { Answered } from '../../client/answered.ts'
import { annotationsQuery } from '../../ui/chart/annotations.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { useAnnotations } from '../../ui/chart/use-annotations.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { ReleaseLink } from '../../ui/release-link.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { Time } from '../../ui/time.tsx'
import type { IssueContext } from '../panel.ts'
import { RangeSelect } from '../search/list-filters.tsx'
import { useListParams } from '../search/use-list-params.ts'
import { FactsChart } from './facts-chart.tsx'

/** Maximum characters of a release in the strip. */
const releaseMax = 24

/** Events and users of the range, first and last seen with releases, and the events over time. */
export function IssueStats({
  organization,
  detail,
  query,
  preloaded,
}: Pick<IssueContext, 'organization' | 'detail' | 'query'> & {
  preloaded: Answered<RestAnnotations> | undefined
}) {
  const t = useTranslations('issues')
  const page = useTranslations('issuepage')
  const format = useFormatter()
  const [params, change] = useListParams()
  const [isLarge, setLarge] = useState(false)
  const { project, lifetime } = detail
  const ofProject = useMemo(() => annotationsQuery({ ...query, project: [project.id] }), [query, project.id])
  const annotations = useAnnotations(organization, ofProject, preloaded)
  const points = Object.values(detail.stats)[0] ?? []
  const seen = [
    ['first', lifetime.firstSeen, detail.firstRelease?.version],
    ['last', lifetime.lastSeen, detail.lastRelease?.version],
  ] as const
  const ofAll = (own: number, all: number) => (own === all ? undefined : t('page.ofAll', { count: format.number(all) }))
  return (
    <>
      <div className="issue-facts">
        <Facts>
          <Fact
            label={t('column.events')}
            value={format.number(Number(detail.count))}
            change={ofAll(Number(detail.count), Number(lifetime.count))}
          />
          <Fact
            label={t('column.users')}
            value={format.number(detail.userCount)}
            change={ofAll(detail.userCount, lifetime.userCount)}
          />
          {seen.map(([name, at, release]) => (
            <Fact
              key={name}
              label={t(`seen.${name}`)}
              value={<Time at={at} />}
              change={
                release ? (
                  <ReleaseLink organization={organization} version={release} charactersMax={releaseMax} />
                ) : undefined
              }
            />
          ))}
        </Facts>
        <FactsChart
          organization={organization}
          points={points}
          annotations={annotations}
          isLarge={isLarge}
          toggle={() => setLarge(!isLarge)}
        />
        <RangeSelect params={params} change={change} />
        <RowEnd />
      </div>
      {detail.thinned > 0 ? <p className="issue-thinned">{t('page.thinned', { count: detail.thinned })}</p> : null}
      {isLarge ? (
        <section className="issue-chart" aria-label={page('chart.title')}>
          {/* On a phone the strip has no room for it. */}
          <div className="issue-narrow-only">
            <RangeSelect params={params} change={change} />
          </div>
          <Chart organization={organization} points={points} annotations={annotations} />
        </section>
      ) : null}
    </>
  )
}
