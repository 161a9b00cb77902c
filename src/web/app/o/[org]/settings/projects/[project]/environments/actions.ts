'use server'
import { revalidatePath } from 'next/cache'
import { type FormState, failed, failureOf, noState, textOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../session.ts'

/** Hides an environment from the lists to choose from, or shows it again. */
export async function hideEnvironmentAction(_before: FormState, data: FormData): Promise<FormState> {
  const org = textOf(data, 'organization')
  const id = textOf(data, 'project')
  const { actor, organization, project } = await demandProject(
    org,
    id,
    `/o/${org}/settings/projects/${id}/environments`,
  )
  const { auth, meta } = app()
  try {
    auth.demand(actor, 'project:write', { organization, project })
    meta.hideEnvironment(project.id, textOf(data, 'name'), textOf(data, 'hidden') === 'yes')
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  revalidatePath('/o/[org]', 'layout')
  return { ...noState, done: true }
}
