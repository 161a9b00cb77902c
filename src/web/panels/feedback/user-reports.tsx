'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import type { RestFeedback } from '../../../contract/feedback.ts'
import { apiFetch } from '../../client/api.ts'
import { Section } from '../../ui/panel-section.tsx'
import { FeedbackText } from './feedback-text.tsx'

/** Feedback that people sent about the issue's events. Renders nothing without feedback. */
export function UserReports({
  organization,
  issueId,
  preloaded,
}: {
  organization: string
  issueId: string
  /** Loaded with the document. */
  preloaded: RestFeedback[] | undefined
}) {
  const t = useTranslations('people')
  const reports = useQuery({
    queryKey: ['issue-feedback', organization, issueId],
    queryFn: ({ signal }) =>
      apiFetch<RestFeedback[]>(`organizations/${organization}/issues/${issueId}/user-reports/`, { signal }),
    ...(preloaded ? { initialData: preloaded } : {}),
    staleTime: 30_000,
  })
  if (!reports.data?.length) return null
  return (
    <Section id="feedback" title={t('feedback')}>
      <ul className="plain-list">
        {reports.data.map((report) => (
          <li key={report.id} className="py-2">
            <FeedbackText organization={organization} feedback={report} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
