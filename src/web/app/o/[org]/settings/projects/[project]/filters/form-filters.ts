import { isOldBrowser, oldBrowsers, type ProjectFilters } from '../../../../../../../../domain/filters.ts'
import { longTextOf } from '../../../../../../../client/form.ts'
import { entriesOf } from '../change.ts'

/** The field of one old browser. Each has a name of its own: of equal ones only the last is shown again after a refusal. */
export const browserField = (name: string): string => `browsers.${name}`

/** What the form says of every filter: boxes that are off send nothing. */
export function filtersIn(data: FormData): ProjectFilters {
  const on = (name: string) => data.get(name) === 'on'
  return {
    extensions: on('extensions'),
    localhost: on('localhost'),
    crawlers: on('crawlers'),
    hydration: on('hydration'),
    chunkLoad: on('chunkLoad'),
    browsers: Object.keys(oldBrowsers)
      .filter(isOldBrowser)
      .filter((name) => on(browserField(name))),
    messages: entriesOf(longTextOf(data, 'messages')),
    releases: entriesOf(longTextOf(data, 'releases')),
    addresses: entriesOf(longTextOf(data, 'addresses')),
    cspSources: entriesOf(longTextOf(data, 'cspSources')),
  }
}

/** Which boxes are on: those of a form that was sent, as it names them, else those of the project. */
export function ticked(values: Readonly<Record<string, string>>, filters: ProjectFilters): (field: string) => boolean {
  if (Object.keys(values).length > 0) return (field) => values[field] === 'on'
  const on = new Set(filters.browsers.map(browserField))
  for (const [name, value] of Object.entries(filters)) if (value === true) on.add(name)
  return (field) => on.has(field)
}
