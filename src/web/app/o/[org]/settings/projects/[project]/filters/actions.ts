'use server'
import { revalidatePath } from 'next/cache'
import { isOldBrowser, type ProjectFilters } from '../../../../../../../../protocol/filters.ts'
import { type FormState, failed, failureOf, noState, textOf } from '../../../../../../../form.ts'
import { app } from '../../../../../../../handle.ts'
import { demandProject } from '../../../../../../../session.ts'
import { entriesOf } from '../change.ts'

const longText = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === 'string' ? value.slice(0, 100_000) : ''
}

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
    messages: entriesOf(longText(data, 'messages')),
    releases: entriesOf(longText(data, 'releases')),
    addresses: entriesOf(longText(data, 'addresses')),
  }
}

/** Saves the filters of a project. */
export async function saveFiltersAction(_before: FormState, data: FormData): Promise<FormState> {
  const org = textOf(data, 'organization')
  const id = textOf(data, 'project')
  const { actor, organization, project } = await demandProject(org, id, `/o/${org}/settings/projects/${id}/filters`)
  const { auth, meta } = app()
  try {
    auth.demand(actor, 'project:write', { organization, project })
    meta.updateProject(project.id, { filters: filtersIn(data) }, { userId: actor.person.id })
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return failed(data, failure)
  }
  revalidatePath('/o/[org]', 'layout')
  return { ...noState, done: true }
}
