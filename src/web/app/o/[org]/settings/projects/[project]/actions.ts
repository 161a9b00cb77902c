'use server'
import { redirect } from 'next/navigation'
import { updateProject } from '../../../../../../../operations/projects.ts'
import { type GuardedState, revisionOf, textOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { changeOf } from './change.ts'
import { changeProject } from './change-project.ts'

/** Saves the project's general settings. Redirects after a change of the slug. */
export async function saveProjectAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  let newPath = ''
  const state = await changeProject(data, '', 'project:write', async ({ actor, organization, project }) => {
    const guard = { rev: revisionOf(data), scrapeToken: textOf(data, 'scrapeToken') }
    const { slug } = await updateProject(app(), actor, project.id, changeOf(data), guard)
    if (slug !== project.slug) newPath = `/o/${organization.slug}/settings/projects/${slug}`
    return undefined
  })
  if (state.done && newPath) redirect(newPath)
  return state
}
