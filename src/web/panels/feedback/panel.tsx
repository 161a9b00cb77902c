'use client'
import type { RestFeedback } from '../../../contract/feedback.ts'
import type { EventPanel } from '../panel.ts'
import { UserReports } from './user-reports.tsx'

/** Feedback that people sent about the issue. */
export const userReports: EventPanel<RestFeedback[]> = {
  id: 'feedback',
  Component: ({ organization, detail, preloaded }) => (
    <UserReports organization={organization} issueId={detail.id} preloaded={preloaded} />
  ),
}
