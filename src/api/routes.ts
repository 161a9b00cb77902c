import { accountRoutes } from './account-routes.ts'
import { artifactRoutes } from './artifact-routes.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { commentRoutes } from './comment-routes.ts'
import { debugFileRoutes } from './debug-file-routes.ts'
import { doctorRoutes } from './doctor-routes.ts'
import { environmentRoutes } from './environment-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { feedbackRoutes } from './feedback-routes.ts'
import { filterRoutes } from './filter-routes.ts'
import { groupingRoutes } from './grouping-routes.ts'
import { issueRoutes } from './issue-routes.ts'
import { notificationRoutes } from './notification-routes.ts'
import { organizationDetailRoutes } from './organization-detail.ts'
import { organizationRoutes } from './organization-routes.ts'
import { organizationTokenRoutes } from './organization-token-routes.ts'
import { ownershipRoutes } from './ownership-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { projectRoutes } from './project-routes.ts'
import { regroupRoutes } from './regroup-routes.ts'
import { releaseFileRoutes } from './release-file-routes.ts'
import { releasePartRoutes } from './release-part-routes.ts'
import { releaseRoutes } from './release-routes.ts'
import { removalRoutes } from './removal-routes.ts'
import { repositoryRoutes } from './repository-routes.ts'
import type { Route } from './route.ts'
import { searchRoutes } from './search-routes.ts'
import { statusRoutes } from './status-routes.ts'
import { teamRoutes } from './team-routes.ts'
import { traceRoutes } from './trace-routes.ts'
import { uploadRoutes } from './upload-routes.ts'

/** THE complete list of /api/0/: what is not here answers 404. docs/openapi.json is made from it. */
export const routes: readonly Route[] = [
  ...organizationRoutes,
  ...organizationDetailRoutes,
  ...accountRoutes,
  ...organizationTokenRoutes,
  ...projectRoutes,
  ...teamRoutes,
  ...issueRoutes,
  ...groupingRoutes,
  ...bulkRoutes,
  ...commentRoutes,
  ...ownershipRoutes,
  ...eventRoutes,
  ...traceRoutes,
  ...environmentRoutes,
  ...searchRoutes,
  ...filterRoutes,
  ...notificationRoutes,
  ...peopleRoutes,
  ...feedbackRoutes,
  ...releaseRoutes,
  ...releasePartRoutes,
  ...repositoryRoutes,
  ...debugFileRoutes,
  ...releaseFileRoutes,
  ...uploadRoutes,
  ...artifactRoutes,
  ...doctorRoutes,
  ...regroupRoutes,
  ...removalRoutes,
  ...statusRoutes,
]
