'use server'
import { removeTombstone } from '../../../../../../../../operations/project-settings.ts'
import { type FormState, textOf } from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { changeProject } from '../change-project.ts'

/** Removes a tombstone, so that the issue can appear again. */
export async function removeTombstoneAction(_before: FormState, data: FormData): Promise<FormState> {
  return changeProject(data, '/tombstones', 'issue:delete', async ({ project }) => {
    await removeTombstone(app(), project.id, textOf(data, 'tombstone'))
    return undefined
  })
}
