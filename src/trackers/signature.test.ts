import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type TrackerKind, trackerKinds } from '../domain/alerts/trackers.ts'
import { checkSignature, isRecent } from './signature.ts'

const secret = "It's a Secret to Everybody"
const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')

test('the sample of GitHub’s documentation', () => {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
  const headers = new Headers({
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  })
  expect(checkSignature('github', secret, headers, bytes('Hello, World!'))).toBe('ok')
  expect(checkSignature('github', secret, headers, bytes('Hello, World?'))).toBe('bad_signature')
  expect(checkSignature('github', 'another secret', headers, bytes('Hello, World!'))).toBe('bad_signature')
})

test('the sample of Jira’s documentation', () => {
  // https://developer.atlassian.com/cloud/jira/platform/webhooks/#secure-admin-webhooks
  const headers = new Headers({
    'x-hub-signature': 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9',
  })
  expect(checkSignature('jira', secret, headers, bytes('Hello World!'))).toBe('ok')
  expect(checkSignature('jira', secret, headers, bytes('Hello World'))).toBe('bad_signature')
})

const right: Record<TrackerKind, (body: string) => Record<string, string>> = {
  github: (body) => ({ 'X-Hub-Signature-256': `sha256=${hex(secret, body)}` }),
  gitlab: () => ({ 'X-Gitlab-Token': secret }),
  jira: (body) => ({ 'X-Hub-Signature': `sha256=${hex(secret, body)}` }),
  linear: (body) => ({ 'Linear-Signature': hex(secret, body) }),
}

describe.each(trackerKinds)('%s', (kind) => {
  const body = '{"a":1}'
  const check = (headers: Record<string, string>, key = secret) =>
    checkSignature(kind, key, new Headers(headers), bytes(body))

  test('takes the right proof only', () => {
    const [[name, value] = ['', '']] = Object.entries(right[kind](body))
    expect(check({ [name]: value })).toBe('ok')
    for (const wrong of [`${value}0`, value.slice(1), value.toUpperCase(), `${value.slice(0, -1)}x`, 'sha256=', 'ü'])
      expect(check({ [name]: encodeURI(wrong) }), wrong).toBe('bad_signature')
  })

  test('a missing proof is unsigned, also with the header of another service', () => {
    expect(check({})).toBe('unsigned')
    const [[name] = ['']] = Object.entries(right[kind](body))
    expect(check({ [name]: '' })).toBe('unsigned')
    const others = trackerKinds.filter((other) => Object.keys(right[other](body))[0] !== name)
    for (const other of others) expect(check(right[other](body))).toBe('unsigned')
  })

  test('without a readable secret nothing is right', () => {
    expect(
      check(
        {
          'X-Hub-Signature-256': `sha256=${hex('', body)}`,
          'X-Hub-Signature': `sha256=${hex('', body)}`,
          'X-Gitlab-Token': 'x',
          'Linear-Signature': hex('', body),
        },
        '',
      ),
    ).toBe('bad_signature')
  })
})

test.each<[kind: TrackerKind, payload: Record<string, unknown>, recent: boolean]>([
  ['linear', { webhookTimestamp: 1_000_000 }, true],
  ['linear', { webhookTimestamp: 1_000_000 - 299_000 }, true],
  ['linear', { webhookTimestamp: 1_000_000 - 301_000 }, false],
  ['linear', { webhookTimestamp: 1_000_000 + 301_000 }, false],
  ['linear', { webhookTimestamp: '1000000' }, false],
  ['linear', {}, false],
  ['github', {}, true],
])('the time of %s in %j', (kind, payload, recent) => {
  expect(isRecent(kind, payload, 1_000_000)).toBe(recent)
})
