import { describe, expect, it } from 'vitest'
import type { RestSearch } from '../../../contract/search.ts'
import { paramsOf } from './list-params.ts'
import { partsOf, shownView, viewOf, viewParams, viewSearch } from './views.ts'

const projects = [
  { id: '1', slug: 'web', name: 'Web' },
  { id: '2', slug: 'api', name: 'API' },
]
const paramsAt = (search: string) => paramsOf(new URLSearchParams(search))

describe('a view is the address that it was saved from', () => {
  it.each([
    [''],
    ['?q='],
    ['?q=level%3Aerror&project=web%2Capi&env=dev&t=24h&sort=events'],
    ['?from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-02T00%3A00%3A00.000Z'],
  ])('%s', (search) => {
    expect(viewSearch(viewOf(paramsAt(search), projects), projects)).toBe(search)
  })

  it('of the same projects when they are called otherwise by then', () => {
    const view = viewOf(paramsAt('?project=web%2Capi%2Cgone'), projects)
    expect(view.projects).toEqual(['1', '2', 'gone'])
    const later = [
      { id: '1', slug: 'shop', name: 'Shop' },
      { id: '3', slug: 'web', name: 'Web' },
    ]
    expect(viewSearch(view, later)).toBe('?project=shop%2C2%2Cgone')
  })

  it('has no range or sorting that the stream does not know', () => {
    expect(viewSearch({ ...viewOf(paramsAt(''), []), statsPeriod: '5y', sort: 'trends' }, [])).toBe('')
  })
})

it('the view that is shown is the one with this address', () => {
  const view = (id: string, search: string): RestSearch => ({
    id,
    type: 0,
    scope: 'issues',
    name: id,
    visibility: 'owner',
    isGlobal: false,
    isPinned: false,
    createdBy: null,
    dateCreated: '',
    isEditable: true,
    revision: 0,
    unknownColumns: [],
    ...viewOf(paramsAt(search), []),
  })
  const views = [view('1', '?q=a'), view('2', '?q=a&sort=users'), view('3', '?q=c&project=web')]
  const shown = (search: string) => shownView(views, paramsAt(search), projects)?.id
  expect(shown('?sort=users&q=a')).toBe('2')
  expect(shown('?q=a+')).toBe('1')
  expect(shown('?q=b')).toBeUndefined()
  // One view saved with the slug, and the same with the id.
  expect(shown('?q=c&project=1')).toBe('3')
  for (const item of views) expect(viewOf(paramsAt(viewSearch(partsOf(item), [])), [])).toEqual(partsOf(item))
})

it('a search before the scripts run keeps the rest of the address', () => {
  expect(viewParams(paramsAt('?q=x&project=web&t=24h&sort=events'))).toEqual({
    project: 'web',
    t: '24h',
    sort: 'events',
  })
  expect(viewParams(paramsAt('?q=x'))).toEqual({})
})
