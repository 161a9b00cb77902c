import type { Message } from '../message/message.ts'
import { chatParts, incidentKey, plainOf } from './parts.ts'
import { acceptedAnswer, fieldError, postJson, refusalOf, type Transport, textIn } from './transport.ts'

const hosts = { us: 'api.opsgenie.com', eu: 'api.eu.opsgenie.com' } as const
const priorities = { critical: 'P1', warning: 'P3', info: 'P5', ok: 'P5' } as const
/** Opsgenie refuses longer texts. */
const messageMax = 130
const descriptionMax = 15_000

type OpsgenieCall = { path: string; body: object }

/** Alerts of Opsgenie: https://docs.opsgenie.com/docs/alert-api */
export const opsgenie: Transport<OpsgenieCall[]> = {
  kind: 'opsgenie',
  fields: [
    { name: 'key', type: 'secret', required: true },
    { name: 'region', type: 'choice', required: true, choices: ['us', 'eu'] },
  ],
  check: ({ key = '', region = 'us' }) => {
    if (!/^[\w-]{20,100}$/.test(key.trim()))
      throw fieldError('key', 'An API key such as 6d8d3b2a-1111-2222-3333-444455556666.')
    if (region !== 'us' && region !== 'eu') throw fieldError('region', 'us or eu.')
    return { key: key.trim(), region }
  },
  shown: ({ region }) => (region === 'eu' ? hosts.eu : hosts.us),
  format: (message: Message) => {
    const parts = chatParts(message)
    const alias = incidentKey(message)
    const known = (verb: string): OpsgenieCall => ({
      path: `/v2/alerts/${encodeURIComponent(alias)}/${verb}?identifierType=alias`,
      body: { source: 'Mishap', user: message.acknowledgedBy ?? 'Mishap', note: parts.headline },
    })
    if (message.change === 'end') return [known('close')]
    if (message.acknowledgedBy !== undefined) return [known('acknowledge')]
    const created: OpsgenieCall = {
      path: '/v2/alerts',
      body: {
        message: [...parts.headline].slice(0, messageMax).join(''),
        alias,
        description: `${plainOf(parts)}\n${parts.open}`.slice(0, descriptionMax),
        priority: priorities[message.level],
        source: 'Mishap',
        entity: message.alerts[0]?.project.slug ?? '',
        details: { url: parts.open },
      },
    }
    // A test must not leave an open alert that somebody is called for.
    return message.kind === 'test' ? [created, known('close')] : [created]
  },
  send: async (deps, config, { message, deliveryId }) => {
    const answers: string[] = []
    for (const { path, body } of opsgenie.format(message, config, deliveryId)) {
      const answer = await postJson(deps, {
        url: `https://${config.region === 'eu' ? hosts.eu : hosts.us}${path}`,
        body: JSON.stringify(body),
        headers: { authorization: `GenieKey ${config.key}` },
      })
      const period = Number(answer.headers['x-ratelimit-period-in-sec']) * 1000
      if (answer.status === 429) throw refusalOf(answer, deps.clock.now(), { retryMs: period })
      if (answer.status !== 202) throw refusalOf(answer, deps.clock.now(), { words: textIn(answer, 'message') })
      answers.push(acceptedAnswer(answer, deps.clock.now()).answer)
    }
    return { answer: answers[0] ?? '' }
  },
}
