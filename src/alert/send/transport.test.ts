import { expect, test } from 'vitest'
import type { OutgoingAnswer } from '../../base/outgoing.ts'
import { acceptedAnswer, type DeliveryRefused } from './transport.ts'

const nowMs = Date.parse('2026-11-27T08:00:00Z')
const answer = (status: number, body = '', headers: Record<string, string> = {}): OutgoingAnswer => ({
  status,
  headers,
  body: Buffer.from(body),
  url: 'https://chat.test/',
  address: '203.0.113.7',
})

function refused(given: OutgoingAnswer): DeliveryRefused {
  try {
    acceptedAnswer(given, nowMs)
  } catch (error) {
    return error as DeliveryRefused
  }
  throw new Error('The answer was accepted.')
}

test.each([
  [200, 'ok', {}, '200 ok'],
  [204, '', {}, '204'],
  [202, '{"id":1}', { 'content-type': 'application/json; charset=utf-8' }, '202 {"id":1}'],
  [200, '<h1>Sign in</h1>', { 'content-type': 'text/html' }, '200'],
  [200, 'two\r\nlines \u202e', { 'content-type': 'text/plain' }, '200 two lines'],
])('%i %j is a success, with its words as one line', (status, body, headers, expected) => {
  expect(acceptedAnswer(answer(status, body, headers), nowMs)).toEqual({ answer: expected })
})

test.each([
  [404, 'no_team', 'The service answered 404: no_team'],
  [302, '', 'The service answered 302.'],
  [500, 'x'.repeat(5000), `The service answered 500: ${'x'.repeat(299)}…`],
])('%i is refused with the words of the service', (status, body, expected) => {
  expect(refused(answer(status, body))).toMatchObject({ message: expected, retryAfterMs: undefined })
})

test.each([
  ['30', 30_000],
  ['0.35', 350],
  ['Fri, 27 Nov 2026 08:02:00 GMT', 120_000],
  ['999999', 6 * 3_600_000],
  ['0', undefined],
  ['Fri, 27 Nov 2026 07:00:00 GMT', undefined],
  ['soon', undefined],
])('Retry-After: %s is a pause of %s ms', (text, expected) => {
  expect(refused(answer(429, '', { 'retry-after': text })).retryAfterMs).toBe(expected)
})
