import type { Message } from '../message/message.ts'
import { chatParts, markdownOf } from './parts.ts'
import { acceptedAnswer, checkedUrl, postJson, shownUrl, type Transport } from './transport.ts'

/** Incoming webhooks of Mattermost: https://developers.mattermost.com/integrate/webhooks/incoming/ */
export const mattermost: Transport<{ text: string }> = {
  kind: 'mattermost',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  format: (message: Message) => ({ text: markdownOf(chatParts(message)) }),
  send: async (deps, config, { message, deliveryId }) => {
    const body = JSON.stringify(mattermost.format(message, config, deliveryId))
    return acceptedAnswer(await postJson(deps, { url: config.target ?? '', body }), deps.clock.now())
  },
}
