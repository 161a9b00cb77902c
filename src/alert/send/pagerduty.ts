import type { Message } from '../message/message.ts'
import { chatParts, incidentKey } from './parts.ts'
import { acceptedAnswer, fieldError, postJson, type SendDeps, type Sent, type Transport } from './transport.ts'

const hosts = { us: 'events.pagerduty.com', eu: 'events.eu.pagerduty.com' } as const
const severities = { critical: 'critical', warning: 'warning', info: 'info', ok: 'info' } as const

type PagerDutyEvent = { routing_key: string; event_action: string; dedup_key: string; [key: string]: unknown }

const actionOf = ({ change, acknowledgedBy }: Message): string =>
  change === 'end' ? 'resolve' : acknowledgedBy === undefined ? 'trigger' : 'acknowledge'

async function enqueue(deps: SendDeps, region: string, event: PagerDutyEvent): Promise<Sent> {
  const url = `https://${region === 'eu' ? hosts.eu : hosts.us}/v2/enqueue`
  return acceptedAnswer(await postJson(deps, { url, body: JSON.stringify(event) }), deps.clock.now())
}

/** Events API v2 of PagerDuty: https://developer.pagerduty.com/docs/events-api-v2/trigger-events/ */
export const pagerduty: Transport<PagerDutyEvent> = {
  kind: 'pagerduty',
  fields: [
    { name: 'key', type: 'secret', required: true },
    { name: 'region', type: 'choice', required: true, choices: ['us', 'eu'] },
  ],
  check: ({ key = '', region = 'us' }) => {
    if (!/^\w{32}$/.test(key.trim())) throw fieldError('key', 'The integration key has 32 letters and digits.')
    if (region !== 'us' && region !== 'eu') throw fieldError('region', 'us or eu.')
    return { key: key.trim(), region }
  },
  shown: ({ region }) => (region === 'eu' ? hosts.eu : hosts.us),
  format: (message: Message, { key = '' }) => {
    const { headline, open, lines, items } = chatParts(message)
    return {
      routing_key: key,
      event_action: actionOf(message),
      dedup_key: incidentKey(message),
      client: 'Mishap',
      client_url: open,
      links: items.map((item) => ({ href: item.url, text: item.title })),
      payload: {
        summary: headline,
        source: new URL(message.url).hostname,
        severity: severities[message.level],
        component: message.alerts[0]?.project.slug ?? '',
        class: message.rule?.name ?? message.kind,
        custom_details: { text: lines.join('\n') },
      },
    }
  },
  send: async (deps, config, { message, deliveryId }) => {
    const event = pagerduty.format(message, config, deliveryId)
    const sent = await enqueue(deps, config.region ?? 'us', event)
    // A test must not leave an open incident that somebody is paged for.
    if (message.kind === 'test') await enqueue(deps, config.region ?? 'us', { ...event, event_action: 'resolve' })
    return sent
  },
}
