import { toRestFeedback } from '../../../query/issues/feedback.ts'
import { app } from '../../handle.ts'
import type { IssueLoader } from '../loader.ts'
import type { DataOf } from '../panel.ts'
import type { userReports } from './panel.tsx'

const reportsMax = 100

/** The newest feedback about the issue. */
export const loadUserReports: IssueLoader<DataOf<typeof userReports>> = {
  mayBeLate: false,
  async load({ here }) {
    const deps = app()
    return toRestFeedback(deps, await deps.meta.feedback.feedbackOfIssue(here.issue.id, reportsMax))
  },
}
