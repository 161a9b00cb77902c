'use server'
import { failed, failureOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import type { ProjectState } from '../actions.ts'
import { revisionOf } from '../change.ts'
import { changeProject } from '../change-project.ts'
import { filtersIn } from './form-filters.ts'

/** Saves the filters of a project, all at once: not over what somebody else has saved since the form was loaded. */
export async function saveFiltersAction(_before: ProjectState, data: FormData): Promise<ProjectState> {
  let stale: ProjectState['stale'] = null
  const state = await changeProject(data, '/filters', 'project:write', ({ actor, project }) => {
    try {
      const by = { userId: actor.person.id, rev: revisionOf(data) }
      app().meta.updateProject(project.id, { filters: filtersIn(data) }, by)
      return undefined
    } catch (error) {
      const failure = failureOf(error)
      if (!failure?.current) throw error
      stale = failure.current
      return { ...failed(data, failure), error: null }
    }
  })
  return { ...state, stale }
}
