import type { Message } from '../message/message.ts'
import { chatParts, markdownOf } from './parts.ts'
import {
  acceptedAnswer,
  checkedUrl,
  jsonOf,
  pauseOf,
  postJson,
  refusalOf,
  shownUrl,
  type Transport,
} from './transport.ts'

const colors = { critical: 0xd92d20, warning: 0xdc6803, info: 0x4f5b93, ok: 0x079455 } as const
/** Discord cuts nothing: it refuses a longer description. */
const descriptionMax = 4096

/** Webhooks of Discord: https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: Transport<object> = {
  kind: 'discord',
  fields: [{ name: 'target', type: 'url', required: true }],
  check: (input) => ({ target: checkedUrl(input) }),
  shown: ({ target }) => shownUrl(target),
  format: (message: Message) => ({
    embeds: [{ description: cut(markdownOf(chatParts(message)), descriptionMax), color: colors[message.level] }],
    // Without this, @everyone in the title of an error would notify the whole server.
    allowed_mentions: { parse: [] },
  }),
  send: async (deps, config, { message, deliveryId }) => {
    const url = new URL(config.target ?? '')
    // Discord then answers when it has stored the message, and says why it did not.
    url.searchParams.set('wait', 'true')
    const body = JSON.stringify(discord.format(message, config, deliveryId))
    const answer = await postJson(deps, { url: url.href, body })
    const asked = jsonOf(answer).retry_after
    if (answer.status === 429) throw refusalOf(answer, deps.clock.now(), { retryMs: Number(asked) * 1000 })
    const sent = acceptedAnswer(answer, deps.clock.now())
    const spent = answer.headers['x-ratelimit-remaining'] === '0'
    const pauseMs = spent ? pauseOf(Number(answer.headers['x-ratelimit-reset-after']) * 1000) : undefined
    return pauseMs === undefined ? sent : { ...sent, pauseMs }
  },
}

/** Cuts a text between lines, so that no link is cut in the middle. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, text.lastIndexOf('\n', max))
}
