import { expect, test } from 'vitest'
import { initialsOf } from './avatar.tsx'

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada@example.com', 'AD'],
  ['jun.tanaka@example.com', 'JT'],
  ['  Mika  ', 'MI'],
  ['Ada King Lovelace', 'AK'],
  ['𝒜da', '𝒜D'],
  ['', '?'],
  ['@', '?'],
])('initials of %j', (name, expected) => expect(initialsOf(name)).toBe(expected))
