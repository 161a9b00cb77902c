'use server'
import { redirect } from 'next/navigation'
import { attempt, type FormState, textOf } from '../../../../../client/form.ts'
import { app } from '../../../../../handle.ts'
import { platformById } from '../../../../../platforms.ts'
import { createProjectHere } from '../../../../../server/projects.ts'
import { demandOrganization } from '../../../../../server/session.ts'

/** Makes a project with its first key, and shows how to send the first event. */
export async function createProjectAction(_before: FormState, data: FormData): Promise<FormState> {
  const slug = textOf(data, 'organization')
  const { actor, organization } = await demandOrganization(slug, `/o/${slug}/projects/new`)
  const platform = platformById(textOf(data, 'platform'))?.id ?? 'other'
  let target = ''
  const state = await attempt(data, async () => {
    app().auth.demand(actor, 'project:create', { organization })
    const project = await createProjectHere(organization.id, textOf(data, 'name'), platform)
    target = `/o/${organization.slug}/projects/${project.slug}/setup`
    return undefined
  })
  if (!state.done) return state
  redirect(target)
}
