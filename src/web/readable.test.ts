import { expect, test } from 'vitest'
import { readable } from './readable.ts'

test.each<[string, string]>([
  ['/o/acme/releases/shop%401.0', '/o/acme/releases/shop%401.0'],
  ['/o/acme/releases/%C3%A4', '/o/acme/releases/%C3%A4'],
  ['/o/acme/releases/%ff', '/o/acme/releases/%25ff'],
  ['/o/acme/releases/%', '/o/acme/releases/%25'],
  ['/o/a%20b/%C3?q=%ff', '/o/a%2520b/%25C3?q=%ff'],
  ['/o/acme/issues?q=100%', '/o/acme/issues?q=100%'],
  ['/', '/'],
])('%s is asked for as %s', (url, expected) => {
  expect(readable(url)).toBe(expected)
  const [path = ''] = readable(url).split('?')
  expect(() => decodeURIComponent(path)).not.toThrow()
})
