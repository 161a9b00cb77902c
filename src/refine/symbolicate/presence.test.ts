import { describe, expect, test } from 'vitest'
import { debugName } from '../../store/meta/ingest/missing-source-maps.ts'
import type { MapQuery } from './frames.ts'
import { createWorkerMaps } from './maps.ts'
import { mayFind, presenceLookup, presenceOf, urlName } from './presence.ts'

const idOf = (n: number) => `${n.toString(16).padStart(8, '0')}-0003-423c-92ab-92705ede040b`
const query = (more: Partial<MapQuery> = {}): MapQuery => ({
  debugId: undefined,
  url: 'https://shop.test/a.js?v=1',
  release: 'shop@1',
  dist: '',
  ...more,
})

test('all names of a table are found, and next to no others', () => {
  const names = Array.from({ length: 20_000 }, (_, n) => debugName(idOf(n)))
  const has = presenceLookup(presenceOf(names))
  expect(names.filter((name) => !has(name))).toEqual([])
  const others = Array.from({ length: 200_000 }, (_, n) => debugName(idOf(n + 1_000_000)))
  expect(others.filter(has)).toEqual([])
})

test.each([0, 1, 4, 5, 8])('a table of %i names has room', (count) => {
  const names = Array.from({ length: count }, (_, n) => `n${n}`)
  const has = presenceLookup(presenceOf([...names, ...names]))
  expect([names.every(has), has('other')]).toEqual([true, false])
})

describe('what may be found', () => {
  const has = presenceLookup(
    presenceOf([debugName(idOf(1)), urlName('shop@1', '', '~/a.js'), urlName('shop@1', 'ios', '~/b.js')]),
  )
  test.each<[string, Partial<MapQuery>, boolean]>([
    ['a debug id', { debugId: idOf(1), release: undefined, url: 'x' }, true],
    ['another debug id, but an address', { debugId: idOf(2) }, true],
    ['another debug id and another address', { debugId: idOf(2), url: 'https://shop.test/c.js' }, false],
    ['another release', { release: 'shop@2' }, false],
    ['no release', { release: undefined }, false],
    ['another dist', { dist: 'ios' }, false],
    ['the address in its dist', { dist: 'ios', url: 'https://shop.test/b.js' }, true],
  ])('%s', (_name, more, want) => {
    expect(mayFind(has, query(more))).toBe(want)
  })
})

test('what nobody uploaded is not asked for; without names all is', () => {
  const maps = createWorkerMaps(
    async () => [],
    () => 0,
  )
  const names = presenceOf([debugName(idOf(1))])
  const range = maps.of(7, 'state', { leftMs: 1 }, names)
  for (let n = 2; n < 500; n++) expect(range.find(query({ debugId: idOf(n) }))).toEqual({ reason: 'file_missing' })
  expect(range.missing()).toBe(false)
  expect(range.find(query({ debugId: idOf(1) }))).toBeUndefined()
  expect(range.missing()).toBe(true)
  const open = maps.of(7, 'state', { leftMs: 1 })
  expect([open.find(query({ debugId: idOf(2) })), open.missing()]).toEqual([undefined, true])
})
