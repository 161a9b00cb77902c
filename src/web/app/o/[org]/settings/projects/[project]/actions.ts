'use server'
import { redirect } from 'next/navigation'
import { sealedToken } from '../../../../../../../auth/scrape-token.ts'
import { type GuardedState, revisionOf, textOf } from '../../../../../../client/form.ts'
import { app } from '../../../../../../handle.ts'
import { changeOf } from './change.ts'
import { changeProject } from './change-project.ts'

/** Saves every setting of a project; a new slug leads to the page under it. */
export async function saveProjectAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  let moved = ''
  const state = await changeProject(data, '', 'project:write', async ({ actor, organization, project }) => {
    const { meta, publishKeys, seal } = app()
    const change = { ...changeOf(data), ...sealedToken(seal, textOf(data, 'scrapeToken'), 'scrapeToken') }
    const { slug } = meta.updateProject(project.id, change, { userId: actor.person.id, rev: revisionOf(data) })
    if (slug !== project.slug) moved = `/o/${organization.slug}/settings/projects/${slug}`
    await publishKeys()
    return undefined
  })
  if (state.done && moved) redirect(moved)
  return state
}
