import { describe, expect, test } from 'vitest'
import { movedSlot, slotsMax, slotsOf, withoutSlot, withPerson } from './rota-slots.ts'

const rota = slotsOf(['ann', '', 'ann', 'bob'])
const shown = (slots: readonly { key: number; userId: string }[]) => slots.map(({ key, userId }) => `${key}${userId}`)

describe('a turn moves', () => {
  test.each<[string, number, number, string[]]>([
    ['down', 0, 1, ['1', '0ann', '2ann', '3bob']],
    ['up', 3, -1, ['0ann', '1', '3bob', '2ann']],
    ['a turn of nobody too', 1, 2, ['0ann', '2ann', '3bob', '1']],
    ['not above the first', 0, -1, ['0ann', '1', '2ann', '3bob']],
    ['not below the last', 3, 1, ['0ann', '1', '2ann', '3bob']],
    ['not if it is unknown', 9, 1, ['0ann', '1', '2ann', '3bob']],
  ])('%s', (_says, key, by, expected) => expect(shown(movedSlot(rota, key, by))).toEqual(expected))
})

test('a person may come twice, and a new turn never takes the key of another', () => {
  const fewer = withoutSlot(rota, 0)
  expect(shown(withPerson(fewer, 'ann'))).toEqual(['1', '2ann', '3bob', '4ann'])
  expect(shown(withPerson([], 'ann'))).toEqual(['0ann'])
  expect(withPerson(rota, '')).toBe(rota)
})

test('a rota has at most 50 turns', () => {
  const full = slotsOf(Array.from({ length: slotsMax }, () => 'ann'))
  expect(withPerson(full.slice(1), 'bob')).toHaveLength(slotsMax)
  expect(withPerson(full, 'bob')).toBe(full)
})
