'use server'
import { updateFilters } from '../../../../../../../../operations/project-settings.ts'
import { type GuardedState, revisionOf } from '../../../../../../../client/form.ts'
import { app } from '../../../../../../../handle.ts'
import { changeProject } from '../change-project.ts'
import { filtersIn } from './form-filters.ts'

/** Saves all filters of a project. Fails if somebody else saved them since the form was loaded. */
export async function saveFiltersAction(_before: GuardedState, data: FormData): Promise<GuardedState> {
  return changeProject(data, '/filters', 'project:write', async ({ actor, project }) => {
    await updateFilters(app(), actor, project.id, filtersIn(data), revisionOf(data))
    return undefined
  })
}
