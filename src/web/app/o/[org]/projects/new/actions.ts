'use server'
import { redirect } from 'next/navigation'
import { createProject } from '../../../../../../operations/projects.ts'
import { attempt, type FormState, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { storedPlatform } from '../../../../../platforms.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** Creates a project with its first key, then opens its setup page. */
export async function createProjectAction(_before: FormState, data: FormData): Promise<FormState> {
  const slug = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(slug, `/o/${slug}/projects/new`)
  const platform = storedPlatform(textOf(data, 'platform'))
  let target = ''
  const state = await attempt(data, async () => {
    await app().auth.demand(actor, 'project:create', { organization })
    const value = { organizationId: organization.id, name: textOf(data, 'name'), platform }
    const project = await createProject(app(), value)
    target = `/o/${organization.slug}/projects/${project.slug}/setup`
    return undefined
  })
  if (!state.done) return state
  redirect(target)
}
