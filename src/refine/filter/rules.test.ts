import { describe, expect, test } from 'vitest'
import type { NormalEvent } from '../../domain/event.ts'
import { noFilters, type ProjectFilters } from '../../domain/filters.ts'
import { createFilter, type Sender } from './rules.ts'

type Given = {
  platform?: string
  type?: string
  value?: string
  message?: string
  place?: string
  url?: string
  release?: string
  address?: string
  browser?: [name: string, version: string]
  agent?: string
  csp?: NonNullable<NormalEvent['csp']>
  sender?: Partial<Sender>
}

/** A normalized event as it reaches the filters. */
function event(given: Given): NormalEvent {
  const { type, value, place, browser } = given
  const stacktrace =
    place === undefined
      ? {}
      : {
          stacktrace: {
            frames: [
              { in_app: true, abs_path: 'https://shop.test/a.js' },
              { in_app: true, abs_path: place },
            ],
          },
        }
  return {
    event_id: 'a'.repeat(32),
    timestamp: 0,
    received: 0,
    level: 'error',
    type: 'error',
    tags: [],
    errors: [],
    platform: given.platform ?? 'javascript',
    ...(type === undefined && value === undefined && place === undefined
      ? {}
      : { exception: { values: [{ ...(type ? { type } : {}), ...(value ? { value } : {}), ...stacktrace }] } }),
    ...(given.message ? { logentry: { formatted: given.message } } : {}),
    request: {
      ...(given.url ? { url: given.url } : {}),
      ...(given.agent ? { headers: [['User-Agent', given.agent]] } : {}),
    },
    ...(given.release ? { release: given.release } : {}),
    ...(given.csp ? { type: 'csp', csp: given.csp } : {}),
    ...(given.address ? { user: { ip_address: given.address } } : {}),
    contexts: browser ? { browser: { type: 'browser', name: browser[0], version: browser[1] } } : {},
    findings: {
      title: '',
      culprit: '',
      metadata: {},
      kind: 'error',
      unhandled: false,
      grouping: { version: 0, variants: [] },
    },
  } as NormalEvent
}

const ask = (filters: Partial<ProjectFilters>, given: Given) =>
  createFilter({ ...noFilters, ...filters })(event(given), { userAgent: '', address: '', ...given.sender })

const dropped: [name: string, filters: Partial<ProjectFilters>, given: Given, reason: string, why: string][] = [
  [
    'an extension’s frame',
    { extensions: true },
    { value: 'x', place: 'chrome-extension://abc/a.js' },
    'browser_extension',
    'chrome-extension://abc/a.js',
  ],
  [
    'Safari’s masked frame',
    { extensions: true },
    { value: 'x', place: 'webkit-masked-url://hidden/' },
    'browser_extension',
    'webkit-masked-url://hidden/',
  ],
  [
    'an extension’s message',
    { extensions: true },
    { type: 'Error', value: 'Extension context invalidated.' },
    'browser_extension',
    'Extension context invalidated',
  ],
  ['localhost', { localhost: true }, { value: 'x', url: 'http://localhost:3000/a' }, 'localhost', 'localhost'],
  ['a loopback address', { localhost: true }, { value: 'x', url: 'http://127.0.0.2/' }, 'localhost', '127.0.0.2'],
  ['the loopback address of IPv6', { localhost: true }, { value: 'x', url: 'http://[::1]:80/' }, 'localhost', '[::1]'],
  [
    'a crawler in the request',
    { crawlers: true },
    { value: 'x', agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' },
    'web_crawler',
    'Googlebot',
  ],
  [
    'a crawler that sent it',
    { crawlers: true },
    { value: 'x', sender: { userAgent: 'x bingbot/2.0' } },
    'web_crawler',
    'bingbot',
  ],
  [
    'Internet Explorer',
    { browsers: ['ie'] },
    { value: 'x', browser: ['Internet Explorer', '11.0'] },
    'legacy_browser',
    'Internet Explorer 11.0',
  ],
  [
    'an old Safari',
    { browsers: ['safari', 'ie'] },
    { value: 'x', browser: ['Safari', '15.6'] },
    'legacy_browser',
    'Safari 15.6',
  ],
  [
    'Opera Mini',
    { browsers: ['opera_mini'] },
    { value: 'x', browser: ['Opera', '9.80'], agent: 'Opera/9.80 (J2ME; Opera Mini/9.1/22)' },
    'legacy_browser',
    'Opera Mini 9',
  ],
  [
    'React’s number',
    { hydration: true },
    { type: 'Error', value: 'Minified React error #418; visit' },
    'hydration_error',
    'Minified React error #418',
  ],
  [
    'React’s sentence',
    { hydration: true },
    { value: 'Hydration failed because the initial UI' },
    'hydration_error',
    'Hydration failed because',
  ],
  [
    'a chunk',
    { chunkLoad: true },
    { type: 'ChunkLoadError', value: 'Loading chunk 7 failed.' },
    'chunk_load_error',
    'ChunkLoadError',
  ],
  [
    'a module',
    { chunkLoad: true },
    { type: 'TypeError', value: 'Failed to fetch dynamically imported module: x' },
    'chunk_load_error',
    'Failed to fetch dynamically imported module',
  ],
  [
    'a message',
    { messages: ['*resizeobserver loop*'] },
    { value: 'ResizeObserver loop limit' },
    'error_message',
    '*resizeobserver loop*',
  ],
  [
    'a type and its message',
    { messages: ['TypeError: x*'] },
    { type: 'TypeError', value: 'x is not a function' },
    'error_message',
    'TypeError: x*',
  ],
  ['a plain message', { messages: ['hello'] }, { message: 'Hello' }, 'error_message', 'hello'],
  ['a release', { releases: ['web@1.*'] }, { value: 'x', release: 'web@1.2.3' }, 'release_version', 'web@1.*'],
  [
    'a user’s address',
    { addresses: ['203.0.113.0/24'] },
    { value: 'x', address: '203.0.113.9' },
    'ip_address',
    '203.0.113.9',
  ],
  [
    'a sender’s address',
    { addresses: ['2001:db8::1'] },
    { value: 'x', sender: { address: '2001:db8::1' } },
    'ip_address',
    '2001:db8::1',
  ],
  [
    'a blocked address',
    { cspSources: ['https://cdn.test/*'] },
    { csp: { blocked_uri: 'https://cdn.test/a.js?b=c' } },
    'csp_source',
    'https://cdn.test/*',
  ],
  [
    'a blocked origin',
    { cspSources: ['https://cdn.test:8443'] },
    { csp: { blocked_uri: 'https://CDN.test:8443/a.js' } },
    'csp_source',
    'https://cdn.test:8443',
  ],
  [
    'a blocked host, whatever its port',
    { cspSources: ['*.cdn.test'] },
    { csp: { blocked_uri: 'https://a.cdn.test:8443/a.js' } },
    'csp_source',
    '*.cdn.test',
  ],
  ['a blocked word', { cspSources: ['inline'] }, { csp: { blocked_uri: ' inline ' } }, 'csp_source', 'inline'],
  [
    'the file that asked for it',
    { cspSources: ['chrome-extension*'] },
    { csp: { blocked_uri: 'eval', source_file: 'chrome-extension://abc/a.js' } },
    'csp_source',
    'chrome-extension*',
  ],
]

describe('what a filter drops', () => {
  test.each(dropped)('%s', (_name, filters, given, reason, why) => {
    expect(ask(filters, given)).toEqual({ reason, why })
  })

  test.each(dropped)('and nothing while it is off: %s', (_name, _filters, given) => {
    expect(ask({}, given)).toBeUndefined()
  })
})

test.each<[string, Partial<ProjectFilters>, Given]>([
  ['an extension that wrapped the page’s call', { extensions: true }, { value: 'x', place: 'https://shop.test/a.js' }],
  [
    'an extension’s message of a server',
    { extensions: true },
    { platform: 'node', value: 'Extension context invalidated' },
  ],
  ['a host that begins like localhost', { localhost: true }, { value: 'x', url: 'https://localhost.shop.test/' }],
  ['a proxy’s own address', { localhost: true }, { value: 'x', address: '127.0.0.1', url: 'https://shop.test/' }],
  ['an address that is none', { localhost: true }, { value: 'x', url: '/relative' }],
  ['a browser', { crawlers: true }, { value: 'x', agent: 'Mozilla/5.0 (Macintosh) Chrome/140.0 Safari/537.36' }],
  ['the version after', { browsers: ['safari'] }, { value: 'x', browser: ['Safari', '16.0'] }],
  ['another browser', { browsers: ['ie'] }, { value: 'x', browser: ['Safari', '9.0'] }],
  ['a browser without a version', { browsers: ['safari'] }, { value: 'x', browser: ['Safari', ''] }],
  ['another of React’s numbers', { hydration: true }, { value: 'Minified React error #4180;' }],
  ['a part of a message without stars', { messages: ['ResizeObserver'] }, { value: 'ResizeObserver loop' }],
  ['another release', { releases: ['web@1.*'] }, { value: 'x', release: 'api@1.0.0' }],
  ['no release', { releases: ['*1*'] }, { value: 'x' }],
  ['a host that only ends alike', { cspSources: ['cdn.test'] }, { csp: { blocked_uri: 'https://notcdn.test/a.js' } }],
  ['a report that names no source', { cspSources: ['*a*'] }, { csp: { blocked_uri: '', source_file: 7 } }],
  [
    'an error that speaks of the host',
    { cspSources: ['*cdn.test*'] },
    { value: 'https://cdn.test/', url: 'https://cdn.test/' },
  ],
  ['an address beside the network', { addresses: ['203.0.113.0/24'] }, { value: 'x', address: '203.0.114.9' }],
])('kept: %s', (_name, filters, given) => {
  expect(ask(filters, given)).toBeUndefined()
})

test('the reason is bounded', () => {
  const place = `chrome-extension://${'x'.repeat(5000)}`
  expect(ask({ extensions: true }, { value: 'x', place })?.why).toHaveLength(200)
})
