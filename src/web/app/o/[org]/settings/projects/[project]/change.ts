import { eachSwitch } from '../../../../../../../domain/project-switches.ts'
import type { GroupingChange, ProjectChange } from '../../../../../../../store/meta/meta.ts'
import { longTextOf, textOf } from '../../../../../../client/form.ts'

/** A list as text, one entry per line. */
export const linesOf = (list: readonly string[]): string => list.join('\n')

/** The entries of a text with one entry per line, without empty lines. */
export const entriesOf = (text: string): string[] =>
  text
    .split(/\r\n|[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Reads the settings form. Unchecked boxes send nothing, so every box is read. */
export function changeOf(
  data: FormData,
): Required<Omit<ProjectChange, 'sealedScrapeToken' | 'filters' | 'detectors' | keyof GroupingChange>> {
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
    routePatterns: entriesOf(longTextOf(data, 'routePatterns')),
    metricSeriesMax: Number(textOf(data, 'metricSeriesMax').trim() || Number.NaN),
    scrape: on('scrape'),
    scrapeTls: on('scrapeTls'),
    ...eachSwitch(on),
  }
}
