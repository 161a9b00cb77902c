import { html, type Message } from '../message/message.ts'
import { chatParts, inert } from './parts.ts'
import { acceptedAnswer, checkedUrl, postJson, refusalOf, shownUrl, type Transport, textIn } from './transport.ts'

/** The quota of a space is one message a second. Google names no pause. */
const quotaMs = 1000

const paragraph = (text: string) => ({ textParagraph: { text: html(inert(text)) } })
const button = (text: string, url: string) => ({ text, onClick: { openLink: { url } } })

/** Webhooks of Google Chat: https://developers.google.com/workspace/chat/quickstart/webhooks */
export const google_chat: Transport<object> = {
  kind: 'google_chat',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  format: (message: Message) => {
    const parts = chatParts(message)
    const lines = [...parts.lines, ...(parts.more ? [parts.more] : [])]
    const buttons = [
      button('Open in Mishap', parts.open),
      ...(parts.acknowledge ? [button('Acknowledge', parts.acknowledge)] : []),
    ]
    const sections = parts.items.map((item) => ({
      widgets: [
        paragraph([item.title, ...item.details].join(' · ')),
        { buttonList: { buttons: [button('Open', item.url)] } },
      ],
    }))
    return {
      // The text of the notification on phones. "<users/all>" in it would notify the space.
      text: inert(parts.headline),
      cardsV2: [
        {
          cardId: message.id,
          card: { sections: [{ widgets: [...lines.map(paragraph), { buttonList: { buttons } }] }, ...sections] },
        },
      ],
    }
  },
  send: async (deps, config, { message, deliveryId }) => {
    const body = JSON.stringify(google_chat.format(message, config, deliveryId))
    const answer = await postJson(deps, { url: config.target ?? '', body })
    const words = textIn(answer, 'error', 'message')
    if (answer.status === 429) throw refusalOf(answer, deps.clock.now(), { words, retryMs: quotaMs })
    if (answer.status !== 200) throw refusalOf(answer, deps.clock.now(), { words })
    return { ...acceptedAnswer(answer, deps.clock.now()), pauseMs: quotaMs }
  },
}
