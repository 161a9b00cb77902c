import { isOldBrowser, oldBrowsers, type ProjectFilters } from '../../../../../../../../domain/filters.ts'
import { longTextOf } from '../../../../../../../client/form.ts'
import { entriesOf } from '../change.ts'

/** Field name of one old browser. Names are unique, because only the last of equal fields survives an error. */
export const browserField = (name: string): string => `browsers.${name}`

/** Reads all filters from the form. Unchecked boxes send nothing. */
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

/** Whether a box is checked: as submitted if the form was sent, else as stored. */
export function ticked(values: Readonly<Record<string, string>>, filters: ProjectFilters): (field: string) => boolean {
  if (Object.keys(values).length > 0) return (field) => values[field] === 'on'
  const on = new Set(filters.browsers.map(browserField))
  for (const [name, value] of Object.entries(filters)) if (value === true) on.add(name)
  return (field) => on.has(field)
}
