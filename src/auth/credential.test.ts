import { expect, test } from 'vitest'
import { credentialOf } from './credential.ts'

const cookie = 'theme=dark; mishap.session_token=abc.def; other=1'
const known = credentialOf(undefined, cookie)

test.each<[string, string | undefined, string | undefined, boolean]>([
  ['the same session beside other cookies', undefined, 'mishap.session_token=abc.def', true],
  ['the name that https gives it', undefined, '__Secure-mishap.session_token=abc.def', true],
  ['another session', undefined, 'mishap.session_token=abc.deg', false],
  ['a token wins over the cookie', 'Bearer sntryu_1', cookie, false],
  ['a header that is no token', 'Basic abc', cookie, true],
  ['a cookie that ends with another name', undefined, 'mishap.session_token_old=abc.def', false],
])('%s', (_name, authorization, text, same) => {
  expect(credentialOf(authorization, text) === known).toBe(same)
})

test.each([
  [undefined, undefined],
  [null, ''],
  ['Bearer', 'a=b'],
])('nothing that could be one: %s, %s', (authorization, text) => {
  expect(credentialOf(authorization, text)).toBeUndefined()
})

test('the secret is not in it', () => {
  expect(credentialOf('Bearer sntryu_secret', undefined)).toMatch(/^[\w-]{43}$/)
  expect(credentialOf('Bearer sntryu_secret', undefined)).toBe(credentialOf('bearer  sntryu_secret', undefined))
})

test.each(['Bearer a b', 'token Bearer a', 'Bearera'])('%j is no bearer token', (authorization) => {
  expect(credentialOf(authorization, undefined)).toBeUndefined()
})

test('white space around a token or between cookies changes nothing', () => {
  expect(credentialOf('Bearer a \t', undefined)).toBe(credentialOf('Bearer a', undefined))
  for (const text of ['a=b;mishap.session_token=abc.def', 'a=b;  mishap.session_token=abc.def'])
    expect(credentialOf(undefined, text)).toBe(known)
})
