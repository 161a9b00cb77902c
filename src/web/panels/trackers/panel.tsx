'use client'
import type { RestExternalIssue } from '../../../contract/alerts/trackers.ts'
import type { IssuePanel } from '../panel.ts'
import type { ShownTracker } from './link-dialog.tsx'
import { LinkedIssues } from './linked-issues.tsx'

/** Issues of trackers that are linked with the issue. Nothing without a connection. */
export const linkedIssues: IssuePanel<{ trackers: ShownTracker[]; links: RestExternalIssue[] }> = {
  id: 'linked-issues',
  guard: ({ preloaded }) => preloaded !== undefined && preloaded.trackers.length + preloaded.links.length > 0,
  Component: ({ organization, detail, canTriage, preloaded }) =>
    preloaded ? (
      <LinkedIssues
        organization={organization}
        issueId={detail.id}
        canTriage={canTriage}
        trackers={preloaded.trackers}
        links={preloaded.links}
      />
    ) : null,
}
