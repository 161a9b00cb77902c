import { describe, expect, test } from 'vitest'
import type { Cell } from '../store/events/question.ts'
import { filterWithout, groupId } from './group-measures.ts'
import { readSearch } from './search/grammar.ts'

const field = (name: string, slugs?: Record<number, string>) => ({
  name,
  value: { of: 'text' as const, column: 'route' as const },
  ...(slugs ? { slugs } : {}),
})

describe('the filter without a group', () => {
  test.each<[string, ReturnType<typeof field>[], Cell[], string]>([
    ['a text', [field('route')], ['/health'], '!route:"/health"'],
    ['a text with marks', [field('route')], ['a "b" \\ c*'], '!route:"a \\"b\\" \\\\ c\\*"'],
    ['no value', [field('route')], [null], 'has:route'],
    ['an empty value', [field('route')], [''], 'has:route'],
    ['a missing cell', [field('route')], [], 'has:route'],
    ['a number', [field('span.status_code')], [500], '!span.status_code:500'],
    ['a project', [field('project', { 7: 'web' })], [7], '!project:web'],
    ['a yes', [field('handled')], [true], '!handled:true'],
    ['a tag', [field('tags[plan]')], ['pro'], '!tags[plan]:"pro"'],
    ['two fields', [field('route'), field('release')], ['/a', null], '(!route:"/a" OR has:release)'],
  ])('%s', (_says, groups, cells, expected) => {
    const text = filterWithout({ groups }, cells)
    expect(text).toBe(expected)
    expect(readSearch(text)).toBeDefined()
  })
})

test('the id of a group depends on types and order, and is short', () => {
  const ids = [['1'], [1], ['a', 'b'], ['b', 'a'], ['a'.repeat(1000)], [null], ['']].map(groupId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true)
})
