import { expect, test } from 'vitest'
import { valueSign } from '../../../domain/log-shape.ts'
import { createSeenShapes, storedText } from './text.ts'

const stored = (shape: string, changing: string, body = '') => ({
  shape: shape.replaceAll('*', valueSign),
  changing: changing.replaceAll('*', valueSign),
  body,
})

test.each([
  ['cart 17 took 5 ms', true, stored('cart * took * ms', '*17*5')],
  ['cart loaded', true, stored('cart loaded', '')],
  ['17', true, stored('*', '*17')],
  ['cart 17 took 5 ms', false, stored('', '', 'cart 17 took 5 ms')],
  ['', true, stored('', '')],
  [`a${valueSign}b 17`, true, stored('', '', `a${valueSign}b 17`)],
  ['x'.repeat(1001), true, stored('', '', 'x'.repeat(1001))],
])('%j, repeated: %s', (text, isRepeated, expected) => {
  expect(storedText(text, () => isRepeated)).toEqual(expected)
})

test('a shape is repeated from its second text on, among the last different ones', () => {
  const isRepeated = createSeenShapes(3)
  const seen = (text: string) => storedText(text, isRepeated).shape !== ''
  expect(['a 1', 'a 2', 'b 1', 'c 1', 'd 1', 'a 3', 'b 2'].map(seen)).toEqual([
    false,
    true,
    false,
    false,
    // The fourth shape begins a new generation, and the one before it is still remembered.
    false,
    true,
    true,
  ])
  expect(['e 1', 'f 1', 'a 4', 'c 2'].map(seen)).toEqual([false, false, true, false])
})

test('of shapes that do not come back, none is remembered for long', () => {
  const isRepeated = createSeenShapes()
  const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const texts = Array.from({ length: 30_000 }, (_, n) => `job ${letters(n % 15_000)} took ${n} ms`)
  expect(texts.filter((text) => storedText(text, isRepeated).shape !== '')).toEqual([])
})
