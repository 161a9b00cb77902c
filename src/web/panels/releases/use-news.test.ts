import { expect, it } from 'vitest'
import type { RestRelease } from '../../../contract/releases.ts'
import { newReleasesIn } from './use-news.ts'

const release = (version: string, atMs: number) =>
  ({ version, dateCreated: new Date(atMs).toISOString() }) as RestRelease

it.each<[string, [string, number][], string[], string[]]>([
  ['nothing came', [['a', 900]], ['a'], []],
  [
    'one came',
    [
      ['b', 1100],
      ['a', 900],
    ],
    ['a'],
    ['b'],
  ],
  ['an old one that stands on another page is no news', [['old', 900]], ['a'], []],
  ['a new one that is in the list already', [['b', 1100]], ['b'], []],
  ['the moment of the look itself counts as looked at', [['b', 1000]], [], []],
])('%s', (_name, newest, known, expected) => {
  const found = newReleasesIn(
    newest.map(([version, atMs]) => release(version, atMs)),
    known.map((version) => ({ version })),
    1000,
  )
  expect(found).toEqual(expected)
})
