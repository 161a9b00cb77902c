import { expect, test } from 'vitest'
import { isMarked, type Mark, markOf, toggled } from './noise.ts'

const [cart, pay] = ['/cart', '/pay'].map((groupId) => markOf({ startMs: 60_000, groupId })) as [Mark, Mark]
const plain = markOf({ startMs: 60_000, groupId: null })

test.each<[string, readonly Mark[], Mark, Mark[]]>([
  ['a firing', [], plain, [60_000]],
  ['it again', [60_000, 1], plain, [1]],
  ['a group', [cart], pay, [cart, pay]],
  [
    'a group again, and not the other that fired then',
    [cart, pay],
    markOf({ startMs: 60_000, groupId: '/cart' }),
    [pay],
  ],
  ['another firing of the group', [cart], { startMs: 1, groupId: '/cart' }, [cart, { startMs: 1, groupId: '/cart' }]],
])('toggles %s', (_says, marks, mark, expected) => {
  expect(toggled(marks, mark)).toEqual(expected)
  expect(isMarked(expected, mark)).toBe(!isMarked(marks, mark))
})
