'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import type { RestFeedback } from '../../../contract/feedback.ts'
import { apiFetch } from '../../client/api.ts'
import { TypedDelete } from '../../ui/typed-delete.tsx'
import { FeedbackText } from '../feedback/feedback-text.tsx'
import { deleteIssueAction } from '../triage/delete-actions.ts'
import { Section } from './annotations.tsx'

/** What users wrote about the issue's events; nothing while nobody wrote. */
export function UserReports({
  organization,
  issueId,
  given,
}: {
  organization: string
  issueId: string
  /** What came with the document. */
  given: RestFeedback[] | undefined
}) {
  const t = useTranslations('people')
  const said = useQuery({
    queryKey: ['issue-feedback', organization, issueId],
    queryFn: ({ signal }) =>
      apiFetch<RestFeedback[]>(`organizations/${organization}/issues/${issueId}/user-reports/`, { signal }),
    ...(given ? { initialData: given } : {}),
    staleTime: 30_000,
  })
  if (!said.data?.length) return null
  return (
    <Section id="feedback" title={t('feedback')}>
      <ul className="plain-list">
        {said.data.map((item) => (
          <li key={item.id} className="py-2">
            <FeedbackText organization={organization} feedback={item} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** The end of an issue, folded away at the foot of its page. */
export function DeleteIssue({
  organization,
  issueId,
  shortId,
}: {
  organization: string
  issueId: string
  shortId: string
}) {
  const t = useTranslations('people')
  return (
    <details className="fold px-5 pb-8">
      <summary>{t('deleteIssue')}</summary>
      <TypedDelete
        action={deleteIssueAction}
        form="delete-issue"
        hidden={{ organization, issue: issueId }}
        typed={shortId}
        title={t('deleteIssue')}
        hint={t('deleteIssueHint')}
      >
        <label className="flex items-center gap-2">
          <input type="checkbox" name="discard" /> {t('discard')}
        </label>
      </TypedDelete>
    </details>
  )
}
