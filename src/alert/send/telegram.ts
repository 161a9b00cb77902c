import { html, type Message } from '../message/message.ts'
import { chatParts, inert } from './parts.ts'
import { acceptedAnswer, fieldError, jsonOf, postJson, refusalOf, type Transport, textIn } from './transport.ts'

/** Telegram refuses a longer message. Its limit counts the text without tags, so this is on the safe side. */
const textMax = 4096

/** Telegram links domains and mentions in plain text by itself, but nothing inside of code. */
const code = (text: string) => `<code>${html(inert(text))}</code>`
const link = (text: string, url: string) => `<a href="${html(url)}">${text}</a>`

/** Bots of Telegram: https://core.telegram.org/bots/api#sendmessage */
export const telegram: Transport<object> = {
  kind: 'telegram',
  fields: [
    { name: 'token', type: 'secret', required: true },
    { name: 'target', type: 'text', required: true },
    { name: 'thread', type: 'text', required: false },
  ],
  check: ({ token = '', target = '', thread = '' }) => {
    if (!/^\d{3,20}:[\w-]{20,100}$/.test(token.trim()))
      throw fieldError('token', 'A token of @BotFather, such as 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11.')
    if (!/^(-?\d{1,20}|@\w{5,32})$/.test(target.trim()))
      throw fieldError('target', 'The number of a chat, such as -1001234567890, or @channel of a public channel.')
    if (!/^\d{0,15}$/.test(thread.trim())) throw fieldError('thread', 'The number of a topic, or nothing.')
    return { token: token.trim(), target: target.trim(), ...(thread.trim() ? { thread: thread.trim() } : {}) }
  },
  shown: ({ target = '' }) => target,
  format: (message: Message, { target = '', thread }) => {
    const parts = chatParts(message)
    const lines = [
      `${code(parts.headline)}\n${link('Open in Mishap', parts.open)}`,
      ...parts.lines.map(code),
      ...parts.items.map((item) => `${code(item.title)}\n${link('Open', item.url)}`),
      parts.more,
      parts.acknowledge ? link('Acknowledge', parts.acknowledge) : '',
    ].filter(Boolean)
    while (lines.length > 1 && lines.join('\n').length > textMax) lines.pop()
    return {
      chat_id: target,
      text: lines.join('\n'),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(thread ? { message_thread_id: Number(thread) } : {}),
    }
  },
  send: async (deps, config, { message, deliveryId }) => {
    const url = `https://api.telegram.org/bot${config.token}/sendMessage`
    const answer = await postJson(deps, { url, body: JSON.stringify(telegram.format(message, config, deliveryId)) })
    const said = jsonOf(answer)
    if (said.ok === true) return acceptedAnswer(answer, deps.clock.now())
    const { retry_after: seconds } = (said.parameters ?? {}) as { retry_after?: unknown }
    const words = textIn(answer, 'description')
    throw refusalOf(answer, deps.clock.now(), { words, retryMs: Number(seconds) * 1000 })
  },
}
