import { describe, expect, it } from 'vitest'
import type { RestBreadcrumb } from '../../../contract/events.ts'
import { crumbsOf, kindOf, kindsOf, offsetText } from './breadcrumb-filter.ts'

const crumb = (value: Partial<RestBreadcrumb>): RestBreadcrumb => ({
  timestamp: null,
  type: 'default',
  category: null,
  level: 'info',
  message: null,
  data: null,
  ...value,
})
const all = [
  crumb({ type: 'http', category: 'fetch', data: { url: '/api/Cart' } }),
  crumb({ category: 'ui.click', message: 'button#pay' }),
  crumb({ category: 'ui.input' }),
  crumb({}),
]

describe('kinds', () => {
  it.each<[Partial<RestBreadcrumb>, string]>([
    [{ type: 'http', category: 'x' }, 'http'],
    [{ category: 'ui.click' }, 'ui'],
    [{}, 'default'],
    [{ type: '' }, 'default'],
  ])('%o', (value, expected) => expect(kindOf(crumb(value))).toBe(expected))
  it('counts them, the most frequent first', () => {
    expect(kindsOf(all).map((kind) => `${kind.kind} ${kind.count}`)).toEqual(['ui 2', 'default 1', 'http 1'])
  })
})

describe('crumbsOf', () => {
  it.each<[string, string, number[]]>([
    ['', '', [0, 1, 2, 3]],
    ['ui', '', [1, 2]],
    ['', 'cart', [0]],
    ['', ' PAY ', [1]],
    ['http', 'pay', []],
  ])('kind %o text %o', (kind, text, expected) => {
    expect(crumbsOf(all, kind, text).map((item) => item.index)).toEqual(expected)
  })
})

describe('offsetText', () => {
  const at = '2026-11-21T12:00:00.000Z'
  it.each<[string | null, string]>([
    ['2026-11-21T11:59:59.750Z', '-250 ms'],
    ['2026-11-21T11:59:58.750Z', '-1.25 s'],
    ['2026-11-21T11:55:00.000Z', '-5 min'],
    ['2026-11-21T12:00:01.000Z', '+1 s'],
    [null, ''],
    ['x', ''],
  ])('%o', (crumbAt, expected) => expect(offsetText(crumbAt, at)).toBe(expected))
})
