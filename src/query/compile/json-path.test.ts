import { describe, expect, test } from 'vitest'
import { jsonPathOf } from './json-path.ts'

/** A path in one text: keys with a slash, places and lists in brackets. */
const read = (text: string): string | undefined =>
  jsonPathOf(text)
    ?.steps.map((step) => ('key' in step ? `/${step.key}` : 'at' in step ? `[${step.at}]` : '[]'))
    .join('')

describe('a path into JSON', () => {
  test.each<[string, string, string]>([
    ['a key', 'order', '/order'],
    ['keys', 'order.cart.id', '/order/cart/id'],
    ['each element of a list', 'order.items[].id', '/order/items[]/id'],
    ['the other spelling', 'order.items[*].id', '/order/items[]/id'],
    ['one element', 'items[0].sku', '/items[0]/sku'],
    ['a list in a list', 'rows[][]', '/rows[][]'],
    ['a list at the top', '[].id', '[]/id'],
    ['an element at the top', '[3]', '[3]'],
    ['a quoted key with a point', '"a.b".c', '/a.b/c'],
    ['a quoted key behind another', 'a."b c[]"', '/a/b c[]'],
    ['a key with a space', 'first name', '/first name'],
    ['a key with signs that are common', 'http.request-id/x@y:z$', '/http/request-id/x@y:z$'],
    ['letters of any alphabet', 'größe.名前', '/größe/名前'],
    ['a key of digits', 'codes.404', '/codes/404'],
    ['names that objects have', '__proto__.constructor', '/__proto__/constructor'],
    ['a point at the start', '.a', '/a'],
  ])('%s: %s', (_name, text, wanted) => expect(read(text)).toBe(wanted))
})

describe('no path', () => {
  test.each<[string, string]>([
    ['nothing', ''],
    ['a point at the end', 'a.'],
    ['two points', 'a..b'],
    ['a bracket that is not closed', 'a[0'],
    ['a place that is no number', 'a[x]'],
    ['a negative place', 'a[-1]'],
    ['a place of five digits', 'a[12345]'],
    ['a quote that is not closed', 'a."b'],
    ['a quoted key without a point before', 'a"b"'],
    ['an empty quoted key', 'a.""'],
    ['an apostrophe', "a'b"],
    ['a backslash', 'a\\b'],
    ['a parenthesis', 'a(b)'],
    ['a semicolon', 'a;b'],
    ['a line break', 'a\nb'],
    ['a NUL', 'a\0b'],
    ['a key that is too long', 'k'.repeat(101)],
    ['a quoted key that is too long', `"${'k'.repeat(101)}"`],
  ])('%s', (_name, text) => expect(jsonPathOf(text)).toBeUndefined())
})

describe('limits', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`).join('.')
  test.each<[string, string, boolean]>([
    ['12 steps', keys(12), true],
    ['13 steps', keys(13), false],
    ['3 lists', 'a[].b[].c[]', true],
    ['4 lists', 'a[].b[].c[].d[]', false],
    ['a key of 100 characters', 'k'.repeat(100), true],
    ['a million characters', 'a.'.repeat(500_000), false],
    ['a million brackets', '[0]'.repeat(300_000), false],
  ])('%s', (_name, text, isPath) => expect(jsonPathOf(text) !== undefined).toBe(isPath))
})
