'use server'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { type FormState, failed, textOf } from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { changeProject } from '../change-project.ts'

/** Removes a bundle from the project if its id was typed, then opens the list. */
export async function deleteBundleAction(_before: FormState, data: FormData): Promise<FormState> {
  const uuid = textOf(data, 'bundle')
  let list = ''
  const page = `/source-maps?bundle=${encodeURIComponent(uuid)}`
  const state = await changeProject(data, page, 'release:write', async ({ organization, project }) => {
    if (textOf(data, 'typed').trim() !== uuid.slice(0, 8))
      return failed(data, { message: '', fields: { typed: [(await getTranslations('people'))('typeWrong')] } })
    await app().artifacts.removeBundle(project.id, uuid)
    list = `/o/${organization.slug}/settings/projects/${project.slug}/source-maps`
    return undefined
  })
  if (!state.done) return state
  redirect(list)
}
