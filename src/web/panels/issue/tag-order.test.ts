import { expect, test } from 'vitest'
import { cutMiddle, orderedTags, withoutRepeats } from './tag-order.ts'

const keysOf = (...keys: string[]) => keys.map((key) => ({ key }))

test.each([
  [keysOf('browser', 'browser.name', 'level'), ['browser', 'level']],
  [keysOf('browser.name', 'level'), ['browser.name', 'level']],
  [keysOf('client_os', 'client_os.name', 'os'), ['os']],
  [keysOf('device', 'device.family'), ['device']],
  [[], []],
])('%j without repeats', (tags, keys) => {
  expect(withoutRepeats(tags).map((tag) => tag.key)).toEqual(keys)
})

test('release, user and url come first, the others keep their order', () => {
  const tags = keysOf('level', 'plan', 'url', 'browser.name', 'browser', 'user', 'release')
  expect(orderedTags(tags).map((tag) => tag.key)).toEqual(['release', 'user', 'url', 'browser', 'level', 'plan'])
})

test.each([
  ['short', 10, 'short'],
  ['exactly-10', 10, 'exactly-10'],
  ['/checkout/orders/8812/summary', 12, '/check…mmary'],
  ['😀😀😀😀😀😀', 5, '😀😀…😀😀'],
])('%s in %i characters', (text, max, cut) => {
  expect(cutMiddle(text, max)).toBe(cut)
})
