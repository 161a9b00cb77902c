import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { HydrationCause } from '../../protocol/signs.ts'
import { refineEvent } from '../fixture.ts'

// What React 18.3.1 and 19.3.1 and the client 11.12.0 really wrote in Chromium, of one application that is broken in each
// way (fixtures/hydration.json). Extensions and the translator are what they leave in a page, put into the server's.
const recorded = JSON.parse(readFileSync(`${import.meta.dirname}/../../../fixtures/hydration.json`, 'utf8')) as Record<
  string,
  object
>

const hydration = (name: string) => refineEvent(recorded[name]).event.findings.signs?.hydration

const told: [name: string, cause: HydrationCause, component: string | undefined, evidence: string | undefined][] = [
  ['order', 'date-locale', 'Order', 'server: 02.01.2026, browser: 1/2/2026'],
  ['order by the root’s handler', 'date-locale', 'Order', 'server: 02.01.2026, browser: 1/2/2026'],
  ['clock', 'random-time', 'Clock', 'server: 10:15:30, browser: 10:15:31'],
  ['price', 'date-locale', 'Price', 'server: 1.234,50 €, browser: €1,234.50'],
  ['lucky', 'random-time', 'Lucky', undefined],
  ['field', 'random-time', 'Field', undefined],
  ['card', 'nesting', 'Card', undefined],
  ['card by the root’s handler', 'nesting', 'Card', undefined],
  ['table', 'nesting', 'Table', undefined],
  ['link2', 'nesting', 'Link2', undefined],
  ['menu', 'browser-only', 'UserMenu', undefined],
  ['menuOther', 'browser-only', 'MenuOther', undefined],
  ['onlyServer', 'browser-only', 'OnlyServer', undefined],
  ['theme', 'browser-only', 'Theme', 'className: server: light, browser: dark'],
  ['greeting', 'unknown', 'Greeting', undefined],
  ['bar', 'unknown', 'Bar', undefined],
  ['susp', 'date-locale', 'Order', 'server: 02.01.2026, browser: 1/2/2026'],
  ['extBody', 'extension', 'Page', undefined],
  ['extInput', 'extension', 'Plain', undefined],
  ['extDark', 'extension', 'Page', undefined],
  ['order minified', 'unknown', undefined, undefined],
]

/** The recordings of a case: one or several events of it, by the version of React. */
const namesOf = (react: number, name: string) =>
  Object.keys(recorded).filter((one) => new RegExp(`^react ${react} ${name}(?: \\d)?$`).test(one))

describe.each([18, 19])('React %i', (react) => {
  test.each(told.filter(([name]) => namesOf(react, name).length > 0))(
    '%s: %s in %s',
    (name, cause, component, evidence) => {
      for (const one of namesOf(react, name)) {
        const found = hydration(one)
        expect([one, found?.cause, found?.component]).toEqual([one, cause, component])
        if (evidence !== undefined) expect(found?.evidence).toBe(evidence)
        if (cause !== 'unknown') expect(found?.evidence).not.toContain('%s')
      }
    },
  )
})

test('every recording is judged, each by its own React', () => {
  const seen = [18, 19].flatMap((react) => told.flatMap(([name]) => namesOf(react, name)))
  // React 18 writes of the first difference alone, so it says nothing of a translator; React 19 shows all.
  expect(Object.keys(recorded).filter((one) => !seen.includes(one))).toEqual(['react 18 trans', 'react 19 trans'])
  expect([hydration('react 18 trans')?.cause, hydration('react 19 trans')?.cause]).toEqual(['unknown', 'translator'])
})
