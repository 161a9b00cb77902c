import type { Message } from '../message/message.ts'
import { chatParts, inert, plainOf } from './parts.ts'
import { acceptedAnswer, checkedUrl, jsonOf, postJson, refusalOf, shownUrl, type Transport } from './transport.ts'

const colors = { critical: '#d92d20', warning: '#dc6803', info: '#4f5b93', ok: '#079455' } as const

/** Incoming webhooks of Rocket.Chat: https://docs.rocket.chat/docs/integrations#incoming-webhook-script */
export const rocketchat: Transport<object> = {
  kind: 'rocketchat',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  format: (message: Message) => {
    const parts = chatParts(message)
    const items = parts.items.map((item) => ({
      title: inert(item.title),
      title_link: item.url,
      text: inert(item.details.join('\n')),
    }))
    const color = colors[message.level]
    return {
      text: inert(parts.headline),
      attachments: [
        { color, title: 'Open in Mishap', title_link: parts.open, text: inert(plainOf({ ...parts, items: [] })) },
        ...items,
        ...(parts.acknowledge ? [{ color, title: 'Acknowledge', title_link: parts.acknowledge }] : []),
      ],
    }
  },
  send: async (deps, config, { message, deliveryId }) => {
    const body = JSON.stringify(rocketchat.format(message, config, deliveryId))
    const answer = await postJson(deps, { url: config.target ?? '', body })
    // A script of the webhook that fails is answered with 200.
    if (jsonOf(answer).success === false) throw refusalOf(answer, deps.clock.now())
    return acceptedAnswer(answer, deps.clock.now())
  },
}
