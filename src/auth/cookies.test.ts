import { expect, test } from 'vitest'
import { lasting, withLasting } from './cookies.ts'

const long = 'mishap.session_token=abc.def; Max-Age=34560000; Path=/'

test.each([
  ['mishap.session_token=abc.def; Max-Age=2592000; Path=/', long],
  ['mishap.session_token=abc.def; max-age=60; Path=/', long],
  ['__Secure-mishap.session_token=a; Max-Age=60', '__Secure-mishap.session_token=a; Max-Age=34560000'],
  // A cookie that ends a session stays unchanged.
  ['mishap.session_token=; Max-Age=0; Path=/', 'mishap.session_token=; Max-Age=0; Path=/'],
  ['mishap.session_token=abc; Max-Age=0', 'mishap.session_token=abc; Max-Age=0'],
  ['mishap.session_data=abc; Max-Age=60', 'mishap.session_data=abc; Max-Age=60'],
  ['theme=x; session_token=y; Max-Age=60', 'theme=x; session_token=y; Max-Age=60'],
])('%s becomes %s', (given, expected) => {
  expect(lasting([given])).toEqual([expected])
})

const answer = (status: number) => {
  const headers = new Headers({ 'x-other': 'kept' })
  headers.append('set-cookie', 'mishap.session_token=abc.def; Max-Age=60; Path=/')
  headers.append('set-cookie', 'theme=dark; Max-Age=60')
  return new Response('the body', { status, headers })
}

test('a good answer has each of its cookies once, and the rest as it was', async () => {
  const response = withLasting(answer(201))
  expect(response.headers.getSetCookie()).toEqual([long, 'theme=dark; Max-Age=60'])
  expect([response.status, response.headers.get('x-other'), await response.text()]).toEqual([201, 'kept', 'the body'])
})

test('a refusal is given on as it is', () => {
  const refused = answer(401)
  expect(withLasting(refused)).toBe(refused)
})
