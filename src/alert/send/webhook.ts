import { createHmac } from 'node:crypto'
import { issueUrl, type Message } from '../message/message.ts'
import { eventAlertsOf } from './event-alert.ts'
import { acceptedAnswer, checkedUrl, fieldError, postJson, shownUrl, type Transport } from './transport.ts'

type WebhookCall = { headers: Record<string, string>; body: object }

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')

/** Returns `v1=` and the hex HMAC-SHA256 of `${timestamp}.${body}`. Signing the time prevents replay attacks. */
export const signatureOf = (secret: string, timestampS: number, body: string): string =>
  `v1=${hmac(secret, `${timestampS}.${body}`)}`

/** Returns the body of our own form (see docs/channels.md). `deliveryId` is the same in every attempt. */
export function webhookOf(message: Message, deliveryId: number): Record<string, unknown> {
  const { organization, rule, incidentId } = message
  return {
    version: 1,
    delivery: deliveryId,
    kind: message.kind,
    change: message.change,
    level: message.level,
    rule: rule && { id: rule.id, name: rule.name },
    incident: incidentId === null ? null : String(incidentId),
    headline: message.headline,
    sentence: message.sentence,
    url: message.links.open,
    organization: { id: String(organization.id), slug: organization.slug },
    issues: message.alerts.map(({ issue, project, kind, eventId }) => ({
      change: kind,
      id: String(issue.id),
      shortId: issue.shortId,
      title: issue.title,
      culprit: issue.culprit,
      level: issue.level,
      project: { id: String(project.id), slug: project.slug },
      release: issue.lastRelease,
      eventId,
      count: issue.count,
      firstSeen: new Date(issue.firstSeenMs).toISOString(),
      lastSeen: new Date(issue.lastSeenMs).toISOString(),
      url: issueUrl(message, issue),
    })),
    more: message.more,
  }
}

/** A signed and timestamped call of any address, in our own form or as an issue-alert webhook. */
export const webhook: Transport<WebhookCall[]> = {
  kind: 'webhook',
  fields: [
    { name: 'target', type: 'url', required: true },
    { name: 'format', type: 'choice', required: true, choices: ['mishap', 'event_alert'] },
  ],
  check: (input) => {
    const { format = 'mishap' } = input
    if (format !== 'mishap' && format !== 'event_alert') throw fieldError('format', 'mishap or event_alert.')
    return { target: checkedUrl(input), ...(format === 'mishap' ? {} : { format }) }
  },
  shown: ({ target }) => shownUrl(target),
  signs: true,
  format: (message: Message, { format }, deliveryId) =>
    format === 'event_alert'
      ? eventAlertsOf(message, deliveryId).map(({ id, resource, body }) => ({
          headers: { 'request-id': id, 'sentry-hook-resource': resource },
          body,
        }))
      : [{ headers: {}, body: webhookOf(message, deliveryId) }],
  send: async (deps, config, { message, deliveryId }) => {
    const { target: url = '', secret = '', format } = config
    let answer = ''
    for (const call of webhook.format(message, config, deliveryId)) {
      const body = JSON.stringify(call.body)
      const timestampS = Math.floor(deps.clock.now() / 1000)
      const known = {
        'x-mishap-delivery': String(deliveryId),
        'x-mishap-timestamp': String(timestampS),
        ...(secret ? { 'x-mishap-signature': signatureOf(secret, timestampS, body) } : {}),
      }
      // Receivers of this form check the body alone. Ours is sent as well.
      const foreign = {
        'sentry-hook-timestamp': String(timestampS),
        ...(secret ? { 'sentry-hook-signature': hmac(secret, body) } : {}),
      }
      const headers = { ...call.headers, ...known, ...(format === 'event_alert' ? foreign : {}) }
      answer = acceptedAnswer(await postJson(deps, { url, body, headers }), deps.clock.now()).answer
    }
    return { answer }
  },
}
