import { readableProjects } from '../../../auth/allowed-projects.ts'
import type { RestTraceComparison } from '../../../contract/explore/trace-compare.ts'
import type { RestTraceView } from '../../../contract/explore/trace-views.ts'
import { traceComparison } from '../../../query/traces/compare.ts'
import { traceMarkdown } from '../../../query/traces/markdown.ts'
import { spanExtras } from '../../../query/traces/span-extras.ts'
import { traceView } from '../../../query/traces/view.ts'
import { app } from '../../handle.ts'
import type { OrganizationHere } from '../../server/session.ts'

/** A trace as the person may see it. `isPreload`: see `traceView`. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
async function readTrace(
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

/** The trace as Markdown. Throws like `readTrace`. */
export async function readTraceMarkdown(here: OrganizationHere, traceId: string, url: string): Promise<string> {
  const readable = await readableProjects(app(), here.actor, here.organization)
  const ids = readable.map(({ id }) => id)
  const [view, extras] = await Promise.all([readTrace(here, traceId), spanExtras(app(), ids, traceId)])
  return traceMarkdown(view, url, extras)
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
