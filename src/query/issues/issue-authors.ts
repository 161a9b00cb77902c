import type { Issue } from '../../store/meta/meta.ts'
import { toListedEvent } from '../events.ts'
import type { QueryDeps } from './issue.ts'
import { committersOf } from './suspects.ts'

/**
 * Returns the mail addresses of those whose commits most likely caused an issue, in lower case. Reads its newest event.
 * Throws STORE_UNAVAILABLE.
 */
export async function authorEmailsOf(deps: QueryDeps, issue: Issue): Promise<string[]> {
  const project = await deps.meta.projects.projectById(issue.projectId)
  const organization = project && (await deps.meta.organizations.organizationById(project.organizationId))
  if (!project || !organization) return []
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const [row] = await deps.events.ofIssue({ projectId: project.id, hashes, order: 'newest', max: 1 })
  if (!row) return []
  const event = await toListedEvent(deps, issue.id, row)
  const { committers } = await committersOf(deps, { organization, project, issue, event })
  return committers.flatMap(({ author }) => (author?.email ? [author.email.toLowerCase()] : []))
}
