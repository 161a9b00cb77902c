import { expect, test } from 'vitest'
import { failingExpression } from './failing.ts'

const line = '    totals.net += cart.summary.total * item.quantity'
const none = { colNo: null, vars: null }

test.each<[string, string | null, string, Parameters<typeof failingExpression>[2], string | undefined]>([
  ['V8', "Cannot read properties of null (reading 'total')", line, none, 'cart.summary = null'],
  ['V8, optional chain', "Cannot read properties of undefined (reading 'b')", 'x?.a.b', none, 'x?.a = undefined'],
  ['V8, writing', "Cannot set properties of undefined (setting 'a')", 'me.box.a = 1', none, 'me.box = undefined'],
  ['Firefox', 'can\'t access property "total", cart.summary is null', line, none, 'cart.summary = null'],
  ['Firefox, whole', 'cart.summary is undefined', line, none, 'cart.summary = undefined'],
  ['Safari', "null is not an object (evaluating 'cart.summary.total')", line, none, 'cart.summary = null'],
  ['Python', "'NoneType' object has no attribute 'total'", 'return cart.total', none, 'cart = None'],
  ['Ruby', "undefined method `total' for nil:NilClass", 'cart.total', none, 'cart = nil'],
  [
    'variables that agree',
    "Cannot read properties of null (reading 'total')",
    line,
    { colNo: null, vars: { cart: { summary: null } } },
    'cart.summary = null',
  ],
  [
    'variables that contradict',
    "Cannot read properties of null (reading 'total')",
    line,
    { colNo: null, vars: { cart: { summary: { total: 1 } } } },
    undefined,
  ],
  ['two places', "Cannot read properties of null (reading 'x')", 'a.x + b.x', none, undefined],
  [
    'two places, told apart by the column',
    "Cannot read properties of null (reading 'x')",
    'a.x + b.x',
    { colNo: 9, vars: null },
    'b = null',
  ],
  ['the property elsewhere', "Cannot read properties of null (reading 'total')", 'const total = 1', none, undefined],
  ['another message', 'cart is not a function', 'cart()', none, undefined],
  ['no message', null, line, none, undefined],
  ['a line too long', "Cannot read properties of null (reading 'a')", `${' '.repeat(1000)}b.a`, none, undefined],
  ['a hostile path', "Cannot read properties of null (reading 'a')", `${'a.'.repeat(400)}a`, none, undefined],
])('%s', (_name, message, text, frame, expected) => {
  const found = failingExpression(message, text, frame)
  expect(found && `${text.slice(found.range.from, found.range.to)} = ${found.value}`).toBe(expected)
  expect(found?.expression).toBe(expected?.split(' = ')[0])
})
