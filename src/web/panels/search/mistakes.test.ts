import { expect, test } from 'vitest'
import { mistakesOf } from './mistakes.ts'

const slugs = ['shop-web', 'shop-api']

test('each mistake has its term, and the text with the suggestion', () => {
  const text = 'is:unresolvd lastSeen:yesterday !project:shop-wbe zzz:a'
  expect(mistakesOf(text, slugs)).toEqual([
    {
      reason: 'state',
      term: 0,
      wrong: 'unresolvd',
      suggestion: { term: 'is:unresolved', text: 'is:unresolved lastSeen:yesterday !project:shop-wbe zzz:a' },
    },
    {
      reason: 'date',
      term: 1,
      wrong: 'yesterday',
      suggestion: { term: 'lastSeen:-2d', text: 'is:unresolvd lastSeen:-2d !project:shop-wbe zzz:a' },
    },
    {
      reason: 'project',
      term: 2,
      wrong: 'shop-wbe',
      suggestion: { term: '!project:shop-web', text: 'is:unresolvd lastSeen:yesterday !project:shop-web zzz:a' },
    },
  ])
})

test.each([
  ['project:[shop-web,nope] x', slugs, [['project', 'nope']]],
  ['project:shop*', slugs, []],
  ['project:nope', undefined, []],
  ['project:nope', [], []],
  ['release.stage:new', slugs, [['choice', 'new']]],
  ['url:', slugs, [['missing_value', 'url:']]],
  ['(a', slugs, [['unclosed_group', 'a']]],
  ['', slugs, []],
])('%j with the projects %j', (text, known, expected) => {
  expect(mistakesOf(text, known).map(({ reason, wrong }) => [reason, wrong])).toEqual(expected)
})
