import { describe, expect, test } from 'vitest'
import { decodedTitle } from './decoded-title.ts'

const minified = (number: number, args = '') =>
  `Minified React error #${number}; visit https://react.dev/errors/${number}${args} for the full message or use the non-minified dev environment for full errors and additional helpful warnings.`

describe('a title in words', () => {
  test.each<[string, string, string, ReturnType<typeof decodedTitle>]>([
    ['#441', 'Error', minified(441), { type: 'Server Components render failed', value: '' }],
    [
      'the text of Next.js',
      'Error',
      'An error occurred in the Server Components render. The specific message is omitted in production builds',
      { type: 'Server Components render failed', value: '' },
    ],
    ['text', 'Error', minified(418, '?args[]=text&args[]='), { type: 'Hydration mismatch', value: 'text differs' }],
    ['HTML', 'Error', minified(418, '?args[]=HTML&args[]='), { type: 'Hydration mismatch', value: 'HTML differs' }],
    [
      'an argument that is none of both',
      'Error',
      minified(418, '?args[]=x'),
      { type: 'Hydration mismatch', value: '' },
    ],
    ['React 18', 'Error', minified(418), { type: 'Hydration mismatch', value: '' }],
    ['text of React 18', 'Error', minified(425), { type: 'Hydration mismatch', value: 'text differs' }],
    [
      'the root',
      'Error',
      minified(423),
      { type: 'Hydration failed', value: 'the browser rendered the whole page again' },
    ],
    ['a boundary', 'Error', minified(422), { type: 'Hydration failed', value: 'in a Suspense boundary' }],
    [
      'an update loop',
      'Error',
      minified(185),
      { type: 'Endless update', value: 'a component updates itself with every render' },
    ],
    [
      'any other number keeps its type and gets its first sentence',
      'Error',
      minified(31, '?args[]=object%20with%20keys%20%7Ba%7D'),
      { type: 'Error', value: 'Objects are not valid as a React child (found: object with keys {a})' },
    ],
    ['without a type', '', minified(31, '?args[]=x'), { type: 'Error', value: expect.any(String) as string }],
    ['an unknown number', 'Error', minified(9999), undefined],
    ['another message', 'TypeError', 'x is not a function', undefined],
    [
      'a message that only quotes one',
      'Error',
      'It says: An error occurred in the Server Components render',
      undefined,
    ],
    ['nothing', '', '', undefined],
  ])('%s', (_name, type, message, expected) => expect(decodedTitle(type, message)).toEqual(expected))

  test('hostile arguments are cut and stay text', () => {
    const value = decodedTitle('Error', minified(31, `?args[]=${'%3Cb%3E'.repeat(200)}`))?.value ?? ''
    expect(value.length).toBeLessThanOrEqual(200)
    expect(value).toContain('<b>')
  })
})
