'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useMemo } from 'react'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import type { Answered } from '../../client/answered.ts'
import { annotationsQuery } from '../../ui/chart/annotations.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { useAnnotations } from '../../ui/chart/use-annotations.ts'
import { ReleaseLink } from '../../ui/release-link.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import type { IssueActions, IssueContext } from '../panel.ts'
import { RangeSelect } from '../search/list-filters.tsx'
import { useListParams } from '../search/use-list-params.ts'
import { AssigneeName, SuggestedOwners } from '../triage/assignee.tsx'

/** The actions on this panel. Undefined if the person may not use them. */
type Ways = { assign: IssueActions['assign'] | undefined; askPriority: (() => void) | undefined }

/** Events and users in the range and in total, first and last seen with releases, assignee, priority. */
function Counts({
  detail,
  organization,
  assign,
  askPriority,
}: {
  detail: RestIssueDetail
  organization: string
} & Ways) {
  const t = useTranslations('issues')
  const triage = useTranslations('triage.priority')
  const locale = useLocale()
  const number = new Intl.NumberFormat(locale)
  const seen = [
    [t('seen.first'), detail.lifetime.firstSeen, detail.firstRelease?.version],
    [t('seen.last'), detail.lifetime.lastSeen, detail.lastRelease?.version],
  ] as const
  return (
    <dl className="issue-numbers">
      <div>
        <dt>{t('column.events')}</dt>
        <dd>
          <b>{number.format(Number(detail.count))}</b>{' '}
          <span>{t('page.ofAll', { count: number.format(Number(detail.lifetime.count)) })}</span>
          {detail.thinned > 0 ? (
            <span className="block whitespace-normal">{t('page.thinned', { count: detail.thinned })}</span>
          ) : null}
        </dd>
      </div>
      <div>
        <dt>{t('column.users')}</dt>
        <dd>
          <b>{number.format(detail.userCount)}</b>{' '}
          <span>{t('page.ofAll', { count: number.format(detail.lifetime.userCount) })}</span>
        </dd>
      </div>
      {seen.map(([name, at, release]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <RelativeTime at={at} /> {release ? <ReleaseLink organization={organization} version={release} /> : null}
          </dd>
        </div>
      ))}
      <div>
        <dt>{t('column.assignee')}</dt>
        <dd>
          <AssigneeName issue={detail} ask={assign?.ask} />
          <SuggestedOwners issue={detail} to={assign?.to} />
        </dd>
      </div>
      <div>
        <dt>{triage('title')}</dt>
        <dd>
          {askPriority ? (
            <button type="button" className="link" aria-haspopup="dialog" onClick={askPriority}>
              {triage(detail.priority)}
            </button>
          ) : (
            triage(detail.priority)
          )}{' '}
          <span>{triage(`why_${detail.priorityReason}`)}</span>
        </dd>
      </div>
    </dl>
  )
}

/** The issue's counts, their range, and a chart of its events with releases and deploys. */
export function IssueStats({
  organization,
  detail,
  query,
  preloaded,
  ...ways
}: Pick<IssueContext, 'organization' | 'detail' | 'query'> & {
  preloaded: Answered<RestAnnotations> | undefined
} & Ways) {
  const [params, change] = useListParams()
  const { project } = detail
  const ofProject = useMemo(() => annotationsQuery({ ...query, project: [project.id] }), [query, project.id])
  const annotations = useAnnotations(organization, ofProject, preloaded)
  return (
    <div className="issue-figures">
      <Counts organization={organization} detail={detail} {...ways} />
      <div className="issue-range">
        <RangeSelect params={params} change={change} />
      </div>
      <Chart organization={organization} points={Object.values(detail.stats)[0] ?? []} annotations={annotations} />
    </div>
  )
}
