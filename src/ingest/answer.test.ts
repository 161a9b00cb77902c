import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { answerEmpty, answerError, answerGif, answerId, answerPreflight, answerText, Refusal } from './answer.ts'

/** Returns the written response. Header names are lower case. */
function written(answer: (res: ServerResponse) => void) {
  const out = { status: 0, headers: {} as Record<string, string>, body: '' }
  answer({
    writeHead: (status: number, list: string[]) => {
      out.status = status
      for (let at = 0; at < list.length; at += 2) out.headers[list[at] ?? ''] = list[at + 1] ?? ''
    },
    end: (body?: string | Buffer) => {
      out.body = body === undefined ? '' : Buffer.from(body as string).toString('latin1')
    },
  } as unknown as ServerResponse)
  return out
}

const cors = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, retry-after',
  'cross-origin-resource-policy': 'cross-origin',
}
const json = { ...cors, 'content-type': 'application/json' }
const id = 'a'.repeat(32)

test.each<[string, (res: ServerResponse) => void, number, Record<string, string>, string]>([
  ['an id', (res) => answerId(res, id), 200, json, `{"id":"${id}"}`],
  ['no id', (res) => answerId(res, ''), 200, json, '{}'],
  ['a text', (res) => answerText(res, 'a-b'), 200, { ...cors, 'content-type': 'text/plain' }, 'a-b'],
  ['nothing', (res) => answerEmpty(res, 201), 201, cors, ''],
])('%s, with the headers that let a browser read it', (_name, answer, status, headers, body) => {
  expect(written(answer)).toEqual({ status, headers: { ...headers, 'content-length': String(body.length) }, body })
})

test('a picture that nothing keeps', () => {
  const { status, headers, body } = written(answerGif)
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'image/gif', 'no-store'])
  expect([body.slice(0, 6), Number(headers['content-length'])]).toEqual(['GIF89a', body.length])
  expect(headers).toMatchObject(cors)
})

test('a preflight allows what SDKs send, for an hour', () => {
  const { status, headers, body } = written(answerPreflight)
  expect([status, body, headers['access-control-max-age']]).toEqual([204, '', '3600'])
  expect(headers['access-control-allow-headers']?.split(', ')).toEqual(
    expect.arrayContaining(['x-sentry-auth', 'content-type', 'content-encoding', 'sentry-trace', 'baggage']),
  )
  expect(headers).toMatchObject({ ...cors, 'access-control-allow-methods': 'GET, POST, OPTIONS' })
})

test('an error says its sentence in a header that it cannot break, and when to come again', () => {
  const error = new MishapError('ACCEPT_OVERLOADED', { detail: `late\r\nx: “${'y'.repeat(600)}`, retryAfterS: 7 })
  const { status, headers, body } = written((res) => answerError(res, error, ['x-more', '1']))
  expect([status, headers['retry-after'], headers['x-more']]).toEqual([503, '7', '1'])
  expect(headers['x-sentry-error']).toBe(`late??x: ?${'y'.repeat(490)}`)
  expect(headers).toMatchObject(json)
  expect(Number(headers['content-length'])).toBe(body.length)
  expect(JSON.parse(body)).toMatchObject({ code: 'ACCEPT_OVERLOADED' })
  expect(written((res) => answerError(res, new MishapError('NOT_FOUND'))).headers).not.toHaveProperty('retry-after')
})

test('a refusal has its reason, and the catalogue’s sentence where it has none of its own', () => {
  const plain = new Refusal('ACCEPT_TOO_LARGE', 'too_many_items')
  expect([plain.reason, plain.causes, plain.message]).toEqual([
    'too_many_items',
    [],
    new MishapError('ACCEPT_TOO_LARGE').message,
  ])
  const own = new Refusal('ACCEPT_TOO_LARGE', 'too_large', ['why'], 'It is long.')
  expect([own.causes, own.message]).toEqual([['why'], 'It is long.'])
})
