'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { ReleaseLink } from '../releases/release-link.tsx'
import { type Assign, AssigneeName, SuggestedOwners } from '../triage/assignee.tsx'

/** Numbers of the issue: events and users in the range and over its life, first and last seen with their releases. */
export function IssueNumbers({
  detail,
  organization,
  assign,
  askPriority,
}: {
  detail: RestIssueDetail
  organization: string
  assign: Assign | undefined
  askPriority: (() => void) | undefined
}) {
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
