import { expect, test } from 'vitest'
import { createClientAddress, isPublic, isWithin, ownOrigins } from './network.ts'

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

type Forwarded = string | string[] | undefined
test.each<[string, string[], string | undefined, Forwarded, string]>([
  ['no proxies', [], '1.2.3.4', '9.9.9.9', '1.2.3.4'],
  ['mapped', [], '::ffff:1.2.3.4', undefined, '1.2.3.4'],
  ['no socket any more', [], undefined, undefined, ''],
  ['no socket any more, all trusted', ['0.0.0.0/0'], undefined, '1.1.1.1', ''],
  ['a trusted peer', ['10.0.0.0/8'], '10.0.0.1', '9.9.9.9', '9.9.9.9'],
  ['a trusted peer, mapped', ['10.0.0.1'], '::ffff:10.0.0.1', '9.9.9.9', '9.9.9.9'],
  ['a trusted peer without header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
  ['a peer that is not trusted', ['10.0.0.1'], '1.2.3.4', '9.9.9.9', '1.2.3.4'],
  ['the client’s own claim stands left', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 9.9.9.9, 10.0.0.2', '9.9.9.9'],
  ['only proxies: the leftmost', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['rubbish', ['10.0.0.1'], '10.0.0.1', '<script>', '10.0.0.1'],
  ['rubbish left of proxies', ['10.0.0.0/8'], '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
  ['empty', ['10.0.0.1'], '10.0.0.1', '', '10.0.0.1'],
  ['spaces and empty parts', ['10.0.0.1'], '10.0.0.1', ' , 1.1.1.1 ,, ', '1.1.1.1'],
  ['with ports', ['10.0.0.1'], '10.0.0.1', '9.9.9.9:1234', '9.9.9.9'],
  ['IPv4 in the form of IPv6', ['10.0.0.1'], '10.0.0.1', '::ffff:1.1.1.1', '1.1.1.1'],
  ['IPv6', ['fd00::/8'], 'fd00::1', '[2001:db8::1]:443', '2001:db8::1'],
  ['IPv6 without a port', ['fd00::/8'], 'fd00::1', '2001:db8::7', '2001:db8::7'],
  ['several header lines: the last proxy’s counts', ['10.0.0.1'], '10.0.0.1', ['1.1.1.1', '2.2.2.2'], '2.2.2.2'],
])('client address: %s', (_name, trusted, peer, forwarded, wanted) => {
  expect(createClientAddress(trusted)(peer, forwarded)).toBe(wanted)
})

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['127.0.0.1', false],
  ['10.0.0.1', false],
  ['169.254.169.254', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['fd00::1', false],
  ['localhost', false],
  ['::7f00:1', false],
  ['::ffff:7f00:1', false],
  ['2606:4700::1111', true],
])('%s is public: %s', (address, expected) => expect(isPublic(address)).toBe(expected))

test.each([
  ['http://localhost:9000', ['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000']],
  ['http://127.0.0.1:9000/mishap', ['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000']],
  ['https://[::1]', ['https://localhost', 'https://127.0.0.1', 'https://[::1]']],
  ['https://errors.example:8443/a', ['https://errors.example:8443']],
  ['http://127.0.0.2:9000', ['http://127.0.0.2:9000']],
  ['http://localhost.example', ['http://localhost.example']],
])('own origins of %s', (url, origins) => {
  expect(ownOrigins(url)).toEqual(origins)
})
