import { createHmac } from 'node:crypto'
import { type Message, webhookOf } from '../message/message.ts'
import { acceptedAnswer, checkedUrl, postJson, shownUrl, type Transport } from './transport.ts'

/** Returns `v1=` and the hex HMAC-SHA256 of `${timestamp}.${body}`. Signing the time prevents replay attacks. */
export function signatureOf(secret: string, timestampS: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex')}`
}

/** A signed and timestamped call of any address. */
export const webhook: Transport<object> = {
  kind: 'webhook',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  signs: true,
  format: (message: Message, _config, deliveryId) => webhookOf(message, deliveryId),
  send: async (deps, config, { message, deliveryId }) => {
    const { target: url = '', secret = '' } = config
    const body = JSON.stringify(webhook.format(message, config, deliveryId))
    const timestampS = Math.floor(deps.clock.now() / 1000)
    const headers = {
      'x-mishap-delivery': String(deliveryId),
      'x-mishap-timestamp': String(timestampS),
      ...(secret ? { 'x-mishap-signature': signatureOf(secret, timestampS, body) } : {}),
    }
    return acceptedAnswer(await postJson(deps, { url, body, headers }), deps.clock.now())
  },
}
