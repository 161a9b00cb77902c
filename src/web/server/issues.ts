import type { Actor } from '../../auth/auth.ts'
import type { Issue, Organization, Project } from '../../store/meta/meta.ts'
import { app } from '../handle.ts'

/** An issue with the project and the organization that it belongs to. */
export type IssueHere = { organization: Organization; project: Project; issue: Issue }

/** Finds an issue by id or short id. Undefined when it does not exist or the actor may not read it. */
export async function findIssue(
  actor: Actor,
  organization: Organization,
  text: string,
): Promise<IssueHere | undefined> {
  const { meta, auth } = app()
  const issue = /^\d{1,15}$/.test(text)
    ? await meta.issues.issueById(Number(text))
    : text.length <= 80
      ? await meta.issues.issueByShortId(organization.id, text.toUpperCase())
      : undefined
  if (!issue || issue.organizationId !== organization.id) return undefined
  const project = await meta.projects.projectById(issue.projectId)
  if (!project || (await auth.may(actor, 'issue:read', { organization, project, issue })) !== 'yes') return undefined
  return { organization, project, issue }
}
