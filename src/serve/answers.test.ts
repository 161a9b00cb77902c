import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { refuseRequest } from './answers.ts'

/** Answers one request with the error, and returns what the client got. */
async function answerOf(error: MishapError, accept: string) {
  const server = createServer((req, res) => refuseRequest(req, res, error, testClock()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers: { accept } })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } finally {
    server.close()
  }
}

test.each([
  ['STORE_UNAVAILABLE', {}, 503, '1', 'Mishap is starting'],
  ['DATABASE_UNAVAILABLE', {}, 503, '5', 'Mishap waits for its database'],
  ['REQUEST_TOO_MANY_STREAMS', { retryAfterS: 30 }, 429, '30', 'Mishap is busy'],
] as const)(
  '%s: a browser gets a page that fits a phone and both themes, and reloads',
  async (code, more, ...wanted) => {
    const { status, headers, text } = await answerOf(new MishapError(code, more), 'text/html')
    expect([status, headers.get('refresh'), /<h1>(.*?)<\/h1>/.exec(text)?.[1]]).toEqual(wanted)
    expect(text).toContain('<meta name="viewport" content="width=device-width">')
    expect(text).toContain('color-scheme:light dark')
    // The policy must allow exactly this style: with another text the page has no colours.
    const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? ''
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64')
    expect(headers.get('content-security-policy')).toBe(`default-src 'none'; style-src 'sha256-${digest}'`)
  },
)

test('a program gets the code and a sentence', async () => {
  const { status, text } = await answerOf(new MishapError('DATABASE_UNAVAILABLE'), 'application/json')
  expect([status, JSON.parse(text)]).toEqual([503, expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' })])
})
