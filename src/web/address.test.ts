import { describe, expect, it } from 'vitest'
import { type AddressFault, addressFault, mendedUrl, seenOrigin } from './address.ts'

describe('addressFault', () => {
  const own = 'https://mishap.example'
  it.each<[string, string, string, string, AddressFault | undefined]>([
    ['the address that MISHAP_URL names', own, own, own, undefined],
    ['behind a proxy that changes Host and is not trusted', own, own, 'http://127.0.0.1:9000', undefined],
    [
      'another name of this machine',
      'http://127.0.0.1:9000',
      'http://localhost:9000',
      'http://127.0.0.1:9000',
      undefined,
    ],
    [
      'https in front, MISHAP_URL left as it was, proxy not trusted',
      own,
      'http://localhost:9000',
      'http://mishap.example',
      'refused',
    ],
    [
      'https in front, MISHAP_URL with http, proxy not trusted',
      own,
      'http://mishap.example',
      'http://mishap.example',
      'refused',
    ],
    ['https in front, MISHAP_URL with http, proxy trusted', own, 'http://mishap.example', own, 'plain'],
    [
      'a proxy that changes Host, MISHAP_URL left as it was',
      'http://mishap.example',
      'http://localhost:9000',
      'http://127.0.0.1:9000',
      'refused',
    ],
    ['another port in front', 'https://mishap.example:8443', own, own, 'refused'],
    ['opened past the proxy', 'http://10.0.0.5:9000', own, 'http://10.0.0.5:9000', 'secure'],
    ['a path is no part of an origin', own, `${own}/tools/mishap`, own, undefined],
  ])('%s', (_name, origin, url, seen, fault) => {
    expect(addressFault(origin, url, seen)).toBe(fault)
  })
})

describe('seenOrigin', () => {
  it.each<[Record<string, string>, string]>([
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'mishap.example:8443' }, 'https://mishap.example:8443'],
    [{}, 'http://'],
  ])('%j', (headers, seen) => expect(seenOrigin(new Headers(headers))).toBe(seen))
})

describe('mendedUrl', () => {
  it.each([
    ['https://a.example', 'http://localhost:9000', 'https://a.example'],
    ['https://a.example', 'http://localhost:9000/tools/mishap', 'https://a.example/tools/mishap'],
  ])('%s for %s', (origin, url, mended) => expect(mendedUrl(origin, url)).toBe(mended))
})
