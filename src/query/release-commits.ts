import { fixedIssues } from '../domain/alerts/commit-fixes.ts'
import type { Issue, Organization, Project } from '../store/meta/meta.ts'
import { toListedEvent } from './events.ts'
import type { QueryDeps } from './issues/issue.ts'
import { committersOf } from './issues/suspects.ts'

/** What a commit has to do with issues: it may have caused them, or its message says that it resolves them. */
export type CommitIssues = { suspectOf: IssueName[]; resolves: string[] }
type IssueName = { id: string; shortId: string }

/** Issues resolved by one commit that are named. */
const resolvesMax = 5

/**
 * Returns by commit id the issues that its message resolves, and those of `issueIds` that it most likely caused. Reads one event of each issue. Throws STORE_UNAVAILABLE.
 */
export async function commitIssues(
  deps: QueryDeps,
  request: {
    organization: Organization
    projects: readonly Project[]
    commits: readonly { id: string; message: string | null }[]
    issueIds: readonly number[]
  },
): Promise<Map<string, CommitIssues>> {
  const { organization, projects, commits } = request
  const found = new Map<string, CommitIssues>(
    commits.map(({ id, message }) => [
      id,
      { suspectOf: [], resolves: fixedIssues(message ?? '').slice(0, resolvesMax) },
    ]),
  )
  const suspects = await Promise.all(
    (await deps.meta.issues.issuesByIds([...request.issueIds])).map(async (issue) => {
      const project = projects.find(({ id }) => id === issue.projectId)
      return project ? { issue, commitId: await suspectOf(deps, organization, project, issue) } : undefined
    }),
  )
  for (const { issue, commitId = '' } of suspects.filter((suspect) => suspect !== undefined))
    found.get(commitId)?.suspectOf.push({ id: String(issue.id), shortId: issue.shortId })
  return found
}

/** The commit that most likely caused an issue. Undefined if only its file name matches, or without stored events. */
async function suspectOf(
  deps: QueryDeps,
  organization: Organization,
  project: Project,
  issue: Issue,
): Promise<string | undefined> {
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const [row] = await deps.events.ofIssue({ projectId: project.id, hashes, order: 'newest', max: 1 })
  if (!row) return undefined
  const event = await toListedEvent(deps, issue.id, row)
  const [commit] = (await committersOf(deps, { organization, project, issue, event })).committers[0]?.commits ?? []
  return commit && commit.suspicion.confidence !== 'low' ? commit.id : undefined
}
