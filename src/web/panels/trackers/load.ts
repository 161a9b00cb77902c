import { externalIssuesOf } from '../../../query/alerts/trackers.ts'
import { app } from '../../handle.ts'
import type { IssueLoader } from '../loader.ts'
import type { DataOf } from '../panel.ts'
import type { linkedIssues } from './panel.tsx'

/** The tracker issues of an issue, and the connections that can create another. */
export const loadLinkedIssues: IssueLoader<DataOf<typeof linkedIssues>> = {
  mayBeLate: false,
  async load({ here: { issue, organization } }) {
    const deps = app()
    const integrations = await deps.meta.trackers.integrationsOf(organization.id)
    return {
      trackers: integrations
        .filter(({ refusedMs }) => refusedMs === null)
        .map(({ id, name, kind, target }) => ({ id: String(id), name, kind, target })),
      links: await externalIssuesOf(deps, organization.id, issue.id),
    }
  },
}
