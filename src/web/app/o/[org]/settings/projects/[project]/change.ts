import type { GroupingChange, ProjectChange } from '../../../../../../../store/meta/meta.ts'
import { textOf } from '../../../../../../form.ts'

/** A list as people type it: one entry a line. */
export const linesOf = (list: readonly string[]): string => list.join('\n')

/** The entries of a text with one a line; empty lines count nothing. */
export const entriesOf = (text: string): string[] =>
  text
    .split(/\r\n|[\r\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** A list's text: longer than other fields, as 200 entries of 200 characters are allowed. */
const longText = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === 'string' ? value.slice(0, 100_000) : ''
}

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
    allowedOrigins: entriesOf(longText(data, 'allowedOrigins')),
    scrub: on('scrub'),
    scrubDefaults: on('scrubDefaults'),
    scrubIpAddresses: on('scrubIpAddresses'),
    sensitiveFields: entriesOf(longText(data, 'sensitiveFields')),
    safeFields: entriesOf(longText(data, 'safeFields')),
    scrape: on('scrape'),
    scrapeTls: on('scrapeTls'),
  }
}

/** The revision that the form was made for; undefined when the person chose to save anyway, or sent none. */
export function revisionOf(data: FormData): number | undefined {
  const text = textOf(data, 'revision')
  return textOf(data, 'anyway') === 'yes' || !/^\d{1,15}$/.test(text) ? undefined : Number(text)
}
