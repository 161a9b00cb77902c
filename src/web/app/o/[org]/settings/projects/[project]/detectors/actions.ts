'use server'
import { updateDetectors } from '../../../../../../../../operations/project-settings.ts'
import { type GuardedState, revisionOf } from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { changeProject } from '../change-project.ts'
import { detectorsIn } from './form-detectors.ts'

/** Saves all detectors of a project. Fails if somebody else saved them since the form was loaded. */
export async function saveDetectorsAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  return changeProject(data, '/detectors', 'project:write', async ({ actor, project }) => {
    await updateDetectors(app(), actor, project.id, detectorsIn(data), revisionOf(data))
    return undefined
  })
}
