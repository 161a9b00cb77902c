import { expect, test } from 'vitest'
import { chosenVersions } from './chosen.ts'

const versions = ['web@3.0.0', 'api@2.0.0', 'web@2.0.0', 'nightly', 'web@1.0.0']

test.each([
  ['nothing: the newest, and the one before it', '', '', 'web@2.0.0', 'web@3.0.0'],
  ['the release after only', '', 'web@2.0.0', 'nightly', 'web@2.0.0'],
  ['the release before only', 'web@1.0.0', '', 'web@1.0.0', 'web@3.0.0'],
  ['the newest as the release before', 'web@3.0.0', '', 'web@3.0.0', 'api@2.0.0'],
  ['both', 'api@2.0.0', 'web@1.0.0', 'api@2.0.0', 'web@1.0.0'],
  ['the first release', '', 'web@1.0.0', '', 'web@1.0.0'],
  ['a release of another package', '', 'api@2.0.0', 'nightly', 'api@2.0.0'],
])('asked for %s', (_name, a, b, expectedA, expectedB) => {
  expect(chosenVersions(versions, { a, b })).toEqual({ a: expectedA, b: expectedB })
})

test('without releases there is nothing to compare', () => {
  expect(chosenVersions([], { a: '', b: '' })).toEqual({ a: '', b: '' })
})
