import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const { seal, open } = createSeal('one secret')

test.each(['', 'x', 'https://hooks.test/ü😀', 'y'.repeat(10_000)])('opens what it sealed: %.20j', (text) => {
  const sealed = seal(text)
  expect(open(sealed)).toBe(text)
  expect(seal(text)).not.toBe(sealed)
  if (text.length > 1) expect(sealed).not.toContain(text.slice(0, 5))
})

test.each([
  ['another secret', () => createSeal('another').open(seal('a'))],
  ['a changed byte', () => open(`${seal('abc').slice(0, -2)}AA`)],
  ['too short', () => open('v1.AAAA')],
  ['another form', () => open('plain text')],
  ['nothing', () => open('')],
])('refuses %s', (_says, work) => expect(work).toThrow(/The encrypted value/))
