import { expect, test } from 'vitest'
import { filterFor, type SignCounts, verdictOf } from './noise.ts'

test.each<[string, SignCounts, number, string | undefined]>([
  ['nothing is counted', {}, 3, undefined],
  ['no event at all', {}, 0, undefined],
  ['every event, and one is enough', { extension: 1 }, 1, 'extension'],
  ['one event of the team’s own takes it away', { extension: 99 }, 100, undefined],
  ['more than there are events: the counts do not belong together', { extension: 3 }, 2, undefined],
  ['four crawlers are too few', { bot: 4 }, 4, undefined],
  ['five crawlers', { bot: 5 }, 5, 'bot'],
  ['four colleagues and an extension: the larger kind is not sure', { localhost: 3, extension: 1 }, 4, undefined],
  ['of two kinds the larger', { extension: 1, 'ad-blocker': 2 }, 3, 'ad-blocker'],
  ['of equal ones the first of the table', { 'third-party': 2, 'web-view': 2 }, 4, 'web-view'],
  ['skew and what a filter lets through are no kinds', { skew: 1, unfiltered: 1 }, 1, undefined],
  ['noise that is skew, too', { skew: 1, translator: 1 }, 1, 'translator'],
])('%s', (_says, counts, events, verdict) => {
  expect(verdictOf(counts, events)).toBe(verdict)
})

test.each<[Parameters<typeof filterFor>[0], SignCounts, string | undefined]>([
  ['extension', { extension: 2 }, 'browser-extensions'],
  ['extension', { extension: 2, unfiltered: 1 }, undefined],
  ['bot', {}, 'web-crawlers'],
  ['localhost', {}, 'localhost'],
  ['third-party', {}, undefined],
  ['translator', {}, undefined],
])('%s with %j is dropped by %s', (kind, counts, id) => {
  expect(filterFor(kind, counts)).toBe(id)
})
