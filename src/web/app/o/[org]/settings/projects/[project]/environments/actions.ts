'use server'
import { hideEnvironment } from '../../../../../../../../operations/project-settings.ts'
import { type FormState, textOf } from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { changeProject } from '../change-project.ts'

/** Hides an environment from selection lists, or shows it again. */
export async function hideEnvironmentAction(_before: FormState, data: FormData): Promise<FormState> {
  return changeProject(data, '/environments', 'project:write', async ({ project }) => {
    await hideEnvironment(app(), project.id, textOf(data, 'name'), textOf(data, 'hidden') === 'yes')
    return undefined
  })
}
