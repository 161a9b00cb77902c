import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { alerted, message } from '../message/message.cases.ts'
import { localService } from './rig.cases.ts'
import { sendVia, transports } from './transports.ts'
import { signatureOf } from './webhook.ts'

const service = await localService()
const target = 'https://hook.test/x'
const hmac = (body: string) => createHmac('sha256', 'shared').update(body).digest('hex')

async function received(config: object, made = message()) {
  service.answerWith({ status: 200, body: 'thanks' })
  const sent = await sendVia(
    'webhook',
    service.deps,
    { target, secret: 'shared', ...config },
    {
      message: made,
      deliveryId: 9,
      recipient: '',
    },
  )
  expect(sent.answer).toBe('200 thanks')
  return service.received.map(({ headers, body }) => ({ headers, body: String(body), json: JSON.parse(String(body)) }))
}

test('our own form is signed over time and body, and carries the fields', async () => {
  const [call] = await received({}, message({ more: 2 }))
  const timestampS = Number(call?.headers['x-mishap-timestamp'])
  expect(call?.headers).toMatchObject({
    'x-mishap-delivery': '9',
    'x-mishap-signature': signatureOf('shared', timestampS, call?.body ?? ''),
  })
  expect(call?.json).toMatchObject({
    version: 1,
    delivery: 9,
    kind: 'issue',
    change: 'start',
    level: 'warning',
    rule: null,
    incident: null,
    headline: 'New issue WEB-7: TypeError: x is not a function',
    url: 'https://m.test/o/acme/issues/7',
    organization: { id: '1', slug: 'acme' },
    more: 2,
    issues: [
      {
        change: 'new',
        id: '7',
        shortId: 'WEB-7',
        project: { id: '1', slug: 'web' },
        release: 'web@2',
        count: 3,
        firstSeen: '1970-01-01T00:00:00.000Z',
        url: 'https://m.test/o/acme/issues/7',
      },
    ],
  })
})

test('receivers of issue-alert webhooks get one call for each issue, signed in their way', async () => {
  const made = message({ kind: 'summary', alerts: [alerted(), alerted({ id: 8, shortId: 'WEB-8' })] })
  const calls = await received({ format: 'event_alert' }, made)
  expect(calls.map(({ headers }) => headers['request-id'])).toEqual(['delivery-9-7', 'delivery-9-8'])
  const [call] = calls
  expect(call?.headers).toMatchObject({
    'sentry-hook-resource': 'event_alert',
    'sentry-hook-signature': hmac(call?.body ?? ''),
    'sentry-hook-timestamp': call?.headers['x-mishap-timestamp'],
  })
  expect(call?.json).toMatchObject({
    action: 'triggered',
    actor: { type: 'application' },
    installation: { uuid: '00000000-0000-4000-8000-000000000001' },
    data: {
      triggered_rule: 'Notifications',
      issue_alert: { title: 'Notifications', settings: [] },
      event: { event_id: 'e'.repeat(32), issue_id: '7', title: 'TypeError: x is not a function', project: 1 },
    },
  })
})

test.each([
  ['start', 'critical', 'critical'],
  ['change', 'warning', 'warning'],
  ['end', 'ok', 'resolved'],
] as const)(
  'a message without issues that tells of a %s has the form of a metric alert',
  async (change, level, action) => {
    const made = {
      ...message({ alerts: [] }),
      kind: 'incident' as const,
      change,
      level,
      rule: { id: '4', name: 'Slow' },
    }
    const [call] = await received({ format: 'event_alert' }, made)
    expect(call?.headers['sentry-hook-resource']).toBe('metric_alert')
    expect(call?.json).toMatchObject({ action, data: { metric_alert: { id: '4', title: 'Slow' } } })
  },
)

test('each channel has a signing secret, and its address is not shown', () => {
  expect([transports.webhook.signs, transports.webhook.shown({ target })]).toEqual([true, 'https://hook.test/…'])
})
