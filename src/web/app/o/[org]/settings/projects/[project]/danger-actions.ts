'use server'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { deleteProject } from '../../../../../../../operations/removals.ts'
import { type FormState, failed, textOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { changeProject } from './change-project.ts'

/** Enough to delete a small project, ms. */
const removalWaitMs = 3000

/** Deletes the project if its name was typed, then opens the list of projects. */
export async function deleteProjectAction(_before: FormState, data: FormData): Promise<FormState> {
  let list = ''
  const state = await changeProject(data, '', 'project:delete', async ({ actor, organization, project }) => {
    if (textOf(data, 'typed').trim() !== project.name)
      return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
    await deleteProject(app(), actor, project.id, removalWaitMs)
    list = `/o/${organization.slug}/projects`
    return undefined
  })
  if (!state.done) return state
  redirect(list)
}
