'use server'
import { isOldBrowser, type ProjectFilters } from '../../../../../../../../protocol/filters.ts'
import { type FormState, longTextOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import { entriesOf } from '../change.ts'
import { changeProject } from '../change-project.ts'

/** What the form says of every filter: boxes that are off send nothing. */
function filtersIn(data: FormData): ProjectFilters {
  const on = (name: string) => data.get(name) === 'on'
  return {
    extensions: on('extensions'),
    localhost: on('localhost'),
    crawlers: on('crawlers'),
    hydration: on('hydration'),
    chunkLoad: on('chunkLoad'),
    browsers: data.getAll('browsers').map(String).filter(isOldBrowser),
    messages: entriesOf(longTextOf(data, 'messages')),
    releases: entriesOf(longTextOf(data, 'releases')),
    addresses: entriesOf(longTextOf(data, 'addresses')),
  }
}

/** Saves the filters of a project. */
export async function saveFiltersAction(_before: FormState, data: FormData): Promise<FormState> {
  return changeProject(data, '/filters', 'project:write', ({ actor, project }) => {
    app().meta.updateProject(project.id, { filters: filtersIn(data) }, { userId: actor.person.id })
    return undefined
  })
}
