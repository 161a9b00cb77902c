import { describe, expect, it } from 'vitest'
import { parseSetCookie } from './set-cookie.ts'

describe('parseSetCookie', () => {
  const cases: [string, ReturnType<typeof parseSetCookie>][] = [
    ['a=b', { name: 'a', value: 'b', options: {} }],
    [
      's.token=x%2By.z%3D; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax',
      { name: 's.token', value: 'x+y.z=', options: { maxAge: 2592000, path: '/', httpOnly: true, sameSite: 'lax' } },
    ],
    [
      '__Host-a=; Path=/; Secure; Max-Age=0',
      { name: '__Host-a', value: '', options: { path: '/', secure: true, maxAge: 0 } },
    ],
    ['a=b=c; Domain=x.example', { name: 'a', value: 'b=c', options: { domain: 'x.example' } }],
    ['a=%; Expires=Thu, 01 Jan 1970 00:00:00 GMT', { name: 'a', value: '%', options: { expires: new Date(0) } }],
    ['a=b; SameSite=odd; Max-Age=soon; Expires=never', { name: 'a', value: 'b', options: {} }],
    ['=b', undefined],
    ['nothing', undefined],
    ['', undefined],
  ]
  it.each(cases)('%s', (line, parts) => expect(parseSetCookie(line)).toEqual(parts))
})
