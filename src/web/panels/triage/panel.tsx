'use client'
import type { IssuePanel } from '../panel.ts'
import { ActivityList } from './activity.tsx'

/** The issue's activity with its comments. */
export const activity: IssuePanel = {
  id: 'activity',
  Component: ({ organization, detail, canTriage, meUserId, actions }) => (
    <ActivityList
      organization={organization}
      issueId={detail.id}
      activity={detail.activity}
      canTriage={canTriage}
      meUserId={meUserId}
      changed={actions.changed}
    />
  ),
}
