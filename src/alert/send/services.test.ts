import { describe, expect, test } from 'vitest'
import { message } from '../message/message.cases.ts'
import { localService } from './rig.cases.ts'
import { services } from './services.cases.ts'
import { DeliveryRefused } from './transport.ts'
import { sendVia, transports } from './transports.ts'

const service = await localService()
const outbound = { message: message(), deliveryId: 9, recipient: '' }

describe.each(services)('$kind, as in $docs', ({ kind, config, origin, path, headers = {}, body, answers }) => {
  test('keeps the values of the form, and shows no secret', () => {
    const checked = transports[kind].check(config)
    expect(checked).toEqual(config)
    const shown = transports[kind].shown(checked)
    for (const { name, type } of transports[kind].fields)
      if (type === 'secret' || type === 'url') expect(shown).not.toContain(config[name])
  })

  test.each(answers)('$says', async ({ status, headers: answered = {}, body: said, refused, pauseMs }) => {
    service.answerWith({ status, headers: answered, body: said })
    const sending = sendVia(kind, service.deps, config, outbound)
    if (refused === undefined) {
      const sent = await sending
      expect(sent.answer).toContain(String(status))
      expect(sent.pauseMs).toBe(pauseMs)
    } else {
      const error = await sending.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(DeliveryRefused)
      expect(error).toMatchObject({ message: refused })
      expect((error as DeliveryRefused).retryAfterMs).toBe(pauseMs)
    }
    const [got] = service.received
    expect([service.called[0], got?.method, got?.path]).toEqual([origin, 'POST', path])
    expect(got?.headers).toMatchObject({ 'user-agent': 'Mishap', ...headers })
    expect(got?.headers['content-type']).toMatch(/^application\/json/)
    expect(JSON.parse(got?.body.toString() ?? '')).toMatchObject(body)
  })
})

describe('an on-call service', () => {
  const incident = (more: object) => ({ ...message(), kind: 'incident' as const, incidentId: 3, ...more })
  const pagerduty = { key: 'a'.repeat(32), region: 'us' }
  const opsgenie = { key: '6d8d3b2a-1111-2222-3333-444455556666', region: 'us' }
  test.each([
    ['begins', {}, 'trigger', '/v2/alerts'],
    ['changes', { change: 'change' as const }, 'trigger', '/v2/alerts'],
    [
      'is acknowledged',
      { change: 'change' as const, acknowledgedBy: 'Ann' },
      'acknowledge',
      '/v2/alerts/mishap-m.test-incident-3/acknowledge?identifierType=alias',
    ],
    ['ends', { change: 'end' as const }, 'resolve', '/v2/alerts/mishap-m.test-incident-3/close?identifierType=alias'],
  ])('hears under one key that the incident %s', async (_says, more, action, path) => {
    service.answerWith({ status: 202, body: '{}' })
    await sendVia('pagerduty', service.deps, pagerduty, { ...outbound, message: incident(more) })
    await sendVia('opsgenie', service.deps, opsgenie, { ...outbound, message: incident(more) })
    const [first, second] = service.received
    expect(JSON.parse(String(first?.body))).toMatchObject({
      event_action: action,
      dedup_key: 'mishap-m.test-incident-3',
    })
    expect(second?.path).toBe(path)
  })

  test('is left without an open incident by a test', async () => {
    const made = { ...outbound, message: message({ kind: 'test', alerts: [] }) }
    service.answerWith({ status: 202, body: '{}' })
    await sendVia('pagerduty', service.deps, pagerduty, made)
    const actions = service.received.map(({ body }) => JSON.parse(String(body)).event_action)
    await sendVia('opsgenie', service.deps, opsgenie, made)
    expect([...actions, ...service.received.slice(2).map(({ path }) => path)]).toEqual([
      'trigger',
      'resolve',
      '/v2/alerts',
      '/v2/alerts/mishap-m.test-delivery-9/close?identifierType=alias',
    ])
  })
})

test.each([
  ['telegram', { token: 'x', target: '1' }, ['token']],
  ['telegram', { token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', target: 'my chat' }, ['target']],
  ['slack_app', { token: 'xoxp-1', signing: '', target: '' }, ['token']],
  ['slack_app', { token: 'xoxb-1234567890-a', signing: '0'.repeat(32), target: 'C0123', people: 'ann' }, ['people']],
  ['pagerduty', { key: 'short' }, ['key']],
  ['opsgenie', { key: 'a'.repeat(30), region: 'moon' }, ['region']],
  ['ntfy', { target: 'https://ntfy.sh/a/b' }, ['target']],
  ['discord', { target: 'ftp://discord.com/x' }, ['target']],
  ['webhook', { target: 'https://a.test/', format: 'xml' }, ['format']],
] as const)('%s refuses %j at %j', (kind, config, fields) => {
  expect(() => transports[kind].check(config)).toThrow(
    expect.objectContaining({
      code: 'VALIDATION',
      fields: Object.fromEntries(fields.map((name) => [name, [expect.any(String)]])),
    }),
  )
})
