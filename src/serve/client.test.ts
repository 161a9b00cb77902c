import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createClientOf, isOwnOrigin } from './client.ts'

const url = new URL('https://errors.example')
const req = (remoteAddress: string, headers: Record<string, string>, method = 'POST', path = '/') =>
  ({ socket: { remoteAddress }, headers, method, url: path }) as unknown as IncomingMessage

test.each([
  [
    'no proxy trusted: what is forwarded is not believed',
    [],
    '9.9.9.9',
    { host: 'a', 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'https' },
    { address: '9.9.9.9', proto: 'http', host: 'a' },
  ],
  [
    'a stranger is not a proxy',
    ['10.0.0.0/8'],
    '9.9.9.9',
    { host: 'a', 'x-forwarded-for': '1.1.1.1' },
    { address: '9.9.9.9', proto: 'http', host: 'a' },
  ],
  [
    'a trusted proxy is believed',
    ['10.0.0.0/8'],
    '::ffff:10.0.0.1',
    { host: 'a', 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'https' },
    { address: '1.1.1.1', proto: 'https', host: 'a' },
  ],
  [
    'of a chain the last one that is no proxy counts',
    ['10.0.0.0/8'],
    '10.0.0.1',
    { host: 'a', 'x-forwarded-for': '6.6.6.6, 1.1.1.1, 10.0.0.2' },
    { address: '1.1.1.1', proto: 'http', host: 'a' },
  ],
  [
    'a proxy that forwards nothing',
    ['10.0.0.0/8'],
    '10.0.0.1',
    { host: 'a' },
    { address: '10.0.0.1', proto: 'http', host: 'a' },
  ],
])('%s', (_name, trusted, peer, headers, expected) => {
  expect(createClientOf(trusted, url)(req(peer, headers as Record<string, string>))).toEqual(expected)
})

test.each([
  ['GET needs no origin', 'GET', {}, true],
  ['a missing origin is refused', 'POST', {}, false],
  ['null is refused', 'POST', { origin: 'null' }, false],
  ['the configured origin', 'POST', { origin: 'https://errors.example' }, true],
  ['the host that was asked', 'POST', { origin: 'http://127.0.0.1:9000' }, true],
  ['another scheme of the same host', 'POST', { origin: 'https://127.0.0.1:9000' }, false],
  ['another port', 'POST', { origin: 'http://127.0.0.1:9001' }, false],
  ['a stranger', 'DELETE', { origin: 'https://evil.example' }, false],
  ['a bearer call has no cookie to misuse', 'PUT', { authorization: 'Bearer x' }, true],
  ['a bearer header with a cookie is checked', 'PUT', { authorization: 'Bearer x', cookie: 'a=b' }, false],
])('%s', (_name, method, headers, expected) => {
  const client = { address: '1.1.1.1', proto: 'http' as const, host: '127.0.0.1:9000' }
  expect(isOwnOrigin(req('1.1.1.1', headers as Record<string, string>, method), client, url)).toBe(expected)
})

type Headers = Record<string, string | string[] | undefined>
const asked = (headers: Headers, remoteAddress: string | undefined = '10.0.0.1') =>
  createClientOf(['10.0.0.0/8', '::1'], url)({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)

test.each<[string, Headers, object]>([
  ['the address goes by the rule of ingest', { 'x-forwarded-for': '6.6.6.6, 10.9.9.9' }, { address: '6.6.6.6' }],
  ['no host header: the configured one', {}, { host: 'errors.example' }],
  ['the first of two schemes', { 'x-forwarded-proto': 'https, http' }, { proto: 'https' }],
  ['another scheme', { 'x-forwarded-proto': 'wss' }, { proto: 'http' }],
  ['a forwarded host is believed from nobody', { host: 'a', 'x-forwarded-host': 'b:8443' }, { host: 'a' }],
])('behind a trusted proxy: %s', (_name, headers, expected) => {
  expect(asked(headers)).toMatchObject(expected)
})

test('a socket without an address is nobody, and believed nothing', () => {
  const gone = { socket: {}, headers: { 'x-forwarded-for': '1.1.1.1' } } as unknown as IncomingMessage
  expect(createClientOf(['0.0.0.0/0'], url)(gone)).toEqual({ address: '', proto: 'http', host: 'errors.example' })
})

test.each([
  ['HEAD', {}, true],
  ['OPTIONS', { origin: 'https://evil.example' }, true],
  ['PATCH', { origin: 'https://evil.example' }, false],
  ['POST', { origin: '' }, false],
  ['POST', { origin: 'https://errors.example.evil.example' }, false],
  ['POST', { origin: 'https://errors.example/' }, false],
  ['POST', { origin: 'http://errors.example' }, false],
  ['POST', { authorization: 'bearer x' }, true],
  ['POST', { authorization: 'Basic x' }, false],
  ['POST', { authorization: 'Bearerx' }, false],
  ['POST', { authorization: 'Bearer x', cookie: '' }, false],
])('own origin: %s %j is %s', (method, headers, expected) => {
  const client = { address: '1.1.1.1', proto: 'https' as const, host: 'errors.test' }
  expect(isOwnOrigin(req('1.1.1.1', headers as Record<string, string>, method), client, url)).toBe(expected)
})

test.each([
  ['/api/0/unsubscribe?token=x', true],
  ['/api/0/unsubscribe/?token=x', true],
  ['/api/0/unsubscribe', true],
  ['/api/0/unsubscribe/more', false],
  ['/api/0/organizations/?x=/api/0/unsubscribe', false],
  ['/unsubscribe?token=x', false],
])('a mail server may post to %s: %s', (path, expected) => {
  const client = { address: '1.1.1.1', proto: 'https' as const, host: 'errors.test' }
  expect(isOwnOrigin({ ...req('1.1.1.1', {}, 'POST'), url: path } as IncomingMessage, client, url)).toBe(expected)
})

test.each([
  ['behind a proxy that speaks https', 'https', 'shop.example', 'https://shop.example', true],
  ['the page is https, the proxy said http', 'http', 'shop.example', 'https://shop.example', false],
  ['another port of the host', 'https', 'shop.example:8443', 'https://shop.example', false],
] as const)('own origin: %s', (_name, proto, host, origin, expected) => {
  expect(isOwnOrigin(req('1.1.1.1', { origin }), { address: '1.1.1.1', proto, host }, url)).toBe(expected)
})

test.each([
  ['http://127.0.0.1:9000', true],
  ['http://[::1]:9000', true],
  ['http://127.0.0.1:9001', false],
  ['https://localhost:9000', false],
  ['http://localhost.evil.example:9000', false],
])('own origin of http://localhost:9000, however Host is passed: %s is %s', (origin, expected) => {
  const client = { address: '127.0.0.1', proto: 'http' as const, host: 'mishap.internal' }
  expect(isOwnOrigin(req('127.0.0.1', { origin }), client, new URL('http://localhost:9000'))).toBe(expected)
})

test.each([
  ['a signed call of a service has no origin', '/api/0/hooks/slack/acme/', {}, true],
  ['with a cookie it is checked', '/api/0/hooks/slack/acme/', { cookie: 'a=b' }, false],
  ['another path is checked', '/api/0/hook', {}, false],
  ['a path that leads elsewhere', '/api/0/hooks/../../auth/sign-in/email', {}, false],
  ['one behind the name', '/api/0/hooks/slack/acme/../../../organizations/', {}, false],
  ['dots in place of the name', '/api/0/hooks/slack/../', {}, false],
  ['encoded dots', '/api/0/hooks/slack/%2e%2e/', {}, false],
])('%s', (_name, path, headers, expected) => {
  const client = { address: '1.1.1.1', proto: 'https' as const, host: 'errors.example' }
  expect(isOwnOrigin(req('1.1.1.1', headers as Record<string, string>, 'POST', path), client, url)).toBe(expected)
})

test.each([
  ['a webhook of a tracker needs no origin', 'POST', '/api/0/trackers/7/webhook/', {}, true],
  ['without the slash at its end too', 'POST', '/api/0/trackers/7/webhook', {}, true],
  ['with a query', 'POST', '/api/0/trackers/7/webhook/?a=1', {}, true],
  ['a webhook with a cookie is checked', 'POST', '/api/0/trackers/7/webhook/', { cookie: 'a=b' }, false],
  ['another method', 'PUT', '/api/0/trackers/7/webhook/', {}, false],
  ['another path below', 'POST', '/api/0/trackers/7/webhook/x', {}, false],
  ['another path above', 'POST', '/api/0/organizations/trackers/7/webhook/', {}, false],
  ['a name that is no number', 'POST', '/api/0/trackers/a/webhook/', {}, false],
])('%s', (_name, method, target, headers, expected) => {
  const client = { address: '1.1.1.1', proto: 'http' as const, host: '127.0.0.1:9000' }
  const hook = Object.assign(req('1.1.1.1', headers as Record<string, string>, method), { url: target })
  expect(isOwnOrigin(hook, client, url)).toBe(expected)
})
