'use server'
import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { sealedToken } from '../../../../../../../auth/scrape-token.ts'
import { type FormState, failed, failureOf, noState, textOf } from '../../../../../../form.ts'
import { app } from '../../../../../../handle.ts'
import { demandProject } from '../../../../../../session.ts'
import { changeOf, revisionOf } from './change.ts'

/** `stale`: somebody else changed the project since the form was loaded. */
export type ProjectState = FormState & { stale: { by: string | null } | null }

/** Saves every setting of a project; a new slug leads to the page under it. */
export async function saveProjectAction(_before: ProjectState, data: FormData): Promise<ProjectState> {
  const org = textOf(data, 'organization')
  const id = textOf(data, 'project')
  const here = await demandProject(org, id, `/o/${org}/settings/projects/${id}`)
  const { actor, organization, project } = here
  const { auth, meta, publishKeys, seal } = app()
  let slug = project.slug
  try {
    auth.demand(actor, 'project:write', { organization, project })
    const change = { ...changeOf(data), ...sealedToken(seal, textOf(data, 'scrapeToken'), 'scrapeToken') }
    slug = meta.updateProject(project.id, change, { userId: actor.person.id, rev: revisionOf(data) }).slug
    await publishKeys()
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    const { current } = failure
    if (!current) return { ...failed(data, failure), stale: null }
    return { ...failed(data, failure), error: null, stale: { by: current.by } }
  }
  revalidatePath('/o/[org]', 'layout')
  if (slug !== project.slug) redirect(`/o/${organization.slug}/settings/projects/${slug}`)
  return { ...noState, done: true, stale: null }
}
