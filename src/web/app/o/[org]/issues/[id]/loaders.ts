import { loadUserReports } from '../../../../../panels/feedback/load.ts'
import { loadInCommon, loadStats, loadTags, loadTimeline } from '../../../../../panels/issue/load.ts'
import type { IssueLoader } from '../../../../../panels/loader.ts'
import { loadSuspects } from '../../../../../panels/releases/load.ts'
import { loadDoctor } from '../../../../../panels/source-maps/load.ts'
import { loadTrace } from '../../../../../panels/traces/load.ts'
import { loadLinkedIssues } from '../../../../../panels/trackers/load.ts'

/** The server loaders of the panels in panels.ts, by panel id. A test compares the ids with that list. */
export const issueLoaders: Readonly<Record<string, IssueLoader<unknown>>> = {
  stats: loadStats,
  feedback: loadUserReports,
  suspects: loadSuspects,
  doctor: loadDoctor,
  breadcrumbs: loadTimeline,
  trace: loadTrace,
  'linked-issues': loadLinkedIssues,
  'in-common': loadInCommon,
  tags: loadTags,
}
