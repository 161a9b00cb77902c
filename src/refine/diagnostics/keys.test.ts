import { expect, test } from 'vitest'
import type { Diagnostics } from '../../domain/diagnostics.ts'
import { diagnosticKeysOf } from './keys.ts'

test.each<[string, Diagnostics | undefined, ReturnType<typeof diagnosticKeysOf>]>([
  ['no signs', undefined, undefined],
  ['signs of another sort', { react: { code: 310 } }, undefined],
  [
    'a file of an extension',
    { noise: { kind: 'extension', found: 'chrome-extension://abc/inject.js' } },
    ['extension'],
  ],
  ['words of an extension', { noise: { kind: 'extension', found: 'jigsaw is not defined' } }, ['extension']],
  [
    'an extension in the hydration’s diff, which no filter reads',
    { noise: { kind: 'extension', found: 'data-gr-ext-installed' } },
    ['extension', 'unfiltered'],
  ],
  ['a crawler by its name', { noise: { kind: 'bot', found: 'Googlebot' } }, ['bot']],
  [
    'a scanner by its words, which no filter knows',
    { noise: { kind: 'bot', found: 'Object Not Found Matching Id:2, MethodName:update, ParamCount:4' } },
    ['bot', 'unfiltered'],
  ],
  ['a developer’s machine', { noise: { kind: 'localhost', found: 'localhost' } }, ['localhost']],
  ['a kind without a filter', { noise: { kind: 'web-view', found: 'gCrWeb' } }, ['web-view']],
  ['skew', { skew: { kind: 'chunk', found: 'Loading chunk 4 failed' } }, ['skew']],
  [
    'a crawler with an old page',
    { noise: { kind: 'bot', found: 'bingbot' }, skew: { kind: 'chunk', found: 'Loading chunk 4 failed' } },
    ['bot', 'skew'],
  ],
])('%s', (_says, signs, keys) => {
  expect(diagnosticKeysOf(signs)).toEqual(keys)
})
