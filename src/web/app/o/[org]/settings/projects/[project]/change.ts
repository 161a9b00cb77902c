import { eachSwitch } from '../../../../../../../domain/project-switches.ts'
import type { GroupingChange, ProjectChange } from '../../../../../../../store/meta/meta.ts'
import { longTextOf, textOf } from '../../../../../../client/form.ts'

/** A list as people type it: one entry a line. */
export const linesOf = (list: readonly string[]): string => list.join('\n')

/** The entries of a text with one a line; empty lines count nothing. */
export const entriesOf = (text: string): string[] =>
  text
    .split(/\r\n|[\r\n]/)
    .map((line) => line.trim())
    .filter((item) => item !== '')

/** What the settings form changes. Boxes that are off send nothing, so that every one is read. */
export function changeOf(
  data: FormData,
): Required<Omit<ProjectChange, 'sealedScrapeToken' | 'filters' | keyof GroupingChange>> {
  const on = (name: string) => data.get(name) === 'on'
  const platform = textOf(data, 'platform')
  return {
    name: textOf(data, 'name'),
    slug: textOf(data, 'slug').trim(),
    platform: platform === '' || platform === 'other' ? null : platform,
    allowedOrigins: entriesOf(longTextOf(data, 'allowedOrigins')),
    scrub: on('scrub'),
    scrubDefaults: on('scrubDefaults'),
    scrubIpAddresses: on('scrubIpAddresses'),
    sensitiveFields: entriesOf(longTextOf(data, 'sensitiveFields')),
    safeFields: entriesOf(longTextOf(data, 'safeFields')),
    scrape: on('scrape'),
    scrapeTls: on('scrapeTls'),
    ...eachSwitch(on),
  }
}
