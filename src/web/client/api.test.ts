import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, apiError, apiFetch, apiPage, apiUrl, nextCursor } from './api.ts'

describe('apiUrl', () => {
  const cases: [string, Parameters<typeof apiUrl>, string][] = [
    ['plain', ['status/'], '/api/0/status/'],
    [
      'query, undefined left out',
      ['organizations/a/issues/', { query: 'is:unresolved & x', cursor: undefined, limit: 25 }],
      '/api/0/organizations/a/issues/?query=is%3Aunresolved+%26+x&limit=25',
    ],
    ['a list repeats', ['x/', { id: ['1', '2'], on: true }], '/api/0/x/?id=1&id=2&on=true'],
    ['an empty list is nothing', ['x/', { id: [] }], '/api/0/x/'],
  ]
  it.each(cases)('%s', (_name, given, url) => expect(apiUrl(...given)).toBe(url))
})

describe('nextCursor', () => {
  const link = (results: string) =>
    `<http://h/x?cursor=0:0:1>; rel="previous"; results="false"; cursor="0:0:1", <http://h/x?cursor=0:100:0>; rel="next"; results="${results}"; cursor="0:100:0"`
  const cases: [string, string | null, string | null][] = [
    ['more', link('true'), '0:100:0'],
    ['the end', link('false'), null],
    ['no header', null, null],
    ['rubbish', 'rel="next"; results="true"', null],
    ['only a previous page', '<u>; rel="previous"; results="true"; cursor="a"', null],
  ]
  it.each(cases)('%s', (_name, header, cursor) => expect(nextCursor(header)).toBe(cursor))
})

describe('apiError', () => {
  const cases: [string, number, string, Partial<ApiError>][] = [
    [
      'coded',
      404,
      '{"detail":"gone","code":"NOT_FOUND","causes":["look",3]}',
      { status: 404, code: 'NOT_FOUND', message: 'gone', causes: ['look'] },
    ],
    [
      'fields',
      400,
      '{"name":["Too long."],"slug":["Taken."]}',
      { code: 'VALIDATION', message: 'Too long.', fields: { name: ['Too long.'], slug: ['Taken.'] } },
    ],
    ['a page of a proxy', 502, '<h1>Bad gateway</h1>', { code: 'INTERNAL', message: 'HTTP 502' }],
    ['empty', 500, '', { code: 'INTERNAL', message: 'HTTP 500' }],
    ['a list', 400, '[1]', { code: 'VALIDATION', message: 'HTTP 400' }],
    ['no code', 403, '{"detail":"no"}', { code: 'INTERNAL', message: 'no' }],
  ]
  it.each(cases)('%s', (_name, status, text, expected) => expect(apiError(status, text)).toMatchObject(expected))
})

describe('apiFetch', () => {
  afterEach(() => vi.unstubAllGlobals())
  const answer = (body: string | null, init: ResponseInit = {}) => {
    const fake = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, init))
    vi.stubGlobal('fetch', fake)
    return fake
  }

  it('sends JSON with the cookie and reads JSON', async () => {
    const fake = answer('{"a":1}')
    expect(await apiFetch('x/', { method: 'PUT', body: { b: 2 } })).toEqual({ a: 1 })
    expect(fake.mock.calls[0]?.[0]).toBe('/api/0/x/')
    expect(fake.mock.calls[0]?.[1]).toMatchObject({
      method: 'PUT',
      body: '{"b":2}',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
    })
  })
  it('reads an empty answer as undefined', async () => {
    answer(null, { status: 204 })
    expect(await apiFetch('x/', { method: 'DELETE' })).toBeUndefined()
  })
  it('throws the coded error', async () => {
    answer('{"detail":"no","code":"AUTH_FORBIDDEN"}', { status: 403 })
    await expect(apiFetch('x/')).rejects.toMatchObject({ status: 403, code: 'AUTH_FORBIDDEN' })
  })
  it('says who was quicker after a conflict', async () => {
    const current = { revision: 3, changedBy: { name: 'Bob', email: 'bob@example.test' } }
    answer(JSON.stringify({ detail: 'Bob changed this.', code: 'CONFLICT', causes: [], current }), { status: 409 })
    await expect(apiFetch('x/', { method: 'PUT' })).rejects.toMatchObject({ code: 'CONFLICT', current: { by: 'Bob' } })
  })
  it('says NETWORK when nothing answers', async () => {
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('failed')))
    await expect(apiFetch('x/')).rejects.toMatchObject({ code: 'NETWORK', status: 0 })
  })
  it('hands an abort on as it is', async () => {
    const stop = new AbortController()
    stop.abort(new DOMException('left', 'AbortError'))
    vi.stubGlobal('fetch', async () => Promise.reject(stop.signal.reason))
    await expect(apiFetch('x/', { signal: stop.signal })).rejects.not.toBeInstanceOf(ApiError)
  })
  it('reads a page with its cursor and hits', async () => {
    answer('[1,2]', { headers: { link: '<u>; rel="next"; results="true"; cursor="0:2:0"', 'x-hits': '7' } })
    expect(await apiPage('x/')).toEqual({ rows: [1, 2], next: '0:2:0', hits: 7 })
  })
  it('knows no hits where none are said', async () => {
    answer('[]')
    expect(await apiPage('x/')).toEqual({ rows: [], next: null, hits: null })
  })
})
