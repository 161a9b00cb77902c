import { expect, test } from 'vitest'
import { errorBody, MishapError, type QueryMistake } from '../../base/errors.ts'
import { parseSearch } from './parse.ts'
import { nearestWord } from './suggest.ts'

function refusal(text: string): MishapError {
  try {
    parseSearch(text)
  } catch (error) {
    if (error instanceof MishapError) return error
  }
  throw new Error(`not refused: ${text}`)
}
const brief = ({ reason, from, to, suggestion }: QueryMistake) => [reason, from, to, suggestion]

test.each<[string, ReturnType<typeof brief>[]]>([
  [
    'is:unresolvd lastSeen:yesterdy project:web',
    [
      ['state', 3, 12, 'unresolved'],
      ['date', 22, 30, '-2d'],
    ],
  ],
  [
    'is:[new, lost, resolvde] x',
    [
      ['state', 9, 13, undefined],
      ['state', 15, 23, 'resolved'],
    ],
  ],
  [
    '(is:lost OR timesSeen:many',
    [
      ['state', 4, 8, undefined],
      ['number', 22, 26, undefined],
      ['unclosed_group', 26, 26, undefined],
    ],
  ],
  [
    '(is:lost) )',
    [
      ['state', 4, 8, undefined],
      ['stray_close', 10, 10, undefined],
    ],
  ],
  [
    'level:[x y] b:[c,,d] is:lost',
    [
      ['list_end', 9, 9, undefined],
      ['list_value', 17, 17, undefined],
      ['state', 24, 28, undefined],
    ],
  ],
  [
    'url:te"st release: error.handled:yes',
    [
      ['inner_quote', 6, 6, undefined],
      ['missing_value', 18, 18, undefined],
      ['boolean', 33, 36, 'true'],
    ],
  ],
  [
    'release.stage:[adoptd, x, low] !release.stage:a* has:release.stage',
    [
      ['choice', 15, 21, 'adopted'],
      ['choice', 23, 24, undefined],
      ['choice', 46, 48, undefined],
    ],
  ],
  // Quotes and what is in them belong to the value.
  ['is:"unresolvd"', [['state', 3, 14, 'unresolved']]],
  // The rest of the text is in the open quotes.
  ['release:"a is:lost', [['unclosed_quote', 8, 8, undefined]]],
  [
    '!is:lost AND is:lost',
    [
      ['state', 4, 8, undefined],
      ['state', 16, 20, undefined],
    ],
  ],
])('%j has all these mistakes', (text, mistakes) => {
  expect(refusal(text).mistakes.map(brief)).toEqual(mistakes)
})

test('the answer of the API names all mistakes, in characters', () => {
  const body = errorBody(refusal('🎉 timesSeen:1,000 is:unresolvd'))
  expect(body.detail).toContain('position 13, expected a number')
  expect(body.detail).toContain('; at position 22, expected one of')
  expect(body).toMatchObject({
    code: 'QUERY_TYPE',
    mistakes: [
      { reason: 'number', code: 'QUERY_TYPE', position: 13, suggestion: '1000' },
      { reason: 'state', code: 'QUERY_TYPE', position: 22, suggestion: 'unresolved' },
    ],
  })
})

test('a wrong value of a choice names those that it takes', () => {
  expect(refusal('release.stage:new').message).toBe(
    'Invalid query: at position 15, expected one of low, adopted, replaced.',
  )
})

test('at most 20 mistakes are named', () => {
  expect(refusal(Array.from({ length: 50 }, () => 'is:lost').join(' ')).mistakes).toHaveLength(20)
})

test.each([
  ['lastSeen:24h', '-24h'],
  ['lastSeen:>7d', '+7d'],
  ['lastSeen:<7d', '-7d'],
  ['lastSeen:2026/1/5', '2026-01-05'],
  ['lastSeen:31.01.2026', '2026-01-31'],
  ['lastSeen:today', '-24h'],
  ['lastSeen:soon', undefined],
  ['timesSeen:10x', '10'],
  ['timesSeen:=>10', '>=10'],
  ['timesSeen:many', undefined],
  ['error.handled:ture', 'true'],
  ['is:open', 'unresolved'],
  ['is:unre', 'unresolved'],
  ['transaction.duration:long', undefined],
])('%j: did you mean %j', (text, suggestion) => {
  expect(refusal(text).mistakes[0]?.suggestion).toBe(suggestion)
})

test.each([
  ['shop-wbe', ['shop-web', 'shop-api'], 'shop-web'],
  ['shop', ['checkout', 'shop-api'], 'shop-api'],
  ['zz', ['web', 'api'], undefined],
  ['', ['web'], undefined],
  ['x'.repeat(41), ['x'.repeat(41)], undefined],
])('the word nearest to %j of %j', (typed, words, nearest) => {
  expect(nearestWord(typed, words)).toBe(nearest)
})
