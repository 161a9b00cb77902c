import { describe, expect, test } from 'vitest'
import { isHex, normalizeId, normalizeSpanId } from './ids.ts'

const id = '0123456789abcdef0123456789abcdef'

describe('normalizeId', () => {
  test.each([
    ['plain', id, id],
    ['upper case', id.toUpperCase(), id],
    ['dashes', '01234567-89ab-cdef-0123-456789abcdef', id],
    ['dashes, upper case', '01234567-89AB-CDEF-0123-456789ABCDEF', id],
    ['nil', '0'.repeat(32), undefined],
    ['nil with dashes', '00000000-0000-0000-0000-000000000000', undefined],
    ['dashes elsewhere', '0123-456789ab-cdef-0123-456789abcdef', undefined],
    ['too short', id.slice(1), undefined],
    ['too long', `${id}0`, undefined],
    ['no hex', `g${id.slice(1)}`, undefined],
    ['control characters that share bits with digits', `\u0010${id.slice(1)}`, undefined],
    ['a path', '../../../../etc/passwd0000000000', undefined],
    ['full-width digits', `０${id.slice(1)}`, undefined],
    ['a number', 5, undefined],
    ['null', null, undefined],
    ['an object', { toString: () => id }, undefined],
  ])('%s', (_name, given, wanted) => {
    expect(normalizeId(given)).toBe(wanted)
  })
})

test.each([
  ['00000000000000A1', '00000000000000a1'],
  ['0000000000000000', undefined],
  ['00a1', undefined],
  [17, undefined],
])('normalizeSpanId %s', (given, wanted) => {
  expect(normalizeSpanId(given)).toBe(wanted)
})

test('isHex looks at the given range only', () => {
  expect(isHex('xxabcxx', 2, 3)).toBe(true)
  expect(isHex('xxabcxx', 2, 4)).toBe(false)
  expect(isHex('abc', 2, 4)).toBe(false)
  expect(isHex('')).toBe(false)
})
