import { expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { Search } from './ast.ts'
import type { SearchContext } from './context.ts'
import { searchCharsMax } from './grammar.ts'
import { parseSearch } from './parse.ts'
import { planOf } from './plan.ts'
import { splitRelease } from './release-parts.ts'

// Every input gives a tree or an error with a position, in time that grows with its length.

const pieces = [
  'is:',
  'has:',
  'tags[',
  'flags["',
  ']',
  '[',
  ',',
  ':',
  '!',
  '(',
  ')',
  '"',
  '\\',
  '*',
  ' ',
  '\t',
  '\n',
  'AND',
  'OR',
  'level',
  'release.version',
  'release.stage',
  'timesSeen',
  'firstSeen',
  'p95(x)',
  'count()',
  '>',
  '<=',
  '!=',
  '-24h',
  '2026-01-31',
  'T12:00',
  '5s',
  '2k',
  '%',
  'unresolved',
  'latest',
  'me',
  'ä',
  '日本',
  '\u{1f600}',
  '\ud800',
  '\0',
  '__proto__',
  '\uf00dContains\uf00d',
  "'; drop table",
  '{p0:String}',
  'a',
  'WEB-4',
  'true',
  '""',
  '""""',
]

/** A pseudorandom generator with a fixed seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const context: SearchContext = {
  lists: 'issues',
  nowMs: 1_795_000_000_000,
  meUserId: 'me',
  userIdOf: async () => undefined,
  projectIdsOf: () => [1],
  projectIds: [1, 2],
  latestReleases: async () => ['web@1'],
  releases: async () => [splitRelease('web@1.0.0')],
  releaseStages: async () => [{ projectId: 1, version: 'web@1.0.0', stage: 'low', sessions: 1 }],
}

/** Returns the tree after planning it for both lists; undefined if rejected. */
async function read(text: string): Promise<Search | undefined> {
  try {
    const search = parseSearch(text)
    await planOf(search, context)
    await planOf(search, { ...context, lists: 'events' })
    return search
  } catch (error) {
    if (!(error instanceof MishapError) || !error.code.startsWith('QUERY_')) throw error
    const at = Number(/position (\d+), expected/.exec(error.message)?.[1] ?? Number.NaN)
    if (error.code === 'QUERY_TOO_LONG') expect(error.message).not.toBe('')
    else expect([text, at >= 1 && at <= text.length + 1]).toEqual([text, true])
    return undefined
  }
}

test('20,000 made-up texts: never an error of ours, and as many are read as refused', async () => {
  const random = createRandom(5)
  let trees = 0
  for (let n = 0; n < 20_000; n++) {
    const text = Array.from(
      { length: 1 + Math.floor(random() * 8) },
      () => pieces[Math.floor(random() * pieces.length)],
    )
    if (await read(text.join(''))) trees++
  }
  expect(trees).toBeGreaterThan(2000)
  expect(trees).toBeLessThan(18_000)
})

test.each([
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['openings', '('],
  ['closings', ')'],
  ['brackets', '['],
  ['lists', 'a:[b,'],
  ['negations', '!'],
  ['keys', 'a:'],
  ['aggregates', 'p95('],
  ['tags', 'tags['],
  ['stars', '*'],
  ['escaped stars', '\\*'],
  ['commas', 'a:[,'],
  ['digits', '9'],
  ['minus signs', 'a-'],
  ['spaces in an aggregate', 'f( '],
])('4,096 characters of %s are read or refused', async (_name, piece) => {
  const text = piece.repeat(searchCharsMax).slice(0, searchCharsMax)
  expect(await read(text)).toEqual(await read(text))
})
