import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { HydrationCause } from '../../domain/diagnostics.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'

// Real output of React 18.3.1 and 19.3.1 and SDK 11.12.0 in Chromium, for an application broken in each way
// (fixtures/hydration.json). The traces of extensions and the translator were inserted into the server's page. Also
// output of `next dev` of Next.js 16.4.6 with @sentry/nextjs 11.0.0, where a script inserted the traces into the page.
const recorded = JSON.parse(readFileSync(`${import.meta.dirname}/../../../fixtures/hydration.json`, 'utf8')) as Record<
  string,
  object
>

const hydration = (name: string) => refineEvent(recorded[name]).event.findings.signs?.hydration

const best: [name: string, cause: HydrationCause, component: string | undefined, evidence: string | undefined][] = [
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

/** The recordings of a case, one or several, by version of React. */
const namesOf = (react: number, name: string) =>
  Object.keys(recorded).filter((key) => new RegExp(`^react ${react} ${name}(?: \\d)?$`).test(key))

describe.each([18, 19])('React %i', (react) => {
  test.each(best.filter(([name]) => namesOf(react, name).length > 0))(
    '%s: %s in %s',
    (name, cause, component, evidence) => {
      for (const entry of namesOf(react, name)) {
        const found = hydration(entry)
        expect([entry, found?.cause, found?.component]).toEqual([entry, cause, component])
        if (evidence !== undefined) expect(found?.evidence).toBe(evidence)
        if (cause !== 'unknown') expect(found?.evidence).not.toContain('%s')
      }
    },
  )
})

/** Cases of Next.js by router. `captureConsoleIntegration` sends console events; the others are window errors. */
const toldByNext: [name: string, cause: HydrationCause, component: string | undefined, evidence: string | undefined][] =
  [
    ['order', 'date-locale', 'Order', 'server: 2.1.2026, browser: 1/1/2026'],
    ['webpack order', 'date-locale', 'Order', 'server: 2.1.2026, browser: 1/1/2026'],
    ['pages order', 'date-locale', 'Order', 'server: 2.1.2026, browser: 1/1/2026'],
    ['zone', 'date-locale', 'Zone', 'server: 01:00:00, browser: 19:00:00'],
    ['price', 'date-locale', 'Price', 'server: 1.234,50 €, browser: €1,234.50'],
    ['susp', 'date-locale', 'Order', 'server: 2.1.2026, browser: 1/1/2026'],
    ['clock', 'random-time', 'Clock', undefined],
    ['children', 'random-time', 'Clock', undefined],
    ['lucky', 'random-time', 'Lucky', undefined],
    ['dynamic', 'random-time', 'Differs', undefined],
    ['field', 'random-time', 'Field', undefined],
    ['card', 'nesting', 'Card', 'In HTML, <div> cannot be a descendant of <p>.'],
    ['card console', 'nesting', 'Card', 'In HTML, <div> cannot be a descendant of <p>.'],
    ['serverCard', 'nesting', 'ServerCard', 'In HTML, <div> cannot be a descendant of <p>.'],
    ['links', 'nesting', 'Links', 'In HTML, <a> cannot be a descendant of <a>.'],
    ['table', 'nesting', 'Table', undefined],
    ['wide', 'browser-only', 'Wide', 'server: Loading …, browser: Width 1280'],
    ['menu', 'browser-only', 'UserMenu', 'server: <span>, browser: <aside>'],
    ['onlyServer', 'browser-only', 'OnlyServer', 'only from the server: <aside>'],
    ['other', 'browser-only', 'Other', 'server: <span>, browser: <div className="a">'],
    ['theme', 'browser-only', 'Theme', 'className: server: light, browser: dark'],
    ['extHtml', 'extension', 'Layout', 'data-darkreader-mode dynamic'],
    ['extLayout', 'extension', 'Layout', 'data-new-gr-c-s-check-loaded 14.1'],
    ['extInput', 'extension', 'Plain', 'fdprocessedid ab12cd'],
    ['extNode', 'extension', 'Plain', 'data-lastpass-icon-root=""'],
    ['translated', 'translator', 'Layout', 'translated-ltr'],
    // Only two texts differ.
    ['greeting', 'unknown', 'Greeting', undefined],
    ['bar', 'unknown', 'Bar', undefined],
    // The Pages Router hydrates below the tag with the translator's mark, and does not report React's nesting warning.
    ['pages translated', 'unknown', 'Plain', undefined],
    ['pages card', 'unknown', undefined, undefined],
  ]

describe('next dev of Next.js 16', () => {
  test.each(toldByNext)('%s: %s in %s', (name, cause, component, evidence) => {
    const found = hydration(`next 16 ${name}`)
    expect([found?.cause, found?.component]).toEqual([cause, component])
    if (evidence !== undefined || cause === 'unknown') expect(found?.evidence).toBe(evidence)
  })
  test('every recording is judged', () => {
    const names = Object.keys(recorded).filter((key) => key.startsWith('next 16 '))
    expect(names.sort()).toEqual(toldByNext.map(([name]) => `next 16 ${name}`).sort())
  })
  test('lines of the message are no frames', () => {
    const newest = (sent: string | object) => {
      const { event } = refineEvent(typeof sent === 'string' ? recorded[sent] : sent)
      return [event.exception?.values[0]?.stacktrace?.frames.at(-1)?.function, event.errors.map((error) => error.value)]
    }
    // `+  1/1/2026` and the address in the message, as the SDK parsed them.
    expect(newest('next 16 order')).toEqual(['throwOnHydrationMismatch', [2]])
    expect(newest('next 16 webpack order')).toEqual(['throwOnHydrationMismatch', [2]])
    expect(newest('next 16 clock')).toEqual(['throwOnHydrationMismatch', [1]])
    // The text of an old Next.js tab in production.
    const unknown =
      'Server Action "40ab" was not found on the server. \nRead more: https://nextjs.org/docs/messages/failed-to-find-server-action'
    const frames = [
      { function: 'y', filename: 'https://shop.example/_next/static/chunks/a.js', lineno: 1, colno: 2, in_app: true },
      { function: 'Read more:', filename: 'app:///docs/messages/failed-to-find-server-action', in_app: true },
    ]
    const values = [{ type: 'UnrecognizedActionError', value: unknown, stacktrace: { frames } }]
    expect(newest({ platform: 'javascript', exception: { values } })).toEqual(['y', [1]])
    expect(newest('next 16 field')).toEqual([expect.any(String), []])
  })
})

test('every recording is judged, each by its own React', () => {
  const seen = [18, 19].flatMap((react) => best.flatMap(([name]) => namesOf(react, name)))
  // React 18 reports only the first difference, so it shows no translator. React 19 shows all.
  const ofReact = Object.keys(recorded).filter((key) => key.startsWith('react '))
  expect(ofReact.filter((entry) => !seen.includes(entry))).toEqual(['react 18 trans', 'react 19 trans'])
  expect([hydration('react 18 trans')?.cause, hydration('react 19 trans')?.cause]).toEqual(['unknown', 'translator'])
})
