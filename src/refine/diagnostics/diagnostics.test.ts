import { describe, expect, test } from 'vitest'
import { type InvariantId, invariantIds, type SkewKind, skewKinds } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { diagnosticsOf, refreshDiagnostics } from './diagnostics.ts'

// Whole events run through every step, because diagnostics depend on all of them.

const thrown = (type: string, value: string, more: object = {}) => ({
  exception: { values: [{ type, value, ...more }] },
})
const at = (place: string, name = 'f') => ({
  stacktrace: { frames: [{ abs_path: place, filename: place, function: name, lineno: 1, colno: 2 }] },
})
const page = { request: { url: 'https://shop.example/cart' } }
const addDiagnostics = (event: object) =>
  refineEvent({ platform: 'javascript', ...page, ...event }).event.findings.signs

test('an event without any sign has none', () => {
  expect(
    refineEvent({ platform: 'javascript', ...thrown('TypeError', 'x is not a function') }).event.findings,
  ).not.toHaveProperty('signs')
  expect(refineEvent({ message: 'all is well' }).event.findings).not.toHaveProperty('signs')
})

test('only events of scripts are looked at', () => {
  const chunk = thrown('ChunkLoadError', 'Loading chunk 7 failed.')
  expect(addDiagnostics(chunk)?.skew?.kind).toBe('chunk')
  expect(addDiagnostics({ ...chunk, platform: 'node' })?.skew?.kind).toBe('chunk')
  expect(addDiagnostics({ ...chunk, platform: 'python' })).toBeUndefined()
})

test('React in words, and what it breaks', () => {
  expect(
    addDiagnostics(thrown('Error', 'Minified React error #310; visit https://react.dev/errors/310 for more')),
  ).toMatchObject({
    react: { code: 310, message: 'Rendered more hooks than during the previous render.' },
    invariant: { id: 'hook-order' },
  })
  expect(addDiagnostics(thrown('Error', 'Minified React error #9999; visit https://react.dev/errors/9999'))).toEqual({
    react: { code: 9999 },
  })
})

test('a grouping is none of its business', () => {
  const value = 'Minified React error #310; visit https://react.dev/errors/310 for more'
  const { event } = refineEvent({ platform: 'javascript', ...page, ...thrown('Error', value) })
  expect(event.findings.title).toBe(`Error: ${value}`)
  expect(event.exception?.values[0]?.value).toBe(value)
})

// ---- invariants

const broken: [InvariantId, string][] = [
  ['layout-router', 'invariant global layout router not mounted'],
  ['layout-router', 'Invariant: invariant expected layout router to be mounted. This is a bug in Next.js.'],
  ['app-router', 'invariant expected app router to be mounted'],
  ['pages-router', 'NextRouter was not mounted. https://nextjs.org/docs/messages/next-router-not-mounted'],
  ['router-early', 'Internal Next.js error: Router action dispatched before initialization.'],
  ['framework-bug', 'Invariant: Expected RSC stream to have a body. This is a bug in Next.js.'],
  ['bootstrap-missing', 'Unexpected server data: missing bootstrap script.'],
  [
    'page-closed',
    'The connection to the page was unexpectedly closed, possibly due to the stop button being clicked, loss of Wi-Fi',
  ],
  ['steering-caught', 'NEXT_REDIRECT'],
  ['steering-caught', 'NEXT_HTTP_ERROR_FALLBACK;404'],
  ['request-scope', '`cookies` was called outside a request scope.'],
  ['static-dynamic', 'Page changed from static to dynamic at runtime /a, reason: cookies'],
  ['static-dynamic', "Route /a couldn't be rendered statically because it used `headers`."],
  ['search-suspense', 'useSearchParams() should be wrapped in a suspense boundary at page "/a".'],
  ['render-omitted', 'Minified React error #441; visit https://react.dev/errors/441 for the full message'],
  ['client-props', 'Functions cannot be passed directly to Client Components unless you explicitly expose it'],
  [
    'client-props',
    'Only plain objects, and a few built-ins, can be passed to Client Components from Server Components.',
  ],
  ['hook-call', 'Minified React error #321; visit https://react.dev/errors/321 for the full message'],
  ['hook-order', 'Minified React error #300; visit https://react.dev/errors/300 for the full message'],
  ['update-loop', 'Minified React error #185; visit https://react.dev/errors/185 for the full message'],
  ['update-loop', 'Too many re-renders. React limits the number of renders to prevent an infinite loop.'],
  [
    'element-type',
    'Minified React error #130; visit https://react.dev/errors/130?args[]=undefined&args[]= for the full message',
  ],
  [
    'child-object',
    'Minified React error #31; visit https://react.dev/errors/31?args[]=%5Bobject%20Date%5D for the full message',
  ],
  ['suspended-sync', 'Minified React error #426; visit https://reactjs.org/docs/error-decoder.html?invariant=426'],
  ['foreign-dom', "Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node."],
  ['foreign-dom', 'Node.removeChild: The node to be removed is not a child of this node'],
  [
    'foreign-dom',
    "Failed to execute 'insertBefore' on 'Node': The node before which the new node is to be inserted is not a child of this node.",
  ],
]

describe('invariants', () => {
  test.each(broken)('%s: %s', (id, value) => {
    expect(addDiagnostics(thrown('Error', value))?.invariant?.id).toBe(id)
  })

  test('each one is recognized by some text', () => {
    expect([...new Set(broken.map(([id]) => id))].sort()).toEqual([...invariantIds].sort())
  })

  test.each([
    'NEXT_REDIRECT failed in our own code',
    'the router was not mounted on the wall',
    'An invariant was broken',
    'Failed to execute query',
    "Failed to execute 'removeChild' on 'Node': parameter 1 is not of type 'Node'.",
  ])('%s is none', (value) => {
    expect(addDiagnostics(thrown('Error', value))).toBeUndefined()
  })

  test('what was found is one line of at most 200 characters', () => {
    const found =
      addDiagnostics(thrown('Error', `a\n${'b'.repeat(500)} NextRouter was not mounted. ${'c'.repeat(900)}\nd`))
        ?.invariant?.found ?? ''
    expect(found).toContain('NextRouter')
    expect(found).not.toContain('\n')
    expect(found.length).toBeLessThanOrEqual(200)
  })
})

// ---- errors that were only logged

describe('an error that was only written to the console', () => {
  const stack = 'TypeError: price is undefined\n    at Price (https://shop.example/a.js:1:2)'
  const r18 =
    'The above error occurred in the <Price> component:\n\n    at Price\n\nReact will try to recreate this component tree from scratch using the error boundary you provided, PriceBoundary.'
  const r19 = [
    '%o\n\n%s\n\n%s\n',
    { name: 'RangeError', message: 'too far', stack: 'RangeError: too far\n at f' },
    'The above error occurred in the <Map> component.',
    'React will try to recreate this component tree from scratch using the error boundary you provided, Guard.',
  ]
  test.each<[string, object, object]>([
    ['React 18’s sentence', { message: r18 }, { by: 'boundary', component: 'Price', boundary: 'PriceBoundary' }],
    [
      'React 19’s, in the arguments',
      { message: '%o\n\n%s\n\n%s\n [object Object]', logger: 'console', extra: { arguments: r19 } },
      { by: 'boundary', component: 'Map', boundary: 'Guard', type: 'RangeError', value: 'too far' },
    ],
    ['without a name', { message: 'The above error occurred in one of your React components:' }, { by: 'boundary' }],
    [
      'an error beside words',
      {
        message: 'saving failed',
        logger: 'console',
        extra: { arguments: ['saving failed', { name: 'Error', message: 'no', stack: 'Error: no\n at f' }] },
      },
      { by: 'console', type: 'Error', value: 'no' },
    ],
    [
      'an error as a text',
      { message: stack, logger: 'console' },
      { by: 'console', type: 'TypeError', value: 'price is undefined' },
    ],
    [
      'an exception by the client’s console part',
      thrown('TypeError', 'x is null', { mechanism: { type: 'auto.core.capture_console', handled: true } }),
      { by: 'console', type: 'TypeError', value: 'x is null' },
    ],
  ])('%s', (_name, event, logged) => {
    const { findings } = refineEvent({ platform: 'javascript', ...page, ...event }).event
    expect(findings.signs?.logged).toEqual(logged)
    expect(findings.kind).toBe('error')
  })

  test.each<[string, object]>([
    ['words', { message: 'the error occurred in the cellar', logger: 'console' }],
    ['a text of another logger', { message: stack, logger: 'app' }],
    [
      'an object that is no error',
      { message: 'x', logger: 'console', extra: { arguments: [{ name: 'a', message: 'b' }] } },
    ],
  ])('%s is none', (_name, event) => {
    const { findings } = refineEvent({ platform: 'javascript', ...page, ...event }).event
    expect([findings.signs, findings.kind]).toEqual([undefined, 'message'])
  })

  test('its issue is one of errors', () => {
    expect(refineEvent({ platform: 'javascript', message: stack, logger: 'console' }).effect.kind).toBe('error')
  })
})

// ---- skew

const webpack = 'https://shop.example/_next/static/chunks/webpack-0f2a.js'
const post = (status: number) => ({
  breadcrumbs: [{ category: 'fetch', data: { method: 'POST', url: '/cart', status_code: status } }],
})
const skewed: [SkewKind, string, object][] = [
  [
    'chunk',
    'webpack',
    thrown('ChunkLoadError', 'Loading chunk 437 failed.\n(error: https://shop.example/_next/static/chunks/437.js)'),
  ],
  ['chunk', 'webpack, a style sheet', thrown('Error', 'Loading CSS chunk 12 failed.')],
  ['chunk', 'Turbopack', thrown('ChunkLoadError', 'Failed to load chunk /_next/static/chunks/a1.js from module 4711')],
  [
    'chunk',
    'Turbopack, a module',
    thrown(
      'Error',
      'Module 4711 was instantiated because it was required from module 9, but the module factory is not available.',
    ),
  ],
  [
    'chunk',
    'a module that did not come',
    thrown('TypeError', "Cannot read properties of undefined (reading 'call')", at(webpack)),
  ],
  [
    'chunk',
    'the same in Safari',
    thrown('TypeError', "undefined is not an object (evaluating 'e[r].call')", at(webpack)),
  ],
  [
    'chunk',
    'a document for a script',
    thrown('SyntaxError', "Unexpected token '<'", at('https://shop.example/assets/index-a1.js')),
  ],
  [
    'dynamic-import',
    'Chrome',
    thrown('TypeError', 'Failed to fetch dynamically imported module: https://shop.example/assets/a.js'),
  ],
  [
    'dynamic-import',
    'Firefox',
    thrown('TypeError', 'error loading dynamically imported module: https://shop.example/assets/a.js'),
  ],
  ['dynamic-import', 'Safari', thrown('TypeError', 'Importing a module script failed.')],
  ['dynamic-import', 'Vite', thrown('Error', 'Unable to preload CSS for /assets/a.css')],
  ['dynamic-import', 'a wrong type', thrown('TypeError', "'text/html' is not a valid JavaScript MIME type.")],
  [
    'server-action',
    'the browser',
    thrown(
      'UnrecognizedActionError',
      'Server Action "40ab" was not found on the server. \nRead more: https://nextjs.org',
    ),
  ],
  [
    'server-action',
    'the server',
    {
      platform: 'node',
      ...thrown(
        'Error',
        'Failed to find Server Action "40ab". This request might be from an older or newer deployment.',
      ),
    },
  ],
  [
    'server-action',
    'an answer of 409',
    { ...thrown('Error', 'An unexpected response was received from the server.'), ...post(409) },
  ],
  ['build-id', 'data of a page', thrown('Error', 'Failed to load static props')],
  ['build-id', 'a manifest', thrown('Error', 'Failed to load client build manifest')],
  ['build-id', 'a route', thrown('Error', 'Failed to lookup route: /cart')],
  ['build-id', 'by name', thrown('Error', 'Build ID mismatch: expected a, got b')],
  [
    'rsc',
    'a stream that ended',
    { ...thrown('Error', 'Connection closed.', at('https://shop.example/_next/static/chunks/1.js')) },
  ],
  [
    'rsc',
    'the same, minified',
    {
      ...thrown('Error', 'Minified React error #412; visit https://react.dev/errors/412'),
      sdk: { name: 'sentry.javascript.nextjs', version: '11.8.0' },
    },
  ],
  [
    'rsc',
    'a payload',
    { message: 'Failed to fetch RSC payload for https://shop.example/cart. Falling back to browser navigation.' },
  ],
  [
    'rsc',
    'a manifest',
    {
      platform: 'node',
      ...thrown('Error', 'Minified React error #588; visit https://react.dev/errors/588?args[]=a%23b'),
    },
  ],
]

describe('skew', () => {
  test.each(skewed)('%s: %s', (kind, _name, event) => {
    expect(addDiagnostics(event)?.skew?.kind).toBe(kind)
  })

  test('each kind is recognized', () => {
    expect([...new Set(skewed.map(([kind]) => kind))].sort()).toEqual(Object.keys(skewKinds).sort())
  })

  test.each<[string, object]>([
    [
      'a call of nothing in own code',
      thrown('TypeError', "Cannot read properties of undefined (reading 'call')", at('https://shop.example/app.js')),
    ],
    [
      'JSON that is a document',
      thrown(
        'SyntaxError',
        'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON',
        at('https://shop.example/app'),
      ),
    ],
    ['a socket that closed', thrown('Error', 'Connection closed.', at('https://shop.example/socket.js'))],
    ['an answer of 500', { ...thrown('Error', 'An unexpected response was received from the server.'), ...post(500) }],
    ['chunks of chocolate', thrown('Error', 'Loading a chunk of data')],
    ['a request that failed', thrown('TypeError', 'Failed to fetch')],
  ])('%s is none', (_name, event) => {
    expect(addDiagnostics(event)?.skew).toBeUndefined()
  })
})

// ---- stored events, and hostile input

test('a stored event that is looked at again keeps its bot, and loses what it is no more', () => {
  const head = { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' }
  const { event } = refineEvent({ platform: 'javascript', ...page, ...thrown('Error', 'x') }, head)
  expect(event.findings.signs?.noise).toEqual({ kind: 'bot', found: 'Googlebot' })
  refreshDiagnostics(event)
  expect(event.findings.signs?.noise?.kind).toBe('bot')
  const other: NormalEvent = {
    ...event,
    findings: { ...event.findings, signs: { skew: { kind: 'chunk', found: 'x' } } },
  }
  refreshDiagnostics(other)
  expect(other.findings.signs).toBeUndefined()
})

test('what is kept of hostile texts is bounded', () => {
  const messagePrefixes = [
    'Minified React error #418; visit https://react.dev/errors/418?args[]=',
    'Hydration failed because hydration-mismatch\n\n',
    'Text content did not match. Server: "',
    'Failed to fetch https://',
    'Error: x\n',
    'Loading chunk ',
    '',
  ]
  const bodies = [
    'args[]=%',
    '&args[]=a',
    '+ <a ',
    '- a="',
    '\n+ <a\n',
    '  <A>\n- x\n',
    '" Client: "',
    '"',
    '<font ',
    ' at ',
    'a.',
    '.a',
    '\n',
    '[0].',
    '1:',
    '12:00 ',
    '0.',
    ':r1',
    'Server Action "',
  ]
  for (const head of messagePrefixes)
    for (const body of bodies) {
      const value = `${head}${body.repeat(8000 / body.length)}`.slice(0, 8192)
      const values = Array.from({ length: 50 }, (_, i) => ({ type: 'Error', value: `${i} ${value}` }))
      const crumbs = Array.from({ length: 100 }, () => ({
        category: 'console',
        message: value,
        type: 'default',
        level: 'error',
      }))
      const contexts = { hydration: { server: value, client: `${value}x` }, react: { componentStack: value } }
      const event = {
        platform: 'javascript',
        tags: [],
        errors: [],
        contexts,
        exception: { values },
        breadcrumbs: { values: crumbs },
        extra: { arguments: [value, value] },
      }
      const found = diagnosticsOf(event as unknown as NormalEvent, '')
      expect(JSON.stringify(found).length, `${head}, ${body}`).toBeLessThan(16_384)
    }
})
