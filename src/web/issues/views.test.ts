import { describe, expect, it } from 'vitest'
import type { RestSearch } from '../../protocol/rest-search.ts'
import { paramsOf } from './stream-query.ts'
import { keptParams, partsOf, shownView, viewOf, viewSearch } from './views.ts'

const paramsAt = (search: string) => paramsOf(new URLSearchParams(search))

describe('a view is the address that it was saved from', () => {
  it.each([
    [''],
    ['?q='],
    ['?q=level%3Aerror&project=web%2Capi&env=dev&t=24h&sort=events'],
    ['?from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-02T00%3A00%3A00.000Z'],
  ])('%s', (search) => {
    expect(viewSearch(viewOf(paramsAt(search)))).toBe(search)
  })

  it('has no range or sorting that the stream does not know', () => {
    expect(viewSearch({ ...viewOf(paramsAt('')), statsPeriod: '5y', sort: 'trends' })).toBe('')
  })
})

it('the view that is shown is the one with this address', () => {
  const view = (id: string, search: string): RestSearch => ({
    ...{ id, type: 0, name: id, visibility: 'owner', isGlobal: false, isPinned: false, createdBy: null },
    ...{ dateCreated: '', isEditable: true, revision: 0, ...viewOf(paramsAt(search)) },
  })
  const views = [view('1', '?q=a'), view('2', '?q=a&sort=users')]
  expect(shownView(views, paramsAt('?sort=users&q=a'))?.id).toBe('2')
  expect(shownView(views, paramsAt('?q=a+'))?.id).toBe('1')
  expect(shownView(views, paramsAt('?q=b'))).toBeUndefined()
  for (const one of views) expect(viewOf(paramsAt(viewSearch(partsOf(one))))).toEqual(partsOf(one))
})

it('a search before the scripts run keeps the rest of the address', () => {
  expect(keptParams(paramsAt('?q=x&project=web&t=24h&sort=events'))).toEqual({
    project: 'web',
    t: '24h',
    sort: 'events',
  })
  expect(keptParams(paramsAt('?q=x'))).toEqual({})
})
