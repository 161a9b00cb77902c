import { expect, test } from 'vitest'
import { logKeyOf } from '../../../query/logs/keys.ts'
import { parseSearch } from '../../../query/search/parse.ts'
import { chosenValues, narrowed, toggledValue } from './filter-terms.ts'

test('checked values of a field are one term', () => {
  const one = toggledValue('timeout', 'level', 'error')
  expect(one).toBe('timeout level:error')
  const two = toggledValue(one, 'level', 'warning')
  expect(two).toBe('timeout level:[error, warning]')
  expect(chosenValues(two, 'level')).toEqual(['error', 'warning'])
  expect(toggledValue(toggledValue(two, 'level', 'error'), 'level', 'warning')).toBe('timeout')
})

test('a comparison or a negation is no checked value, and stays', () => {
  expect(chosenValues('level:>=info !level:error', 'level')).toEqual([])
  expect(toggledValue('level:>=info', 'level', 'error')).toBe('level:>=info level:error')
})

test.each(['a "b" c', 'x,y', '[z]', 'a\\b', 'w*ld', '<img src=x onerror=alert(1)>', '\u202e', 'one\ntwo'])(
  'any value survives a term: %j',
  (value) => {
    const q = toggledValue(toggledValue('', 'cart.id', 'plain'), 'cart.id', value)
    expect(chosenValues(q, 'cart.id')).toEqual(['plain', value])
    expect(() => parseSearch(q, logKeyOf)).not.toThrow()
    expect(() => parseSearch(narrowed('', 'cart.id', value, 'without'), logKeyOf)).not.toThrow()
  },
)

test('only replaces the values of its field; without adds to it', () => {
  expect(narrowed('service:[a, b] x', 'service', 'c', 'only')).toBe('x service:c')
  expect(narrowed('service:a', 'service', 'b', 'without')).toBe('service:a !service:b')
  expect(narrowed('!service:b', 'service', 'b', 'without')).toBe('!service:b')
})
