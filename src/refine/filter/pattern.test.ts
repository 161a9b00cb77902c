import { expect, test } from 'vitest'
import { createPatterns } from './pattern.ts'

test.each([
  ['abc', 'abc', true],
  ['ABC', 'abc', true],
  ['abc', 'abcd', false],
  ['a*', 'a', true],
  ['a*', 'ba', false],
  ['*b', 'ab', true],
  ['*b', 'abc', false],
  ['*b*', 'abc', true],
  ['a*c', 'ac', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a1b2c', true],
  ['a*b*c', 'acb', false],
  ['*', '', true],
  ['.*+?^$()[]{}|\\', '.*+?^$()[]{}|\\', true],
  ['a.c', 'abc', false],
  ['line one*', 'line one\nline two', true],
])('%j and %j: %s', (pattern, text, matches) => {
  expect(createPatterns([pattern])(text)).toBe(matches ? pattern : undefined)
})

test('the first that is met is told; none of none', () => {
  expect(createPatterns(['x', 'a*', 'ab'])('ab')).toBe('a*')
  expect(createPatterns([])('ab')).toBeUndefined()
})

test('a pattern of stars over a long text ends: one that goes back over it would not', () => {
  const pattern = `${'a*'.repeat(100)}b`
  expect(createPatterns([pattern])('a'.repeat(8192))).toBeUndefined()
})
