import { readableProjects } from '../../../auth/allowed-projects.ts'
import type { RestTraceComparison } from '../../../contract/explore/trace-compare.ts'
import type { RestTraceView } from '../../../contract/explore/trace-views.ts'
import { traceComparison } from '../../../query/traces/compare.ts'
import { traceView } from '../../../query/traces/view.ts'
import { app } from '../../handle.ts'
import type { OrganizationHere } from '../../server/session.ts'

/** A trace as the person may see it. `isPreload`: see `traceView`. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
export async function readTrace(
  { actor, organization }: OrganizationHere,
  traceId: string,
  isPreload = false,
): Promise<RestTraceView> {
  const deps = app()
  const reader = {
    projects: await deps.meta.projects.projectsOf(organization.id),
    readable: await readableProjects(deps, actor, organization),
  }
  return await traceView(deps, reader, traceId, { keptDays: deps.config.retentionSpansDays, isPreload })
}

/** The trace for the document, if it is small. A large trace would delay the frame, so the browser asks for it. */
export async function loadTrace(here: OrganizationHere, traceId: string): Promise<RestTraceView | undefined> {
  const view = await readTrace(here, traceId, true)
  return view.isSampled ? undefined : view
}

/** Two traces side by side, for the document or as Markdown. `isPreload`: undefined if one of them is large. */
export async function loadComparison(
  here: OrganizationHere,
  traceId: string,
  other: string,
  isPreload: boolean,
): Promise<RestTraceComparison | undefined> {
  const a = await readTrace(here, traceId, isPreload)
  const b = await readTrace(here, other, isPreload)
  return isPreload && (a.isSampled || b.isSampled) ? undefined : traceComparison(a, b)
}
