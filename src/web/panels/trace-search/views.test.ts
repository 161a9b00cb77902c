import { expect, test } from 'vitest'
import type { RestSearch } from '../../../contract/search.ts'
import { traceParams } from './params.ts'
import { defaultSearch, traceViewOf, traceViewSearch } from './views.ts'

const projects = [
  { id: '1', slug: 'web', name: 'Web' },
  { id: '2', slug: 'api', name: 'API' },
]
const viewAt = (search: string) => traceViewOf(traceParams(new URLSearchParams(search)), projects)

test.each([
  ['?q='],
  ['?q=span.op%3Adb&project=web%2Capi&env=dev&t=7d&mode=spans&sort=slowest'],
  ['?q=&from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-02T00%3A00%3A00.000Z&sort=fastest'],
  ['?q=&mode=spans'],
])('a view is the address that it was saved from: %s', (search) => {
  expect(traceViewSearch(viewAt(search), projects)).toBe(search)
})

test('no parameter is the default search, and an unknown order the newest first', () => {
  expect(viewAt('')).toEqual(viewAt('?q=&t=24h&sort=newest'))
  expect(traceViewSearch({ ...viewAt(''), sort: 'trends', statsPeriod: '5y' }, projects)).toBe('?q=')
})

test('the list opens with the default view', () => {
  const view = (isPinned: boolean, search: string) => ({ ...viewAt(search), isPinned }) as RestSearch
  expect(defaultSearch([view(false, '?q=a'), view(true, '?q=b')], projects)).toBe('?q=b')
  expect(defaultSearch([view(false, '?q=a')], projects)).toBe(undefined)
})
