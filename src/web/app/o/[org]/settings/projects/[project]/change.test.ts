import { describe, expect, it } from 'vitest'
import { eachSwitch, projectSwitches } from '../../../../../../../domain/project-switches.ts'
import de from '../../../../../../messages/de.json' with { type: 'json' }
import en from '../../../../../../messages/en.json' with { type: 'json' }
import { changeOf, entriesOf, linesOf } from './change.ts'

const form = (values: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(values)) data.set(name, value)
  return data
}

describe('lists, one entry a line', () => {
  const cases: [string, string[]][] = [
    ['', []],
    [' \n\r\n', []],
    ['a', ['a']],
    ['a\r\n b \n\nc\rd', ['a', 'b', 'c', 'd']],
    ['a,b', ['a,b']],
  ]
  it.each(cases)('%j', (text, entries) => {
    expect(entriesOf(text)).toEqual(entries)
    expect(entriesOf(linesOf(entries))).toEqual(entries)
  })
})

describe('the settings form', () => {
  it('reads what it says and takes what it does not say as off and empty', () => {
    expect(changeOf(form({ name: 'Web', slug: ' web ', scrub: 'on', platform: 'other' }))).toEqual({
      name: 'Web',
      slug: 'web',
      platform: null,
      allowedOrigins: [],
      scrub: true,
      scrubDefaults: false,
      scrubIpAddresses: false,
      sensitiveFields: [],
      safeFields: [],
      routePatterns: [],
      // Not a number, so that the check of the change names the field.
      metricSeriesMax: Number.NaN,
      scrape: false,
      scrapeTls: false,
      ...eachSwitch(() => false),
    })
    const lists = form({
      platform: 'node',
      allowedOrigins: 'a.example\nb.example',
      sensitiveFields: 'x',
      safeFields: 'y',
      routePatterns: '/shop/[category]\n!/docs',
      metricSeriesMax: ' 500 ',
    })
    expect(changeOf(lists)).toMatchObject({
      platform: 'node',
      allowedOrigins: ['a.example', 'b.example'],
      sensitiveFields: ['x'],
      safeFields: ['y'],
      routePatterns: ['/shop/[category]', '!/docs'],
      metricSeriesMax: 500,
    })
  })

  it('keeps a list that is longer than other fields', () => {
    const long = Array.from({ length: 200 }, (_one, at) => `${'x'.repeat(190)}${at}`)
    expect(changeOf(form({ sensitiveFields: linesOf(long) })).sensitiveFields).toEqual(long)
  })
})

// `used.test.ts` reads keys that stand in the code; the form makes those of switches from their names.
it.each(projectSwitches)('%s has a text and a hint in both languages', (name) => {
  for (const { projectSettings } of [en, de])
    expect(projectSettings).toMatchObject({
      [name]: expect.stringMatching(/./),
      [`${name}Hint`]: expect.stringMatching(/./),
    })
})
