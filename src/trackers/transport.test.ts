import { describe, expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import type { Outgoing, OutgoingRequest } from '../base/outgoing.ts'
import { failureWords, shownFailure } from './connection.ts'
import { TrackerFailure } from './tracker.ts'
import { callJson, failureOf, fieldsOf, guardedFetch, listOf, textOf, wordsOf } from './transport.ts'

const nowMs = 1_795_000_000_000
const hourMs = 3_600_000

describe('what an error status means', () => {
  test.each<[number, Record<string, string>, TrackerFailure['kind'], number | undefined]>([
    [401, {}, 'token', undefined],
    [403, {}, 'refused', undefined],
    [404, {}, 'missing', undefined],
    [410, {}, 'missing', undefined],
    [422, {}, 'refused', undefined],
    [429, {}, 'limited', 60_000],
    [429, { 'retry-after': '7' }, 'limited', 7000],
    [429, { 'retry-after': '0' }, 'limited', 0],
    [403, { 'retry-after': '7' }, 'limited', 7000],
    [503, { 'retry-after': '30' }, 'refused', 30_000],
    [503, {}, 'refused', undefined],
    // No pause is longer than six hours.
    [429, { 'retry-after': '999999' }, 'limited', 6 * hourMs],
    // A date, a negative number and nonsense are no pause.
    [429, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 'limited', 60_000],
    [429, { 'retry-after': '-5' }, 'limited', 60_000],
    [429, { 'retry-after': '1e9' }, 'limited', 60_000],
    [403, { 'retry-after': 'soon' }, 'refused', undefined],
    // A reset time in seconds or milliseconds counts only when nothing remains.
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${nowMs / 1000 + 90}` }, 'limited', 90_000],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${nowMs + 90_000}` }, 'limited', 90_000],
    [403, { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': `${nowMs / 1000 + 90}` }, 'refused', undefined],
    [403, { 'x-ratelimit-remaining': '0' }, 'refused', undefined],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '5' }, 'limited', 1000],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999999' }, 'limited', 6 * hourMs],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '99999999999999' }, 'refused', undefined],
  ])('%i with %j is %s', (status, headers, kind, pauseMs) => {
    const found = failureOf(status, new Headers(headers), {}, nowMs)
    expect([found.kind, found.retryAfterMs]).toEqual([kind, pauseMs])
  })
})

describe('the words of a service', () => {
  const deep = { a: { b: { c: { d: { e: { f: 'too deep' } } } } } }
  test.each<[string, unknown, string]>([
    ['no body', undefined, '400'],
    ['null', null, '400'],
    ['a text', 'No', '400: No'],
    ['a message', { message: 'Validation Failed' }, '400: Validation Failed'],
    ['a link to the documentation', { message: 'No', documentation_url: 'https://x.test' }, '400: No'],
    ['a list of errors', { errorMessages: ['One', 'Two'], errors: {} }, '400: One · Two'],
    ['errors by field', { errors: { summary: 'Missing', key: 'Wrong' } }, '400: Missing · Wrong'],
    ['the same words twice', { message: 'No', error: 'No' }, '400: No'],
    ['numbers and flags', { code: 7, fatal: true, message: 'No' }, '400: No'],
    ['words over lines', { message: 'a\n\tb\u0000c' }, '400: a b c'],
    ['words that are too deep', deep, '400'],
  ])('%s', (_says, body, words) => {
    expect(wordsOf(400, body)).toBe(words)
  })

  test('are cut, and a huge body does not make them longer', () => {
    expect(wordsOf(500, { message: 'x'.repeat(100_000) }).length).toBeLessThanOrEqual(300)
    const many = Array.from({ length: 5000 }, (_, at) => `word ${at}`)
    expect(wordsOf(500, many).length).toBeLessThanOrEqual(300)
  })
})

type Answer = { status?: number; body?: string; headers?: Record<string, string> }

/** A guarded client with one answer, and what it was asked. */
function client(answer: Answer | Error) {
  const asked: OutgoingRequest[] = []
  const outgoing: Outgoing = {
    send: async (request) => {
      asked.push(request)
      if (answer instanceof Error) throw answer
      const { status = 200, body = '', headers = {} } = answer
      return { status, headers, body: Buffer.from(body), url: request.url, address: '' }
    },
  } as Outgoing
  return { asked, fetch: guardedFetch(outgoing, 'https://git.test/api/v4') }
}

describe('a call', () => {
  const call = { headers: { authorization: 'Bearer x' }, nowMs }
  const url = 'https://git.test/api/v4/issues'

  test.each<[string, Answer, unknown]>([
    ['JSON', { body: '{"id":1}' }, { id: 1 }],
    ['a list', { body: '[1]' }, [1]],
    ['nothing', { status: 204 }, {}],
    ['an empty body', { body: '' }, {}],
  ])('answers %s', async (_says, answer, expected) => {
    expect(await callJson(client(answer).fetch, url, call)).toEqual(expected)
  })

  test.each<[string, Answer, string, string]>([
    ['a login page', { body: '<html>Sign in</html>' }, 'refused', '200: the answer is not JSON'],
    ['half a body', { body: '{"id":' }, 'refused', '200: the answer is not JSON'],
    ['an error page', { status: 502, body: '<html>Bad gateway</html>' }, 'refused', '502'],
    ['an error with words', { status: 404, body: '{"message":"Not Found"}' }, 'missing', '404: Not Found'],
    ['a redirect that was not followed', { status: 304 }, 'refused', '304'],
    [
      'a redirect of a write',
      { status: 307 },
      'refused',
      '307 · The repository or project has moved. Connect its new name.',
    ],
  ])('refuses %s', async (_says, answer, kind, message) => {
    const work = callJson(client(answer).fetch, url, call)
    await expect(work).rejects.toMatchObject({ kind, message })
    await expect(work).rejects.toBeInstanceOf(TrackerFailure)
  })

  test('names its type only with a body, and keeps the token', async () => {
    const { asked, fetch } = client({ body: '{}' })
    await callJson(fetch, url, call)
    await callJson(fetch, url, { ...call, method: 'POST', body: { title: 'x' } })
    expect(asked.map(({ method, body, headers }) => [method, body, headers])).toEqual([
      ['GET', undefined, { accept: 'application/json', authorization: 'Bearer x' }],
      [
        'POST',
        '{"title":"x"}',
        { accept: 'application/json', authorization: 'Bearer x', 'content-type': 'application/json' },
      ],
    ])
  })

  test('stays on the origin of the connection', async () => {
    const { asked, fetch } = client({ body: '{}' })
    await fetch(new Request(url))
    const allows = (target: string) => asked[0]?.allows?.(new URL(target))
    expect(allows('https://git.test/other')).toBe(true)
    for (const target of [
      'https://evil.test/',
      'http://git.test/',
      'https://git.test:444/',
      'https://git.test.evil.test/',
    ])
      expect(allows(target)).toBe(false)
  })

  test.each(['TRACE', 'CONNECT', 'x'])('the method %s is refused and not sent', async (method) => {
    const { asked, fetch } = client({})
    await expect(fetch(url, { method })).rejects.toMatchObject({ code: 'OUTGOING_REFUSED' })
    expect(asked).toEqual([])
  })

  test('headers of the packed body are left out: the guarded client has unpacked it', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-length': '3', etag: '"a"' }
    const answer = await client({ body: '{"id":1}', headers }).fetch(url)
    expect([...answer.headers.keys()]).toEqual(['etag'])
    expect(await answer.json()).toEqual({ id: 1 })
  })

  test('methods are read whatever their case', async () => {
    const { asked, fetch } = client({})
    await fetch(url, { method: 'patch' })
    expect(asked[0]?.method).toBe('PATCH')
  })

  test('a failure of the network is passed on', async () => {
    const error = new MishapError('OUTGOING_REFUSED', { detail: 'A private address.' })
    await expect(callJson(client(error).fetch, url, call)).rejects.toBe(error)
  })
})

describe('fields of answers', () => {
  test.each<[unknown, string, unknown[], object]>([
    ['a', 'a', [], {}],
    [7, '7', [], {}],
    [null, '', [], {}],
    [undefined, '', [], {}],
    [true, '', [], {}],
    [['a'], '', ['a'], {}],
    [{ a: 1 }, '', [], { a: 1 }],
  ])('%j', (value, text, list, fields) => {
    expect([textOf(value), listOf(value), fieldsOf(value)]).toEqual([text, list, fields])
  })
})

describe('what people see of a failure', () => {
  test('are the words of the service under the field of the form', () => {
    expect(shownFailure(new TrackerFailure('refused', '422: No'))).toMatchObject({
      code: 'VALIDATION',
      fields: { tracker: ['422: No'] },
    })
  })

  test('an error of ours stays what it is', () => {
    const error = new MishapError('NOT_FOUND')
    expect(shownFailure(error)).toBe(error)
    expect(failureWords(error)).toBe(error.message)
  })

  test('a mistake in the code is no failure of the service', () => {
    const mistake = new TypeError('x is not a function')
    expect(() => failureWords(mistake)).toThrow(mistake)
    expect(() => shownFailure(mistake)).toThrow(mistake)
  })
})
