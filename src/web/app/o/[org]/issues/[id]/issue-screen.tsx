import { notFound, redirect } from 'next/navigation'
import { readableProjects } from '../../../../../../auth/allowed-projects.ts'
import { app } from '../../../../../handle.ts'
import { DeleteIssue } from '../../../../../panels/triage/delete-issue.tsx'
import { findIssue } from '../../../../../server/issues.ts'
import { demandOrganization } from '../../../../../server/session.ts'
import { IssuePage } from './issue-page.tsx'
import { loadIssue, type Search } from './load.ts'

/** The issue page with one event. Checks existence and permission before it renders. */
export async function IssueScreen({
  org,
  id,
  choice,
  search,
}: {
  org: string
  id: string
  choice: string
  search: Search
}) {
  const path = `/o/${org}/issues/${id}${choice === 'latest' ? '' : `/events/${choice}`}`
  const { actor, organization } = await demandOrganization(org, path)
  const here = (await findIssue(actor, organization, decodeURIComponent(id))) ?? notFound()
  // After a merge, redirect to the issue that contains this issue.
  const reference = decodeURIComponent(id).toUpperCase()
  if (reference !== here.issue.shortId && reference !== String(here.issue.id))
    redirect(path.replace(`/issues/${id}`, `/issues/${encodeURIComponent(here.issue.shortId)}`))
  const { loaded, preloaded } = await loadIssue(actor, here, decodeURIComponent(choice), search)
  const { auth } = app()
  return (
    <>
      <IssuePage
        key={`${here.issue.id}`}
        organization={organization.slug}
        issueId={String(here.issue.id)}
        shortId={here.issue.shortId}
        title={here.issue.title}
        choice={decodeURIComponent(choice)}
        loaded={loaded}
        preloaded={preloaded}
        projectPlace={(await readableProjects(app(), actor, organization)).findIndex(
          ({ id }) => id === here.project.id,
        )}
        canTriage={(await auth.may(actor, 'issue:triage', here)) === 'yes'}
        canFilter={(await auth.may(actor, 'project:write', here)) === 'yes'}
        switches={here.project.switches}
        meUserId={actor.person.id}
      />
      {(await auth.may(actor, 'issue:delete', here)) === 'yes' ? (
        <DeleteIssue organization={organization.slug} issueId={String(here.issue.id)} shortId={here.issue.shortId} />
      ) : null}
    </>
  )
}

/** The tab title of an issue. Without read access it is only the id. */
export async function issueTitle(org: string, id: string): Promise<string> {
  const { actor, organization } = await demandOrganization(org, `/o/${org}/issues/${id}`)
  const here = await findIssue(actor, organization, decodeURIComponent(id))
  return here ? `${here.issue.shortId} ${here.issue.title}`.slice(0, 120) : id
}
