'use client'
import { useTranslations } from 'next-intl'
import type { RestGroupingPreview, RestIssueName } from '../../../contract/grouping.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'

function IssueLink({ organization, issue }: { organization: string; issue: RestIssueName | null }) {
  if (!issue) return <>–</>
  return (
    <Link className="link" href={`/o/${organization}/issues/${issue.shortId}`}>
      <code>{issue.shortId}</code>
    </Link>
  )
}

/** The newest events that the rules would move to another issue, and that issue. */
export function Preview({ organization, found }: { organization: string; found: RestGroupingPreview }) {
  const t = useTranslations('grouping.settings')
  if (found.changed === 0) return <p>{t('same', { count: found.looked })}</p>
  return (
    <>
      <p className="mb-2">
        {t('differ', { changed: found.changed, count: found.looked, fresh: found.newIssues })}{' '}
        <span className="text-ink-3">{t('unsaved')}</span>
      </p>
      <ScrollBox label={t('preview')}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t('eventColumn')}</th>
              <th scope="col">{t('fromColumn')}</th>
              <th scope="col">{t('toColumn')}</th>
            </tr>
          </thead>
          <tbody>
            {found.events.map((event) => (
              <tr key={event.eventID}>
                <td>
                  <PlainText text={event.title} charactersMax={120} />
                  {event.rule ? (
                    <span className="block text-small text-ink-3">
                      <PlainText text={t('byRule', { rule: event.rule })} charactersMax={300} />
                    </span>
                  ) : null}
                </td>
                <td>
                  <IssueLink organization={organization} issue={event.issue} />
                </td>
                <td>
                  {event.kind === 'new' ? (
                    <>
                      {t('newIssue')} <code className="text-ink-3">{event.hash.slice(0, 8)}</code>
                    </>
                  ) : (
                    <IssueLink organization={organization} issue={event.to} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  )
}
