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
