import { expect, test } from 'vitest'
import { globFits, type OwnedEvent, ownerRuleOf, ownershipStepsMax, readOwnership } from './ownership.ts'

test.each<[string, string, boolean]>([
  ['*', '', true],
  ['a*c', 'abbbc', true],
  ['a*c', 'abbbd', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*b*b', 'abab', true],
  ['a.b', 'axb', false],
  ['', 'a', false],
])('the pattern %j and %j: %s', (pattern, text, fits) => {
  expect(globFits(pattern, text, { steps: 99 })).toBe(fits)
})

test('a hostile pattern takes the product of both lengths at most', () => {
  const budget = { steps: 0 }
  expect(globFits(`${'*a'.repeat(150)}b`, 'a'.repeat(4_000), budget)).toBe(false)
  expect(-budget.steps).toBeLessThan(301 * 4_000)
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
  ['path:LIB/Pay.ts ann@example.com', 'ann@example.com'],
  ['path:*/pay.ts ann@example.com', 'ann@example.com'],
  ['module:Shop.* ann@example.com', 'ann@example.com'],
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
  const found = ownerRuleOf(rules, event)
  expect([found.rule?.owners[0], found.overAt]).toEqual([owner, undefined])
})

test('hostile rules end with the steps of the event, and say at which line; what is asked before that is sure', () => {
  const paths = Array.from({ length: 30 }, (_, at) => `${at}${'a'.repeat(2_000)}`)
  const hostile = `path:*${'a'.repeat(70)}b a@b.c\n`.repeat(400)
  const { rules } = readOwnership(`${hostile}path:*/pay.ts z@b.c`)
  const { rule, overAt } = ownerRuleOf(rules, { ...event, paths })
  expect([rule, overAt]).toEqual([undefined, expect.any(Number)])
  expect(overAt).toBeGreaterThan(300)
  expect(ownerRuleOf(rules, { ...event, paths: [...paths, 'src/pay.ts'] }).rule?.owners).toEqual(['z@b.c'])
})

test('a full set of ordinary rules has steps enough for thirty paths', () => {
  const text = Array.from({ length: 500 }, (_, at) => `path:src/area${at}/part/* a@b.c`).join('\n')
  const paths = Array.from(
    { length: 30 },
    (_, at) => `webpack:///./src/modules/${at}/components/deep/folder/some-file-name.tsx`,
  )
  expect(ownerRuleOf(readOwnership(text).rules, { ...event, paths })).toEqual({ rule: undefined, overAt: undefined })
  expect(ownershipStepsMax).toBeGreaterThan(500 * 30 * 80)
})

test('of a long path its end is asked', () => {
  const { rules } = readOwnership('path:src/pay.ts a@b.c')
  expect(
    ownerRuleOf(rules, { ...event, paths: [`https://shop.example/${'x/'.repeat(900)}src/pay.ts`] }).rule?.line,
  ).toBe(1)
})

test.each<[string, RegExp]>([
  ['src/* ann@example.com', /begins with/],
  ['path: ann@example.com', /no pattern/],
  ['path:src/*', /no owner/],
  ['path:src/* #team', /not an e-mail address/],
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
