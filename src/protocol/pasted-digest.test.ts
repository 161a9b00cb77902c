import { expect, test } from 'vitest'
import { isDigest, pastedDigest } from './pasted-digest.ts'

test.each([
  ['2774530904', '2774530904', false],
  ['  2774530904\n', '2774530904', false],
  ['27 745 309 04', '2774530904', false],
  ['2774530904@E394', '2774530904@E394', false],
  ['2774\u200b530\u00a0904', '2774530904', false],
  ['Digest: 2774530904', '2774530904', true],
  ['digest "2774530904"', '2774530904', true],
  ["{ digest: '2774530904' }", '2774530904', true],
  ['Digest: 2774 530 904 Try again', '2774530904', true],
  ['Digest: 2774530904 12:30', '2774530904', true],
  ['Digest: 42949 67296 5', '42949', true],
  ['Digest: 123456@e80', '123456@E80', true],
  [
    'Application error: a server-side exception has occurred while loading shop.test (see the server logs for more information).\nDigest: 2774530904',
    '2774530904',
    true,
  ],
  ['A digest was shown. Digest: 2774530904', '2774530904', true],
])('%j holds %s', (text, digest, named) => {
  expect(pastedDigest(text)).toEqual({ digest, named })
})

test.each([
  '',
  'digest',
  'digest sha256 differs',
  '404 500',
  '12',
  'Digest: 12',
  'error 2774530904 happened',
  '1'.repeat(40),
  `${'x'.repeat(3000)} digest 2774530904`,
])('%j holds none', (text) => {
  expect(pastedDigest(text)).toBeUndefined()
})

test.each([
  ['2774530904', true],
  ['2774530904@E394', true],
  ['NEXT_REDIRECT;push;/a', false],
  ['a.b:c-d;e', true],
  ['', false],
  ['<b>', false],
  ['1'.repeat(201), false],
])('%j may be a digest: %j', (text, may) => {
  expect(isDigest(text)).toBe(may)
})
