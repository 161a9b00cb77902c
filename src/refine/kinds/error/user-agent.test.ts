import { describe, expect, test } from 'vitest'
import { refineEvent } from '../../pipeline/fixture.cases.ts'
import { readUserAgent } from './user-agent.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1'

describe('facts', () => {
  test.each([
    [chrome, {}, 'Chrome', 'Windows', undefined],
    [iphone, {}, 'Safari', 'iOS', 'iPhone'],
    [
      chrome,
      { 'sec-ch-ua-platform': '"Windows"', 'sec-ch-ua-platform-version': '"15.0.0"' },
      'Chrome',
      'Windows',
      undefined,
    ],
    [
      '',
      {
        'sec-ch-ua': '"Not A;Brand";v="8", "Google Chrome";v="120"',
        'sec-ch-ua-platform': '"Android"',
        'sec-ch-ua-model': '"Pixel 8"',
      },
      'Chrome',
      'Android',
      'Pixel 8',
    ],
    ['\u0000 garbage (((', {}, undefined, undefined, undefined],
  ])('%s %j', (agent, hints: Record<string, string>, browser, os, model) => {
    const details = readUserAgent(agent, hints)
    expect([details.browser?.name, details.os?.name, details.device?.model]).toEqual([browser, os, model])
  })
  test('Windows 11 only shows in its hint', () => {
    expect(
      readUserAgent(chrome, { 'sec-ch-ua-platform': '"Windows"', 'sec-ch-ua-platform-version': '"15.0.0"' }).os
        ?.version,
    ).toBe('11')
    expect(readUserAgent(chrome, {}).os?.version).toBe('10.0')
  })
})

describe('contexts', () => {
  test('from the header of the request', () => {
    const { event, row } = refineEvent({ platform: 'javascript', request: { headers: { 'User-Agent': chrome } } })
    expect(event.contexts['browser']).toMatchObject({ name: 'Chrome', version: '120.0.0.0', type: 'browser' })
    expect(row.tags).toMatchObject({
      browser: 'Chrome 120.0.0.0',
      'browser.name': 'Chrome',
      os: 'Windows 10.0',
      'os.name': 'Windows',
    })
  })
  test('what the SDK sent stays; the visitor’s system stands beside the server’s', () => {
    const { event, row } = refineEvent({
      platform: 'node',
      contexts: { os: { name: 'Debian' }, browser: { name: 'Mine' } },
      request: { headers: { 'User-Agent': chrome } },
    })
    expect([
      event.contexts['browser']?.['name'],
      event.contexts['os']?.['name'],
      event.contexts['client_os']?.['name'],
    ]).toEqual(['Mine', 'Debian', 'Windows'])
    expect(row.tags).toMatchObject({ 'client_os.name': 'Windows', 'os.name': 'Debian' })
  })
  test('the sender’s agent counts for browsers only', () => {
    expect(refineEvent({ platform: 'javascript' }, { userAgent: iphone }).row.tags['device']).toBe('iPhone')
    expect(
      refineEvent({ platform: 'python', exception: { type: 'E' } }, { userAgent: iphone }).row.tags['device'],
    ).toBeUndefined()
    expect(
      refineEvent({ platform: 'javascript' }, { userAgent: 'sentry.x/1.0' }).event.contexts['browser'],
    ).toBeUndefined()
  })
})
