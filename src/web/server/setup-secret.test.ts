import { describe, expect, it } from 'vitest'
import { isSetupSecret } from './setup-secret.ts'

describe('isSetupSecret', () => {
  const cases: [string, string, string | undefined, boolean][] = [
    ['right', 'abc', 'abc', true],
    ['wrong', 'abd', 'abc', false],
    ['shorter', 'ab', 'abc', false],
    ['same letters, more bytes', 'äbc', 'abc', false],
    ['closed', 'abc', undefined, false],
    ['closed, and nothing given', '', undefined, false],
    ['an empty secret opens nothing', '', '', false],
  ]
  it.each(cases)('%s', (_name, given, secret, right) => expect(isSetupSecret(given, secret)).toBe(right))
})
