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
  // Default error screen of Next.js 16, also translated by a browser.
  [
    'This page couldn’t load\nA server error occurred. Reload to try again.\nReload\nERROR 2774530904',
    '2774530904',
    false,
  ],
  ['ERROR 2774530904@E394', '2774530904@E394', false],
  ['Diese Seite konnte nicht geladen werden. FEHLER 2774530904', '2774530904', false],
  ['ERREUR\u00a02774530904', '2774530904', false],
  ['Error #27745 30904', '2774530904', false],
  ['my customer sees error 2774530904 in the cart', '2774530904', false],
  // As written by people and chats.
  ['**Digest:** 2774530904', '2774530904', true],
  ['Digest – 2774530904.', '2774530904', true],
  ['the digest is 2774530904', '2774530904', true],
  ['digest no. 2774530904', '2774530904', true],
  ['{"errorDigest":"2774530904"}', '2774530904', true],
  ['error_digest=2774530904&page=2', '2774530904', true],
  // Digests of applications.
  ['Digest: ORDER-42', 'ORDER-42', true],
  ['Something went wrong (digest: a1b2c3d4)', 'a1b2c3d4', true],
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
  'error 404',
  'Error 503 2026',
  'HTTP error 500 12:30',
  'terror 2774530904',
  'Error 2774530904x',
  'error 2774530904.5',
  'Digest: none',
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
