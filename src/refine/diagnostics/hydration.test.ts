import { describe, expect, test } from 'vitest'
import { type HydrationCause, hydrationCauses } from '../../domain/diagnostics.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { valueCause } from './causes.ts'
import { fromMarkup } from './differences.ts'
import { partsOf } from './markup.ts'

const link = 'https://react.dev/link/hydration-mismatch'
const failed =
  "Hydration failed because the server rendered text didn't match the client. As a result this tree will be regenerated on the client. This can happen if a SSR-ed Client Component used:\n\n- A server/client branch `if (typeof window !== 'undefined')`.\n- Invalid HTML tag nesting.\n"
const diff = (...lines: string[]) => `${failed}\n${link}\n\n${lines.join('\n')}\n`
const thrown = (value: string, more: object = {}) => ({ exception: { values: [{ type: 'Error', value }] }, ...more })
const console18 = (...args: unknown[]) => ({
  breadcrumbs: [
    { category: 'console', level: 'error', message: args.join(' '), data: { arguments: args, logger: 'console' } },
  ],
})
const minified =
  'Minified React error #418; visit https://react.dev/errors/418?args[]=text&args[]= for the full message'
const old = 'Hydration failed because the initial UI does not match what was rendered on the server.'
const hydration = (event: object) =>
  refineEvent({ platform: 'javascript', request: { url: 'https://shop.example/' }, ...event }).event.findings.signs
    ?.hydration

describe('cause, evidence and component', () => {
  test.each<[HydrationCause, string, object, string | undefined, string | undefined]>([
    [
      'date-locale',
      'React 19’s diff',
      thrown(
        diff(
          '  <App>',
          '    <Orders>',
          '      <Order id={5}>',
          '        <time>',
          '+         1/2/2026',
          '-         02.01.2026',
        ),
      ),
      'server: 02.01.2026, browser: 1/2/2026',
      'Order',
    ],
    [
      'date-locale',
      'React 18’s sentence with its arguments',
      {
        ...thrown(old),
        ...console18(
          'Warning: Text content did not match. Server: "%s" Client: "%s"%s',
          '1,234.50',
          '1.234,50',
          '\n    at span\n    at Price',
        ),
      },
      'server: 1,234.50, browser: 1.234,50',
      'Price',
    ],
    [
      'random-time',
      'an attribute',
      thrown(diff('  <Form>', '    <input', '+     id="field-0.8371462"', '-     id="field-0.1937465"')),
      'id: server: field-0.1937465, browser: field-0.8371462',
      'Form',
    ],
    [
      'extension',
      'an attribute that only the server’s page has',
      thrown(
        diff('  <RootLayout>', '    <html lang="en">', '      <body', '-       data-gr-ext-installed=""', '      >'),
      ),
      'data-gr-ext-installed',
      'RootLayout',
    ],
    [
      'extension',
      'React 18’s sentence',
      {
        ...thrown(old),
        ...console18('Warning: Extra attributes from the server: %s%s', 'cz-shortcut-listen', '\n    at body'),
      },
      'cz-shortcut-listen',
      undefined,
    ],
    [
      'translator',
      'a node that translators make',
      thrown(diff('  <Nav>', '    <a>', '+     Home', '-     <font style={{vertical-align:"inherit"}}>')),
      '<font style={{vertical-align:"inherit"}}>',
      'Nav',
    ],
    [
      'translator',
      'the page’s address',
      { ...thrown(minified), request: { url: 'https://shop-example.translate.goog/' } },
      'shop-example.translate.goog',
      undefined,
    ],
    [
      'nesting',
      'React’s sentence before it',
      {
        ...thrown(diff('  <Card>', '    <p>', '+     <div>', '-     text')),
        ...console18(
          'In HTML, %s cannot be a descendant of <%s>.\nThis will cause a hydration error.%s',
          '<div>',
          'p',
          '',
        ),
      },
      'In HTML, <div> cannot be a descendant of <p>.',
      'Card',
    ],
    [
      'nesting',
      'React 18’s sentence, once it has rendered again',
      {
        ...thrown('There was an error while hydrating this Suspense boundary. Switched to client rendering.'),
        ...console18(
          'Warning: validateDOMNesting(...): %s cannot appear as a descendant of <%s>.%s',
          '<div>',
          'p',
          '\n    at div\n    at p\n    at Card',
        ),
      },
      'validateDOMNesting(...): <div> cannot appear as a descendant of <p>.',
      'Card',
    ],
    [
      'date-locale',
      'though React 18 then tells of nesting elsewhere on the page',
      {
        ...thrown('There was an error while hydrating this Suspense boundary. Switched to client rendering.'),
        breadcrumbs: [
          ...console18(
            'Warning: Text content did not match. Server: "%s" Client: "%s"%s',
            '02.01.2026',
            '1/2/2026',
            '\n    at time\n    at Order',
          ).breadcrumbs,
          ...console18(
            'Warning: validateDOMNesting(...): %s cannot appear as a descendant of <%s>.%s',
            '<div>',
            'p',
            '\n    at div\n    at p\n    at Card',
          ).breadcrumbs,
        ],
      },
      'server: 02.01.2026, browser: 1/2/2026',
      'Order',
    ],
    [
      'unknown',
      'React 19’s diff with what wraps a component',
      thrown(diff('  <Page>', '    <withTheme(Badge)>', '      <b>', '+       three', '-       four')),
      undefined,
      'Badge',
    ],
    [
      'unknown',
      'Firefox’s stack of components',
      thrown(minified, {
        contexts: {
          react: {
            componentStack:
              '\nspan\nPrice@https://shop.example/a.js:1:2\nHistoryUpdater@https://shop.example/b.js:1:2\nPage@https://shop.example/a.js:3:4',
          },
        },
      }),
      undefined,
      'Price',
    ],
    [
      'browser-only',
      'an element',
      thrown(diff('  <Suspense>', '    <Menu>', '+     <UserMenu>', '    <main>')),
      'only in the browser: <UserMenu>',
      'Menu',
    ],
    [
      'browser-only',
      'another element',
      thrown(diff('  <Menu>', '+   <div className="a">', '-   <span>')),
      'server: <span>, browser: <div className="a">',
      'Menu',
    ],
    [
      'date-locale',
      'a text that looks like a key',
      thrown(diff('  <Sum>', '    <p>', '+     Total: 1,000', '-     Total: 1.000')),
      'server: Total: 1.000, browser: Total: 1,000',
      'Sum',
    ],
    [
      'random-time',
      'a key of a style',
      thrown(
        diff(
          '  <Bar>',
          '    <div',
          '      style={{',
          '+       width: "0.7263548%"',
          '-       width: "0.1263541%"',
          '      }}',
          '    >',
        ),
      ),
      'width: server: 0.1263541%, browser: 0.7263548%',
      'Bar',
    ],
    [
      'browser-only',
      'React 18’s sentence',
      {
        ...thrown(old),
        ...console18('Warning: Expected server HTML to contain a matching <%s> in <%s>.%s', 'aside', 'div', ''),
      },
      'only in the browser: <aside>',
      undefined,
    ],
    [
      'browser-only',
      'the other one',
      {
        ...thrown(old),
        ...console18(
          'Warning: Did not expect server HTML to contain the text node "%s" in <%s>.%s',
          'Sign in',
          'div',
          '',
        ),
      },
      'only from the server: Sign in',
      undefined,
    ],
    [
      'browser-only',
      'a theme',
      thrown(diff('  <Html>', '    <Page', '+     className="dark"', '-     className="light"')),
      'className: server: light, browser: dark',
      'Page',
    ],
    [
      'browser-only',
      'what waits for the browser',
      thrown(diff('  <Wide>', '    <p>', '+     Width 1280', '-     Loading …')),
      'server: Loading …, browser: Width 1280',
      'Wide',
    ],
    [
      'unknown',
      'two texts that only begin so',
      thrown(diff('  <Dock>', '    <p>', '+     Loading dock B', '-     Loading dock A')),
      undefined,
      'Dock',
    ],
    [
      'extension',
      'a mark within a tag',
      thrown(diff('  <Plain>', '    <div>', '+     <p className="a">', '-     <div data-lastpass-icon-root="">')),
      'data-lastpass-icon-root=""',
      'Plain',
    ],
    ['unknown', 'a production build', thrown(minified), undefined, undefined],
    [
      'unknown',
      'a production build with its stack of components',
      thrown(minified, {
        contexts: {
          react: {
            componentStack:
              '\n    at span\n    at Suspense\n    at InnerLayoutRouter (a.js:1:2)\n    at Price (https://shop.example/a.js:1:2)\n    at Page',
          },
        },
      }),
      undefined,
      'Price',
    ],
    ['unknown', 'words', thrown(diff('  <A>', '    <b>', '+     three', '-     four')), undefined, 'A'],
  ])('%s: %s', (cause, _name, event, evidence, component) => {
    const found = hydration(event)
    expect([found?.cause, found?.evidence, found?.component]).toEqual([cause, evidence, component])
  })

  test('the component of the exception that the client makes of a stack', () => {
    const values = [
      {
        type: 'React ErrorBoundary Error',
        value: minified,
        stacktrace: { frames: [{ function: 'Page' }, { function: 'Clock' }, { function: 'span' }] },
      },
      { type: 'Error', value: minified },
    ]
    expect(hydration({ exception: { values } })?.component).toBe('Clock')
  })

  test('a context of its own: HTML of both sides', () => {
    const server = '<p class="a" id="b">Total <b>5</b></p>'
    const contexts = {
      hydration: {
        server,
        client: server.replace('5', '7').replace('class="a" id="b"', 'id="b"  class="a :hover"'),
        component: 'Total',
      },
    }
    expect(hydration(thrown(minified, { contexts }))).toEqual({
      cause: 'unknown',
      component: 'Total',
      differences: [{ what: 'text', server: '5', client: '7' }],
    })
  })

  test.each<[HydrationCause, string, string, string]>([
    ['unknown', 'a field for no password', '<input data-1p-ignore value="3">', '<input data-1p-ignore value="7">'],
    ['browser-only', 'such a field in the browser only', '<p>a</p>', '<p>a</p><input data-1p-ignore>'],
    ['unknown', 'a font of its own', '<font size=2>a</font>', '<font size=3>a</font>'],
    ['unknown', 'fonts around a text', '<p><font>one</font></p>', '<p><font>two</font></p>'],
    [
      'unknown',
      'a style of its own',
      '<td style="vertical-align: inherit">a</td>',
      '<td style="vertical-align: inherit; width: 3px">a</td>',
    ],
    ['unknown', 'an attribute that both have', '<b data-lt-installed="a">', '<b data-lt-installed="b">'],
    ['extension', 'a mark in the browser', '<body class="a">', '<body class="a" data-lt-installed="true">'],
    ['extension', 'a mark in the page as it was found', '<body cz-shortcut-listen="true">', '<body>'],
    [
      'extension',
      'a mark beside one that both have',
      '<font>a</font><b data-lt-installed="a">',
      '<font>a</font><b data-lt-installed="b" bis_skin_checked="1">',
    ],
    ['translator', 'fonts in the browser only', '<p>Cart</p>', '<p><font><font>Warenkorb</font></font></p>'],
  ])('%s by marks: %s', (cause, _name, server, client) => {
    const found = hydration(thrown(minified, { contexts: { hydration: { server, client } } }))
    expect([found?.cause, found?.differences.length]).toEqual([cause, expect.any(Number)])
    expect(found?.differences.length).toBeGreaterThan(0)
  })

  test('differences keep what differs, also behind a long beginning', () => {
    const text = 'so it goes on and on '.repeat(20)
    const [difference] =
      hydration(thrown(diff('  <A>', `+   ${text}10:15:31`, `-   ${text}10:15:30`)))?.differences ?? []
    expect([difference?.server?.endsWith('10:15:30'), difference?.client?.endsWith('10:15:31')]).toEqual([true, true])
    expect(difference?.server?.length).toBeLessThanOrEqual(200)
  })

  test('each cause has its sentence', () => {
    for (const sentence of Object.values(hydrationCauses)) expect(sentence).toMatch(/^[A-Z].*\.$/)
  })
})

test.each([
  ...[418, 419, 421, 422, 423, 424, 425].map(
    (code) => `Minified React error #${code}; visit https://react.dev/errors/${code}`,
  ),
  'There was an error while hydrating this Suspense boundary. Switched to client rendering.',
  'Text content does not match server-rendered HTML.',
  "A tree hydrated but some attributes of the server rendered HTML didn't match the client properties.",
])('%s is one of hydrating', (value) => {
  expect(hydration(thrown(value))).toBeDefined()
})

test.each([
  'Minified React error #185; visit https://react.dev/errors/185',
  'Hydration of the plant failed',
  'Text did not match',
])('%s is none', (value) => {
  expect(hydration(thrown(value))).toBeUndefined()
})

describe('why two values differ', () => {
  test.each<[HydrationCause | undefined, string, string]>([
    ['date-locale', '1/2/2026', '02.01.2026'],
    ['date-locale', '2 January 2026', '2. Januar 2026'],
    ['date-locale', 'Jan 2, 2026', '2 janv. 2026'],
    ['date-locale', '14:30', '2:30 PM'],
    ['date-locale', '14:30', '15:30'],
    ['date-locale', 'Posted 11/21/2026, 11:59 PM', 'Posted 11/22/2026, 12:59 AM'],
    ['date-locale', '1,234.5', '1.234,5'],
    ['date-locale', '12 345', '12,345'],
    ['date-locale', 'Total $1,000.00', 'Total 1.000,00 $'],
    ['random-time', '10:15:30', '10:15:31'],
    ['random-time', '10:15', '10:16'],
    ['random-time', '5 seconds ago', '6 seconds ago'],
    ['random-time', 'vor 5 Sekunden', 'vor 6 Sekunden'],
    ['random-time', '0.19374650193', '0.83714621133'],
    ['random-time', 'id-3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'id-9b2504e0-4f89-11d3-9a0c-0305e82c33aa'],
    ['random-time', ':r1:', ':r7:'],
    ['random-time', 'radix-:r1a:', 'radix-:r2b:'],
    ['random-time', '1795000000500', '1795000000731'],
    [undefined, '3', '4'],
    [undefined, 'Sign in', 'Hello Ada'],
    [undefined, 'dark', 'light'],
    [undefined, '', 'a'],
    [undefined, 'March on', 'Walk on'],
  ])('%s: %s, %s', (cause, server, client) => {
    expect(valueCause(server, client)).toBe(cause)
  })
})

describe('documents that are equal', () => {
  test.each([
    ['attributes in another order', '<a href="/" id="x">b</a>', '<a id="x" href="/">b</a>'],
    ['white space', '<p>\n  a   b\n</p>', '<p>a b</p>'],
    ['quotes', "<a title='x'>", '<a title="x">'],
    ['letters of names', '<DIV CLASS="a">', '<div class="a">'],
    ['a class of the replay', '<a class="b :hover">', '<a class="b">'],
    ['an empty class', '<a class="">', '<a>'],
    [
      'rules of the replay',
      '<style>a:hover, a.\\:hover { color: red }</style>',
      '<style>a:hover{ color: red }</style>',
    ],
    ['a style’s end', '<a style="color: red;">', '<a style="color:red">'],
    ['React’s marks', 'a<!-- -->b', 'a<!--x-->b'],
  ])('%s', (_name, server, client) => {
    const plain = (parts: string[]) => parts.map((part) => part.replace(/\s?\{/g, '{'))
    expect(plain(partsOf(server))).toEqual(plain(partsOf(client)))
  })

  test.each([
    ['a text', '<p>a</p>', '<p>b</p>', [{ what: 'text', server: 'a', client: 'b' }]],
    [
      'an attribute',
      '<p id="a">x</p>',
      '<p id="b">x</p>',
      [{ what: 'html', server: '<p id="a">', client: '<p id="b">' }],
    ],
    ['an element on one side', '<p>x</p>', '<p>x<b>y</b></p>', [{ what: 'html', client: '<b>y</b>' }]],
    ['nothing', '<p>x</p>', '<p> x </p>', []],
    [
      'a quoted sign',
      '<p title="a>b">x</p>',
      '<p title="a>c">x</p>',
      [{ what: 'html', server: '<p title="a>b">', client: '<p title="a>c">' }],
    ],
    ['no end', '<p title="a', '<p title="b', [{ what: 'html', server: '<p a title>', client: '<p b title>' }]],
  ])('else what differs is told: %s', (_name, server, client, differences) => {
    expect(fromMarkup(server, client).differences).toEqual(differences)
  })
})
