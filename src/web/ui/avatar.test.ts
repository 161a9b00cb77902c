import { expect, test } from 'vitest'
import { initialsOf } from './avatar.tsx'

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada@example.com', 'AD'],
  ['grace.hopper@example.com', 'GH'],
  ['Ö', 'Ö'],
  ['', '?'],
])('%s: %s', (name, initials) => expect(initialsOf(name)).toBe(initials))
