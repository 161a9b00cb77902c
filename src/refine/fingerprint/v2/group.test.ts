import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hydrationCauses, skewKinds } from '../../../domain/diagnostics.ts'
import { refineEvent } from '../../pipeline/fixture.cases.ts'
import { hashesOf } from '../fingerprint.ts'

const by = (event: object, version: number, rules = '') =>
  refineEvent(
    { platform: 'javascript', ...event },
    {},
    { grouping: { fingerprintRules: rules, stackRules: '', version } },
  ).event
const variantsOf = (event: object, rules = '') => by(event, 2, rules).findings.grouping.variants
/** The values that version 2 hashes for an event with a built-in fingerprint; [] if it groups as in version 1. */
const valuesOf = (event: object): string[] => {
  const [first] = variantsOf(event)
  return first?.name === 'built_in_fingerprint' ? first.values : []
}
const hashOf = (event: object, version = 2) => hashesOf(by(event, version))[0]

const page = { request: { url: 'https://shop.example/cart' } }
const thrown = (type: string, value: string, more: object = {}) => ({
  exception: { values: [{ type, value, stacktrace: { frames: [frame('run')] } }] },
  ...page,
  ...more,
})
const frame = (name: string, path = 'https://shop.example/a1.js') => ({
  abs_path: path,
  filename: path,
  function: name,
  lineno: 1,
  colno: 2,
  in_app: true,
})

// ---- hydration

const mark = 'https://react.dev/link/hydration-mismatch'
/** React 19’s diff in the tree of a component. */
const diff = (component: string, ...lines: string[]) =>
  `Hydration failed because the server rendered text didn't match the client.\n\n${mark}\n\n  <App>\n    <${component}>\n      <p>\n${lines.join('\n')}\n`
const r19 = (component: string, ...lines: string[]) => thrown('Error', diff(component, ...lines))
/** React 18: its console output, then an error without details. */
const r18 = (component: string, template: string, ...values: string[]) => ({
  ...thrown('Error', 'Hydration failed because the initial UI does not match what was rendered on the server.'),
  breadcrumbs: [
    {
      category: 'console',
      level: 'error',
      message: `${template} ${values.join(' ')}`,
      data: { arguments: [template, ...values, `\n    at p\n    at ${component} (https://shop.example/a1.js:1:2)`] },
    },
  ],
})
const text18 = 'Warning: Text content did not match. Server: "%s" Client: "%s"%s'
const broken: Record<string, (component: string) => [react18: object, react19: object]> = {
  nesting: (entry) => [
    r18(entry, 'Warning: validateDOMNesting(...): %s cannot appear as a descendant of <%s>.%s', '<div>', 'p'),
    thrown(
      'Error',
      `In HTML, <div> cannot be a descendant of <p>.\nThis will cause a hydration error.\n\n  <App>\n    <${entry}>\n>     <p>\n>       <div>\n`,
    ),
  ],
  extension: (entry) => [
    r18(entry, 'Warning: Extra attributes from the server: %s%s', 'fdprocessedid'),
    r19(entry, '-       fdprocessedid="ab12"'),
  ],
  translator: (entry) => [
    r18(entry, 'Warning: Prop `%s` did not match. Server: %s Client: %s%s', 'className', '"translated-ltr"', '""'),
    r19(entry, '+       Home', '-       <font style={{}}>'),
  ],
  'date-locale': (entry) => [
    r18(entry, text18, '02.01.2026', '1/2/2026'),
    r19(entry, '+       1/2/2026', '-       02.01.2026'),
  ],
  'random-time': (entry) => [
    r18(entry, text18, '0.193746', '0.837146'),
    r19(entry, '+       0.837146', '-       0.193746'),
  ],
  'browser-only': (entry) => [
    r18(entry, 'Warning: Expected server HTML to contain a matching <%s> in <%s>.%s', 'aside', 'div'),
    r19(entry, '+       <aside>', '-       <div>'),
  ],
}

describe('hydration errors', () => {
  const causes = Object.keys(hydrationCauses).filter((key) => key !== 'unknown')
  test('each cause is tried', () => expect(Object.keys(broken).sort()).toEqual(causes.sort()))

  test.each(causes)('%s: by cause and component, whichever React says it and wherever it happens', (cause) => {
    const [old, now] = broken[cause]?.('Order') ?? []
    if (!old || !now) throw new Error(cause)
    expect([valuesOf(old), valuesOf(now)]).toEqual(Array(2).fill(['hydration', cause, 'Order']))
    const elsewhere = { ...now, transaction: '/other', release: 'shop@2.0.0' }
    expect(new Set([hashOf(old), hashOf(now), hashOf(elsewhere)]).size).toBe(1)
    const [, other] = broken[cause]?.('Menu') ?? []
    expect(hashOf(other ?? {})).not.toBe(hashOf(now))
  })
  test('other causes in one component are other issues', () => {
    const hashes = causes.map((cause) => hashOf(broken[cause]?.('Order')[1] ?? {}))
    expect(new Set(hashes).size).toBe(causes.length)
  })

  test.each([
    ['Price$1', 'Price'],
    ['Price_a1b2c3', 'Price'],
    ['Price__x7Ql9', 'Price'],
    ['withTheme(Price)', 'Price'],
    ['Price.Sum', 'Price.Sum'],
    ['Price_ff0912', 'Price'],
    ['Step_1', 'Step_1'],
    ['Order_item2', 'Order_item2'],
    ['Grid_3columns', 'Grid_3columns'],
    ['Menu_left', 'Menu_left'],
    ['Map', 'Map'],
    ['FAQ', 'FAQ'],
  ])('the component %s counts as %s in any build', (name, counts) => {
    expect(valuesOf(r19(name, '+       1/2/2026', '-       02.01.2026'))).toEqual(['hydration', 'date-locale', counts])
  })
  test('two builds of one component are one issue', () => {
    const builds = ['Price_a1b2c3', 'Price_ff0912'].map((name, at) => ({
      ...r18(name, text18, '02.01.2026', '1/2/2026'),
      release: `shop@${at}`,
    }))
    expect(new Set(builds.map((build) => hashOf(build))).size).toBe(1)
  })

  test.each<[string, object, string]>([
    ['the transaction', { transaction: '/orders/[id]' }, '/orders/[id]'],
    ['the transaction, without what varies', { transaction: '/orders/4711' }, '/orders/<int>'],
    ['its tag', { tags: { transaction: '/orders' } }, '/orders'],
    ['the page', { request: { url: 'https://shop.example/orders/4711/?q=5#a' } }, '/orders/<int>'],
    ['the first page', { request: { url: 'https://shop.example' } }, '/'],
  ])('without a component that keeps its name the route stands for it: %s', (_name, more, route) => {
    const minified = { ...r19('Lx', '+       1/2/2026', '-       02.01.2026'), ...more }
    expect(valuesOf(minified)).toEqual(['hydration-route', 'date-locale', route])
    // A route differs from a component with that name.
    expect(hashOf(minified)).not.toBe(hashOf(r19('Route', '+       1/2/2026', '-       02.01.2026')))
  })

  test.each<[string, object]>([
    ['neither component nor route', { ...r19('Lx', '+       1/2/2026', '-       02.01.2026'), request: {} }],
    ['no cause', r19('Order', '+       three', '-       four')],
    [
      'no cause, and the transaction',
      { ...thrown('Error', 'Text content does not match server-rendered HTML.'), transaction: '/a' },
    ],
    ['a production build', thrown('Error', 'Minified React error #418; visit https://react.dev/errors/418')],
  ])('with %s all is as in version 1', (_name, event) => {
    const [first, second] = [by(event, 1), by(event, 2)].map((entry) => entry.findings.grouping.variants)
    expect(second).toEqual(first)
  })
})

test('what React 18 and 19, alone and in Next.js 16, were recorded to write of one mistake is one issue', () => {
  const path = `${import.meta.dirname}/../../../../fixtures/hydration.json`
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>
  const values = new Map<string, string[]>()
  for (const [name, event] of Object.entries(recorded)) {
    const [, mistake = ''] = /^(?:react|next) \d\d (?:pages |webpack )?(\w+)/.exec(name) ?? []
    const said = valuesOf(event).join(' ')
    if (said !== '') values.set(mistake, [...new Set([...(values.get(mistake) ?? []), said])])
  }
  // Version 2 is frozen: if a line here changes, a new version is needed.
  expect([...values].map(([mistake, all]) => `${mistake}: ${all.join(', ')}`).sort()).toEqual([
    'card: hydration nesting Card',
    'children: hydration random-time Clock',
    'clock: hydration random-time Clock',
    'dynamic: hydration random-time Differs',
    'extBody: hydration extension Page',
    'extDark: hydration extension Page',
    'extHtml: hydration extension Layout',
    'extInput: hydration extension Plain',
    'extLayout: hydration extension Layout',
    'extNode: hydration extension Plain',
    'field: hydration random-time Field',
    'link2: hydration nesting Link2',
    'links: hydration nesting Links',
    'lucky: hydration random-time Lucky',
    'menu: hydration browser-only UserMenu',
    'menuOther: hydration browser-only MenuOther',
    'onlyServer: hydration browser-only OnlyServer',
    'order: hydration date-locale Order',
    'other: hydration browser-only Other',
    'price: hydration date-locale Price',
    'serverCard: hydration nesting ServerCard',
    'susp: hydration date-locale Order',
    'table: hydration nesting Table',
    'theme: hydration browser-only Theme',
    'trans: hydration translator Page',
    'translated: hydration translator Layout',
    'wide: hydration browser-only Wide',
    'zone: hydration date-locale Zone',
  ])
})

// ---- skew

const met: Record<keyof typeof skewKinds, object> = {
  chunk: thrown('ChunkLoadError', 'Loading chunk 437 failed.'),
  'dynamic-import': thrown('TypeError', 'Failed to fetch dynamically imported module: https://shop.example/a1.js'),
  'server-action': thrown('UnrecognizedActionError', 'Server Action "40ab" was not found on the server.'),
  'build-id': thrown('Error', 'Failed to load static props'),
  rsc: thrown(
    'Error',
    'Failed to fetch RSC payload for https://shop.example/cart. Falling back to browser navigation.',
  ),
}
const ofRelease = (event: object, release: string | undefined) => ({ ...event, ...(release ? { release } : {}) })

describe('what old tabs run into after a deploy', () => {
  const all = Object.values(met)
  test('each kind is tried', () => {
    const kinds = all.map((entry) => by(entry, 2).findings.signs?.skew?.kind)
    expect(kinds).toEqual(Object.keys(skewKinds))
  })
  test('is one issue for each release, and was several in version 1', () => {
    const hashes = (release: string, version = 2) =>
      new Set(all.map((entry) => hashesOf(by(ofRelease(entry, release), version)).join()))
    // In version 1, two of the kinds have the same hash because of their stack.
    expect([hashes('shop@1').size, hashes('shop@2').size, hashes('shop@1', 1).size]).toEqual([1, 1, 4])
    expect([...hashes('shop@1')]).not.toEqual([...hashes('shop@2')])
    expect(valuesOf(ofRelease(met.rsc, 'shop@1'))).toEqual(['skew', 'shop@1'])
  })
  test('is one issue for each kind where no release is named', () => {
    expect(all.map(valuesOf)).toEqual(Object.keys(skewKinds).map((kind) => ['skew-kind', kind]))
  })
  test('keeps the title of each event', () => {
    const title = (version: number) => by(ofRelease(met.chunk, 'shop@1'), version).findings.title
    expect([title(1), title(2)]).toEqual(Array(2).fill('ChunkLoadError: Loading chunk 437 failed.'))
  })
  test('decides where it is why hydrating failed', () => {
    const event = r19('Order', '+       1/2/2026', '-       02.01.2026') as { exception: { values: object[] } }
    const values = [{ type: 'ChunkLoadError', value: 'Loading chunk 4 failed.' }, ...event.exception.values]
    expect(valuesOf({ ...event, exception: { values }, release: 'shop@1' })).toEqual(['skew', 'shop@1'])
  })
})

// ---- precedence, and events without a built-in fingerprint

test.each<[string, object, string]>([
  ['a checksum', { checksum: 'a'.repeat(32) }, 'checksum'],
  ['a fingerprint of the client', { fingerprint: ['mine'] }, 'custom_fingerprint'],
  ['one with the default', { fingerprint: ['{{ default }}', 'mine'] }, 'hybrid'],
])('%s takes precedence', (_name, more, name) => {
  for (const event of [
    { ...met.chunk, ...more },
    { ...r19('Order', '+       1/2/2026', '-       02.01.2026'), ...more },
  ]) {
    expect(variantsOf(event)[0]?.name).toBe(name)
    expect(hashOf(event)).toBe(hashOf(event, 1))
  }
})
test('so does a rule of the project', () => {
  expect(variantsOf(met.chunk, 'type:ChunkLoadError -> mine')[0]).toMatchObject({
    name: 'custom_fingerprint',
    values: ['mine'],
  })
})
test('the default grouping is told as left out', () => {
  const [first, ...others] = variantsOf(ofRelease(met.chunk, 'shop@1'))
  expect(first).toMatchObject({ name: 'built_in_fingerprint', contributes: true })
  expect(others.map((entry) => [entry.name, entry.contributes, entry.hash])).toEqual([
    ['app', false, undefined],
    ['system', false, undefined],
  ])
})
test('an event without signs is grouped as in version 1', () => {
  const event = thrown('TypeError', 'x is undefined')
  expect(by(event, 2).findings.grouping.variants).toEqual(by(event, 1).findings.grouping.variants)
})
