import { describe, expect, it } from 'vitest'
import { isPlain, listQuery, paramsOf, projectIdsOf, viewSearchOf } from './list-params.ts'

const projects = [
  { id: '1', slug: 'web', name: 'Web' },
  { id: '2', slug: 'shop', name: 'Shop' },
]
const day = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
const asked = (search: string) => {
  const params = paramsOf(new URLSearchParams(search))
  return listQuery(params, projectIdsOf(params.project, projects))
}

describe('what the stream asks for', () => {
  it.each<[string, object]>([
    ['', { query: 'is:unresolved', sort: 'date', statsPeriod: '14d', project: undefined, environment: undefined }],
    ['q=', { query: '' }],
    ['q=level%3Aerror+x&sort=users', { query: 'level:error x', sort: 'user' }],
    ['sort=nonsense', { sort: 'date' }],
    ['project=shop', { project: ['2'] }],
    ['project=web,2', { project: ['1', '2'] }],
    ['project=', { project: undefined }],
    ['project=gone', { project: ['gone'] }],
    ['project=gone,shop,2', { project: ['gone', '2'] }],
    ['env=production,staging', { environment: ['production', 'staging'] }],
    ['t=1h', { statsPeriod: '1h' }],
    ['t=1century', { statsPeriod: '14d' }],
    [`from=${day.from}&to=${day.to}&t=1h`, { start: day.from, end: day.to }],
    [`from=${day.to}&to=${day.from}`, { statsPeriod: '14d' }],
  ])('?%s', (search, expected) => {
    expect(asked(search)).toMatchObject(expected)
  })
  it('has one form for one question: server and browser compare it as text', () => {
    expect(JSON.stringify(asked('q=x&project=web'))).toBe(JSON.stringify(asked('project=1&q=x&t=14d')))
    expect(JSON.stringify(asked('q=x'))).not.toBe(JSON.stringify(asked('q=x&env=production')))
  })
})

describe('isPlain', () => {
  it.each([
    ['', true],
    ['t=24h&sort=users', true],
    ['q=%20is%3Aunresolved%20', true],
    ['q=', false],
    ['q=is%3Aunresolved%20x', false],
    ['project=web', false],
    ['env=production', false],
  ])('?%s: %s', (search, plain) => expect(isPlain(paramsOf(new URLSearchParams(search)))).toBe(plain))
})

describe('keptSearch', () => {
  it.each([
    ['', ''],
    ['q=anything&sort=users', ''],
    ['t=24h&env=production', '?t=24h&env=production'],
    [`from=${day.from}&to=${day.to}`, `?from=${encodeURIComponent(day.from)}&to=${encodeURIComponent(day.to)}`],
  ])('%s', (search, kept) => {
    expect(viewSearchOf(paramsOf(new URLSearchParams(search)))).toBe(kept)
  })
})
