import { NextIntlClientProvider } from 'next-intl'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it, test, vi } from 'vitest'
import type { RestDiagnostics } from '../../../contract/diagnostics.ts'
import type { RestBrowserEvent, RestErrorLink } from '../../../contract/error-links.ts'
import diagnostics from '../../messages/diagnostics.en.json'
import common from '../../messages/en.json'
import failures from '../../messages/failures.en.json'
import { Diagnostics } from '../diagnostics/diagnostics.tsx'
import { ReactWords } from '../diagnostics/react-words.tsx'
import { BrowserEvents } from './browser-events.tsx'
import { DigestList } from './digest-list.tsx'
import { HiddenError } from './hidden-error.tsx'

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: () => {}, prefetch: () => {} }) }))

const html = (element: ReactElement) =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" timeZone="UTC" messages={{ ...common, failures, diagnostics }}>
      {element}
    </NextIntlClientProvider>,
  )
/** The visible text: no tags, single spaces. */
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
const hrefsOf = (markup: string) => [...markup.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)

const hostile = '"><img src=x onerror=alert(1)>\u202e'
const hex = (n: number) => n.toString(16).padStart(32, '0')

describe('a browser event', () => {
  const server = {
    eventID: hex(7),
    groupID: '12',
    shortId: 'API-3',
    title: 'StockError: none left',
    projectID: '2',
    projectSlug: 'api',
  }
  const of = (more: Partial<RestErrorLink>): RestErrorLink => ({
    side: 'browser',
    server: null,
    alone: null,
    browser: null,
    ...more,
  })
  const shown = (failure: RestErrorLink, sureDigest = false) =>
    html(<HiddenError organization="acme" project="web" failure={failure} isSureDigest={sureDigest} />)

  it.each([
    ['digest', true, 'sure Both events carry the same digest themselves.'],
    ['trace', false, 'not sure Both events belong to one trace'],
    ['route', false, 'not sure Both events come from the same page'],
  ] as const)('linked by %s', (reason, sure, words) => {
    const markup = shown(of({ server: { ...server, reason, sure } }))
    expect(textOf(markup)).toContain('This browser error hides: StockError: none left API-3 in api')
    expect(textOf(markup)).toContain(words)
    expect(hrefsOf(markup)).toEqual([`/o/acme/issues/12/events/${hex(7)}`])
  })
  it.each([
    ['none', false, 'No server event that you may read matches', 'in the browser and on the server'],
    ['none', true, 'No server event that you may read matches', 'Does the server report its errors'],
    ['several', true, 'More than one server error matches', 'in the browser and on the server'],
  ] as const)('alone: %s, with a digest of its own: %s', (alone, sureDigest, words, way) => {
    const markup = shown(of({ alone }), sureDigest)
    expect(textOf(markup)).toContain(words)
    expect(textOf(markup)).toContain(way)
    expect(hrefsOf(markup)).toEqual(['/o/acme/projects/web/setup?digests=1#digest-hook'])
  })
  it('is told to be waiting without anything to do', () => {
    const markup = shown(of({ alone: 'waiting' }))
    expect(textOf(markup)).toContain('is looking for the server error')
    expect(hrefsOf(markup)).toEqual([])
  })
  it('shows what was sent as text', () => {
    const title = shown(of({ server: { ...server, title: hostile, reason: 'digest', sure: true } }))
    expect(title).not.toContain('<img')
    expect(textOf(title)).toContain('&lt;img src=x onerror=alert(1)&gt; U+202E')
  })
  test('the side of a server has no such box', () => {
    expect(shown(of({ side: 'server', browser: { events: 1, newest: [] } }))).toBe('')
  })
})

describe('the browser’s side', () => {
  const event = (n: number, more: Partial<RestBrowserEvent> = {}): RestBrowserEvent => ({
    eventID: hex(n),
    groupID: '5',
    projectID: '1',
    projectSlug: 'web',
    dateReceived: '2026-11-22T10:00:00.000Z',
    reason: 'digest',
    sure: true,
    ...more,
  })
  const lastSeen = '2026-11-22T10:00:00.000Z'
  const none = { events: 0, people: 0, lastSeen: null, newest: [] }

  it('is nothing where there is none', () => {
    expect(html(<BrowserEvents base="/o/acme/issues" clientEnds={none} ofEvent={{ events: 0, newest: [] }} />)).toBe('')
    expect(html(<BrowserEvents base="/o/acme/issues" clientEnds={none} ofEvent={null} />)).toBe('')
    const unknown = { ...none, events: 3, lastSeen }
    expect(textOf(html(<BrowserEvents base="/o/acme/issues" clientEnds={unknown} ofEvent={null} />))).toContain(
      '3 browser events · latest',
    )
  })
  it('counts apart, names the newest and leads to each and its breadcrumbs', () => {
    const newest = [event(1), event(2, { groupID: null, reason: 'route', sure: false })]
    const side = { events: 12, people: 1, lastSeen, newest }
    const markup = html(<BrowserEvents base="/o/acme/issues" clientEnds={side} ofEvent={{ events: 0, newest: [] }} />)
    const text = textOf(markup)
    expect(text).toContain('12 browser events of 1 person')
    expect(text).toContain('they do not count for the issue')
    expect(text).toContain('The newest 2 of them.')
    expect(text).toContain('Whole issue (12) This event (0)')
    expect(text).toContain('page and time not sure')
    expect(hrefsOf(markup)).toEqual([
      `/o/acme/issues/5/events/${hex(1)}`,
      `/o/acme/issues/5/events/${hex(1)}#breadcrumbs`,
    ])
  })
})

test('each digest says where it was found and whether it is the event’s own', () => {
  const digests = [
    { value: '2774530904', found: 'tags.digest', sure: true },
    { value: 'a/b', found: hostile, sure: false },
  ]
  const markup = html(<DigestList digests={digests} />)
  expect(textOf(markup)).toMatch(/Digests \(2\) .* 2774530904 tags\.digest sure a\/b .* not sure$/)
  expect(hrefsOf(markup)).toEqual(['/d/2774530904', '/d/a%2Fb'])
  expect(markup).not.toContain('<img')
  expect(html(<DigestList digests={[]} />)).toBe('')
})

describe('signs', () => {
  const empty: RestDiagnostics = {
    react: null,
    invariant: null,
    logged: null,
    hydration: null,
    skew: null,
    noise: null,
  }
  it.each<[string, Partial<RestDiagnostics>, string[]]>([
    [
      'an invariant',
      { invariant: { id: 'hook-order', name: 'x', cause: 'x', found: 'Rendered more hooks' } },
      [
        'A component called a different number of hooks than before',
        'Usual cause: A hook is after',
        'Rendered more hooks',
      ],
    ],
    [
      'only logged',
      { logged: { by: 'boundary', type: 'TypeError', value: hostile, component: 'Cart', boundary: 'Boundary' } },
      ['React wrote it to the console', 'TypeError: &quot;&gt;&lt;img', 'In the component Cart', 'Caught by Boundary'],
    ],
    ['skew', { skew: { kind: 'rsc', sentence: 'x', found: 'E1' } }, ['server components A server component payload']],
    ['noise', { noise: { kind: 'web-view', sentence: 'x', found: 'E1' } }, ['web view The app that shows', 'E1']],
    [
      'a hydration',
      {
        hydration: {
          cause: 'date-locale',
          sentence: 'x',
          evidence: '21 Nov',
          component: 'DateBadge',
          differences: [
            { what: 'text', name: null, server: hostile, client: null },
            { what: 'attribute', name: 'class', server: 'a', client: 'b' },
          ],
        },
      },
      [
        'date or locale The server formatted a date',
        'Evidence: 21 Nov',
        'Component: DateBadge',
        '2 differences',
        'nothing',
        'attribute class a b',
      ],
    ],
  ])('%s', (_name, more, words) => {
    const markup = html(<Diagnostics diagnostics={{ ...empty, ...more }} />)
    for (const word of words) expect(textOf(markup)).toContain(word)
    expect(markup).not.toContain('<img')
  })
  it('are nothing without any, and a minified error stands beside the title', () => {
    expect(html(<Diagnostics diagnostics={{ ...empty, react: { code: 310, message: 'x' } }} />)).toBe('')
    expect(
      textOf(
        html(
          <ReactWords
            react={{ code: 31, message: `Objects ${hostile}` }}
            title="Error Minified React error #31; visit"
          />,
        ),
      ),
    ).toContain('React error 31 Objects &quot;&gt;')
    expect(
      textOf(html(<ReactWords react={{ code: 9999, message: null }} title="Error Minified React error #31" />)),
    ).toContain('React error 9999 (of this event) This version of Mishap does not know its message.')
  })
})
