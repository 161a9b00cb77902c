import { expect, test } from 'vitest'
import { spanUserOf } from './span-user.ts'

test.each<[attributes: Record<string, unknown>, user: string | null]>([
  [{ 'user.id': 7, 'user.name': 'ada', 'user.email': '' }, 'ada'],
  [{ 'user.id': 7 }, '7'],
  [{ 'enduser.id': 'u7' }, 'u7'],
  [{ 'user.id': 'x'.repeat(300) }, 'x'.repeat(200)],
  [{ 'user.id': { nested: true }, 'user.email': '  ' }, null],
  [{}, null],
])('the user of a span with %j is %s', (attributes, user) => {
  expect(spanUserOf(attributes)).toBe(user)
})
