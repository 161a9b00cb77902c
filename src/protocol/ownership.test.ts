import { expect, test } from 'vitest'
import { globFits, type OwnedEvent, ownerRuleOf, readOwnership } from './ownership.ts'

test.each<[string, string, boolean]>([
  ['*', '', true],
  ['a*c', 'abbbc', true],
  ['a*c', 'abbbd', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*b*b', 'abab', true],
  ['A.B', 'a.b', true],
  ['a.b', 'axb', false],
  ['', 'a', false],
])('the pattern %j and %j: %s', (pattern, text, fits) => {
  expect(globFits(pattern, text)).toBe(fits)
})

test('a hostile pattern takes no time', () => {
  const start = performance.now()
  expect(globFits(`${'*a'.repeat(150)}b`, 'a'.repeat(4_000))).toBe(false)
  expect(performance.now() - start).toBeLessThan(500)
})

const event: OwnedEvent = {
  paths: ['webpack:///./src/checkout/cart.ts', 'C:\\app\\lib\\pay.ts'],
  modules: ['shop.checkout.cart'],
  url: 'https://shop.example/checkout?step=2',
  tags: { browser: 'Firefox 130', 'os name': 'Linux' },
}

test.each<[string, string | undefined]>([
  ['path:src/checkout/* ann@example.com', 'ann@example.com'],
  ['path:lib/pay.ts ann@example.com', 'ann@example.com'],
  ['path:checkout ann@example.com', undefined],
  ['path:/src/* ann@example.com', undefined],
  ['module:shop.* ann@example.com', 'ann@example.com'],
  ['url:https://shop.example/checkout* ann@example.com', 'ann@example.com'],
  ['url:checkout ann@example.com', undefined],
  ['tags.browser:firefox* Ann@Example.com bob@example.com', 'ann@example.com'],
  ['tags."os name":linux ann@example.com', 'ann@example.com'],
  ['tags.nothing:* ann@example.com', undefined],
  ['path:"src/check out/*" ann@example.com', undefined],
  ['path:* ann@example.com\n# the cart is Bob’s\npath:cart.ts bob@example.com', 'bob@example.com'],
])('%j', (text, owner) => {
  const { rules, faults } = readOwnership(text)
  expect(faults).toEqual([])
  expect(ownerRuleOf(rules, event)?.owners[0]).toBe(owner)
})

test.each<[string, RegExp]>([
  ['src/* ann@example.com', /begins with/],
  ['path: ann@example.com', /no pattern/],
  ['path:src/*', /no owner/],
  ['path:src/* #team', /no e-mail address/],
  [`path:${'x'.repeat(301)} a@b.c`, /at most 300/],
  [`path:x ${'a@b.c '.repeat(11)}`, /at most 10 owners/],
  ['tags.:x a@b.c', /begins with/],
])('%j has a fault', (text, sentence) => {
  const { rules, faults } = readOwnership(`\n${text}`)
  expect(rules).toEqual([])
  expect(faults).toMatchObject([{ line: 2, sentence: expect.stringMatching(sentence) }])
})

test('at most 500 rules', () => {
  expect(readOwnership('path:x a@b.c\n'.repeat(502)).faults).toMatchObject([{ line: 501 }])
})
