'use server'
import { revalidatePath } from 'next/cache'
import { type FormState, failed, failureOf, noState, textOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../session.ts'

/** Lets an issue that was deleted for good come again. */
export async function removeTombstoneAction(_before: FormState, data: FormData): Promise<FormState> {
  const [org, id] = [textOf(data, 'organization'), textOf(data, 'project')]
  const here = await demandProject(org, id, `/o/${org}/settings/projects/${id}/tombstones`)
  const { auth, meta } = app()
  try {
    auth.demand(here.actor, 'issue:delete', { organization: here.organization, project: here.project })
    meta.undiscard(here.project.id, textOf(data, 'tombstone'))
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  revalidatePath('/o/[org]', 'layout')
  return { ...noState, done: true }
}
