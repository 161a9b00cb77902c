import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { clientOf, isOwnOrigin, isWithin } from './client.ts'

const url = new URL('https://errors.example')
const req = (remoteAddress: string, headers: Record<string, string>, method = 'POST') =>
  ({ socket: { remoteAddress }, headers, method }) as unknown as IncomingMessage

test.each([
  ['10.1.2.3', ['10.0.0.0/8'], true],
  ['11.1.2.3', ['10.0.0.0/8'], false],
  ['10.1.2.3', ['10.1.2.3'], true],
  ['::1', ['::1'], true],
  ['::1', ['10.0.0.0/8', '::/64'], true],
  ['2001:db8::1', ['10.0.0.0/8'], false],
  ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
  ['nonsense', ['10.0.0.0/8'], false],
  ['10.1.2.3', ['nonsense'], false],
])('%s within %j: %s', (address, networks, expected) => {
  expect(isWithin(address, networks)).toBe(expected)
})

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
    { host: 'a', 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'b' },
    { address: '1.1.1.1', proto: 'https', host: 'b' },
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
  expect(clientOf(req(peer, headers as Record<string, string>), trusted, url)).toEqual(expected)
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

test.each([
  ['an empty list', '10.1.2.3', [], false],
  ['a whole family', '10.1.2.3', ['0.0.0.0/0'], true],
  ['a family does not hold the other', '::1', ['0.0.0.0/0'], false],
  ['one bit in', '10.127.255.255', ['10.0.0.0/9'], true],
  ['one bit out', '10.128.0.0', ['10.0.0.0/9'], false],
  ['an IPv6 range', 'fd00::5', ['fd00::/8'], true],
  ['the mapped form of an address in the list', '10.0.0.1', ['::ffff:10.0.0.1'], true],
  ['no address', '', ['0.0.0.0/0', '::/0'], false],
  ['a name', 'localhost', ['127.0.0.1'], false],
])('within: %s', (_name, address, networks, expected) => {
  expect(isWithin(address, networks)).toBe(expected)
})

type Headers = Record<string, string | string[] | undefined>
const asked = (headers: Headers, remoteAddress: string | undefined = '10.0.0.1') =>
  clientOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage, ['10.0.0.0/8', '::1'], url)

test.each<[string, Headers, object]>([
  ['no host header: the configured one', {}, { host: 'errors.example' }],
  ['several header lines: the first', { 'x-forwarded-for': ['1.1.1.1', '2.2.2.2'] }, { address: '1.1.1.1' }],
  ['spaces and empty parts', { 'x-forwarded-for': ' , 1.1.1.1 ,, ' }, { address: '1.1.1.1' }],
  ['IPv4 in the form of IPv6', { 'x-forwarded-for': '::ffff:1.1.1.1' }, { address: '1.1.1.1' }],
  ['only proxies: the peer itself', { 'x-forwarded-for': '10.9.9.9, 10.8.8.8' }, { address: '10.0.0.1' }],
  ['a made-up beginning counts nothing', { 'x-forwarded-for': '127.0.0.1, 8.8.8.8' }, { address: '8.8.8.8' }],
  ['an IPv6 client', { 'x-forwarded-for': '2001:db8::7' }, { address: '2001:db8::7' }],
  ['the first of two schemes', { 'x-forwarded-proto': 'https, http' }, { proto: 'https' }],
  ['another scheme', { 'x-forwarded-proto': 'wss' }, { proto: 'http' }],
  ['the forwarded host before the own', { host: 'a', 'x-forwarded-host': 'b:8443' }, { host: 'b:8443' }],
  ['an empty forwarded host', { host: 'a', 'x-forwarded-host': '' }, { host: 'a' }],
])('behind a trusted proxy: %s', (_name, headers, expected) => {
  expect(asked(headers)).toMatchObject(expected)
})

test('a socket without an address is nobody, and believed nothing', () => {
  const gone = { socket: {}, headers: { 'x-forwarded-for': '1.1.1.1' } } as unknown as IncomingMessage
  expect(clientOf(gone, ['0.0.0.0/0'], url)).toEqual({ address: '', proto: 'http', host: 'errors.example' })
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
  ['behind a proxy that speaks https', 'https', 'shop.example', 'https://shop.example', true],
  ['the page is https, the proxy said http', 'http', 'shop.example', 'https://shop.example', false],
  ['another port of the forwarded host', 'https', 'shop.example:8443', 'https://shop.example', false],
] as const)('own origin: %s', (_name, proto, host, origin, expected) => {
  expect(isOwnOrigin(req('1.1.1.1', { origin }), { address: '1.1.1.1', proto, host }, url)).toBe(expected)
})
