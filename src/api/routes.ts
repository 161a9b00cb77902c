import { alertRoutes } from './alerts/alert-routes.ts'
import { backTestRoutes } from './alerts/back-test-routes.ts'
import { detectorRoutes } from './alerts/detector-routes.ts'
import { incidentRoutes } from './alerts/incident-routes.ts'
import { issueRuleRoutes } from './alerts/issue-rule-routes.ts'
import { metricRuleRoutes } from './alerts/metric-rule-routes.ts'
import { muteRoutes } from './alerts/mute-routes.ts'
import { onCallRoutes } from './alerts/on-call-routes.ts'
import { previewRoutes } from './alerts/preview-routes.ts'
import { workflowRoutes } from './alerts/workflow-routes.ts'
import { dashboardRoutes } from './dashboards/dashboard-routes.ts'
import { datasetRoutes } from './explore/dataset-routes.ts'
import { exploreRoutes } from './explore/explore-routes.ts'
import { exportRoutes } from './explore/export-routes.ts'
import { savedQueryRoutes } from './explore/saved-routes.ts'
import { sqlRoutes } from './explore/sql-routes.ts'
import { statsRoutes } from './explore/stats-routes.ts'
import { bulkRoutes } from './issues/bulk-routes.ts'
import { commentRoutes } from './issues/comment-routes.ts'
import { eventRoutes } from './issues/event-routes.ts'
import { feedbackRoutes } from './issues/feedback-routes.ts'
import { groupingRoutes } from './issues/grouping-routes.ts'
import { issueRoutes } from './issues/issue-routes.ts'
import { overviewRoutes } from './issues/overview-routes.ts'
import { searchRoutes } from './issues/search-routes.ts'
import { traceRoutes } from './issues/trace-routes.ts'
import { logRoutes } from './logs/log-routes.ts'
import { metricRoutes } from './metrics/metric-routes.ts'
import { accountRoutes } from './people/account-routes.ts'
import { deliveryRoutes } from './people/delivery-routes.ts'
import { notificationRoutes } from './people/notification-routes.ts'
import { organizationDetailRoutes } from './people/organization-detail.ts'
import { organizationRoutes } from './people/organization-routes.ts'
import { organizationTokenRoutes } from './people/organization-token-routes.ts'
import { peopleRoutes } from './people/people-routes.ts'
import { personalRoutes } from './people/personal-routes.ts'
import { pushRoutes } from './people/push-routes.ts'
import { removalRoutes } from './people/removal-routes.ts'
import { teamRoutes } from './people/team-routes.ts'
import { performanceApiRoutes } from './performance/performance-routes.ts'
import { doctorRoutes } from './projects/doctor-routes.ts'
import { environmentRoutes } from './projects/environment-routes.ts'
import { filterRoutes } from './projects/filter-routes.ts'
import { ownershipRoutes } from './projects/ownership-routes.ts'
import { projectRoutes } from './projects/project-routes.ts'
import { reprocessingRoutes } from './projects/reprocessing-routes.ts'
import { artifactRoutes } from './releases/artifact-routes.ts'
import { compareRoutes } from './releases/compare-routes.ts'
import { debugFileRoutes } from './releases/debug-file-routes.ts'
import { releaseFileRoutes } from './releases/release-file-routes.ts'
import { releasePartRoutes } from './releases/release-part-routes.ts'
import { releaseRoutes } from './releases/release-routes.ts'
import { repositoryRoutes } from './releases/repository-routes.ts'
import { sessionRoutes } from './releases/sessions-routes.ts'
import { uploadRoutes } from './releases/upload-routes.ts'
import type { Route } from './route.ts'
import { statusRoutes } from './status/status-routes.ts'
import { codeMappingRoutes } from './trackers/code-mapping-routes.ts'
import { externalIssueRoutes } from './trackers/external-issue-routes.ts'
import { integrationRoutes } from './trackers/integration-routes.ts'

/** The complete list of /api/0/ routes. All other paths answer 404. docs/openapi.json is generated from it. */
export const routes: readonly Route[] = [
  ...organizationRoutes,
  ...organizationDetailRoutes,
  ...accountRoutes,
  ...personalRoutes,
  ...organizationTokenRoutes,
  ...projectRoutes,
  ...teamRoutes,
  ...issueRoutes,
  ...groupingRoutes,
  ...bulkRoutes,
  ...commentRoutes,
  ...ownershipRoutes,
  ...eventRoutes,
  // Before the routes of a trace: `trace-items/attributes` is no item.
  ...datasetRoutes,
  ...exploreRoutes,
  ...statsRoutes,
  ...logRoutes,
  ...traceRoutes,
  ...environmentRoutes,
  ...overviewRoutes,
  ...performanceApiRoutes,
  ...metricRoutes,
  ...searchRoutes,
  ...savedQueryRoutes,
  ...sqlRoutes,
  ...exportRoutes,
  ...dashboardRoutes,
  ...filterRoutes,
  ...notificationRoutes,
  ...deliveryRoutes,
  ...pushRoutes,
  ...alertRoutes,
  ...incidentRoutes,
  ...muteRoutes,
  ...onCallRoutes,
  ...backTestRoutes,
  ...previewRoutes,
  ...issueRuleRoutes,
  ...metricRuleRoutes,
  ...detectorRoutes,
  ...workflowRoutes,
  ...peopleRoutes,
  ...feedbackRoutes,
  ...compareRoutes,
  ...releaseRoutes,
  ...sessionRoutes,
  ...releasePartRoutes,
  ...repositoryRoutes,
  ...codeMappingRoutes,
  ...integrationRoutes,
  ...externalIssueRoutes,
  ...debugFileRoutes,
  ...releaseFileRoutes,
  ...uploadRoutes,
  ...artifactRoutes,
  ...doctorRoutes,
  ...reprocessingRoutes,
  ...removalRoutes,
  ...statusRoutes,
]
