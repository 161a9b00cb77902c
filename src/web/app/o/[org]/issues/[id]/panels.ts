'use client'
import { diagnostics } from '../../../../../panels/diagnostics/panel.tsx'
import {
  browserEvents,
  browserEventsOfIssue,
  digestLine,
  digests,
  hiddenError,
} from '../../../../../panels/error-links/panel.tsx'
import { evidence } from '../../../../../panels/evidence/panel.tsx'
import { userReports } from '../../../../../panels/feedback/panel.tsx'
import * as issue from '../../../../../panels/issue/panel.tsx'
import type { EventPanel, IssuePanel } from '../../../../../panels/panel.ts'
import { suspects } from '../../../../../panels/releases/panel.tsx'
import { doctor } from '../../../../../panels/source-maps/panel.tsx'
import { trace } from '../../../../../panels/traces/panel.tsx'
import { linkedIssues } from '../../../../../panels/trackers/panel.tsx'
import { activity } from '../../../../../panels/triage/panel.tsx'

// All panels of the issue page, in page order. loaders.ts has those that load data on the server.

const head: readonly IssuePanel<unknown>[] = [issue.header, issue.noise, issue.stats, issue.sectionNav]

const event: readonly EventPanel<unknown>[] = [
  issue.eventDetails,
  digestLine,
  hiddenError,
  diagnostics,
  issue.mappedAgain,
  evidence,
  issue.message,
  issue.exceptions,
  issue.stacktrace,
  doctor,
  issue.threads,
  issue.csp,
  userReports,
  issue.breadcrumbs,
  browserEvents,
  issue.request,
  issue.user,
  digests,
  issue.tags,
  issue.contexts,
  issue.attachments,
  issue.sdk,
  issue.metadataNotes,
  issue.grouping,
  issue.payload,
  issue.notSent,
]

/** Replaces `event` if none of the issue's events is stored. */
const withoutEvent: readonly IssuePanel<unknown>[] = [issue.evicted, browserEventsOfIssue, issue.tags]

/** A panel of the event in a column of the issue. It has nothing to show while none of the events is stored. */
const ofEvent = <Data>(panel: EventPanel<Data>): IssuePanel<Data> => ({
  ...panel,
  guard: ({ event, ...rest }) => event !== undefined && (panel.guard?.({ ...rest, event }) ?? true),
})

const side: readonly IssuePanel<unknown>[] = [
  issue.affectedUsers,
  issue.inCommon,
  ofEvent(suspects),
  ofEvent(trace),
  linkedIssues,
  activity,
]

export const issuePanels = { head, event, withoutEvent, side }
