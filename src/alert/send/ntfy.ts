import type { Message } from '../message/message.ts'
import { chatParts, plainOf } from './parts.ts'
import { acceptedAnswer, checkedUrl, fieldError, postJson, refusalOf, type Transport, textIn } from './transport.ts'

const priorities = { critical: 5, warning: 4, info: 3, ok: 3 } as const
/** A longer message becomes an attachment. */
const messageBytesMax = 4096

const topicOf = (target = '') => new URL(target).pathname.slice(1)

/** Topics of ntfy.sh or of an own server: https://docs.ntfy.sh/publish/#publish-as-json */
export const ntfy: Transport<object> = {
  kind: 'ntfy',
  fields: [
    { name: 'target', type: 'url', required: true },
    { name: 'token', type: 'secret', required: false },
  ],
  check: (input) => {
    const target = checkedUrl(input)
    if (!/^[\w-]{1,64}$/.test(topicOf(target)))
      throw fieldError('target', 'The address of a topic, such as https://ntfy.sh/my-topic.')
    const token = (input.token ?? '').trim()
    if (!/^[\x21-\x7e]{0,200}$/.test(token)) throw fieldError('token', 'An access token, or nothing.')
    return { target, ...(token ? { token } : {}) }
  },
  // Whoever knows the topic of a public server can read it.
  shown: ({ target = '' }) => (URL.canParse(target) ? `${new URL(target).origin}/…` : ''),
  // The JSON form, because the other form puts the title into a header.
  format: (message: Message, { target }) => {
    const parts = chatParts(message)
    const text = Buffer.from(plainOf(parts) || parts.headline).subarray(0, messageBytesMax)
    return {
      topic: topicOf(target),
      title: parts.headline,
      message: text.toString('utf8').replace(/\ufffd+$/, ''),
      priority: priorities[message.level],
      click: parts.open,
      actions: parts.acknowledge ? [{ action: 'view', label: 'Acknowledge', url: parts.acknowledge }] : [],
    }
  },
  send: async (deps, config, { message, deliveryId }) => {
    const { target = '', token } = config
    const answer = await postJson(deps, {
      url: new URL(target).origin,
      body: JSON.stringify(ntfy.format(message, config, deliveryId)),
      headers: token ? { authorization: `Bearer ${token}` } : {},
    })
    if (answer.status !== 200) throw refusalOf(answer, deps.clock.now(), { words: textIn(answer, 'error') })
    return acceptedAnswer(answer, deps.clock.now())
  },
}
