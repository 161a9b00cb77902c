import { expect, test } from 'vitest'
import { withBase, withoutBase } from './base-path.ts'

test.each([
  ['/api/0/projects/', '', '/api/0/projects/'],
  ['/api/0/projects/', '/mishap', '/mishap/api/0/projects/'],
  ['/', '/tools/mishap', '/tools/mishap/'],
])('%s with "%s" is %s', (path, base, address) => {
  expect(withBase(path, base)).toBe(address)
})

test.each([
  ['/mishap/o/acme', '/mishap', '/o/acme'],
  ['/mishap', '/mishap', '/'],
  ['/mishapen/o', '/mishap', '/mishapen/o'],
  ['/o/acme', '/mishap', '/o/acme'],
  ['/o/acme', '', '/o/acme'],
])('%s without "%s" is %s', (path, base, rest) => {
  expect(withoutBase(path, base)).toBe(rest)
})

test('built for no path unless told', () => {
  expect(withBase('/login')).toBe('/login')
  expect(withoutBase('/login')).toBe('/login')
})
