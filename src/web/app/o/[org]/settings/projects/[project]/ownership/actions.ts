'use server'
import { ownershipCharactersMax } from '../../../../../../../../domain/ownership.ts'
import { updateOwnership } from '../../../../../../../../operations/project-settings.ts'
import {
  failed,
  failureOf,
  type GuardedState,
  longTextOf,
  revisionOf,
  textOf,
} from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { changeProject } from '../change-project.ts'

/** Saves the rules. Fails with all faulty lines, or if somebody else saved them since. */
export async function saveOwnershipAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  return changeProject(data, '/ownership', 'project:write', async ({ actor, project }) => {
    const text = longTextOf(data, 'text', ownershipCharactersMax)
    const change = { text, autoAssign: textOf(data, 'auto') === 'on' }
    try {
      await updateOwnership(app(), actor, project, change, revisionOf(data))
      return undefined
    } catch (error) {
      const lines = failureOf(error)?.fields.raw
      if (!lines) throw error
      return failed(data, { message: '', fields: { text: lines } })
    }
  })
}
