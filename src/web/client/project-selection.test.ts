import { expect, test } from 'vitest'
import {
  type AddressSelection,
  addressSelection,
  rememberedProjects,
  selectionAfter,
  selectionValue,
} from './project-selection.ts'

const projects = [{ slug: 'api' }, { slug: 'shop' }, { slug: 'web' }]

test.each<[string | undefined, string[]]>([
  ['ann:web', ['web']],
  ['ann:web,api', ['api', 'web']],
  ['ann:gone,web', ['web']],
  ['ann:gone', []],
  ['bob:web', []],
  ['ann', []],
  ['ann:', []],
  ['', []],
  [undefined, []],
  ['ann:web:shop', ['web']],
])('the cookie %s remembers %j', (cookie, slugs) => {
  expect(rememberedProjects(cookie, 'ann', projects)).toEqual(slugs)
})

test.each<[path: string, search: string, AddressSelection]>([
  ['/o/acme/issues', '', { path: '/o/acme/issues', rest: '', words: [] }],
  ['/o/acme/issues', 'q=a&project=web,,api', { path: '/o/acme/issues', rest: 'q=a', words: ['web', 'api'] }],
  ['/o/acme/releases', 'project=web', { path: '/o/acme/releases', rest: '', words: ['web'] }],
  ['/o/acme/issues/1', 'project=web', undefined],
  ['/o/other/issues', 'project=web', undefined],
  ['/o/acme', 'project=web', undefined],
])('%s?%s selects %j', (path, search, selection) => {
  expect(addressSelection('/o/acme', path, new URLSearchParams(search))).toEqual(selection)
})

const at = (words: string[], rest = '', path = '/o/a/issues'): AddressSelection => ({ path, rest, words })

test.each<[string, AddressSelection, AddressSelection, string[] | undefined]>([
  ['an address with projects', undefined, at(['web']), ['web']],
  ['other projects', at(['web']), at(['api', 'shop']), ['api', 'shop']],
  ['only the projects were removed', at(['web'], 'q=a'), at([], 'q=a'), []],
  ['another query without projects', at(['web']), at([], 'q=a'), undefined],
  ['another list without projects', at(['web']), at([], '', '/o/a/releases'), undefined],
  ['a screen without the filter', at(['web']), undefined, undefined],
  ['the first address has none', undefined, at([]), undefined],
  ['there were none', at([]), at([]), undefined],
])('%s', (_name, before, now, remembered) => {
  expect(selectionAfter(before, now)).toEqual(remembered)
})

test.each<[string[], string]>([
  [['web', 'api'], 'ann:web,api'],
  [['web;path=/', 'a b', 'x,y', 'shop-1'], 'ann:shop-1'],
  [['\r\nSet-Cookie: a'], ''],
  [[], ''],
])('%j is stored as %j', (words, value) => {
  expect(selectionValue('ann', words)).toBe(value)
})
