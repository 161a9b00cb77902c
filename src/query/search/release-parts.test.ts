import { expect, test } from 'vitest'
import type { ReleasePart } from './key.ts'
import { fits, releaseMeets, splitRelease } from './release-parts.ts'
import { textPattern } from './value.ts'

test.each<[string, ReleasePart, string, boolean]>([
  ['web@1.2.3+7', 'package', 'web', true],
  ['web@1.2.3+7', 'package', 'w*', true],
  ['web@1.2.3+7', 'package', 'api', false],
  ['1.2.3', 'package', '', true],
  ['web@1.2.3+7', 'version', '1.2.3', true],
  ['web@1.2.3+7', 'version', '1.2.*', true],
  ['web@1.2.3+7', 'version', '>1.2.2', true],
  ['web@1.2.3+7', 'version', '>1.2.3', false],
  ['web@1.2.3+7', 'version', '>=1.2.3', true],
  ['web@1.10.0', 'version', '>1.9', true],
  ['web@1.10.0', 'version', '<2', true],
  ['web@1.2.0-rc.1', 'version', '<1.2', true],
  ['web@1.2.0-rc.1', 'version', '>=1.2.0-rc.1', true],
  ['nightly', 'version', 'nightly', true],
  ['nightly', 'version', '>1', false],
  ['api@7', 'version', '>1', false],
  ['web@1.2.3+7', 'build', '7', true],
  ['web@1.2.3+10', 'build', '>9', true],
  ['web@1.2.3+10', 'build', '<=9', false],
  ['web@1.2.3+010', 'build', '>009', true],
  ['web@1.2.3+0', 'build', '>=00', true],
  ['web@1.2.3+abc', 'build', '>9', false],
  ['web@1.2.3', 'build', '', true],
])('%s: its %s against %j is %s', (version, part, text, meets) => {
  expect(releaseMeets(part, textPattern({ text }))(splitRelease(version))).toBe(meets)
})

test.each([
  ['abc', 'a*c', true],
  ['abc', 'a\\*c', false],
  ['a*c', 'a\\*c', true],
  ['a*xc', 'a\\**c', true],
  ['a\\c', 'a\\\\*', true],
  ['aa', 'a*a*a', false],
])('%j fits %j: %s', (text, pattern, meets) => {
  expect(fits(text, textPattern({ text: pattern }))).toBe(meets)
})

test.each([
  ['project_quota', 'project', false],
  ['project', 'project', true],
  ['', '', true],
  ['a', '', false],
  ['a*', 'a\\*', true],
  ['a*b', 'a\\*', false],
  ['project_quota', 'project*', true],
])('%j fits a pattern without a star only as a whole: %j is %s', (text, pattern, meets) => {
  expect(fits(text, { text: pattern, wild: true })).toBe(meets)
})
