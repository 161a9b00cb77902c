import { expect, test } from 'vitest'
import { passwordFault } from './passwords.ts'

test.each<[string, boolean]>([
  ['correct horse 9', true],
  ['ten.chars!', true],
  ['🦄🦄🦄🦄 🦊🦊🦊🦊 ok', true],
  ['nine.char', false],
  ['🦄🦄🦄🦄🦄', false],
  ['1234567890', false],
  ['QwertyUiop', false],
  ['Password123', false],
  ['1q2w3e4r5t', false],
  ['manchester', false],
  ['basketball', false],
  ['manchester basketball', true],
  ['aaaaaaaaaaaa', false],
  ['abcabcabcabc', false],
  ['x'.repeat(64) + 'y'.repeat(64), true],
  [`${'xy z'.repeat(32)}?`, false],
])('password %j: %s', async (password, allowed) => {
  expect((await passwordFault(password)) === undefined).toBe(allowed)
})

test.each([
  ['Ann@Example.com', false],
  ['ann1234567890', false],
  ['Mishap-2026!!', false],
  ['mishapmishap', false],
  ['RainbowShop#1', false],
  ['shop of rainbows', true],
  ['rainbow horses', true],
  ['12345 67890', true],
])('password %j of ann@example.com at Rainbow Shop: %s', async (password, allowed) => {
  const fault = await passwordFault(password, ['ann@example.com', 'Rainbow Shop', 'rainbow-shop'])
  expect(fault === undefined).toBe(allowed)
})
